"""Werewolf as the table sees it: rules, looks and words under one name."""

from __future__ import annotations

from app.games.core import Game
from app.games.werewolf import board, bots, events, lines, menus, rules, state, words
from app.games.werewolf.events import OutAnnounced, Victory, Voted, WolfChoice


class Werewolf(Game[state.Play]):
    """See `words`, `state`, `rules`, `steps`, `bots`, `board`, `menus`, `lines`, `themes/`."""

    name = "werewolf"
    title = "Werewolf"
    seats = range(1, board.SEATS + 1)
    options = state.WerewolfOptions
    presets = state.PRESETS
    commands = words.COMMANDS
    events = events.EVENTS
    play = state.Play
    pictures = board.PICTURES
    moments = (
        ("A vote by day", Voted),
        ("The night", WolfChoice),
        ("Somebody is eliminated", OutAnnounced),
        ("Somebody has won", Victory),
    )

    start = staticmethod(rules.start)
    decide = staticmethod(rules.decide)
    evolve = staticmethod(state.evolve)
    waits = staticmethod(rules.waits)
    pauses = staticmethod(rules.pauses)
    elapse = staticmethod(rules.elapse)
    act_for = staticmethod(bots.act_for)
    remove = staticmethod(rules.remove)
    public = staticmethod(board.public)
    private = staticmethod(board.private)
    hud = staticmethod(board.hud)
    lines = staticmethod(lines.lines)
    due = staticmethod(menus.due)
    idle = staticmethod(menus.idle)
    typed = staticmethod(menus.typed)
    dialog = staticmethod(menus.dialog)
    board = staticmethod(board.board)
