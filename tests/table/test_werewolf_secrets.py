"""Werewolf keeps its secrets: section 8 of its rule text, and a swap of roles that nobody sees.

The same evening is played twice, two players having each other's role; everything that others get
is compared byte by byte, with the time at which they get it.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
import pytest
from games.dice import SeededDice
from structlog.testing import capture_logs

from app import games
from app.api.schemas import frames_out
from app.devices import wire
from app.games import lobby
from app.games.core import NOBODY, Event, Key
from app.games.werewolf import events as ev
from app.games.werewolf import rules
from app.games.werewolf import words as w
from app.games.werewolf.state import NIGHT, Play
from app.table import history, news, talk

from .house import Avatar, House

T = TypeVar("T")

SEATS = ("W1", "W2", "V1", "V2", "V3", "V4", "SE", "WI", "GU", "EL", "CU", "PI")
ROLES: dict[str, w.Role] = dict(zip(SEATS, w.DECK, strict=True))
FLOOR_S = 3
"""Between one press and the next."""


class Deal(SeededDice):
    """Deals the roles as told, and falls as it likes for the rest."""

    def __init__(self, roles: Sequence[w.Role]) -> None:
        super().__init__(1)
        self.roles = roles

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        if why == "roles":
            return list(self.roles)  # type: ignore[arg-type]
        return super().sample(options, count, why)


class Evening:
    """A table with twelve people, two nights and days long, and those who watch it."""

    def __init__(self, house: House, roles: dict[str, w.Role], insiders: Sequence[str]) -> None:
        self.house = house
        house.dice = Deal([roles[name] for name in SEATS])  # type: ignore[assignment]
        self.people = dict(zip(SEATS, house.avatars(*SEATS), strict=True))
        self.insiders = {self.people[name].key for name in insiders}
        self.bystander = self.people["V4"]
        self.stream: list[tuple[int, str]] = []
        """What a spectator gets: when, and the bytes."""
        self.own: list[tuple[int, str]] = []
        """What the page of a bystander gets."""
        self.device: list[str] = []
        """What the table in-world is told of all but the insiders."""
        self.unfiltered: list[str] = []
        """The same, the insiders' own lines and dialogs included."""
        self.answers: list[str] = []
        """What the bystander is answered, whatever he tries."""
        self.known = {"stream": 0, "own": 0, "device": 0}

    async def play(self) -> None:
        house = self.house
        await house.open(game="werewolf", afk_limit=10)
        self.known = dict.fromkeys(self.known, house.table.now.seq)
        await house.join(*self.people.values())
        await house.ready(*self.people.values())
        await house.command(house.owner, lobby.Start())
        while self.match.stage == "playing" and self.state.day < 3:
            phase = self.match.phase
            for who in self.people.values():
                await self.act(who)
                await house.advance(FLOOR_S)
                if self.match.phase != phase:
                    break
            await self.look_around()

    @property
    def match(self) -> Any:
        return self.house.table.now.match

    @property
    def state(self) -> Play:
        play = self.match.play
        assert isinstance(play, Play)
        return play

    async def act(self, who: Avatar) -> None:
        """Everybody does one thing in each step, whatever his role makes of it."""
        play = self.state
        place = SEATS.index(who.name)
        if play.phase in NIGHT:
            command: Any = w.Rest(self._aims(who, place))
        elif play.phase == "day":
            command = w.Vote(self.people[SEATS[(place * 5 + play.day) % 12]].key)
        else:
            return
        answer = await self.house.command(who, command, command_id=f"{self.match.phase}-{place}")
        assert not answer.refused, (who.name, command, answer)
        self.look()

    def _aims(self, who: Avatar, place: int) -> tuple[Key, ...]:
        """Choices from which nothing follows that everybody could see."""
        whats = rules.asked(self.match, who.key)
        if whats[0] == "arrow":
            return self.people["V3"].key, self.people["EL"].key
        if whats[0] in ("antidote", "poison"):
            return ()
        if whats[0] == "kill":  # the wolves never agree
            return (self.people["EL" if self.state.kills else "V3"].key,)
        first = rules.targets(self.match, who.key, whats[0])
        return (first[place % len(first)],)

    def look(self) -> None:
        table, ms = self.house.table, self.house.clock.ms
        for mine, name, keys in ((self.stream, "stream", []), (self.own, "own", [self.by])):
            known = self.known[name]
            if not news.all_told(table, known, keys):
                told = news.since(table, known, keys, ms, news.upto(table, known, keys))
                mine.append((ms, msgspec.json.encode(frames_out(told)).decode()))
                self.known[name] = told.seq
        everybody = [p.key for p in self.people.values()]
        told = news.since(table, self.known["device"], everybody, ms)
        self.known["device"] = told.seq
        records = wire.news_records(told, dict.fromkeys(everybody, False), False, {})
        self.unfiltered += records
        # Lines are numbered by all that this very device is told, the insiders' lines included.
        self.device += [
            re.sub(r"^([LP]¦\d+)\d\d¦", r"\1¦", record)
            for record in records
            if record[0] not in "HPDB" or not any(k in record for k in self.insiders)
        ]

    @property
    def by(self) -> Key:
        return self.bystander.key

    async def look_around(self) -> None:
        """The bystander tries what is not his to do, and asks for what he may see."""
        tries = [w.Protect(self.by), w.Kill(self.by), w.Check(self.by), w.Poison(self.by)]
        for what in (*tries, w.Whisper("wolves", "Hello?")):
            answer = await self.house.command(self.bystander, what)
            self.answers.append(f"{answer.refused} {answer.said}")
        shown = await talk.touch(self.house.tables, self.house.id, self.bystander.actor)
        self.answers.append(shown.dialog.made.text if shown.dialog else "")
        self.answers.append(repr(self.house.state))
        self.answers.append(repr(sorted(self.house.table.deadlines.items())))
        _, log = await history.public_log(self.house.tables.store, self.house.table.now.match_id)
        self.answers.append(repr([line for line in log if "match_opened" not in line.events]))


