"""A match checked line by line; the first line that contradicts the ones before it is the lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.verify import dice, lobby
from app.verify.lobby import Rules, Table
from app.verify.peril import Peril
from app.verify.roulette import Roulette
from app.verify.words import SERVER, Said, Wrong, compare, show, wrong

GAMES: dict[str, Callable[[Table], Rules]] = {"peril": Peril, "roulette": Roulette}

FIELDS = {"seq", "at_ms", "actor", "id", "command", "events"}
OPENING = {
    "type", "game", "owner", "options", "locked", "invited", "commitment", "language",
}  # fmt: skip
DRAWN = {"type", "number", "why", "among", "index"}

NOT_COVERED: Mapping[str, str] = {
    "Display names": "An avatar may be called anything; players are their keys here.",
    "Times": "The clock is the server's own; only the order of the lines is checked.",
    "Keys from which the same was drawn": "A draw is made of its own command's key alone: where "
    "nothing was drawn, or another key draws the same, nothing tells them apart.",
    "How a match opens": "Owner, lock, options and invitations come from the table or the match "
    "before. A false one is found only where a later line contradicts it.",
    "The order of the numbers in a pick after the last draw": "It decides no draw any more.",
    "Options of the show": "Pauses, pace and pictures decide nothing.",
    "Whom the owner trusts": "A line says that somebody acted for the owner; that he lets him do "
    "so stands in no log.",
    "Who turned a page of the ranking, and which": "That is no part of the match.",
    "Why a match was frozen": "Whether the table could be reached nobody else can tell.",
    "The end of a log whose match is not closed": "What is still missing cannot be missed.",
}
"""What no line can be convicted of, and why."""

FORGOTTEN = (
    "Somebody deleted his data, which the draws were made of too: the seed is the one committed "
    "to, but the draws after his first move cannot be made again."
)
NOT_A_LOG = "That is not the log of a match."
ILL_WRITTEN = "The line is not written as lines of a log are."
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)


class NotALog(Exception):
    """What was given is no match with entries."""


@dataclass(frozen=True)
class Lie:
    """The line that lies: its number as it stands in the log, and in a sentence how."""

    line: int
    what: str


@dataclass
class Report:
    """What the check of a match came to.  `played`: whether its game's rules are known here.

    `forgotten`: somebody deleted his data, so that not all draws could be made again.
    """

    match: str
    game: str
    played: bool
    over: bool = False
    forgotten: bool = False
    lines: int = 0
    draws: int = 0
    winner: str = ""
    lie: Lie | None = None
    sentences: list[str] = field(default_factory=list)


def verify(log: Any) -> Report:
    """Check the JSON of `GET /api/v1/matches/{id}`.  NotALog if it is something else."""
    try:
        match, entries = log["match"], log["entries"]
        report = Report(match["id"], match["game"], match["game"] in GAMES)
        at = first = int(match["first_seq"])
        check = _Check(match, entries, report)
    except MALFORMED:
        raise NotALog(NOT_A_LOG) from None
    report.over = match.get("closed_ms") is not None or check.shown != ""
    try:
        for index, entry in enumerate(entries if report.over else []):
            at = _number(entry, first + index)
            check.line(index, entry)
            report.lines += 1
        if report.over:
            check.end()
    except Wrong as lie:
        report.lie = Lie(check.blamed or at, str(lie))
    except MALFORMED:
        report.lie = Lie(at, ILL_WRITTEN)
    report.sentences = _sentences(report, check)
    return report


def _number(entry: Said, due: int) -> int:
    """The number that a line bears, or if it bears none the one that is due."""
    seq = entry.get("seq") if isinstance(entry, dict) else None
    return seq if type(seq) is int else due


def _written(entry: Said, opens: bool) -> bool:
    """Whether a line is of the types that lines are of."""
    texts = [entry["actor"], entry["id"], *(event["type"] for event in entry["events"])]
    if not opens:
        texts.append(entry["command"]["type"])
    return all(isinstance(text, str) for text in texts)


def _forgotten(entries: Sequence[Said]) -> list[Said]:
    """What was added to the last line for those who deleted their data since."""
    told = (
        entries[-1]["events"] if isinstance(entries[-1], dict) and "events" in entries[-1] else []
    )
    out: list[Said] = []
    for event in reversed(told):
        if not isinstance(event, dict) or event.get("type") != "forgotten":
            break
        if set(event) != {"type", "key"} or not isinstance(event["key"], str):
            break
        out.append(event)
    return out


class _Check:
    """A log on its way from line to line."""

    def __init__(self, match: Said, entries: Sequence[Said], report: Report) -> None:
        self.match = match
        self.report = report
        self.table = Table("", locked=False)
        self.choices = ""
        self.blamed = 0
        """The line to blame, where it is not the one that is read."""
        self.first = _number(entries[0], match["first_seq"])
        self.last = len(entries) - 1
        self.shown, self.shown_at = self._seed(entries)
        self.seed = b""
        self.committed = ""
        self.shown_yet = False
        self.forgotten = [e["key"] for e in _forgotten(entries)]
        self.blind = False
        """What fed the draws from here on is deleted."""
        report.forgotten = self.forgotten != []

    @staticmethod
    def _seed(entries: Sequence[Said]) -> tuple[str, int]:
        for entry in entries:
            for event in entry["events"] if isinstance(entry, dict) and "events" in entry else []:
                if isinstance(event, dict) and event.get("type") == "seed_shown":
                    return event.get("seed") or "?", _number(entry, 0)
        return "", 0

    @property
    def _kept(self) -> bool:
        return dice.commitment(self.seed) == self.committed

    def line(self, index: int, entry: Said) -> None:
        due = self.match["first_seq"] + index
        if _number(entry, 0) != due:
            wrong(f"Line {due} is due here.")
        if set(entry) != FIELDS:
            wrong("The line says more or less than lines of a log do.")
        events = list(entry["events"])
        if not _written(entry, opens=index == 0):
            wrong(ILL_WRITTEN)
        if index == 0:
            self._open(entry, events)
            return
        actor, command = entry["actor"], entry["command"]
        if actor == SERVER and entry["id"]:
            wrong("What the service does by itself has no key.")
        if command["type"] not in lobby.COMMANDS:
            self.blind |= any(key in (actor, *command.values()) for key in self.forgotten)
            self.choices = dice.chosen(self.choices, actor, command)
        drawn = self._draws(events, entry["id"])
        events = self._renamed(actor, events[len(drawn) :])
        if index == self.last and self.forgotten:
            events = events[: -len(self.forgotten)]
        if self.report.played:
            expected = list(self.table.follow(actor, command, drawn))
            compare([*expected, *self._seed_due()], events, self.table.names)
        self._named(events)
        if any(event["type"] == "seed_shown" for event in events):
            self._keep()

    def _open(self, entry: Said, events: Sequence[Said]) -> None:
        """The first line: what the match begins with."""
        match, opened = self.match, events[0]
        if entry["actor"] != SERVER or entry["command"] is not None or entry["id"] != "":
            wrong("The service alone opens a match.")
        if len(events) != 1 or opened["type"] != "match_opened":
            wrong("A log begins with the opening of its match and nothing else.")
        if set(opened) != OPENING:
            wrong("The opening says more or less than openings do.")
        if opened["game"] != match["game"]:
            wrong(f"The match is of {match['game']}, but {show(opened['game'], {})} was opened.")
        if match["id"] != f"{match['table']}-{match['number']}":
            wrong(f"{match['id']} is not match {match['number']} of table {match['table']}.")
        self.committed = opened["commitment"]
        if not isinstance(self.committed, str) or len(self.committed) != 64:
            wrong("The match opened without committing itself to a seed.")
        self.table = Table(opened["owner"], opened["locked"])
        if self.report.played:
            self.table.play(GAMES[match["game"]](self.table), opened["options"])

    def _draws(self, events: Sequence[Said], fresh: str) -> list[Said]:
        """The draws that the line begins with, each of them checked."""
        out: list[Said] = []
        for event in events:
            if event["type"] != "drawn":
                break
            out.append(event)
            self.report.draws += 1
            numbers = (event.get(name) for name in ("number", "among", "index"))
            whole = all(type(number) is int for number in numbers)
            if set(event) != DRAWN or not isinstance(event["why"], str) or not whole:
                wrong("The draw is not written as draws are.")
            if self.shown and not self.blind:
                self._check_draw(event, fresh)
        return out

    def _check_draw(self, event: Said, fresh: str) -> None:
        """A seed that neither was committed nor fits the draws is the lie, not the draw."""
        try:
            self.seed = dice.seed_bytes(self.shown)
            entropy = f"{self.choices}\n{fresh}"
            dice.check(self.seed, self.match["id"], self.report.draws, entropy, event)
        except Wrong:
            if self._kept:
                raise
            self.blamed = self.shown_at
            wrong("The seed is not the one that the match had committed itself to.")

    def _keep(self) -> None:
        """All draws came from the seed that is shown; if it was not promised, the promise lies."""
        self.shown_yet = True
        self.seed = dice.seed_bytes(self.shown)
        if not self._kept:
            self.blamed = self.first
            wrong("The commitment is not the SHA-256 of the seed from which the draws came.")

    def _renamed(self, actor: str, events: list[Said]) -> list[Said]:
        """The events without a new name for who acts; that alone is nothing to be derived."""
        first = events[0] if events else {}
        seat = self.table.seat(actor)
        if first.get("type") != "renamed" or (self.report.played and (not seat or seat.bot)):
            return events
        said = [first.get(name) for name in ("key", "name")]
        if len(first) != 3 or said[0] != actor or not isinstance(said[1], str):
            wrong("Only who acts can have another name.")
        self._named([first])
        return events[1:]

    def _named(self, events: Sequence[Said]) -> None:
        for event in events:
            if event["type"] in ("joined", "renamed"):
                self.table.names[event["key"]] = event["name"]

    def _seed_due(self) -> list[Said]:
        over = self.table.stage == "over" or self.table.closed
        if not over or not self.report.draws or self.shown_yet:
            return []
        return [{"type": "seed_shown", "seed": self.shown}]

    def end(self) -> None:
        if self.report.draws and not self.shown_yet:
            wrong("The seed of the draws is not shown.")
        if not self.report.played:
            return
        if self.table.closed != (self.match["closed_ms"] is not None):
            wrong("The match is closed, but its log ends before." if not self.table.closed
                  else "The log closes the match, which is said to be open.")  # fmt: skip
        if not all(self.table.closed and self.table.seat(key) for key in self.forgotten):
            wrong("Nobody who played in this match can have been forgotten so.")
        self.report.winner = self.table.game.winner


def _sentences(report: Report, check: _Check) -> list[str]:
    """The report as people read it."""
    if not report.over:
        return [f"Match {report.match} is not over. It can be checked when its seed is shown."]
    if report.lie is not None:
        return [f"Line {report.lie.line} lies: {report.lie.what}"]
    out = [f"All {report.lines} lines of match {report.match} fit one another."]
    s = "s" if report.draws > 1 else ""
    if report.forgotten:
        out.append(FORGOTTEN)
    elif report.draws:
        out.append(f"The seed is the one committed to, and {report.draws} draw{s} came from it.")
    else:
        out.append("Nothing was drawn in it.")
    if not report.played:
        out.append(f"The rules of {report.game} are not known here: only the dice were checked.")
    elif report.winner:
        out.append(f"By the rules {check.table.name(report.winner)} has won.")
    else:
        out.append("Nobody has won it.")
    if report.draws:
        out.append(f"Before the first draw the table must have shown {check.committed}.")
    return out
