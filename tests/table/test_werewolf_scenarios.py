"""The situations of the rule text of Werewolf, one test each, through the service.

Each is played by commands with dice that fall as written: exactly these events, with exactly these
addressees, then exactly this state.  A situation that begins in mid-game goes on from a log that
was written before.  Any file of the same schema can be played (`PERIL_SCENARIOS=file`).
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from app.games import command_decoder, events_decoder, lobby
from app.games.core import NOBODY, SERVER, Command, Event, Key, snake
from app.games.werewolf import events as ev
from app.games.werewolf import rules
from app.games.werewolf import words as w
from app.table.log import Append
from app.table.step import entry_of

from .house import Avatar, House

T = TypeVar("T")

FILE = Path(os.environ.get("PERIL_SCENARIOS") or Path(__file__).parent / "werewolf-scenarios.json")
WRITTEN = json.loads(FILE.read_text())
SEATS: list[str] = WRITTEN["seats"]
ROLES: dict[str, w.Role] = WRITTEN["roles"]
CAMPS: dict[str, w.Camp] = {"wolf": "wolves", "piper": "piper"}

COMMANDS: dict[str, type[Command]] = {
    "arrow": w.Arrow,
    "vote": w.Vote,
    "protect": w.Protect,
    "soundproof": w.Soundproof,
    "pipe": w.Pipe,
    "check": w.Check,
    "kill": w.Kill,
    "antidote": w.Antidote,
    "poison": w.Poison,
    "successor": w.Successor,
}
REASONS = {
    "is_out_himself": "out",
    "match_over": "gameOver",
    "not_your_role": "notYourRole",
    "not_now": "notNow",
    "skill_lost": "skillLost",
    "bad_target": "badTarget",
    "two_nights_running": "twoNightsRunning",
    "once_per_night": "oncePerNight",
}
NAMES = {"voted": "vote"}
SILENT = (
    ev.GameStarted,
    ev.RoleDealt,
    ev.PackKnown,
    ev.Chosen,
    ev.Crazed,
    ev.Poured,
    ev.Guarded,
    ev.Absent,
    ev.QuietDay,
    *lobby.EVENTS,
)
"""Events beside the rule text: seats, records, and what only makes the state."""

ATTENTIVE = {"afk_limit": 10, "day_early": False}
"""Only the clock ends a day, and nobody is taken for away."""


class WrittenDice:
    """Falls as written, in the order written, whatever is asked."""

    def __init__(self) -> None:
        self.script: list[Any] = []

    def roll(self, sides: int, why: str) -> int:
        raise AssertionError(f"nothing is rolled in this game: {why}")

    def choose(self, options: Sequence[T], why: str) -> T:
        assert self.script, f"nobody wrote down how {why!r} falls"
        wanted = self.script.pop(0)
        assert wanted in options, f"{wanted} is not among {options}"
        return options[options.index(wanted)]

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        drawn = [self.choose(options, why) for _ in range(count)]
        assert len(set(drawn)) == count or why == "roles"
        return drawn


class Scene:
    """One situation at one table."""

    def __init__(self, house: House, scenario: dict[str, Any]) -> None:
        self.house = house
        self.scenario = scenario
        self.dice = house.dice = WrittenDice()  # type: ignore[assignment]
        self.people: dict[str, Avatar] = {}
        self.names: dict[str, str] = {}
        self.seen = 0

    async def play(self) -> None:
        await self._seat()
        for step in self.scenario["steps"]:
            self.dice.script += [self._key(name) for name in step.get("rng", ())]
            assert await self._do(step["do"]) == step["expect"]
            assert self.dice.script == []
        assert self._state() == self.scenario["final"]

    async def _seat(self) -> None:
        switches = {snake(name): value for name, value in self.scenario["rules"].items()}
        await self.house.open(game="werewolf", **ATTENTIVE, **switches)
        self.people = dict(zip(SEATS, self.house.avatars(*SEATS), strict=True))
        self.names = {who.key: name for name, who in self.people.items()}
        await self.house.join(*self.people.values())
        await self.house.ready(*self.people.values())
        self.dice.script += [ROLES[name] for name in SEATS]
        assert not (await self.house.command(self.house.owner, lobby.Start())).refused
        if self.scenario["initial"]:
            await self._write(self._way_to(self.scenario["initial"]))
        self.seen = self.house.table.now.seq

    def _way_to(self, wanted: dict[str, Any]) -> list[Event]:
        """What happened before; all that the situation says, and nothing else."""
        key = self._key
        one, other = map(key, wanted["lovers"])
        events: list[Event] = [ev.LoversMade((one, other))]
        crazed = [key(name) for name in wanted["crazed"]]
        # More were made crazed than still are: that was lifted when a piper went out.
        lifted = wanted["everCrazed"] - len(crazed)
        events += [ev.Crazed(key("V1"))] * lifted
        out = [key(name) for name in wanted["out"]]
        events += [ev.Out(name, "vote") for name in out]
        events += [ev.OutAnnounced((name,)) for name in out]
        events += [ev.Crazed(name) for name in crazed]
        events += [ev.Mark(key(name)) for name in wanted["marks"]]
        if wanted["sheriff"]:
            events.append(ev.SheriffMade(key(wanted["sheriff"])))
        events += [ev.Poured("antidote")] if wanted["antidoteUsed"] else []
        events += [ev.Poured("poison")] if wanted["poisonUsed"] else []
        guarded = [wanted["guardLastProtect"], wanted["guardLastSoundproof"]]
        events.append(ev.Guarded(*(key(name) if name else NOBODY for name in guarded)))
        events.append(ev.QuietDay(wanted["quietDays"], lot_next=False))
        phase, day = wanted["phase"], wanted["day"]
        order: list[w.Phase] = ["n1", "n2", "n345", "n6"]
        for step in order[: order.index(phase)] if phase in order else []:
            events.append(ev.PhaseBegan(step, day))
        return [*events, ev.PhaseBegan(phase, day)]

    async def _write(self, events: Sequence[Event]) -> None:
        """Events of a log that was there before; the service starts on it."""
        table = self.house.table
        seq = table.now.seq + 1
        entry = entry_of(table.id, table.number, seq, self.house.clock.ms, SERVER, None, events)
        await self.house.store.log.append(Append(table.id, [entry]))
        await self.house.restart()

    async def _do(self, what: dict[str, Any]) -> list[dict[str, Any]]:
        house, kind = self.house, what["cmd"]
        if kind == "phaseEnd":
            phase = house.table.now.match.phase
            (due_ms,) = (
                ms for (name, *_), ms in house.table.deadlines.items() if name == rules.CLOCK
            )
            await house.advance(due_ms / 1000 - house.clock.ms / 1000)
            assert house.table.now.match.phase == phase + 1
            return await self._told()
        who = self.people[what["by"]]
        if kind not in (*COMMANDS, "lastWords"):
            with pytest.raises(msgspec.ValidationError):
                command_decoder.decode(msgspec.json.encode({"type": snake(kind)}))
            return [{"type": "rejected", "to": [what["by"]], "cmd": kind, "reason": "unknown"}]
        answer = await house.command(who, self._command(kind, what["args"]))
        if answer.refused:
            reason = REASONS.get(answer.refused, answer.refused)
            return [{"type": "rejected", "to": [what["by"]], "cmd": kind, "reason": reason}]
        return await self._told()

    def _command(self, kind: str, args: Sequence[str]) -> Command:
        if kind == "lastWords":
            return w.LastWords(*args)
        return COMMANDS[kind](*(NOBODY if a == "none" else self._key(a) for a in args))

    async def _told(self) -> list[dict[str, Any]]:
        """The game's events since the last look, as the rule text writes them."""
        events: list[Event] = []
        for row in await self.house.entries(self.seen):
            events += events_decoder.decode(row.events)
        self.seen = self.house.table.now.seq
        return [self._as_written(e) for e in events if not isinstance(e, SILENT)]

    def _as_written(self, event: Event) -> dict[str, Any]:
        told = msgspec.to_builtins(event)
        kind = _camel(told.pop("type").removeprefix("werewolf."))
        told.pop("to", None)
        if kind in ("seerResult", "crazedList", "killTargets"):
            del told["player"]
            told |= {"players": told.pop("players")} if kind == "crazedList" else {}
        told.pop("roles", None)
        out = {"type": NAMES.get(kind, kind), "to": self._addressees(event)}
        return out | {name: self._named(name, value) for name, value in told.items()}

    def _addressees(self, event: Event) -> str | list[str]:
        seen_by = event.seen_by()
        if seen_by is None:
            return "public"
        return self._named("", seen_by) if seen_by else "host"

    def _named(self, field: str, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [self._named("", v) for v in value]
        if isinstance(value, dict):
            return {self.names[k]: v for k, v in value.items()}
        if field == "text":
            return value
        if value == NOBODY:
            return None
        return self.names.get(value, value)

    def _state(self) -> dict[str, Any]:
        play = self.house.table.now.match.play
        won = play.victory
        by = {p.key: p for p in play.players}
        players = [(name, by[self._key(name)]) for name in SEATS]
        return {
            "phase": play.phase,
            "day": play.day,
            "winner": won.camp if won else None,
            "wonAtStep": won.step if won else None,
            "out": self._named("", play.out_order),
            "dying": [n for n, p in players if p.status == "dying"],
            "crazed": [n for n, p in players if p.crazed],
            "everCrazed": play.ever_crazed,
            "marks": [n for n, p in players if p.mark],
            "sheriff": self._named("", play.sheriff),
            "camps": {n: p.camp for n, p in players},
            "antidoteUsed": play.antidote_used,
            "poisonUsed": play.poison_used,
            "skillsLost": play.skills_lost,
        }

    def _key(self, name: str) -> Key:
        return self.people[name].key if name in self.people else Key(name)


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


@pytest.mark.parametrize("scenario", WRITTEN["scenarios"], ids=lambda s: s["id"])
async def test_the_situation_goes_as_the_rules_say(
    scenario: dict[str, Any], new_house: Callable[[], House]
) -> None:
    await Scene(new_house(), scenario).play()


def test_all_situations_of_the_rule_text_are_here() -> None:
    assert len(WRITTEN["scenarios"]) == len({s["id"] for s in WRITTEN["scenarios"]}) >= 70