def swapped(one: str, other: str) -> dict[str, w.Role]:
    return {**ROLES, one: ROLES[other], other: ROLES[one]}


@pytest.mark.parametrize(
    ("one", "other", "insiders"),
    [
        ("V1", "GU", ()),
        ("V2", "SE", ()),
        ("V1", "WI", ()),
        ("V2", "PI", ()),
        ("V1", "CU", ()),
        ("V1", "W2", ("W1",)),
        ("SE", "GU", ()),
        ("W1", "PI", ("W2",)),
    ],
)
async def test_who_has_which_of_two_roles_nobody_can_tell_by_anything_he_gets(
    one: str, other: str, insiders: Sequence[str], new_house: Callable[..., House]
) -> None:
    seen, whole = [], []
    for roles in (ROLES, swapped(one, other)):
        house = new_house()
        evening = Evening(house, roles, (one, other, *insiders))
        with capture_logs() as logs:
            await evening.play()
        assert evening.state.day == 3, "it was no quiet evening"
        got = (evening.stream, evening.own, evening.device, evening.answers, logs)
        commitment = evening.match.commitment
        seen.append([repr(p).replace(house.id, "TABLE").replace(commitment, "SHA") for p in got])
        whole.append(evening.unfiltered)
        assert len(evening.stream) > 20
        assert len(evening.device) > 100
        await house.close()
    for mine, yours in zip(*seen, strict=True):
        assert mine == yours
    assert whole[0] != whole[1], "the insiders were told nothing either"


# ---- the leak list, section 8 ---------------------------------------------------------------


async def evening(new_house: Callable[..., House]) -> Evening:
    made = Evening(new_house(), ROLES, ())
    await made.play()
    return made


def secret(entry_events: str) -> list[Event]:
    return [e for e in games.events_decoder.decode(entry_events) if e.seen_by() is not None]


