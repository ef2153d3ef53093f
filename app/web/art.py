"""The board's artwork: static SVG pictures and their export as square PNG textures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from resvg_py import svg_to_bytes

from app.games import GAMES, texts

FOLDERS: Final = (
    Path(__file__).resolve().parent / "static" / "art",
    *(texts.folder(game) / "static" / "art" for game in GAMES),
)
_FILES: Final = {path.stem: path for folder in FOLDERS for path in folder.glob("*.svg")}

PICTURES: Final[tuple[str, ...]] = tuple(sorted(_FILES))
"""Names of all pictures, those of the table and of each game, sorted."""

_ROOT_TAG: Final = re.compile(r"<svg\b[^>]*>")
_SIZE: Final = re.compile(r'\s(?:width|height|preserveAspectRatio)="[^"]*"')


def svg(name: str) -> bytes:
    """Return the SVG file of picture ``name`` (UTF-8).

    Raises ``KeyError`` when no picture has that name.
    """
    return _FILES[name].read_bytes()


def png(name: str, size_px: int = 1024) -> bytes:
    """Render picture ``name`` as a square PNG with sides of ``size_px`` pixels.

    A 3:2 picture is stretched to the square on purpose: the face that shows the texture
    stretches it back. Ground that the picture leaves open stays transparent.

    Raises ``KeyError`` for an unknown name and ``ValueError`` when ``size_px`` is below 1 or the
    picture cannot be rendered.
    """
    if size_px < 1:
        raise ValueError(f"size_px must be at least 1, got {size_px}")
    return bytes(svg_to_bytes(svg_string=_stretched(svg(name).decode(), size_px)))


def export(folder: Path, size_px: int = 1024) -> list[Path]:
    """Render every picture into ``folder`` as ``NAME.png``, ``size_px`` by ``size_px`` pixels.

    Makes the folder when it is missing and overwrites older files of the same names. Returns
    the written paths in the order of ``PICTURES``.

    Raises what ``png`` raises, and ``OSError`` when the folder or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name in PICTURES:
        path = folder / f"{name}.png"
        path.write_bytes(png(name, size_px))
        written.append(path)
    return written


def _stretched(text: str, size_px: int) -> str:
    """Give the root tag a square size in pixels that the view box fills without margins."""
    root = _ROOT_TAG.search(text)
    if root is None:
        raise ValueError("the picture has no <svg> root tag")
    tag = _SIZE.sub("", root.group())
    size = f' width="{size_px}" height="{size_px}" preserveAspectRatio="none"'
    return f"{text[: root.start()]}{tag[:-1]}{size}>{text[root.end() :]}"
