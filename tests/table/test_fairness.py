"""Dice that can be checked: committed beforehand, fed by the players, shown afterwards."""

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from app import fairness
from app.games import lobby
from app.games.peril import words as peril
from app.table import history

from .house import House


@pytest.fixture
async def fair(new_house: Callable[..., House]) -> House:
    house = new_house()
    house.dice = None
    return await house.open(lives=1)


async def log_of(house: House, match: str) -> list[Any]:
    _, lines = await history.public_log(house.tables.store, match)
    return lines


def events(lines: list[Any], *kinds: str) -> list[dict[str, Any]]:
    told = [e for line in lines for e in json.loads(line.events)]
    return [e for e in told if e["type"] in kinds] if kinds else told


async def played(house: House) -> list[Any]:
    """A match of two people and a bot, by itself to its end; its log."""
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.add_bots(1)
    await house.ready(bob)
    match = house.table.now.match_id
    await house.touch(ada)
    await house.press(ada, "Start Game", command_id="fresh-start")
    await house.run_out()
    return await log_of(house, match)


# ---- the draw itself ------------------------------------------------------------------------


@pytest.mark.parametrize("among", [1, 2, 3, 6, 7, 12, 20, 30, 100])
def test_every_result_is_as_likely_as_the_other(among: int) -> None:
    seed = bytes(32)
    draws = 3000 * among if among < 20 else 60_000
    count = Counter(fairness.draw(seed, f"m\n{n}\n\n", among) for n in range(draws))
    assert set(count) == set(range(among))
    expected = draws / among
    chi = sum((count[i] - expected) ** 2 / expected for i in range(among))
    assert chi < among + 5 * (2 * among) ** 0.5 + 5


def test_a_number_beyond_the_last_whole_multiple_is_thrown_away() -> None:
    """With 2³¹+1 possibilities about half of all numbers are; none of them is folded back."""
    among, seed = (1 << 31) + 1, bytes(32)
    for n in range(50):
        digest = hmac.digest(seed, f"m\n{n}\n0".encode(), "sha256")
        words = [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)]
        first = next((w for w in words if w < among), None)
        if first is not None:
            assert fairness.draw(seed, f"m\n{n}", among) == first


def test_the_draw_changes_with_everything_it_is_made_of() -> None:
    made = ("00" * 32, "m-1", 0, "choices", "fresh")
    others = [("01" * 32, *made[1:]), (made[0], "m-2", *made[2:]), (*made[:2], 1, *made[3:]),
              (*made[:3], "others", made[4]), (*made[:4], "stale")]  # fmt: skip
    rolls = [[fairness.FairDice(*m).roll(1 << 30, "roll")] for m in [made, *others]]
    assert len({r[0] for r in rolls}) == 6


# ---- a match --------------------------------------------------------------------------------


async def test_the_commitment_is_seen_before_anything_is_drawn(fair: House) -> None:
    commitment = fair.state.commitment
    assert fair.text("Dice") == f"sha256 {commitment[:25]}"
    assert fair.state.seed == ""
    [opened] = events(await log_of(fair, fair.table.now.match_id), "match_opened")
    assert opened["commitment"] == commitment
    assert len(commitment) == 64


async def test_the_seed_is_shown_when_the_match_is_over_and_fits_the_commitment(
    fair: House,
) -> None:
    lines = await played(fair)
    [shown] = events(lines, "seed_shown")
    [opened] = events(lines, "match_opened")
    assert fairness.commitment(shown["seed"]) == opened["commitment"]
    assert hashlib.sha256(bytes.fromhex(shown["seed"])).hexdigest() == opened["commitment"]
    assert fair.state.commitment not in ("", opened["commitment"])


async def test_the_seed_stands_on_the_board_s_view_while_the_winner_is_celebrated(
    fair: House,
) -> None:
    ada, bob = fair.avatars("Ada", "Bob")
    await fair.join(ada, bob)
    await fair.ready(bob)
    await fair.press_start(ada)
    commitment = fair.state.commitment
    await fair.command(bob, lobby.Leave())
    await fair.until("victory")
    assert fairness.commitment(fair.state.seed) == commitment


