"""Whole matches of Russian roulette through the very same scripts: nothing of them knows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.games.dice import SeededDice

from . import Avatar, Linkset
from .venue import Venue

PULL, PASS, STEAL, DRAW = (
    "🔫 Pull the trigger",
    "🎫 Use my pass",
    "🧤 Steal a pass",
    "🤠 Quick Draw",
)


class Saloon(Venue):
    """A venue whose people answer the dialogs of the roulette, each in his own way."""

    def answer(self, people: list[Avatar]) -> bool:
        for number, who in enumerate(people):
            buttons = list(who.dialog.buttons) if who.dialog else []
            aims = [b for b in buttons if b.startswith(("🧤 ", "🎯 ")) and b != STEAL]
            ways = [b for b in ([DRAW], [STEAL], [PASS])[number % 3] if b in buttons]
            pull = [b for b in buttons if b == PULL]
            press = next(iter((*aims, *ways, *pull)), None)
            if press is not None:
                who.press(press)
                return True
        return False


@contextmanager
def saloon(folder: Path, seed: int) -> Iterator[Saloon]:
    made = Saloon(folder, SeededDice(seed))
    made.start_server()
    try:
        yield made
    finally:
        made.server.__exit__()


def choose_roulette(v: Saloon, table: Linkset, *options: str) -> None:
    """The owner picks the game in his menu, and presses options there."""
    v.menu(v.owner, table, "Owner Menu", "🎲 Choose Game", "Russian Roulette")
    for label in options:
        v.owner.press("⚙️ Options")
        v.region.run(2)
        while label not in v.owner.dialog.buttons:  # type: ignore[union-attr]
            v.owner.press("Next ▶")
            v.region.run(2)
        v.owner.press(label)
        v.region.run(2)
        v.owner.press("⬅️ Back to Main")
        v.region.run(2)


@pytest.mark.parametrize(
    ("count", "options", "seed"),
    [(3, (), 1), (12, ("Thieves' Den",), 2), (30, ("Wild West",), 3)],
    ids=["3", "12", "30"],
)
def test_a_whole_match_is_played_and_the_prims_always_show_the_board(
    count: int, options: tuple[str, ...], seed: int, tmp_path: Path
) -> None:
    with saloon(tmp_path, seed) as v:
        table = v.build()
        choose_roulette(v, table, *options)
        people = v.join(table, *(f"Player {n}" for n in range(1, count + 1)))
        assert len(v.hot(table).now.match.seats) == count
        v.same_huds(table)
        v.get_ready(people)
        people[0].press("Start Game")
        v.region.run(3)
        v.play(table, people)
        said = [line.text for line in v.region.public_chat]
        assert sum("is the last one standing" in line for line in said) == 1
        assert sum("theme by Baloor" in line for line in said) == 1
        v.same_huds(table)
        v.same_words(table, people)
        v.region.run(40)
        v.same(table)
        assert {tuple(p.dialog.buttons) for p in people if p.dialog} == {("Play Again",)}
        assert v.region.debug == []
        assert v.region.dropped == []
        assert not v.region.errors


def test_bots_of_the_roulette_have_floaters_and_the_owner_is_invited_to_the_new_game(
    tmp_path: Path,
) -> None:
    with saloon(tmp_path, 4) as v:
        table = v.build()
        v.menu(v.owner, table, "Join Game")
        v.menu(v.owner, table, "Owner", "🎲 Choose Game", "Russian Roulette")
        assert v.hot(table).now.match.invited == (v.owner.key,)
        v.owner.press("Play Again")
        v.region.run(2)
        v.menu(v.owner, table, "Owner", "👥 Players", *["Add Test Player"] * 2)
        v.menu(v.owner, table, "Start Game")
        v.region.run(3)
        v.same_huds(table)
        assert {"Bot1", "Bot2"} <= set(v.huds())
        v.play(table, [v.owner])
        v.same(table)
        assert v.region.debug == []
