"""Peril Dice as the table sees it: rules, looks and words under one name."""

from __future__ import annotations

from app.games.core import Game
from app.games.peril import board, menus, rules, state, words


class PerilDice(Game[state.Play]):
    """See `words`, `state`, `rules`, `board`, `menus` and `themes/`."""

    name = "peril"
    title = "Peril Dice"
    seats = range(2, 11)
    options = state.PerilOptions
    presets = state.PRESETS
    commands = words.COMMANDS
    events = words.EVENTS
    play = state.Play
    pictures = (*board.PICTURES.values(), *board.HEARTS)
    moments = (
        ("Somebody is in peril", words.PerilDrawn),
        ("Somebody picks", words.NumbersPicked),
        ("The throw", words.DiceRolled),
        ("A plot twist", words.PlotTwist),
        ("A life is lost", words.LifeLost),
        ("Somebody is eliminated", words.PlayerEliminated),
        ("Somebody has won", words.MatchWon),
    )

    start = staticmethod(rules.start)
    decide = staticmethod(rules.decide)
    evolve = staticmethod(state.evolve)
    waits = staticmethod(rules.waits)
    pauses = staticmethod(rules.pauses)
    elapse = staticmethod(rules.elapse)
    act_for = staticmethod(rules.act_for)
    remove = staticmethod(rules.remove)
    public = staticmethod(board.public)
    private = staticmethod(board.private)
    hud = staticmethod(board.hud)
    lines = staticmethod(board.lines)
    due = staticmethod(menus.due)
    dialog = staticmethod(menus.dialog)
    board = staticmethod(board.board)
