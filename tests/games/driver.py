"""Plays matches by commands and timers on a virtual clock, as the service does, without it."""

from collections.abc import Callable, Sequence
from typing import Any

from app import games
from app.games import GAMES, dialogs, lobby, menus, texts
from app.games.clock import Timer
from app.games.core import (
    SERVER,
    Actor,
    Command,
    Dice,
    Event,
    Key,
    Match,
    RankingPage,
    Refusal,
    Seat,
)
from app.games.lines import lines
from app.games.peril import words as r
from app.games.peril.state import Play, Player

from .dice import ScriptedDice

OWNER = Actor(Key("owner"), "Olga", owner=True)
SERVICE = Actor(SERVER)


def actor(name: str) -> Actor:
    """The avatar whom tests call by this name; her key is the name in small letters."""
    return OWNER if name in ("owner", OWNER.name) else Actor(Key(name.lower()), name.capitalize())


class Table:
    """A table with its match, and the clock that its timers run on."""

    def __init__(
        self,
        dice: Dice | None = None,
        *,
        game: str = "peril",
        opened: lobby.MatchOpened | None = None,
        **options: Any,
    ) -> None:
        opened = opened or lobby.MatchOpened(game, OWNER.key, options)
        self.game = GAMES[opened.game]
        self.theme = texts.load(self.game.name)
        self.dice = dice or ScriptedDice()
        self.events: list[Event] = [opened]
        self.match: Match[Any] = games.replay([opened])
        self.said: list[tuple[Key, str]] = []
        self.now_s = 0.0
        self._due_s: dict[tuple[str, int, int], float] = {}

    # ---- commands ---------------------------------------------------------------------------

    def send(self, who: Actor, command: Command) -> list[Event] | Refusal:
        answer = games.decide(self.match, who, command, self.dice)
        if isinstance(answer, Refusal):
            return answer
        for event in answer:
            before, self.match = self.match, games.evolve(self.match, event)
            self.events.append(event)
            self.said += lines(self.game, before, self.match, event, self.theme)
        timers = {t.id: self.now_s + t.after_s for t in self.timers}
        self._due_s = {name: self._due_s.get(name, due_s) for name, due_s in timers.items()}
        return list(answer)

    def do(self, who: Actor | str, command: Command) -> list[Event]:
        """What follows from a command that has to be accepted."""
        answer = self.send(actor(who) if isinstance(who, str) else who, command)
        assert not isinstance(answer, Refusal), f"{command} is refused: {answer}"
        return answer

    def refused(self, who: Actor | str, command: Command) -> str:
        """The code with which a command that has to be refused is refused."""
        return self._refusal(who, command).code

    def reason(self, who: Actor | str, command: Command) -> str:
        """The sentence with which it is refused, as the presser reads it."""
        return self.theme.refusal(self._refusal(who, command))

    def _refusal(self, who: Actor | str, command: Command) -> Refusal:
        answer = self.send(actor(who) if isinstance(who, str) else who, command)
        assert isinstance(answer, Refusal), f"{command} is accepted: {answer}"
        return answer

    def heard(self, who: str = "") -> list[str]:
        """What has been said since the last look: in public, or to one alone."""
        key = actor(who).key if who else Key("")
        found = [line for listener, line in self.said if listener == key]
        self.said = [said for said in self.said if said[0] != key]
        return found

    def told(self, kind: type[Event]) -> list[Any]:
        """All events of one kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    # ---- the clock --------------------------------------------------------------------------

    @property
    def timers(self) -> tuple[Timer, ...]:
        return games.timers(self.match)

    @property
    def waiting(self) -> dict[str, float]:
        """Name of each timer → seconds until it is over."""
        return {t.name: self._due_s[t.id] - self.now_s for t in self.timers}

    def tick(self) -> list[Event]:
        """What follows when the next timer is over."""
        timer = min(self.timers, key=lambda t: self._due_s[t.id])
        self.now_s = max(self.now_s, self._due_s[timer.id])
        return self.do(SERVICE, time_up(timer))

    def wait(self, seconds: float) -> None:
        """Let time pass; what falls due exactly at its end happens."""
        end_s = self.now_s + seconds
        while self.timers and min(self._due_s.values()) <= end_s:
            self.tick()
        self.now_s = end_s

    def run(self, until: Callable[[], bool], most: int = 100_000) -> None:
        """Let time pass until something holds."""
        for _ in range(most):
            if until():
                return
            self.tick()
        raise AssertionError(f"still not so after {most} timers: {self.match}")

    def run_out(self) -> None:
        """Let time pass until the match is closed."""
        self.run(lambda: bool(self.match.closed))

    # ---- the lobby --------------------------------------------------------------------------

    def sit(self, *names: str) -> None:
        for name in names:
            self.do(name, lobby.Join())

    def bots(self, count: int) -> None:
        for _ in range(count):
            self.do(OWNER, lobby.AddBot())

    def begin(self) -> list[Event]:
        """Everybody says ready and the owner starts."""
        for seat in self.match.seats:
            if not seat.ready:
                self.do(Actor(seat.key), lobby.Ready())
        return self.do(OWNER, lobby.Start())

    def reopened(self) -> "Table":
        """The table as it goes on after its match is closed."""
        return Table(self.dice, opened=games.reopening(self.match))

    # ---- what is shown ----------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        return [s.name for s in self.match.seats]

    def seat(self, name: str) -> Seat:
        seat = self.match.seat(actor(name).key)
        assert seat is not None
        return seat

    def public(self, ranking: RankingPage | None = None) -> Any:
        return self.game.public(self.match, ranking or RankingPage())

    def touch(self, name: str) -> Command | Refusal | str:
        who = actor(name)
        return menus.touch(self.game, self.match, who)

    def due(self, name: str) -> str:
        return menus.due(self.game, self.match, actor(name).key)

    def dialog(self, who: Actor | str, name: str, page: int = 0) -> dialogs.Dialog | None:
        who = actor(who) if isinstance(who, str) else who
        return menus.dialog(self.game, self.match, who, name, page, self.theme)

    def shown(self, who: Actor | str, name: str, page: int = 0) -> dialogs.Dialog:
        """A dialog that has to be there."""
        dialog = self.dialog(who, name, page)
        assert dialog is not None, f"{name} is no dialog of {who}"
        return dialog

    def press(self, who: Actor | str, name: str, label: str, page: int = 0) -> str:
        """Press a button of a dialog; the name of the dialog it leads to, or ''."""
        who = actor(who) if isinstance(who, str) else who
        button = self.shown(who, name, page).button(label)
        assert button is not None, f"{name} has no button {label!r}"
        if button.command is not None:
            self.do(who, button.command)
        return menus.follow(self.game, self.match, who, button.then)


class PerilTable(Table):
    """A table of Peril Dice with scripted dice, and the moves of a round as short calls."""

    dice: ScriptedDice

    @property
    def play(self) -> Play:
        play = self.match.play
        assert isinstance(play, Play)
        return play

    def player(self, name: str) -> Player:
        player = self.play.player(Key(name))
        assert player is not None
        return player

    @property
    def lives(self) -> dict[str, int]:
        return {p.key: p.lives for p in self.play.players}

    @property
    def out(self) -> list[str]:
        return [p.key for p in self.play.players if p.out]

    def picks(self, **numbers: Sequence[int]) -> None:
        """`picks(ann=[1], bob=[2])`: in this order."""
        for name, chosen in numbers.items():
            self.do(name, r.Pick(tuple(chosen)))

    def picks_all(self) -> None:
        """Whoever has still to pick takes the lowest free numbers."""
        while self.play.stage == "picking":
            self.do(Actor(self.play.queue[0]), r.Pick(self.play.free[: self.play.picks_each]))

    def roll(self, number: int) -> None:
        """The Peril Player rolls this number, and the outcome is shown."""
        self.dice.then(roll=[number])
        self.do(Actor(self.play.peril), r.Roll())
        self.run(lambda: self.play.stage != "rolled")

    def round(self, number: int) -> None:
        """A whole round in which `number` falls, up to its outcome."""
        self.until("picking")
        self.picks_all()
        self.roll(number)

    def until(self, stage: str) -> None:
        self.run(lambda: self.play.stage == stage, most=10)

    def strike(self, name: str) -> None:
        """Rounds that the Peril Player loses, until there is no life left; outcome shown."""
        assert self.play.peril == name
        while self.player(name).lives:
            self.until("picking")
            self.picks_all()
            self.roll((*self.play.free, *self.player(name).picks)[0])


def lobby_of(*names: str, **options: Any) -> PerilTable:
    """A lobby with these in it, and scripted dice."""
    table = PerilTable(ScriptedDice(), **options)
    table.sit(*names)
    return table


def drawn(*names: str, peril: str, bots: int = 0, **options: Any) -> PerilTable:
    """A match that has just begun with `peril` as the first Peril Player."""
    table = lobby_of(*names, **options)
    table.bots(bots)
    table.dice.then(peril=[peril])
    table.begin()
    return table


def playing(*names: str, peril: str, bots: int = 0, **options: Any) -> PerilTable:
    """The same, with the first round begun: `peril` has to pick."""
    table = drawn(*names, peril=peril, bots=bots, **options)
    table.until("picking")
    return table


def time_up(timer: Timer) -> lobby.TimeUp:
    return lobby.TimeUp(timer.name, timer.phase, timer.epoch)
