"""The match around the game, told again from the commands: seats, start, deadlines, silence.

`Table.follow` gives the events that must follow from a command, and leaves the table as they do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from app.verify.words import NOBODY, SERVER, Said, kind_of, words, wrong

PLAYER_COMMANDS = ("join", "leave", "ready", "start", "take_back", "turn_ranking")
OWNER_COMMANDS = (
    "add_bot", "remove_bot", "kick", "lock", "unlock", "reset_match", "reset_ranking", "reset_all",
    "set_options", "choose_game", "set_language", "clear_huds", "send_huds", "check_land",
)  # fmt: skip
OWN = ("reset_ranking", "reset_all")
"""Those that no staff may send in the owner's place."""
SERVER_COMMANDS = ("freeze", "thaw", "repaint", "time_up")
COMMANDS = (*PLAYER_COMMANDS, *OWNER_COMMANDS, *SERVER_COMMANDS)

PLAIN = {
    "repaint": "repainted",
    "clear_huds": "huds_cleared",
    "send_huds": "huds_sent",
    "check_land": "land_checked",
}
"""Commands that change nothing of the game, and the event of each."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "ready": ("ready",),
    "turn_ranking": ("page",),
    "kick": ("key",),
    "set_options": ("preset", "options"),
    "choose_game": ("game",),
    "set_language": ("language",),
    "freeze": ("reason",),
    "time_up": ("name", "phase", "epoch"),
}
"""What a command says besides its type, where it says something."""

COMMON_OPTIONS = {"turn_s": 120, "afk": "bot", "afk_limit": 2, "rank_practice": True}


class Rules(Protocol):
    """A game as the table needs it.  `decisive`: its options that decide anything, by default.

    `fields`: its commands, and what each of them says.
    """

    decisive: ClassVar[Mapping[str, Any]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]]
    most_seats: ClassVar[int]
    fields: ClassVar[Mapping[str, tuple[str, ...]]]
    winner: str

    def start(self) -> None: ...
    def command(self, key: str, command: Said) -> None: ...
    def waits_for(self) -> str: ...
    def pause(self) -> tuple[str, int] | None: ...
    def elapse(self, name: str) -> None: ...
    def act_for(self, key: str) -> Said: ...
    def silent(self, key: str) -> None: ...
    def remove(self, key: str, cause: str) -> bool: ...


@dataclass
class Seat:
    key: str
    bot: bool = False
    ready: bool = False
    auto: bool = False
    strikes: int = 0


@dataclass
class Table:
    """A match as far as the log has told it."""

    owner: str
    locked: bool
    options: dict[str, Any] = field(default_factory=dict)
    seats: list[Seat] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    stage: str = "lobby"
    phase: int = 0
    epoch: int = 0
    frozen: bool = False
    closed: bool = False
    reminded: set[str] = field(default_factory=set)
    told: list[Said] = field(default_factory=list)
    drawn: list[Said] = field(default_factory=list)
    game: Rules = field(init=False)

    def play(self, game: Rules, options: Mapping[str, Any]) -> None:
        self.game = game
        self.options = {name: self._typed(name, options[name]) for name in game.decisive}

    def _typed(self, name: str, value: Any) -> Any:
        if kind_of(value) != kind_of(self.game.decisive[name]):
            wrong(f"The option {name} is not of its type.")
        return value

    # ---- what games use ---------------------------------------------------------------------

    def tell(self, kind: str, /, **said: Any) -> None:
        self.told.append({"type": kind, **said})

    def draw(self, among: int, why: str) -> int:
        """The next draw of this line, as the log has it."""
        if not self.drawn:
            wrong(f"The line lacks a draw of {among} ({why}).")
        drawn = self.drawn.pop(0)
        if drawn["among"] != among or drawn["why"] != why:
            wrong(
                f"Draw {drawn['number']} is of {drawn['among']} ({drawn['why']}), "
                f"but here one of {among} ({why}) is due."
            )
        return int(drawn["index"])

    def choose(self, options: Sequence[Any], why: str) -> Any:
        return options[self.draw(len(options), why)]

    def next_phase(self) -> None:
        self.phase += 1
        self.reminded.clear()

    def seat(self, key: str) -> Seat | None:
        return next((s for s in self.seats if s.key == key), None)

    def name(self, key: str) -> str:
        return self.names.get(key, key)

    def hand_back(self, key: str) -> None:
        """Nobody plays that seat any more."""
        seat = self.seat(key)
        if seat is not None:
            seat.auto = False

    def score(self, key: str, won: bool) -> None:
        seat = self.seat(key)
        humans = sum(not s.bot for s in self.seats)
        ranked = humans >= (1 if self.options["rank_practice"] else 2)
        if seat is not None and not seat.bot and ranked:
            self.tell("scored", key=key, name=self.name(key), won=won, detail="")

    # ---- commands ---------------------------------------------------------------------------

    def follow(self, actor: str, command: Said, drawn: list[Said]) -> list[Said]:
        """The events that `command` must have had; Wrong if it could not be accepted."""
        kind = command["type"]
        self.told, self.drawn = [], drawn
        if self.closed:
            wrong("Nothing can follow on the close of a match.")
        if kind in OWN and actor != self.owner:
            wrong(f"“{words(kind)}” is for the table's owner alone.")
        if kind in OWNER_COMMANDS:
            self._for_owner(actor)
        if (kind in SERVER_COMMANDS) != (actor == SERVER):
            wrong(f"“{words(kind)}” cannot come from {self.name(actor)}.")
        known = {**dict.fromkeys(COMMANDS, ()), **FIELDS, **self.game.fields}
        if kind not in known or set(command) != {"type", *known[kind]}:
            wrong(f"“{words(kind)}” is no command of this game, or says too little or too much.")
        if kind in PLAIN:
            self.tell(PLAIN[kind])
        elif kind in COMMANDS:
            getattr(self, "_" + kind)(actor, command)
        else:
            self._game_command(actor, command)
        if self.drawn:
            wrong(f"Draw {self.drawn[0]['number']} is too much here; nothing needed it.")
        return self.told

    def _for_owner(self, actor: str) -> None:
        """Only the owner can do this, or staff of his, which the log then says."""
        if actor not in (self.owner, SERVER):
            self.tell("acted_for_owner", key=actor, name=self.name(actor))

    def _in_lobby(self, what: str) -> None:
        if self.stage != "lobby":
            wrong(f"“{what}” is possible in the lobby alone.")

    def _taken(self, actor: str) -> Seat:
        return self.seat(actor) or wrong(f"{self.name(actor)} has no seat.")

    def _game_command(self, actor: str, command: Said) -> None:
        if self.stage != "playing" or self.frozen:
            wrong("The match is not running.")
        seat = self._taken(actor)
        if seat.auto:
            self._take_back(actor, command)
        elif seat.strikes:
            seat.strikes = 0
            self.tell("attended", key=actor)
        self.game.command(actor, command)

    def _join(self, actor: str, _: Said) -> None:
        self._in_lobby("join")
        if self.seat(actor):
            wrong(f"{self.name(actor)} has a seat already.")
        if self.locked:
            self._for_owner(actor)
        if actor.startswith("bot:") or actor == NOBODY:
            wrong("Only an avatar can join.")
        self._sit(Seat(actor))

    def _sit(self, seat: Seat) -> None:
        if len(self.seats) >= self.game.most_seats:
            wrong("All seats are taken.")
        self.seats.append(seat)
        self.tell("joined", key=seat.key, name="", bot=seat.bot)

    def _leave(self, actor: str, _: Said) -> None:
        self._go(self._taken(actor), "self", "left")

    def _kick(self, _: str, command: Said) -> None:
        if not isinstance(command["key"], str):
            wrong("It does not say who is kicked.")
        self._go(self._taken(command["key"]), "kick", "kicked")

    def _go(self, seat: Seat, by: str, cause: str) -> None:
        if self.stage == "lobby":
            self.seats.remove(seat)
            self.tell("left", key=seat.key, by=by)
        elif self.stage == "over" or not self.game.remove(seat.key, cause):
            wrong(f"{self.name(seat.key)} is out already.")

    def _ready(self, actor: str, command: Said) -> None:
        self._in_lobby("ready")
        seat = self._taken(actor)
        if self.locked:
            self._for_owner(actor)
        if seat.ready == command["ready"]:
            wrong("That changes nothing.")
        seat.ready = command["ready"]
        self.tell("ready_changed", key=actor, ready=seat.ready)

    def _start(self, actor: str, _: Said) -> None:
        self._in_lobby("start")
        starter = next((s.key for s in self.seats if not s.bot), NOBODY)
        if len(self.seats) < 2:
            wrong("A match needs two players.")
        if actor != starter or self.locked:
            self._for_owner(actor)
        if not all(s.bot or s.ready or s.key in (starter, actor) for s in self.seats):
            wrong("Not all players are ready.")
        self.tell("match_started", by=actor)
        self.stage = "playing"
        self.phase += 1
        self.game.start()

    def _take_back(self, actor: str, _: Said) -> None:
        seat = self._taken(actor)
        if not seat.auto:
            wrong("No bot plays that seat.")
        seat.auto, seat.strikes = False, 0
        self.tell("taken_back", key=actor)

    def _turn_ranking(self, _: str, command: Said) -> None:
        self.tell("ranking_turned", page=command["page"])

    def _add_bot(self, _: str, __: Said) -> None:
        self._in_lobby("add bot")
        taken = {s.key for s in self.seats}
        number = next(n for n in range(1, 100) if f"bot:{n}" not in taken)
        self._sit(Seat(f"bot:{number}", bot=True, ready=True))

    def _remove_bot(self, _: str, __: Said) -> None:
        self._in_lobby("remove bot")
        last = next((s for s in reversed(self.seats) if s.bot), None)
        self._go(last or wrong("There is no bot."), "kick", "kicked")

    def _lock(self, _: str, command: Said) -> None:
        wanted = command["type"] == "lock"
        if self.locked == wanted:
            wrong("That changes nothing.")
        self.locked = wanted
        self.tell("locked" if wanted else "unlocked")

    _unlock = _lock

    def _reset_ranking(self, _: str, __: Said) -> None:
        self.tell("ranking_reset")

    def _reset_match(self, actor: str, _: Said) -> None:
        self.close("reset", actor)

    def _reset_all(self, actor: str, _: Said) -> None:
        self.tell("ranking_reset")
        self.close("reset", actor)

    def close(self, why: str, by: str, next_game: str = "") -> None:
        self.closed = True
        self.tell("match_closed", why=why, by=by, next_game=next_game)

    def _choose_game(self, actor: str, command: Said) -> None:
        if self.stage == "playing":
            wrong("Another game cannot be chosen while a match runs.")
        self.close("game", actor, command["game"])

    def _set_language(self, _: str, command: Said) -> None:
        self.tell("language_set", language=command["language"])

    def _set_options(self, _: str, command: Said) -> None:
        self._in_lobby("set options")
        preset, chosen = command["preset"], dict(self.options)
        if preset:
            if preset not in self.game.presets:
                wrong(f"There is no preset “{preset}”.")
            chosen = {**self.game.decisive, **self.game.presets[preset]}
        given = {k: self._typed(k, v) for k, v in command["options"].items() if k in chosen}
        self.options = {**chosen, **given}
        self.tell("options_set", options=self.options, preset=preset)

    # ---- the service ------------------------------------------------------------------------

    def _freeze(self, _: str, command: Said) -> None:
        if self.stage == "lobby" or self.frozen:
            wrong("There is nothing to freeze.")
        self.frozen = True
        self.tell("frozen", reason=command["reason"])

    def _thaw(self, _: str, __: Said) -> None:
        if not self.frozen:
            wrong("The match is not frozen.")
        self.frozen = False
        self.epoch += 1
        self.reminded.clear()
        self.tell("thawed")

    def _deadlines(self) -> list[tuple[str, int]]:
        """Every deadline that runs now: its name, and the moment it belongs to."""
        if self.frozen or self.stage == "lobby":
            return []
        out, key = [], self.game.waits_for()
        if key:
            seat = self._taken(key)
            kinds = ["bot"] if seat.bot or seat.auto else ["remind", "expire"]
            if key in self.reminded:
                kinds.remove("remind")
            out = [(f"{kind}:{key}", self.phase) for kind in kinds]
        pause = self.game.pause()
        return [*out, pause] if pause else out

    def _time_up(self, _: str, command: Said) -> None:
        name = command["name"]
        if (name, command["phase"]) not in self._deadlines() or command["epoch"] != self.epoch:
            wrong("No such deadline runs at this moment.")
        kind, _, key = name.partition(":")
        if kind == "remind":
            self.reminded.add(key)
            self.tell("reminded", key=key, left_s=self.options["turn_s"] / 2)
        elif kind == "bot":
            self.game.command(key, self.game.act_for(key))
        elif kind == "expire":
            self._expire(self._taken(key))
        else:
            self.game.elapse(name)

    def _expire(self, seat: Seat) -> None:
        self.tell("timed_out", key=seat.key)
        seat.strikes += 1
        if seat.strikes >= self.options["afk_limit"]:
            if self.options["afk"] == "remove":
                self.game.remove(seat.key, "silent")
                return
            self.tell("handed_to_bot", key=seat.key)
            seat.auto = True
        self.game.silent(seat.key)
