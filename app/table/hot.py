"""A table in memory: its match, the last states it went through, and who waits for the next.

States are frozen and share their parts, so keeping the last few costs little; they let every
edge ask for the difference since the state it knows.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter
from time import perf_counter
from typing import Any

import msgspec

from app import metrics
from app.display import TEXT_SETS, Board, Frame
from app.errors import Busy
from app.games import GAMES, boards, dialogs, menus, texts
from app.games.core import NOBODY, Actor, Command, Game, Key, Match, RankingPage, Refusal
from app.games.lines import Line
from app.games.own import Own
from app.table import standings
from app.table.log import Append

RECENT_STATES = 64
RECENT_ANSWERS = 512


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What came of a command: the state it left, or why it changed nothing.

    `lines`: what the table says because of it, to everybody or to one.
    """

    match_id: str
    seq: int
    refusal: Refusal | None = None
    lines: tuple[Line, ...] = ()
    actor: Key = Key("")


class Snapshot:
    """A state of the table by its seq, with what the prims show then; made when asked for."""

    def __init__(
        self,
        table: HotTable,
        match_id: str,
        seq: int,
        match: Match[Any],
        ranking: RankingPage,
        lines: Sequence[Line] = (),
    ) -> None:
        self.table = table
        self.match_id = match_id
        self.seq = seq
        self.match = match
        self.ranking = ranking
        self.lines = tuple(lines)

    @property
    def game(self) -> Game[Any]:
        return GAMES[self.match.game]

    @property
    def theme(self) -> texts.Theme:
        """What all see and hear."""
        return self.table.theme_for(self.match)

    def theme_of(self, key: Key) -> texts.Theme:
        """What one alone sees and hears, in his language."""
        return self.table.theme_for(self.match, key)

    @cached_property
    def public(self) -> Any:
        """What everybody may see.

        What is done in secret changes nothing of it: then it is the very one of the state before,
        and so are the board and the HUDs made of it (46 % of a request, profiled with ten players).
        """
        made = self.table.portrayed(self.game.public(self.match, self.ranking))
        before = self._before
        return before.public if before is not None and before.public == made else made

    @property
    def _before(self) -> Snapshot | None:
        """The state before, if what all see of it has been made."""
        state = self.table.at(self.seq - 1) if self.table.states else None
        return state if state is not None and "public" in state.__dict__ else None

    @cached_property
    def board(self) -> Board:
        before = self._before
        if before is not None and before.public is self.public and "board" in before.__dict__:
            return before.board
        board = self.game.board(self.public, self.theme, self.table.text_sets)
        return boards.noticed(board, self.public, self.table.notice, self.theme)

    @cached_property
    def privates(self) -> dict[Key, Any]:
        """What each seat may see besides."""
        return {seat.key: self.game.private(self.match, seat.key) for seat in self.match.seats}

    @cached_property
    def huds(self) -> dict[Key, Frame]:
        """The HUDs and floaters of the seats that have one.

        Who left or was kicked from the running match keeps his place on the board, not his HUD.
        """
        if not self.match.huds:
            return {}
        view, privates, before = self.public, self.privates, self._before
        huds, known = {}, {}
        if before is not None and before.public is view:
            huds, known = before.huds, before.privates
        return {
            seat.key: huds[seat.key]
            if seat.key in huds and known[seat.key] == privates[seat.key]
            else self.new_hud(seat.key)
            for seat in view.seats
            if not seat.gone
        }

    def new_hud(self, key: Key) -> Frame:
        """What the HUD of a seat would show if it were made now."""
        return self.game.hud(self.public, self.privates[key], self.theme_of(key))

    @property
    def made_huds(self) -> dict[Key, Frame] | None:
        """The HUDs if somebody has asked for them."""
        return self.__dict__.get("huds")

    def hud(self, key: Key) -> Frame | None:
        """The HUD or floater of a seat; None if it has none."""
        return self.huds.get(key)

    @property
    def dues(self) -> dict[Key, Dialog]:
        """The dialogs that avatars should have before them now; others should have none."""
        return {k: made for k, name in self._due.items() if (made := self.dialog(k, name, 0))}

    def due(self, key: Key) -> Dialog | None:
        """The dialog this avatar should have before him now."""
        name = self._due.get(key)
        return self.dialog(key, name, 0) if name else None

    @cached_property
    def _due(self) -> dict[Key, str]:
        return menus.dues(self.game, self.match)

    def dialog(self, key: Key, name: str, page: int) -> Dialog | None:
        """The dialog `name` as it stands now for this avatar; None if it is not (or no more) his.

        Made once: a press asks for it, the news compare it, and so does the press that follows.
        """
        who, theme = self.table.actor(key), self.theme_of(key)
        known = self._dialogs.get((key, name, page))
        if known is not None and known[0] == (who, theme):  # both may change within a state
            return known[1]
        made = menus.dialog(self.game, self.match, who, name, page, theme)
        if made is None:
            return None
        dialog = Dialog(made, self.match_id, key)
        if made.page == page:  # others are as many as somebody cares to ask for
            self._dialogs[key, name, page] = (who, theme), dialog
        return dialog

    def slim(self) -> None:
        """Forget what can be made again."""
        for name in ("_dialogs", "privates"):
            self.__dict__.pop(name, None)

    @cached_property
    def _dialogs(self) -> dict[tuple[Key, str, int], tuple[tuple[Actor, texts.Theme], Dialog]]:
        return {}


