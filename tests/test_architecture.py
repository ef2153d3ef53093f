"""Which part of the program may import which, read from the source without running it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_LINES = 400

# The standard library's modules that neither wait, nor read the clock, nor roll dice, nor reach
# outside the process. A list of what is allowed, so that a new way out is not overlooked.
PURE = {
    "__future__", "abc", "bisect", "collections", "copy", "dataclasses", "enum", "fractions",
    "functools", "hashlib", "heapq", "html", "itertools", "json", "math", "operator", "re",
    "string", "textwrap", "types", "typing", "unicodedata",
}  # fmt: skip
# msgspec makes plain values and does nothing else.
DISPLAY_MAY = ("msgspec",)
GAMES_MAY = ("app.games", "app.display", "msgspec")
# The one module that reads files: the themes that lie beside it.
THEME_READER = "app/games/texts.py"
THEME_READER_MAY = ("pathlib", "tomllib")
# Nor may pure code get at these by name, import or not.
IMPURE_CALLS = {"open", "input", "print", "__import__", "eval", "exec"}


def inside(module: str, *packages: str) -> bool:
    return any(module == p or module.startswith(p + ".") for p in packages)


def sources(root: Path, part: str) -> Iterator[Path]:
    """The Python files of a dotted part, be it a module or a package."""
    base = root.joinpath(*part.split("."))
    if base.with_suffix(".py").is_file():
        yield base.with_suffix(".py")
    yield from sorted(base.rglob("*.py"))


def imports(root: Path, path: Path) -> Iterator[tuple[int, str]]:
    """Each imported dotted name with its line: `from app import api` counts as `app.api`."""
    package = path.relative_to(root).parent.parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*up, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def forbidden(root: Path, part: str, *targets: str) -> list[str]:
    """Where `part` imports one of `targets` or something in them."""
    return [
        f"{path.relative_to(root)}:{line} imports {name}"
        for path in sources(root, part)
        for line, name in imports(root, path)
        if inside(name, *targets)
    ]


def impure(root: Path, part: str, *friends: str) -> list[str]:
    """Where `part` imports anything but the pure standard library and `friends`, or calls out."""
    found = []
    for path in sources(root, part):
        where = path.relative_to(root)
        allowed = friends + (THEME_READER_MAY if where.as_posix() == THEME_READER else ())
        for line, name in imports(root, path):
            if name.split(".")[0] not in PURE and not inside(name, *allowed):
                found.append(f"{where}:{line} imports {name}")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in IMPURE_CALLS
            ):
                found.append(f"{where}:{node.lineno} calls {node.func.id}()")
    return found


def too_long(root: Path) -> list[str]:
    counts = {p: len(p.read_text("utf-8").splitlines()) for p in sources(root, "app")}
    return [f"{p.relative_to(root)} has {n} lines" for p, n in counts.items() if n > MAX_LINES]


def test_the_games_import_only_pure_modules_each_other_and_the_display() -> None:
    assert impure(ROOT, "app.games", *GAMES_MAY) == []


def test_the_display_imports_only_pure_modules_and_nothing_of_the_app() -> None:
    assert impure(ROOT, "app.display", *DISPLAY_MAY) == []


def test_the_table_knows_nothing_of_those_who_serve_it() -> None:
    servers = ("app.api", "app.web", "app.devices", "app.main", "app.cli")
    assert forbidden(ROOT, "app.table", *servers) == []


@pytest.mark.parametrize("part", ["api", "web", "devices"])
def test_the_api_the_web_and_the_devices_do_not_import_each_other(part: str) -> None:
    others = {"app.api", "app.web", "app.devices", "app.main", "app.cli"} - {f"app.{part}"}
    assert forbidden(ROOT, f"app.{part}", *others) == []


def test_only_the_command_line_imports_the_main_module() -> None:
    users = forbidden(ROOT, "app", "app.main")
    assert [u for u in users if not u.startswith(("app/cli.py:", "app/serving.py:"))] == []


def test_no_source_file_is_longer_than_one_can_read_in_a_sitting() -> None:
    assert too_long(ROOT) == []


def test_the_pure_modules_are_all_of_the_standard_library() -> None:
    assert PURE - sys.stdlib_module_names == set()


@pytest.mark.parametrize(
    ("path", "line", "seen"),
    [
        ("app/games/dice.py", "import random", "imports random"),
        ("app/games/dice.py", "import pathlib", "imports pathlib"),
        ("app/games/dice.py", "import os.path", "imports os.path"),
        ("app/games/deep/dice.py", "def f():\n    from time import time", "imports time.time"),
        ("app/games/dice.py", "from app import api", "imports app.api"),
        ("app/games/dice.py", "from ..table import seats", "imports app.table.seats"),
        ("app/games/__init__.py", "from .. import table", "imports app.table"),
        ("app/games/dice.py", "from app.gamesmaster import x", "imports app.gamesmaster.x"),
        ("app/games/dice.py", "x = open('dice')", "calls open()"),
    ],
)
def test_an_impure_game_is_found(tmp_path: Path, path: str, line: str, seen: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(line)
    found = impure(tmp_path, "app.games", *GAMES_MAY)
    assert [f.split(" ", 1)[1] for f in found] == [seen]


def test_a_pure_game_is_let_pass(tmp_path: Path) -> None:
    game = tmp_path / "app/games/dice.py"
    game.parent.mkdir(parents=True)
    game.write_text(
        "import math\nimport msgspec\nfrom . import cards\nfrom ..display import Card\n"
    )
    assert impure(tmp_path, "app.games", *GAMES_MAY) == []


def test_a_forbidden_import_is_found_in_a_module_as_in_a_package(tmp_path: Path) -> None:
    (tmp_path / "app/table").mkdir(parents=True)
    (tmp_path / "app/web.py").write_text("from .api import routes\n")
    (tmp_path / "app/table/seats.py").write_text("import app.main\n")
    assert forbidden(tmp_path, "app.web", "app.api") == ["app/web.py:1 imports app.api.routes"]
    assert forbidden(tmp_path, "app.table", "app.main") == ["app/table/seats.py:1 imports app.main"]


def test_a_file_too_long_is_found(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/long.py").write_text("\n" * (MAX_LINES + 1))
    assert too_long(tmp_path) == [f"app/long.py has {MAX_LINES + 1} lines"]
