"""A whole match of Werewolf through the very same scripts: what is private stays private there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.games.werewolf.state import Play
from tests.games.dice import SeededDice

from . import Avatar
from .venue import Venue

DONE, NOBODY, CARD = "✅ Done", "✖ Nobody", "🃏 My card"
ROLES = ("Wolf", "Seer", "Witch", "Guard", "Elder", "Cupid", "Piper", "Villager")
NOT_A_TARGET = ("✅", "✖", "🃏", "◀", "Next", "⬅", "⚙", "✉", "🕯", "🤐", "🗳", "🌙", "Role")


class Village(Venue):
    """A venue whose people answer what they are asked: the first who can be chosen, or done."""

    def answer(self, people: list[Avatar]) -> bool:
        for number, who in enumerate(people):
            buttons = list(who.dialog.buttons) if who.dialog else []
            targets = [b for b in buttons if not b.startswith(NOT_A_TARGET)]
            asked = DONE in buttons or NOBODY in buttons or "✖ Nobody here" in buttons
            if asked or "⬅️ Back" in buttons:
                chosen = targets[number % len(targets)] if targets else ""
                last = next((b for b in (DONE, NOBODY) if b in buttons), CARD)
                who.press(chosen or last)
                return True
            if "🤐 Say nothing" in buttons:
                who.press("🤐 Say nothing")
                return True
        return False


@contextmanager
def village(folder: Path, seed: int) -> Iterator[Village]:
    made = Village(folder, SeededDice(seed))
    made.start_server()
    try:
        yield made
    finally:
        made.server.__exit__()


def test_a_whole_match_of_twelve_is_played_and_nobody_hears_what_is_not_for_him(
    tmp_path: Path,
) -> None:
    with village(tmp_path, 5) as v:
        table = v.build()
        lost_before = len(v.region.dropped)
        v.menu(v.owner, table, "Owner Menu", "🎲 Choose Game", "Werewolf")
        people = v.join(table, *(f"Player {n}" for n in range(1, 13)))
        assert len(v.hot(table).now.match.seats) == 12
        v.get_ready(people)
        people[0].press("Start Game")
        v.region.run(5)
        roles = {p.key: p.role for p in play(v, table).players}
        for who in people:
            told = [line.text for line in who.lines if line.text.startswith("🃏 You are: ")]
            assert len(told) == 1
            assert told[0].startswith(f"🃏 You are: {roles[who.key].capitalize()}.")
        v.same_huds(table)
        v.play(table, people)
        said = [line.text for line in v.region.public_chat]
        won = [line for line in said if line.startswith("🏆 THE ")]
        assert len(won) == 1
        before_the_end = said[: said.index(won[0])]
        named = [line for line in before_the_end if any(f"({role})" in line for role in ROLES)]
        assert named == []
        v.same_huds(table)
        v.same_words(table, people)
        v.region.run(40)
        v.same(table)
        assert v.region.debug == []
        assert len(v.region.dropped) == lost_before
        assert not v.region.errors


def play(v: Village, table: object) -> Play:
    found = v.hot(table).now.match.play  # type: ignore[arg-type]
    assert isinstance(found, Play)
    return found
