"""Peril Dice, told again from the commands and the draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from app.verify.lobby import COMMON_OPTIONS, Table
from app.verify.words import NOBODY, SERVER, Said, wrong

SHOWN = ("drawn", "rolled", "outcome", "eliminated", "victory")


@dataclass
class Player:
    key: str
    lives: int
    out: bool = False
    picks: list[int] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)

    @property
    def living(self) -> bool:
        return self.lives > 0 and not self.out


class Peril:
    """The running match.  `news_no` counts the pictures, which a deadline clears by number."""

    decisive: ClassVar[Mapping[str, Any]] = {**COMMON_OPTIONS, "lives": 3, "succession": "random"}
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "classic": {},
        "speed_peril": {"turn_s": 60},
        "high_stakes": {"lives": 2},
    }
    most_seats: ClassVar[int] = 10
    fields: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "mark": ("number",),
        "unmark": ("number",),
        "pick": ("numbers",),
        "roll": (),
    }

    def __init__(self, table: Table) -> None:
        self.table = table
        self.stage = ""
        self.players: list[Player] = []
        self.peril = self.winner = NOBODY
        self.round = self.sides = self.each = self.roll = self.rolls = 0
        self.queue: list[str] = []
        self.news, self.news_no = False, 0

    def start(self) -> None:
        lives = self.table.options["lives"]
        self.players = [Player(s.key, lives) for s in self.table.seats]
        self._in_peril(self.table.choose(self._living(), "peril"))

    def waits_for(self) -> str:
        if self.stage == "picking":
            return self.queue[0]
        return self.peril if self.stage == "rolling" else NOBODY

    def pause(self) -> tuple[str, int] | None:
        if self.stage in SHOWN:
            return self.stage, self.table.phase
        return ("title", self.news_no) if self.news else None

    def _player(self, key: str) -> Player | None:
        return next((p for p in self.players if p.key == key), None)

    def _living(self) -> list[str]:
        return [p.key for p in self.players if p.living]

    def _show(self, news: bool = True) -> None:
        self.news = news
        self.news_no += 1

    # ---- commands ---------------------------------------------------------------------------

    def command(self, key: str, command: Said) -> None:
        player = self._player(key)
        if player is None or not player.living:
            wrong(f"{self.table.name(key)} is out.")
        if command["type"] == "roll":
            return self._roll(player)
        if self.stage != "picking" or self.queue[0] != key:
            wrong(f"It is not the turn of {self.table.name(key)} to pick.")
        if command["type"] == "pick":
            return self._pick(player, command["numbers"])
        return self._mark(player, command["type"] == "mark", command["number"])

    def _must_be_free(self, number: int) -> None:
        if not 1 <= number <= self.sides:
            wrong(f"{number} is not on a die of {self.sides}.")
        holder = next((p for p in self.players if number in p.picks), None)
        if holder:
            wrong(f"{number} is taken by {self.table.name(holder.key)}.")

    def _pick(self, player: Player, numbers: list[int]) -> None:
        if len(numbers) != self.each or len(set(numbers)) != self.each:
            wrong(f"{self.each} different numbers are to be picked.")
        for number in numbers:
            self._must_be_free(number)
        self.table.tell("numbers_picked", key=player.key, numbers=sorted(numbers))
        player.picks, player.marked = sorted(numbers), []
        self._dequeue(player.key)
        self.table.next_phase()

    def _mark(self, player: Player, on: bool, number: int) -> None:
        if on:
            self._must_be_free(number)
        if (number in player.marked) == on or (on and len(player.marked) >= self.each):
            wrong(f"{number} cannot be marked or unmarked now.")
        kind = "number_marked" if on else "number_unmarked"
        self.table.tell(kind, key=player.key, number=number)
        player.marked = [n for n in player.marked if n != number] + [number] * on

    def _roll(self, player: Player) -> None:
        if self.stage != "rolling" or player.key != self.peril:
            wrong(f"{self.table.name(player.key)} cannot roll now.")
        self.roll = self.table.draw(self.sides, "roll") + 1
        self.table.tell("dice_rolled", key=player.key, sides=self.sides, number=self.roll)
        self.stage = "rolled"
        self.rolls += 1
        self._show(False)
        self.table.next_phase()

    def _dequeue(self, key: str) -> None:
        self.queue = [k for k in self.queue if k != key]
        if self.stage == "picking" and not self.queue:
            self.stage = "rolling"

    # ---- what follows by itself -------------------------------------------------------------

    def act_for(self, _: str) -> Said:
        if self.stage == "rolling":
            return {"type": "roll"}
        taken = {n for p in self.players for n in p.picks}
        free = [n for n in range(1, self.sides + 1) if n not in taken]
        numbers = [free.pop(self.table.draw(len(free), "pick")) for _ in range(self.each)]
        return {"type": "pick", "numbers": numbers}

    def silent(self, key: str) -> None:
        self.command(key, self.act_for(key))

    def elapse(self, name: str) -> None:
        if name == "title":
            self.table.tell("title_restored")
            self._show(False)
        elif name == "drawn":
            self._start_round()
        elif name == "rolled":
            self._resolve()
        elif name == "outcome":
            if not self._strike_out():
                self._start_round()
        elif name == "victory":
            self.table.close("victory", SERVER)
        elif len(self._living()) == 1:
            self._win()
        else:
            self._succeed()

    def _succeed(self) -> None:
        living = self._living()
        first = self.table.options["succession"] == "join_order"
        self._in_peril(living[0] if first else self.table.choose(living, "peril"))

    def _in_peril(self, key: str) -> None:
        self.table.tell("peril_drawn", key=key)
        self.peril, self.stage = key, "drawn"
        self.sides = self.each = self.roll = 0
        self.queue = []
        for player in self.players:
            player.picks, player.marked = [], []
        self._show()
        self.table.next_phase()

    def _start_round(self) -> None:
        living = self._living()
        peril = self._player(self.peril)
        assert peril is not None
        self.round += 1
        count = len(living)
        self.sides = 6 if count <= 2 else 12 if count <= 4 else 20 if count <= 6 else 30
        self.each = 4 - peril.lives
        self.queue = [peril.key, *(k for k in living if k != peril.key)]
        for player in self.players:
            player.picks, player.marked = [], []
        self.stage, self.roll = "picking", 0
        self.table.tell(
            "round_started",
            round=self.round,
            sides=self.sides,
            picks_each=self.each,
            order=list(self.queue),
        )
        self.table.next_phase()

    def _resolve(self) -> None:
        holder = next((p.key for p in self.players if self.roll in p.picks), NOBODY)
        was = self._player(self.peril)
        assert was is not None
        if holder not in (NOBODY, was.key):
            self.table.tell("plot_twist", key=holder, was=was.key, number=self.roll)
            self.peril = holder
        else:
            was.lives -= 1
            own = holder == was.key
            self.table.tell("life_lost", key=was.key, number=self.roll, own=own, left=was.lives)
        self.stage = "outcome"
        self._show()
        self.table.next_phase()

    def _strike_out(self) -> bool:
        """Put out who has no life left; whether there was somebody."""
        struck = next((p for p in self.players if p.lives == 0 and not p.out), None)
        if struck is None:
            return False
        self._put_out(struck, "roll")
        self.table.score(struck.key, won=False)
        return True

    def _put_out(self, player: Player, cause: str) -> None:
        before = self.stage, self.queue[:1]
        self.table.tell("player_eliminated", key=player.key, cause=cause)
        player.lives, player.out, player.picks, player.marked = 0, True, [], []
        self._dequeue(player.key)
        if self.peril == player.key:
            self.peril = NOBODY
        self.table.hand_back(player.key)
        if cause == "roll":
            self.stage = "eliminated"
            self._show()
        elif self.stage in ("picking", "rolling"):
            self._show()
        if cause == "roll" or before != (self.stage, self.queue[:1]):
            self.table.next_phase()

    def _win(self) -> None:
        self.winner = self._living()[0]
        self.table.tell("match_won", key=self.winner)
        self.stage, self.table.stage = "victory", "over"
        self.queue, self.roll = [], 0
        for player in self.players:
            player.marked = []
        self._show()
        self.table.next_phase()
        if self.rolls:
            self.table.score(self.winner, won=True)

    def remove(self, key: str, cause: str) -> bool:
        """A player leaves, is kicked or stays silent; False if he is out already."""
        player = self._player(key)
        if player is None or player.out or self.stage == "victory":
            return False
        struck = self._strike_out()
        if len(self._living()) == 1:
            self._win()
            return True
        if not player.living:
            return struck
        was_peril = self.peril == key
        self._put_out(player, cause)
        if cause != "kicked":
            self.table.score(key, won=False)
        if len(self._living()) == 1:
            self._win()
        elif was_peril:
            if self.stage in ("picking", "rolling", "rolled"):
                self.table.tell("round_voided", round=self.round)
            self._succeed()
        return True