async def test_nothing_private_is_said_in_public_or_shown_on_a_prim(
    new_house: Callable[..., House],
) -> None:
    played = await evening(new_house)
    theme = played.house.table.now.theme
    whispers = [theme.say("whisper", "seen_other", name="")[:3], "🃏 You are", "🐺 The wolves"]
    shown = "".join(text for _, text in played.stream) + "".join(played.house.public)
    assert "🗳️" in shown
    for private in whispers:
        assert private not in shown
    assert "card_" not in shown


async def test_host_events_never_leave_the_server_before_the_end(
    new_house: Callable[..., House],
) -> None:
    played = await evening(new_house)
    rows = await played.house.entries(0)
    hidden = [e for row in rows for e in secret(row.events)]
    assert any(isinstance(e, ev.HostEvent) for e in hidden)
    assert any(isinstance(e, ev.RoleDealt) for e in hidden)
    for row in rows:
        line = history.public(row, over=False)
        if line is None:
            continue
        assert secret(line.events) == []
        if secret(row.events):
            assert (line.actor, line.id, line.command) == ("", "", "")


async def test_what_one_may_know_is_told_to_his_device_record_by_record_and_to_no_bot(
    new_house: Callable[..., House],
) -> None:
    house = new_house()
    await house.open(game="werewolf")
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    await house.press_start(ada)
    told = news.since(house.table, 1, [s.key for s in house.table.now.match.seats], 0)
    to = {line.who for line in told.said if line.who != NOBODY}
    assert to == {ada.key}
    assert sum(line.text.startswith("🃏 You are") for line in told.said) == 1


async def test_dialogs_of_the_night_have_one_name_and_huds_one_picture_for_all_roles(
    new_house: Callable[..., House],
) -> None:
    house = new_house()
    made = Evening(house, ROLES, ())
    await house.open(game="werewolf")
    await house.join(*made.people.values())
    await house.ready(*made.people.values())
    await house.command(house.owner, lobby.Start())
    tokens = [who.dialog.token.split("~") for who in made.people.values()]
    assert {tuple(t[:4]) for t in tokens} == {tuple(tokens[0][:4])}
    assert {len(t[4]) for t in tokens} == {len(tokens[0][4])}
    assert {who.hud.picture for who in made.people.values() if who.hud} == {"asleep"}
    assert len({who.hud.text.replace(who.name, "") for who in made.people.values() if who.hud}) == 1


async def test_secret_choices_move_nothing_that_others_wait_for(
    new_house: Callable[..., House],
) -> None:
    house = new_house()
    made = Evening(house, ROLES, ())
    await house.open(game="werewolf")
    await house.join(*made.people.values())
    await house.ready(*made.people.values())
    await house.command(house.owner, lobby.Start())
    seq = news.noticed(house.table).seq
    before = house.table.now.seq
    cupid, wolf = made.people["CU"], made.people["W1"]
    await house.command(cupid, w.Arrow(made.people["V1"].key, made.people["V2"].key))
    await house.command(wolf, w.Whisper("wolves", "Hush"))
    assert house.table.now.seq == before + 2
    assert news.noticed(house.table).seq == seq
    assert news.all_told(house.table, seq, [made.people["V3"].key])
    assert not news.all_told(house.table, seq, [made.people["W2"].key])
    assert made.people["W2"].told[-1] == "🐺 W1: Hush"


async def test_everything_is_shown_when_the_match_is_over(
    new_house: Callable[..., House],
) -> None:
    house = new_house()
    await house.open(game="werewolf", victory_s=60)
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    await house.press_start(ada)
    for _ in range(3000):
        if house.table.now.match.stage == "over":
            break
        await house.tick()
    rows = await house.entries(0)
    over = [history.public(row, over=True) for row in rows]
    assert all(line is not None for line in over)
    told = "".join(line.events for line in over if line)
    assert "werewolf.role_dealt" in told
    assert all(seat.role for seat in house.state.seats)
    assert any("card_" in frame.picture for frame in house.board.values())
    assert any(line.startswith("🃏 Of ") for line in house.public)
