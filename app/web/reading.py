"""The long texts, a template for each language: rules of the games, fair dice, what is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import TemplateNotFound

from app.games import GAMES, texts
from app.games.core import Game
from app.verify import NOT_COVERED
from app.web import pages, words
from app.web.words import ENGLISH, Words


@dataclass(frozen=True)
class OptionRow:
    """An option as the rules page lists it: one of its `values`, or a number within `limits`."""

    name: str
    default: str
    values: Sequence[str] = ()
    limits: Sequence[str] = ()


@dataclass(frozen=True)
class Rules:
    """What a game's rules page takes from the game itself."""

    game: Game[Any]
    options: Sequence[OptionRow] = field(default_factory=tuple)
    presets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def preset(game: Game[Any], name: str, t: Words) -> str:
    """What a preset is called, as on the buttons of the tables."""
    theme = texts.load(game.name, language=t.language)
    return theme.maybe("button", f"preset_{name}") or name.replace("_", " ").title()


def rules_of(game: Game[Any]) -> Rules:
    """The game's options with defaults, values and limits, read off their types."""
    hints = get_type_hints(game.options)
    defaults = game.options()
    names = game.options.__struct_fields__
    rows = [
        OptionRow(
            name,
            _shown(getattr(defaults, name)),
            _values(hints[name]),
            tuple(map("{:g}".format, game.options.LIMITS.get(name, ()))),
        )
        for name in names
    ]
    presets = {
        preset: {name: _shown(value) for name, value in changes.items()}
        for preset, changes in game.presets.items()
    }
    return Rules(game, rows, presets)


def _values(hint: Any) -> Sequence[str]:
    if hint is bool:
        return "on", "off"
    return tuple(map(_shown, get_args(hint))) if get_origin(hint) is Literal else ()


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def long_text(request: Request, name: str, /, **values: Any) -> Response:
    """A page that is one long text: `NAME.XX.html`, or if there is none `NAME.html` in English."""
    t = words.of(request)
    try:
        pages.templates.get_template(f"{name}.{t.language}.html")
    except TemplateNotFound:
        return pages.spoken(request, f"{name}.html", t=ENGLISH, **values)
    return pages.spoken(request, f"{name}.{t.language}.html", t=t, **values)


def router(games: Mapping[str, Game[Any]] = GAMES) -> APIRouter:
    """`/rules/GAME`, `/fairness`, `/privacy`."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @routes.get("/rules/{name}")
    async def rules(request: Request, name: str) -> Response:
        game = games.get(name)
        if game is None:
            return pages.error_page(request, 404, "There is no such game here.")
        return long_text(request, f"rules/{name}", rules=rules_of(game), game=game, preset=preset)

    @routes.get("/fairness")
    async def fairness(request: Request) -> Response:
        return long_text(request, "fairness", not_covered=NOT_COVERED)

    @routes.get("/privacy")
    async def privacy(request: Request) -> Response:
        return long_text(request, "privacy")

    return routes