class Dialog:
    """A dialog bound to its match, its phase, its avatar and to what its buttons do."""

    def __init__(self, made: dialogs.Dialog, match_id: str, key: Key) -> None:
        self.made = made
        self.match_id = match_id
        self.key = key

    @cached_property
    def token(self) -> str:
        return dialog_token(self.made, self.match_id, self.key)


def dialog_token(made: dialogs.Dialog, match_id: str, key: Key) -> str:
    """Where the dialog belongs, and a digest of what it offers: a changed menu is another one."""
    offers = msgspec.json.encode([(b.label, b.command, b.then, b.page) for b in made.buttons])
    digest = hashlib.blake2s(key.encode() + b"|" + offers, digest_size=9).hexdigest()
    return f"{made.name}~{made.page}~{match_id}~{made.phase}~{digest}"


class Order(msgspec.Struct):
    """A command on its way to the table."""

    actor: Key
    name: str
    owner: bool
    command: Command | None
    """None: only to see what other processes stored."""
    id: str | None
    done: asyncio.Future[Outcome]
    known: int = 0
    """There is this state at least."""
    since_s: float = msgspec.field(default_factory=perf_counter)

    def answer(self, outcome: Outcome) -> None:
        if self.command is not None:
            metrics.command("refused" if outcome.refusal else "accepted", self.since_s)
        if not self.done.done():
            self.done.set_result(outcome)


def fail(orders: Sequence[Order], error: Exception) -> None:
    """Nothing came of these."""
    for order in orders:
        if order.command is not None:
            metrics.command("busy" if isinstance(error, Busy) else "failed", order.since_s)
        if not order.done.done():
            order.done.set_exception(error)


_seq = attrgetter("seq")


@lru_cache(4096)  # so that a seat which did not change is the very one of the state before
def _portrayed(seat: Any, picture: str) -> Any:
    return msgspec.structs.replace(seat, picture=picture)


