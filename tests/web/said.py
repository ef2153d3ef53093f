"""Which lines the program has people read, found in its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from app.games import GAMES, own, texts
from app.limits import WHO, Limits
from app.settings import Settings
from app.web import console_views, moments, operators, theme_editor
from app.web.words import Words

APP = Path(texts.__file__).parent.parent
RAISED = {"PerilError", "Malformed", "Forbidden", "Unauthorized", "NotFound", "Problem"}
FOR_OTHERS = (
    *("cli", "console.py", "serving.py", "table/database.py", "table/backup.py", "table/move.py"),
    *("api/system.py", "devices/"),
)
"""Where errors arise that only who runs the server sees, his balancer, or the scripts in-world."""
FOR_BOTH = {"theme", "table", "language"}
"""What tables in-world name; there the language sets say that there is no such thing."""
HELD = ("line", "problem", "like", "message", "LINE")
"""Names of variables that hold a line which is raised."""


def in_errors() -> set[str]:
    """The lines of the errors that a person or a program may be told by the web."""
    found: set[str] = set()
    for file in APP.rglob("*.py"):
        if not file.relative_to(APP).as_posix().startswith(FOR_OTHERS):
            found |= set(_raised(ast.parse(file.read_text("utf-8"))))
    whose = (f"Too many requests {who}. Try again in {{retry_after_s}} s." for who in WHO.values())
    return (found | set(whose)) - {"{where}: {error}."}


def _raised(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id="NotFound"), args=[ast.Constant(value=str(what)), *_]):
                if what not in FOR_BOTH | {"table of yours"}:
                    yield f"There is no {what} “{{name}}” here."
            case ast.Call(func=ast.Name(id=name), args=args) if name in RAISED - {"NotFound"}:
                yield from _lines(args)
            case ast.Call(func=ast.Attribute(attr="__init__"), args=args):
                yield from _lines(args)
            case ast.Assign(targets=[target], value=value):
                held = {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
                if held & set(HELD):
                    yield from _lines([value])
            case ast.FunctionDef(name="__init__", args=ast.arguments(defaults=defaults)):
                yield from _lines(defaults)


def _lines(nodes: list[ast.expr]) -> Iterator[str]:
    """The sentences among these expressions; codes have no full stop."""
    for node in nodes:
        match node:
            case ast.Constant(value=str(line)) if line.endswith((".", "…", "{.")) and " " in line:
                yield line
            case ast.Tuple(elts=parts):
                yield from _lines(parts)


def in_consoles() -> set[str]:
    """What the consoles say that stands in no template."""
    options = {name for game in GAMES.values() for name in game.options.__struct_fields__}
    ago = {line for _, *lines in console_views.AGO for line in lines}
    themes = {theme for game in GAMES for theme in texts.names(game)}
    return (
        {console_views.label(name) for name in options}
        | {", seconds", "not in-world", "in touch", "gone silent", "just now", "matches", "options"}
        | {"unreachable", "restart", "maintenance", "the owner", "There is no such table of yours."}
        | ago
        | themes
        | {*operators.SCOPES.values(), *Limits(Settings()).refused}
        | {"Tables", "Owners", "Matches so far", "Tables in memory", "Matches on"}
        | {theme_editor.NOW, *(name for game in GAMES for name in moments.names(game))}
        | {"Deadlines running", *theme_editor.SECTIONS.values(), *_fields(), "row"}
    )


class _Heard(Words):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__("en", "English", {}, {}, {})
        self.lines: set[str] = set()

    def __call__(self, line: str) -> str:
        self.lines.add(line)
        return line


def _fields() -> set[str]:
    """What the fields of the theme editor are called."""
    heard = _Heard()
    for game in GAMES:
        for line in own.lines(game):
            theme_editor.label(line, heard)
    return heard.lines
