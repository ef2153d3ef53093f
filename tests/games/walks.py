"""Random matches with nonsense in between, for laws that hold whatever happens.

A walk is a list of numbers; each is the seed of one step, so that hypothesis can leave steps out
until only those are left that break a law.  What a walk does is derived from the game's own
commands, options and dialogs: a new game needs nothing here.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, NewType, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from app import games
from app.games import GAMES, lobby, menus
from app.games.clock import Timer
from app.games.core import Actor, Command, Event, Game, Key, Match, Refusal
from app.games.texts import LANGUAGES

from .dice import SeededDice
from .driver import OWNER, SERVICE, Table, time_up

STAFF = Actor(Key("staff"), "Stella", staff=frozenset({"matches", "options"}))

HOSTILE_NAMES = (
    "Ann",
    "Ann",
    "Bot1",
    "Smith, John",
    "漢" * 70,
    "W" * 31,
    "W" * 30 + "X",
    "👩‍🚀🎲🏴‍☠️ Zoë",
    "<!c=red>X",
    "{0} {name} {",
    "}{%s\\",
    "two\nlines\r\n\t!",
    "",
    "\u202e\u200b",
    "Анна Каренина",
    "Client_Side_Mute",
    "✖ 1",
)


class Step(NamedTuple):
    """One command of a walk and what it did."""

    before: Match[Any]
    actor: Actor
    command: Command
    answer: Sequence[Event] | Refusal
    after: Match[Any]

    @property
    def events(self) -> Sequence[Event]:
        return () if isinstance(self.answer, Refusal) else self.answer


class Walk:
    """A match that was played, step by step, up to wherever its moves led."""

    def __init__(self, game: Game[Any], seed: int, moves: Sequence[int]) -> None:
        self.game = game
        self.steps: list[Step] = []
        self._timers: list[Timer] = []
        self._rng = random.Random(seed)
        options = self._options()
        self.table = Table(SeededDice(seed), game=game.name, **options)
        for _ in range(self._rng.choice((0, 1, 2))):
            self._seat_some()
            for _ in range(self._rng.randrange(12)):
                self._step(*self._nonsense())
        self._begin()
        for move in moves:
            if self.table.match.closed:
                break
            self._rng = random.Random(move)
            self._move()

    def __repr__(self) -> str:
        told = [f"  {s.actor.key or '-'}: {s.command} -> {s.answer}" for s in self.steps]
        return "\n".join([f"Walk of {self.table.events[0]}", *told])

    @property
    def states(self) -> Iterator[Match[Any]]:
        """The match after each step that changed it."""
        return (s.after for s in self.steps if s.events)

    # ---- how it goes ------------------------------------------------------------------------

    def _options(self) -> dict[str, Any]:
        few = menus.choosable(self.game).items()
        return {name: self._rng.choice(v) for name, v in few if self._rng.random() < 0.5}

    def _step(self, who: Actor, command: Command) -> None:
        before = self.table.match
        self._timers += [t for t in self.table.timers if t not in self._timers]
        answer = self.table.send(who, command)
        self.steps.append(Step(before, who, command, answer, self.table.match))

    def _reopen(self) -> None:
        """The table goes on; where another game was chosen, this one is chosen back."""
        self.table = self.table.reopened()
        if self.table.game is not self.game:
            self.table.do(OWNER, lobby.ChooseGame(self.game.name))
            self.table = self.table.reopened()

    def _begin(self) -> None:
        """From whatever nonsense made of the lobby to a running match."""
        if self.table.match.closed:
            self._reopen()
        if self.table.match.stage != "lobby":
            return
        while len(self.table.match.seats) < self.game.seats[0]:
            self._seat_some()
        for seat in self.table.match.seats:
            if not seat.ready:
                self._step(Actor(seat.key), lobby.Ready())
        self._step(OWNER, lobby.Start())

    def _seat_some(self) -> None:
        """Some more seats are taken, by people and bots, if the lobby lets them."""
        if self.table.match.closed:
            self._reopen()
        if self.table.match.locked:
            self._step(OWNER, lobby.Unlock())
        humans = self._rng.random()
        names = list(enumerate(HOSTILE_NAMES))
        self._rng.shuffle(names)
        for number, name in names[: self._rng.choice(self.game.seats)]:
            if self._rng.random() > humans:
                self._step(OWNER, lobby.AddBot())
            elif self._rng.random() < 0.1:
                self._step(OWNER, lobby.Join())
            else:
                self._step(Actor(Key(f"avatar-{number}"), name), lobby.Join())

    def _move(self) -> None:
        match, chance = self.table.match, self._rng.random()
        if match.frozen and chance < 0.3:
            self._step(SERVICE, lobby.Thaw())
        elif chance < 0.55:
            self._let_time_pass()
        elif chance < 0.75:
            self._act()
        elif chance < 0.85:
            self._press()
        elif chance < 0.87:
            self._step(self._anybody(), lobby.Leave())
        elif chance < 0.89:
            self._step(SERVICE, lobby.Freeze("unreachable"))
        elif chance < 0.92 and self._timers:
            self._step(SERVICE, time_up(self._rng.choice(self._timers)))
        elif chance < 0.94:
            kind = self._rng.choice([c for c in lobby.OWNER_COMMANDS if "Reset" not in c.__name__])
            self._step(OWNER, self._make(kind))
        else:
            self._step(*self._nonsense())

    def _let_time_pass(self) -> None:
        if self.table.timers:
            timer = min(self.table.timers, key=lambda t: self.table.waiting[t.name])
            self._step(SERVICE, time_up(timer))

    def _act(self) -> None:
        """Somebody who is waited for does what is asked."""
        waits = self.game.waits(self.table.match)
        if waits:
            wait = self._rng.choice(waits)
            command = self.game.act_for(self.table.match, wait, self.table.dice)
            renamed = "Now Another" if len(self.steps) % 20 == 0 else ""
            self._step(Actor(wait.key, renamed), command)

    def _press(self) -> None:
        """Somebody, or who is waited for, touches the table and presses a button of what comes."""
        who, waits = self._anybody(), self.game.waits(self.table.match)
        if waits and self._rng.random() < 0.7:
            who = Actor(waits[0].key, owner=waits[0].key == OWNER.key)
        found = menus.touch(self.game, self.table.match, who)
        if isinstance(found, Command):
            self._step(who, found)
        elif isinstance(found, str) and (dialog := self.table.dialog(who, found)):
            buttons = [b for b in dialog.buttons if b.command is not None]
            if buttons:
                command = self._rng.choice(buttons).command
                assert command is not None
                self._step(who, command)

    # ---- nonsense ---------------------------------------------------------------------------

    def _anybody(self) -> Actor:
        renamed = self._rng.choice(HOSTILE_NAMES) if self._rng.random() < 0.05 else ""
        seats = self.table.match.seats
        players = [Actor(s.key, renamed or s.name, s.key == OWNER.key) for s in seats]
        return self._rng.choice([*players, OWNER, STAFF, Actor(Key("stranger"), "Zed")])

    def _nonsense(self) -> tuple[Actor, Command]:
        """Any command there is, from anybody, with anything in it."""
        foreign = self._rng.random() < 0.1
        of_the_lobby = (*lobby.PLAYER_COMMANDS, *lobby.OWNER_COMMANDS, *lobby.SERVER_COMMANDS)
        own = (*of_the_lobby, *self.game.commands)
        kind = self._rng.choice(games.COMMANDS if foreign else own)
        who = SERVICE if self._rng.random() < 0.2 else self._anybody()
        if kind in lobby.OWNER_COMMANDS and self._rng.random() < 0.3:
            who = OWNER
        return who, self._make(kind)

    def _make(self, kind: type[Command]) -> Command:
        hints = get_type_hints(kind)
        fields = {f: self._value(hints[f]) for f in kind.__struct_fields__}
        return kind(**fields)

    def _value(self, hint: Any) -> Any:
        rng, origin, args = self._rng, get_origin(hint), get_args(hint)
        if isinstance(hint, NewType):
            return rng.choice([*(s.key for s in self.table.match.seats), "stranger", ""])
        if hint is bool:
            return rng.random() < 0.5
        if hint is int:
            return rng.choice((-1, 0, rng.randint(1, 6), rng.randint(1, 31), 10**12))
        if hint is str:
            known = ("", *self.game.presets)
            return rng.choice((*known, *known, *GAMES, *LANGUAGES, "{0}", "漢" * 100))
        if origin is Literal:
            return rng.choice(args)
        if origin is tuple:
            return tuple(self._value(args[0]) for _ in range(rng.randrange(5)))
        if origin is dict:
            return rng.choice(({}, self._options(), {"turn_s": -1}, {"{0}": 1}, {"lives": None}))
        raise TypeError(f"teach the walks to make something up for {hint}")


def walks(game: Game[Any], most: int = 120) -> st.SearchStrategy[Walk]:
    """Walks of up to `most` steps after the start of the match."""
    numbers = st.integers(0, 2**32 - 1)
    moves = st.lists(numbers, min_size=most // 3, max_size=most)
    return st.builds(Walk, st.just(game), numbers, moves)


def fixed_walk(game: Game[Any], seed: int, length: int = 200) -> Walk:
    """The walk that has this number, always the same."""
    rng = random.Random(seed)
    return Walk(game, seed, [rng.randrange(2**32) for _ in range(length)])