class HotTable:
    """One table as the service works on it."""

    def __init__(
        self,
        id: str,
        name: str,
        owner: Key,
        owner_name: str,
        speaks: Mapping[Key, str] | None = None,
        pictures: Mapping[Key, str] | None = None,
        theme: str = "classic",
        text_sets: dict[str, tuple[int, int]] | None = None,
    ) -> None:
        self.id = id
        self.name = name
        self.owner = owner
        self.owner_name = owner_name
        self.theme = theme
        self.text_sets = text_sets or TEXT_SETS
        self.speaks = {} if speaks is None else speaks
        """Avatars who chose a language of their own, of all tables."""
        self.pictures = {} if pictures is None else pictures
        """Avatars whose profile pictures are known: keys of textures."""
        self.own: Own | None = None
        """What its owner changed of the theme."""
        self.number = 0
        self.seed = ""
        self.choices = ""
        """Of the match that is on: where its dice come from; see `app.fairness`."""
        self.watched = self.listed = False
        self.standings = standings.NONE
        self.notice = ""
        """What the operator announces on all boards."""
        # Plain ones: a deque and an ordered dict would be half of an idle table's 2.5 KB.
        self.states: list[Snapshot] = []
        self.answers: dict[str, Outcome] = {}
        self.deadlines: dict[tuple[str, int, int], int] = {}
        """Timer id → due time in milliseconds."""
        self.mailbox: list[Order] = []
        self.working = False
        self.stale = False
        """Its log was changed by other means than a command: it must be read again."""
        self.arrived: tuple[Append, ...] = ()
        """What other processes stored and told, not looked at yet."""
        self.sure_at = 0.0
        """Until then, in seconds since 1970, this process knew all of it."""
        self.used_at = 0.0
        self._changed: asyncio.Event | None = None

    def actor(self, key: Key, name: str = "", owner: bool = False) -> Actor:
        """Somebody with the rights that he has here.  `owner`: he acts as the owner."""
        owner, known = owner or key == self.owner, self.standings.get(key)
        if known is None:
            return Actor(key, name, owner)
        return Actor(key, name, owner, staff=known.rights, banned=known.banned)

    @property
    def now(self) -> Snapshot:
        return self.states[-1]

    @property
    def awaited(self) -> bool:
        """Somebody waits for the next state."""
        return self._changed is not None

    def theme_for(self, match: Match[Any], who: Key = NOBODY) -> texts.Theme:
        """What this avatar sees and hears of `match`; NOBODY: what all do."""
        theme = texts.load(match.game, self.theme, self.speaks.get(who) or match.language)
        return self.own.over(match.game, theme) if self.own else theme

    @property
    def ranking_rows(self) -> int:
        """How long a page of its ranking is."""
        return boards.page_rows(self.text_sets.get("Leaderboard", boards.NO_SET))

    def portrayed(self, view: Any) -> Any:
        """What everybody may see, with the profile pictures that are known."""
        if not self.pictures or not any(seat.key in self.pictures for seat in view.seats):
            return view
        seats = tuple(
            _portrayed(seat, self.pictures[seat.key]) if seat.key in self.pictures else seat
            for seat in view.seats
        )
        return msgspec.structs.replace(view, seats=seats)

    def logged(self, orders: Sequence[Order] = ()) -> dict[str, Any]:
        """What lines of the log say of this table, and of commands to it: ids, never names."""
        match = self.now.match_id if self.states else ""
        return {"table": self.id, "match": match, "commands": [o.id for o in orders if o.id]}

    def at(self, seq: int) -> Snapshot | None:
        """The state that had this seq, if it is still remembered."""
        back = self.now.seq - seq
        if not 0 <= back < len(self.states):
            return None
        state = self.states[-1 - back]
        return state if state.seq == seq else None

    def since(self, seq: int) -> list[Snapshot]:
        """The remembered states after `seq`."""
        return self.states[bisect_right(self.states, seq, key=_seq) :]

    def went(self, states: Sequence[Snapshot]) -> None:
        """Remember the states it went through now, and the last few before."""
        # Who asks again asks of the last two: dialogs of all 64 took 186 KB a table, these 8.
        for state in self.states[-2:-1]:
            state.slim()
        self.states += states
        del self.states[:-RECENT_STATES]

    def remember(self, answer_id: str | None, outcome: Outcome) -> None:
        if answer_id is None:
            return
        self.answers.setdefault(answer_id, outcome)
        if len(self.answers) > RECENT_ANSWERS:
            del self.answers[next(iter(self.answers))]

    def wake(self) -> None:
        """Tell whoever waits that there is a newer state."""
        if self._changed is not None:
            self._changed.set()
            self._changed = None

    async def changed(self, seq: int, wait_s: float) -> bool:
        """Wait until there is a state after `seq`, at most `wait_s` seconds; True if there is."""
        if self.now.seq != seq:
            return True
        if self._changed is None:
            self._changed = asyncio.Event()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                return await self._changed.wait()
        return False
