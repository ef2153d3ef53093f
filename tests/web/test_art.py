"""The artwork: complete, self-contained SVG files, exported as square PNG textures."""

from __future__ import annotations

import colorsys
import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.web import art

LARGE = (
    "title",
    "peril_selected",
    "direct_hit",
    "no_shield",
    "plot_twist",
    "punishment",
    "elimination",
    "victory",
)
SQUARE = (
    "start",
    "hearts_0",
    "hearts_1",
    "hearts_2",
    "hearts_3",
    "overlay_x",
    "robot",
    "silhouette",
    "confetti",
    "blank",
)
LARGE += (
    "roulette_title",
    *(f"chamber_{left}" for left in (1, 2, 3, 4, 5, 6, "many")),
    "click",
    "bang",
    "pass",
    "steal",
    "duel",
    "finals",
    "roulette_victory",
)
SQUARE += ("pass_held", "pass_used")
LARGE += (
    "werewolf_title",
    "village_night",
    "village_day",
    "village_dusk",
    *(f"won_{camp}" for camp in ("wolves", "villagers", "piper", "lovers")),
)
ROLES = ("wolf", "villager", "seer", "witch", "guard", "elder", "cupid", "piper")
SQUARE += (
    *(f"votes_{count}" for count in range(14)),
    *(f"card_{role}" for role in ROLES),
    "asleep",
    "silhouette_sheriff",
    "robot_sheriff",
)
NAMES = LARGE + SQUARE
SVG = "{http://www.w3.org/2000/svg}"
MAX_BYTES = 25_000
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _root(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(art.svg(name))


def _size(png: bytes) -> tuple[int, int]:
    """Width and height in pixels from the PNG header."""
    assert png.startswith(PNG_SIGNATURE)
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _corner_alpha(png: bytes) -> int:
    """Alpha (0..255) of the top left pixel of an 8-bit RGBA PNG."""
    depth, colour_type = png[24], png[25]
    assert (depth, colour_type) == (8, 6)
    data = b""
    position = len(PNG_SIGNATURE)
    while position < len(png):
        (length,) = struct.unpack(">I", png[position : position + 4])
        if png[position + 4 : position + 8] == b"IDAT":
            data += png[position + 8 : position + 8 + length]
        position += 12 + length
    # The first pixel of the first row has no neighbours: every row filter leaves it unchanged.
    return zlib.decompress(data)[4]


def test_every_named_picture_exists_and_no_other() -> None:
    assert list(art.PICTURES) == sorted(NAMES)


def test_an_unknown_picture_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        art.svg("../art/title")


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_well_formed_and_has_a_title(name: str) -> None:
    assert len(art.svg(name)) < MAX_BYTES
    root = _root(name)
    assert root.tag == f"{SVG}svg"
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_has_the_view_box_of_its_format(name: str) -> None:
    expected = "0 0 1536 1024" if name in LARGE else "0 0 1024 1024"
    assert _root(name).get("viewBox") == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_drawn_without_fonts_scripts_rasters_or_outside_files(name: str) -> None:
    banned = {"text", "tspan", "script", "style", "image", "foreignObject", "a", "use"}
    for element in _root(name).iter():
        assert element.tag.removeprefix(SVG) not in banned
        for key, value in element.attrib.items():
            assert not key.lower().startswith("on")
            assert not key.endswith("href")
            assert "url(" not in value or value.startswith("url(#")


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_keeps_to_black_magenta_off_white_and_the_red_cross(name: str) -> None:
    for colour in set(re.findall(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", art.svg(name).decode())):
        digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
        red, green, blue = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
        hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
        grey = saturation < 0.2 or value < 0.02
        magenta = 0.88 <= hue <= 0.95
        cross = name == "overlay_x" and 0.95 <= hue <= 1.0
        assert grey or magenta or cross, colour


@pytest.mark.parametrize(("name", "full"), [(f"hearts_{count}", count) for count in range(4)])
def test_a_hearts_plate_shows_its_number_of_full_hearts(name: str, full: int) -> None:
    ids = [element.get("id", "") for element in _root(name).iter()]
    assert sum(value.startswith("heart-") for value in ids) == full
    assert sum(value.startswith("place-") for value in ids) == 3 - full


def test_export_writes_every_picture_as_a_square_png_of_1024_pixels(tmp_path: Path) -> None:
    written = art.export(tmp_path / "textures")
    assert [path.name for path in written] == [f"{name}.png" for name in art.PICTURES]
    for path in written:
        assert _size(path.read_bytes()) == (1024, 1024)


def test_a_large_picture_fills_the_whole_square_without_margins() -> None:
    png = art.png("title", 64)
    assert _size(png) == (64, 64)
    assert _corner_alpha(png) == 255


@pytest.mark.parametrize("name", ["overlay_x", "confetti"])
def test_an_overlay_keeps_its_ground_transparent(name: str) -> None:
    assert _corner_alpha(art.png(name, 128)) == 0


def test_a_size_below_one_pixel_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="size_px"):
        art.png("blank", 0)