async def test_every_draw_can_be_drawn_again_from_the_log(fair: House) -> None:
    lines = await played(fair)
    seed = bytes.fromhex(events(lines, "seed_shown")[0]["seed"])
    choices, number, fresh = "", 0, set()
    for line in lines:
        command = json.loads(line.command) if line.command else {}
        if command.get("type") in ("mark", "unmark", "pick", "roll"):
            choices = fairness.chosen(choices, line.actor, line.command)
        for drawn in events([line], "drawn"):
            number += 1
            message = f"{line.match_id}\n{number}\n{choices}\n{line.id}"
            assert drawn["number"] == number
            assert drawn["index"] == fairness.draw(seed, message, drawn["among"])
            fresh.add(line.id)
    assert number > 5
    assert "fresh-start" in fresh


async def test_what_players_do_and_the_key_of_their_press_change_what_falls(
    new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fairness, "new_seed", lambda: "ab" * 32)
    falls = set()
    for key in ("one", "two", "three", "four"):
        house = new_house()
        house.dice = None
        await house.open()
        house.table.id  # noqa: B018 - it is open
        ada, bob = house.avatars("Ada", "Bob")
        await house.join(ada, bob)
        await house.ready(bob)
        await house.press_start(ada)
        await house.until("picking")
        first, second = (house.people[k] for k in house.table.now.match.play.queue)
        await house.stake(first, 1)
        await house.stake(second, 2)
        await house.command(house.people[house.state.peril], peril.Roll(), key)
        falls.add(house.state.roll)
    assert len(falls) > 1


async def test_a_restart_goes_on_with_the_same_dice(fair: House) -> None:
    ada, bob = fair.avatars("Ada", "Bob")
    await fair.join(ada, bob)
    await fair.ready(bob)
    await fair.press_start(ada)
    await fair.until("picking")
    assert not (await fair.stake(fair.people[fair.state.peril], 1, 2, 3)).refused
    before = fair.table.seed, fair.table.choices, fair.table.now.match.draws
    assert before[1] != ""
    await fair.restart()
    assert (fair.table.seed, fair.table.choices, fair.table.now.match.draws) == before


async def test_a_reset_shows_the_seed_of_a_match_that_had_begun(fair: House) -> None:
    ada, bob = fair.avatars("Ada", "Bob")
    await fair.join(ada, bob)
    await fair.ready(bob)
    await fair.press_start(ada)
    match = fair.table.now.match_id
    await fair.command(fair.owner, lobby.ResetMatch())
    assert len(events(await log_of(fair, match), "seed_shown")) == 1
    empty = fair.table.now.match_id
    await fair.command(fair.owner, lobby.ResetMatch())
    assert events(await log_of(fair, empty), "seed_shown") == []


# ---- what is not told too early -------------------------------------------------------------


async def test_numbers_in_hand_draws_and_ids_are_told_when_the_match_is_over(fair: House) -> None:
    ada, bob = fair.avatars("Ada", "Bob")
    await fair.join(ada, bob)
    await fair.ready(bob)
    await fair.press_start(ada)
    await fair.until("picking")
    peril_player = fair.people[fair.state.peril]
    match = fair.table.now.match_id
    await fair.command(peril_player, peril.Mark(3), "secret-id")
    told = await log_of(fair, match)
    assert events(told, "number_marked", "drawn") == []
    assert not any("mark" in line.command or line.id for line in told)
    assert not any(fair.table.seed in line.events for line in told)
    await fair.command(fair.owner, lobby.ResetMatch())
    told = await log_of(fair, match)
    assert len(events(told, "number_marked")) == 1
    assert events(told, "drawn")
    assert "secret-id" in [line.id for line in told]
