"""What is said of the events of Werewolf, in public or to one alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from app.display import clip
from app.games.core import NOBODY, Event, Key
from app.games.texts import Theme
from app.games.werewolf import events as ev
from app.games.werewolf.state import WerewolfMatch

Line = tuple[Key, str]
LINE_BYTES = 1000

NAMED: dict[type[Event], str] = {
    ev.SheriffMade: "sheriff",
    ev.ElderOut: "elder_out",
    ev.PiperOut: "piper_out",
    ev.LastWordsSaid: "last_words",
    ev.Lot: "lot",
    ev.LastWordsPrompt: "words_prompt",
    ev.SuccessorPrompt: "successor_prompt",
}
"""Events whose line names their `player`, and the line; to him alone if only he may know."""


def lines(before: WerewolfMatch, event: Event, theme: Theme) -> list[Line]:
    """(NOBODY, line) in public, (key, line) to one alone."""
    return _Speaker(before, theme).lines(event)


class _Speaker:
    def __init__(self, before: WerewolfMatch, theme: Theme) -> None:
        self._name = before.name
        self._theme = theme
        self._day = before.play.day if before.play else 0

    def lines(self, event: Event) -> list[Line]:
        which = NAMED.get(type(event))
        if which is not None:
            words = {f: getattr(event, f) for f in event.__struct_fields__ if f != "player"}
            words["name"] = self._name(event.player)  # type: ignore[attr-defined]
            return self._said(event, which, **words)
        speak = _SPEAK.get(type(event))
        return speak(self, event) if speak else []

    def _said(self, event: Event, which: str, **words: Any) -> list[Line]:
        """To everybody, or to each of those who may know."""
        seen_by = event.seen_by()
        section = "say" if seen_by is None else "whisper"
        line = clip(self._theme.say(section, which, **words), LINE_BYTES)
        return [(key, line) for key in ((NOBODY,) if seen_by is None else seen_by)]

    def _names(self, keys: Iterable[Key]) -> str:
        return ", ".join(map(self._name, keys))

    def _role(self, role: str) -> str:
        return self._theme.say("role", role)

    def _camp(self, camp: str) -> str:
        return self._theme.say("camp", camp)

    def phase(self, event: ev.PhaseBegan) -> list[Line]:
        which = "day_1" if (event.phase, event.day) == ("day", 1) else event.phase
        return self._said(event, which, day=event.day)

    def dealt(self, event: ev.RoleDealt) -> list[Line]:
        goal = self._theme.say("goal", event.camp)
        return self._said(event, "dealt", role=self._role(event.role), goal=goal)

    def voted(self, event: ev.Voted) -> list[Line]:
        which = "voted" if event.target else "voted_none"
        names = {"name": self._name(event.voter), "target": self._name(event.target)}
        return self._said(event, which, **names)

    def tally(self, event: ev.Tally) -> list[Line]:
        led = sorted(event.counts.items(), key=lambda item: -item[1])
        counts = ", ".join(f"{self._name(key)} {count}" for key, count in led)
        return self._said(event, "tally" if led else "tally_none", counts=counts)

    def out(self, event: ev.OutAnnounced) -> list[Line]:
        which = "out" if event.players else "out_none"
        return self._said(event, which, names=self._names(event.players))

    def result(self, event: ev.SeerResult) -> list[Line]:
        which = "seen_villager" if event.villager else "seen_other"
        return self._said(event, which, name=self._name(event.target))

    def one(self, which: str, event: Any) -> list[Line]:
        """About a target, or nobody."""
        target = event.target
        words = {"name": self._name(target)}
        if isinstance(event, ev.WolfChoice):
            words["by"] = self._name(event.by)
        return self._said(event, which if target else which + "_none", **words)

    def several(self, which: str, event: ev.KillTargets | ev.CrazedList) -> list[Line]:
        keys = event.targets if isinstance(event, ev.KillTargets) else event.players
        return self._said(event, which if keys else which + "_none", names=self._names(keys))

    def whispered(self, event: ev.Whispered) -> list[Line]:
        name = self._name(event.by)
        return self._said(event, f"to_{event.group}", name=name, text=event.text)

    def victory(self, event: ev.Victory) -> list[Line]:
        told = self._said(event, f"won_{event.camp}", names=self._names(event.members))
        for camp in ("wolves", "villagers", "piper", "lovers"):
            shown = [r for r in event.roles if r.camp == camp]
            if shown:
                who = ", ".join(f"{self._name(r.player)} ({self._role(r.role)})" for r in shown)
                told += self._said(event, "revealed", camp=self._camp(camp), names=who)
        return told


_Speak = Callable[[_Speaker, Any], list[Line]]
_SPEAK: dict[type[Event], _Speak] = {
    ev.GameStarted: lambda s, e: s._said(e, "roles"),
    ev.RoleDealt: _Speaker.dealt,
    ev.PackKnown: lambda s, e: s._said(e, "pack", names=s._names(e.wolves)),
    ev.PhaseBegan: _Speaker.phase,
    ev.EveningCame: lambda s, e: s._said(e, "evening", day=s._day),
    ev.LoversMade: lambda s, e: s._said(e, "lovers", names=s._names(e.pair)),
    ev.CampIs: lambda s, e: s._said(
        e, "camp", camp=s._camp(e.camp), goal=s._theme.say("goal", e.camp)
    ),
    ev.Voted: _Speaker.voted,
    ev.Tally: _Speaker.tally,
    ev.QuietDay: lambda s, e: s._said(e, "lot_next" if e.lot_next else "quiet", days=e.days),
    ev.NoSheriff: lambda s, e: s._said(e, "no_sheriff"),
    ev.OutAnnounced: _Speaker.out,
    ev.WolfChoice: lambda s, e: s.one("wolf_choice", e),
    ev.WolfKill: lambda s, e: s.one("wolf_kill", e),
    ev.KillTargets: lambda s, e: s.several("kill_targets", e),
    ev.CrazedList: lambda s, e: s.several("crazed", e),
    ev.SeerResult: _Speaker.result,
    ev.Whispered: _Speaker.whispered,
    ev.SeatLeft: lambda s, e: s._said(e, f"seat_{e.cause}", name=s._name(e.player)),
    ev.Victory: _Speaker.victory,
}
