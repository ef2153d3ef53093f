"""The situations of the roulette's rule text, one test each, through the service.

Each is played by commands with dice that fall as written: exactly these events, then exactly this
state.  A situation that begins in mid-game goes on from a log that was written before; there one
more player, Z, is in turn and leaves, so that the server draws the next one.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from app.games import lobby
from app.games.core import SERVER, Command, Event, Key, snake
from app.games.roulette import rules
from app.games.roulette import words as r
from app.table.log import Append
from app.table.step import entry_of

from .house import Avatar, House

T = TypeVar("T")

SCENARIOS = json.loads((Path(__file__).parent / "roulette-scenarios.json").read_text())["scenarios"]

COMMANDS: dict[str, type[Command]] = {
    "pull": r.Pull,
    "pass": r.Pass,
    "steal": r.Steal,
    "quickdraw": r.QuickDraw,
    "leave": lobby.Leave,
}
REASONS = {"not_your_turn": "notYourTurn", "not_alive": "notAlive", "match_over": "gameOver"}
NAMES = {"stealTried": "steal", "quickDrawn": "quickDraw"}
SILENT = {"shown", "matchStarted", "scored", "reminded"}
"""Events beside the rule text: seats, records, what the board shows."""


class OrderedDice:
    """Falls as written, in the order written, whatever is asked."""

    def __init__(self) -> None:
        self.script: list[tuple[str, Any]] = []

    def then(self, **results: Sequence[Any]) -> None:
        self.script += [(why, result) for why, many in results.items() for result in many]

    def roll(self, sides: int, why: str) -> int:
        number = self._next(why)
        assert 1 <= number <= sides
        return int(number)

    def choose(self, options: Sequence[T], why: str) -> T:
        wanted = self._next(why)
        assert wanted in options, f"{wanted} is not among {options}"
        return options[options.index(wanted)]

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        raise AssertionError("nothing is sampled in this game")

    def _next(self, why: str) -> Any:
        assert self.script, f"nobody wrote down how {why!r} falls"
        expected, result = self.script.pop(0)
        assert why == expected, f"{why!r} is drawn before {expected!r}"
        return result


class Scene:
    """One situation at one table."""

    def __init__(self, house: House, scenario: dict[str, Any]) -> None:
        self.house = house
        self.scenario = scenario
        self.dice = house.dice = OrderedDice()  # type: ignore[assignment]
        self.people: dict[str, Avatar] = {}
        self.seen = 0

    async def play(self) -> None:
        await self._seat()
        for number, step in enumerate(self.scenario["steps"]):
            for draw in step["rng"]:
                self._write_down(draw)
            told = await self._do(step["do"])
            if number == 0 and self.scenario["initial"]:
                told = [e for e in told if not self._of_the_way_in(e)]
            assert told == step["expect"]
            assert self.dice.script == []
        assert self._state() == self.scenario["final"]

    async def _seat(self) -> None:
        wanted = self.scenario["initial"]
        config = dict(self.scenario["config"])
        chambers = config.pop("chambers")
        options = {snake(name): value for name, value in config.items()}
        await self.house.open(game="roulette", **options)
        names = [*self.scenario["players"], *(["Z"] if wanted else [])]
        self.people = dict(zip(names, self.house.avatars(*names), strict=True))
        # One chamber works, though no table offers it.
        one = {**msgspec.to_builtins(self.house.table.now.match.options), "chambers": chambers}
        await self._write([lobby.OptionsSet(one)])
        await self.house.join(*self.people.values())
        await self.house.ready(*self.people.values())
        if wanted:
            self.dice.then(pick=[self._key("Z")])
            assert not (await self.house.command(self.house.owner, lobby.Start())).refused
            await self._write(self._way_to(wanted))
        self.seen = self.house.table.now.seq

    def _way_to(self, wanted: dict[str, Any]) -> list[Event]:
        """What happened before, up to Z's turn."""
        key = self._key
        living = set(wanted["alive"])
        out = [r.Eliminated(key(n), "pull") for n in self.scenario["players"] if n not in living]
        used = [r.Passed(key(n), forced=False) for n, has in wanted["passes"].items() if not has]
        drew = [r.QuickDrawn(key(n), key("Z")) for n in wanted["quickDrawUsed"]]
        had = [n for n in wanted["alive"] if n not in wanted["notYetPicked"]]
        turns = [r.Picked(key(n), wanted["chamber"]) for n in [*had, "Z"]]
        chamber = r.Chamber(self.scenario["config"]["chambers"], wanted["chamber"], "decrease")
        return [*out, *used, *drew, r.RoundStarted(wanted["round"]), chamber, *turns]

    async def _write(self, events: Sequence[Event]) -> None:
        """Events of a log that was there before; the service starts on it."""
        table = self.house.table
        seq = table.now.seq + 1
        entry = entry_of(table.id, table.number, seq, self.house.clock.ms, SERVER, None, events)
        await self.house.store.log.append(Append(table.id, [entry]))
        await self.house.restart()

    def _of_the_way_in(self, event: dict[str, Any]) -> bool:
        finals = self.scenario["initial"]["phase"] == "finals" and event["type"] == "finalsStarted"
        return finals or event == {"type": "eliminated", "player": "Z", "cause": "left"}

    def _write_down(self, draw: dict[str, Any]) -> None:
        ((kind, result),) = draw.items()
        if kind == "battle":
            self.dice.then(battle=result)
        elif kind == "roll":
            self.dice.then(gun=[result])
        else:
            self.dice.then(**{kind: [self._key(result)]})

    async def _do(self, what: dict[str, Any]) -> list[dict[str, Any]]:
        house, kind = self.house, what["cmd"]
        if kind == "timeout":
            await house.advance(house.table.now.match.options.turn_s)
            return await self._told()
        if kind == "start":
            who, command = house.owner, lobby.Start()
        elif kind == "nextPick":
            who, command = self.people["Z"], lobby.Leave()
        else:
            who = self.people[what["by"]]
            target = [self._key(what["target"])] if "target" in what else []
            command = COMMANDS[kind](*target)
        answer = await house.command(who, command)
        if answer.refused:
            reason = REASONS.get(answer.refused, "illegal")
            assert reason != "illegal" or answer.refused.startswith("illegal")
            return [{"type": "rejected", "player": who.name, "reason": reason}]
        return await self._told()

    async def _told(self) -> list[dict[str, Any]]:
        """The game's events since the last look, as the rule text writes them."""
        events: list[dict[str, Any]] = []
        for row in await self.house.entries(self.seen):
            events += json.loads(row.events)
        self.seen = self.house.table.now.seq
        told = [self._as_written(e) for e in events]
        return [e for e in told if e["type"] not in SILENT]

    def _as_written(self, event: dict[str, Any]) -> dict[str, Any]:
        kind = _camel(event.pop("type").removeprefix("roulette."))
        out = {"type": NAMES.get(kind, kind)}
        for name, value in event.items():
            who = "player" if kind == "timedOut" else _camel(name)
            out[who] = [self._name(v) for v in value] if isinstance(value, list) else value
            if isinstance(value, str):
                out[who] = self._name(value)
        return out

    def _state(self) -> dict[str, Any]:
        match = self.house.table.now.match
        play = match.play
        name = self._name
        kinds = {r.Pull: "pull", r.Pass: "pass", r.Steal: "steal", r.QuickDraw: "quickdraw"}
        legal = []
        for kind in rules.legal(match):
            at = [name(k) for k in rules.targets(match, kind)]
            aimed = kind in (r.Steal, r.QuickDraw)
            legal += [f"{kinds[kind]}:{t}" for t in at] if aimed else [kinds[kind]]
        over = play.phase == "over"
        return {
            "phase": play.phase,
            "chamber": play.chamber,
            "round": play.round,
            "alive": [name(k) for k in play.alive],
            "passes": {name(p.key): int(p.has_pass) for p in play.players if p.alive},
            "notYetPicked": [name(k) for k in play.pool],
            "turn": None if over else name(play.turn),
            "legal": legal,
            "winner": name(play.winner) if over else None,
        }

    def _key(self, name: str) -> Key:
        return self.people[name].key

    def _name(self, key: str) -> str:
        return next((n for n, who in self.people.items() if who.key == key), key)


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s["id"])
async def test_the_situation_goes_as_the_rules_say(
    scenario: dict[str, Any], new_house: Callable[[], House]
) -> None:
    await Scene(new_house(), scenario).play()


def test_all_situations_of_the_rule_text_are_here() -> None:
    assert len(SCENARIOS) == len({s["id"] for s in SCENARIOS}) == 54
