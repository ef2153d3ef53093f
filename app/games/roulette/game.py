"""Russian roulette as the table sees it: rules, looks and words under one name."""

from __future__ import annotations

from app.games.core import Game
from app.games.roulette import board, menus, rules, state, words


class RussianRoulette(Game[state.Play]):
    """See `words`, `state`, `rules`, `board`, `menus` and `themes/`."""

    name = "roulette"
    title = "Russian Roulette"
    seats = range(2, board.SEATS + 1)
    options = state.RouletteOptions
    presets = state.PRESETS
    commands = words.COMMANDS
    events = words.EVENTS
    play = state.Play
    pictures = (*board.PICTURES.values(), *board.OTHER_PICTURES)
    moments = (
        ("Somebody is in turn", words.Picked),
        ("A pass", "pass"),
        ("A click", "click"),
        ("A duel", "duel"),
        ("Somebody is eliminated", "bang"),
        ("The finals", "finals"),
        ("Somebody has won", words.GameOver),
    )

    start = staticmethod(rules.start)
    decide = staticmethod(rules.decide)
    evolve = staticmethod(state.evolve)
    waits = staticmethod(rules.waits)
    pauses = staticmethod(rules.pauses)
    elapse = staticmethod(rules.elapse)
    act_for = staticmethod(rules.act_for)
    silent = staticmethod(rules.silent)
    remove = staticmethod(rules.remove)
    public = staticmethod(board.public)
    private = staticmethod(board.private)
    hud = staticmethod(board.hud)
    lines = staticmethod(board.lines)
    due = staticmethod(menus.due)
    dialog = staticmethod(menus.dialog)
    board = staticmethod(board.board)
