"""Matches played by the service for those who read their logs: people, bots, silence, leaving.

What happens is drawn from one number, the service's own dice and ids included, so that a match
that fails can be played again.
"""

import random
import secrets
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from table.house import Avatar, House

from app.api import records
from app.games import lobby
from app.games.core import SERVER, Actor, Command, Rights
from app.games.peril import words as peril
from app.games.roulette import rules
from app.games.roulette import words as roulette
from app.table import standings, themes
from app.table.deeds import OWNERS_CONSOLE

Log = dict[str, Any]

STAFF: Rights = frozenset({"matches"})
ROULETTE = ("thieves", "quick_draw", "loose_trigger", "finals_reset")


async def read(house: House, match: str) -> Log:
    """The log as the API gives it to everybody."""
    app = FastAPI()
    app.include_router(records.router(house.tables))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
        return (await client.get(f"/matches/{match}")).raise_for_status().json()


def rig(monkeypatch: pytest.MonkeyPatch, number: int) -> random.Random:
    """All chance comes from `number`."""
    chance = random.Random(number)
    monkeypatch.setattr(secrets, "choice", chance.choice)
    # Ids of what is noted beside the matches are short, and must not change what people do.
    beside = random.Random(number)
    monkeypatch.setattr(
        secrets, "token_hex", lambda size: (chance if size > 3 else beside).randbytes(size).hex()
    )
    return chance


class Match:
    """One match on its way; `chance` decides who does what."""

    def __init__(self, house: House, chance: random.Random) -> None:
        self.house, self.chance = house, chance
        self.id = house.table.now.match_id
        self.people: list[Avatar] = []
        self.sleepy: set[str] = set()
        """Who mostly lets his time run out."""

    async def do(self, who: Avatar, what: Command) -> bool:
        key = f"{self.chance.getrandbits(64):016x}" if self.chance.random() < 0.8 else None
        return not (await self.house.command(who, what, key)).refused

    async def fill(self, people: int, bots: int) -> None:
        """The lobby with its to and fro, up to the start."""
        house, chance = self.house, self.chance
        self.people = house.avatars(*(f"Ädä {n} 😀" for n in range(people)))
        if chance.random() < 0.5:
            self.people.append(house.owner)
        self.sleepy = {who.key for who in self.people if chance.random() < 0.4}
        for who in self.people:
            await self.do(who, lobby.Join())
        for _ in range(bots + 1):
            await self.do(house.owner, lobby.AddBot())
        odd, staff = house.avatars("Odd one", "Staff")
        await standings.change(
            house.tables, OWNERS_CONSOLE, house.owner.key, staff.key, rights=STAFF
        )
        for what in (lobby.Lock(), lobby.Join(), lobby.Leave(), lobby.Unlock()):
            assert not (await house.command(staff, what)).refused
        for who, what in (
            (house.owner, lobby.RemoveBot()),
            (house.owner, lobby.Lock()),
            (odd, lobby.Join()),
            (house.owner, lobby.Unlock()),
            (odd, lobby.Join()),
            (odd, lobby.Ready()),
            (odd, lobby.Leave()),
            (odd, lobby.Join()),
            (house.owner, lobby.Kick(odd.key)),
            (house.owner, lobby.SendHuds()),
            (house.owner, lobby.ClearHuds()),
            (house.owner, lobby.CheckLand()),
            (house.owner, lobby.SetLanguage("es")),
            (house.owner, lobby.ResetRanking()),
        ):
            await self.do(who, what)
        await themes.choose(house.tables, OWNERS_CONSOLE, house.id, "existing")
        for who in self.people:
            who.name = who.name.replace("Ädä", "Ada") if chance.random() < 0.3 else who.name
            await self.do(who, lobby.Ready())
        assert await self.do(house.owner, lobby.Start())

    async def run(self, most: int = 2000) -> Log:
        """Until it is closed: people act, stay silent, leave, come back."""
        house, chance = self.house, self.chance
        for _ in range(most):
            if house.table.now.match_id != self.id:
                return await read(house, self.id)
            await self._step(chance.random())
        raise AssertionError("the match does not end")

    async def _step(self, dice: float) -> None:
        house, chance = self.house, self.chance
        asked = [house.people[key] for key in house.state.waiting_for]
        human = next((a for a in asked if not a.key.startswith("bot:")), None)
        if dice < 0.02:
            await self.do(chance.choice(self.people), lobby.Leave())
        elif dice < 0.03:
            await self.do(house.owner, lobby.Kick(chance.choice(house.state.seats).key))
        elif dice < 0.04:
            await house.tables.submit(house.id, Actor(SERVER), lobby.Freeze("unreachable"))
            await house.tables.submit(house.id, Actor(SERVER), lobby.Thaw())
            await house.look()
        elif dice < 0.06:
            await self.do(chance.choice(self.people), lobby.TakeBack())
        elif dice < 0.07:
            await self.do(self.people[0], lobby.TurnRanking(chance.randrange(3)))
        elif human is not None and dice < (0.25 if human.key in self.sleepy else 0.8):
            await self.do(human, self._wish())
        else:
            await house.tick()

    def _wish(self) -> Command:
        """Something that who is asked may do now."""
        match, chance = self.house.table.now.match, self.chance
        play = match.play
        if match.game == "roulette":
            what = chance.choice(rules.legal(match))
            if what in (roulette.Steal, roulette.QuickDraw):
                return what(chance.choice(rules.targets(match, what)))  # type: ignore[call-arg]
            return what()
        if play.stage == "rolling":
            return peril.Roll()
        marked = play.player(play.queue[0]).marked
        if len(marked) == play.picks_each:
            return peril.Pick(marked)
        if marked and chance.random() < 0.3:
            return peril.Unmark(chance.choice(marked))
        if chance.random() < 0.4:
            return peril.Pick(tuple(chance.sample(play.free, play.picks_each)))
        return peril.Mark(chance.choice(play.free))


def options(game: str, chance: random.Random) -> dict[str, Any]:
    """Options that decide something, as chance has it."""
    some: dict[str, Any] = {
        "afk": chance.choice(("bot", "remove")),
        "afk_limit": chance.choice((1, 2, 3)),
        "rank_practice": chance.random() < 0.5,
    }
    if game == "peril":
        return {
            **some,
            "lives": chance.choice((1, 2, 3)),
            "succession": chance.choice(("random", "join_order")),
        }
    return {
        **some,
        **{name: chance.random() < 0.5 for name in ROULETTE},
        "chambers": chance.choice((2, 3, 6)),
        "on_timeout": chance.choice(("pull", "eliminate")),
        "bots": chance.choice(("mixed", "careful", "bold", "random")),
    }


async def play(house: House, game: str, chance: random.Random) -> Log:
    """A match from its opening to its close; its log."""
    house.dice = None
    await house.open(game, **(options(game, chance) if chance.random() < 0.5 else {}))
    match = Match(house, chance)
    preset = chance.choice(("", "classic" if game == "peril" else "wild_west"))
    chosen = options(game, chance) if chance.random() < 0.7 else {"pace": "brisk"}
    await match.do(house.owner, lobby.SetOptions(preset, chosen))
    most = 5 if game == "peril" else 9
    await match.fill(chance.randrange(1, most), chance.randrange(1, 5))
    return await match.run()
