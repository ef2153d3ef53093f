"""Who plays in the tests of the rules, and what comes of it."""

from app.games import lobby
from app.games.core import Command, Key
from app.games.lobby import (
    AddBot,
    CheckLand,
    ChooseGame,
    ClearHuds,
    Freeze,
    Kick,
    Lock,
    RemoveBot,
    ResetAll,
    ResetMatch,
    ResetRanking,
    Scored,
    SendHuds,
    SetLanguage,
    SetOptions,
    Thaw,
    Unlock,
)

from .driver import Table

TEN = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal", "ida", "jon")

SERVER_COMMANDS: list[Command] = [
    Freeze("restart"),
    Thaw(),
    lobby.Repaint(),
    lobby.TimeUp("drawn", 1, 0),
]
OWNER_COMMANDS: list[Command] = [
    AddBot(),
    RemoveBot(),
    Kick(Key("ann")),
    Lock(),
    Unlock(),
    ResetMatch(),
    ResetRanking(),
    ResetAll(),
    SetOptions(preset="high_stakes"),
    ChooseGame("peril"),
    SetLanguage("es"),
    ClearHuds(),
    SendHuds(),
    CheckLand(),
]


def results(table: Table) -> dict[str, bool]:
    """Who has won (True) or lost (False); nobody is scored twice in a match."""
    scored = table.told(Scored)
    assert len({s.key for s in scored}) == len(scored)
    return {s.key: s.won for s in scored}
