"""The dialogs of a running match of Werewolf.

In each step of the night everybody who is in gets a dialog of the same form and name: choose
somebody, or be done.  The names of dialogs tell nothing of roles.
"""

from __future__ import annotations

from collections.abc import Callable

from app.display import clip
from app.games.core import NOBODY, Actor, Command, Key
from app.games.dialogs import TEXT_BYTES, Button, Dialog, make, paged
from app.games.texts import Theme
from app.games.werewolf import rules
from app.games.werewolf.board import private
from app.games.werewolf.state import NIGHT, Play, Player, WerewolfMatch
from app.games.werewolf.words import Group, LastWords, Rest, Unveil, Vote, What, Whisper

NOT_CHOSEN = "x"
GROUPS: tuple[Group, ...] = ("wolves", "lovers")
NAMES_BYTES = 120
"""What a list of names may take of a card's text."""


def due(match: WerewolfMatch, key: Key) -> str:
    """`vote` by day, `act` by night and for an heir, `words` for who may leave some; else ''."""
    play = match.play
    if play is None or all(wait.key != key for wait in rules.waits(match)):
        return ""
    player = play.player(key)
    assert player is not None
    if play.phase == "succession" and key == play.sheriff:
        return "act"
    if player.words:
        return "words"
    return "vote" if play.phase == "day" else "act"


def idle(match: WerewolfMatch, key: Key) -> str:
    """His own card, which also leads to what he may change."""
    seat = match.seat(key)
    return "card" if match.play is not None and seat is not None and not seat.barred else ""


def dialog(match: WerewolfMatch, who: Actor, name: str, page: int, theme: Theme) -> Dialog | None:
    play, key = match.play, who.key
    player = play.player(key) if play else None
    seat = match.seat(key)
    if play is None or player is None or play.phase == "over" or seat is None or seat.barred:
        return None
    kind, _, rest = name.partition(".")
    made = _Maker(match, play, player, bool(who.rights), theme)
    match kind:
        case "act":
            return made.act(rest, page)
        case "vote" if not rest:
            return made.vote(page)
        case "card" if not rest:
            return made.card()
        case "words" | "write" if not rest:
            return made.words(kind)
        case "letter":
            return made.letter(name, rest)
    return None


def typed(match: WerewolfMatch, key: Key, name: str, text: str) -> Command | None:  # noqa: ARG001
    """What was typed into one of the text boxes."""
    kind, _, rest = name.partition(".")
    if kind == "write":
        return LastWords(text)
    return Whisper(GROUPS[int(rest)], text) if kind == "letter" else None


class _Maker:
    """The dialogs of one player at one moment."""

    def __init__(
        self, match: WerewolfMatch, play: Play, player: Player, rights: bool, theme: Theme
    ) -> None:
        self._match = match
        self._play = play
        self._player = player
        self._key = player.key
        self._rights = rights
        self._say = theme.say
        self._theme = theme

    def _names(self, keys: tuple[Key, ...]) -> str:
        return clip(", ".join(map(self._match.name, keys)), NAMES_BYTES) or "–"

    def _button(self, name: str, command: Command | None = None, then: str = "") -> Button:
        return Button(self._say("button", name), command, then)

    # ---- a step of the night ----------------------------------------------------------------

    def act(self, first: str, page: int) -> Dialog | None:
        """Choose, or be done.  `first`: what was chosen before, where two are to be chosen."""
        whats = rules.asked(self._match, self._key)
        if not whats:
            return None
        keys = [p.key for p in self._play.players]
        if not first:
            then = self._then if len(whats) > 1 else None
            return self._choice("act", whats[0], page, self._done(), then, ())
        if len(whats) < 2:
            return None
        chosen = NOBODY
        if first != NOT_CHOSEN:
            if not first.isdecimal() or len(first) > 2 or int(first) >= len(keys):
                return None
            chosen = keys[int(first)]
            if chosen not in rules.targets(self._match, self._key, whats[0]):
                return None
        arrow = whats[1] == "arrow"
        if arrow and not chosen:
            return None
        none = self._button("back", then="act") if arrow else self._nobody(chosen)
        return self._choice(f"act.{first}", whats[1], page, none, None, (chosen,))

    def _then(self, target: Key) -> str:
        place = [p.key for p in self._play.players].index(target)
        return f"act.{place}"

    def _done(self) -> Button:
        return self._button("done", Rest())

    def _nobody(self, first: Key) -> Button:
        return self._button("nobody", Rest((first, NOBODY)))

    def _choice(
        self,
        name: str,
        what: What,
        page: int,
        last: Button,
        then: Callable[[Key], str] | None,
        before: tuple[Key, ...],
    ) -> Dialog:
        targets = rules.targets(self._match, self._key, what)
        targets = tuple(k for k in targets if what != "arrow" or k not in before)

        def aim(target: Key) -> Button:
            label = self._say("button", "target", name=self._match.name(target))
            if then is not None:
                return Button(label, then=then(target))
            return Button(label, Rest((*before, target)))

        ends = [last]
        if then is not None and what != "arrow":
            ends.append(self._button("neither", then=f"act.{NOT_CHOSEN}"))
        ends.append(self._button("card", then="card"))
        buttons, page, pages = paged(name, targets, aim, page, ends, self._theme)
        text = self._say("menu", f"act_{what}", page=page + 1, pages=pages, **self._words(before))
        return make(name, text, buttons, page=page, phase=self._match.phase)

    def _words(self, before: tuple[Key, ...] = ()) -> dict[str, object]:
        """What texts of dialogs may say of this player's affairs."""
        mine, name = private(self._match, self._key), self._match.name
        kills = ", ".join(
            f"{name(by)}: {name(target)}" for by, target in mine.kills if target and by in mine.pack
        )
        return {
            "day": self._play.day,
            "first": self._names(before),
            "kills": clip(kills, NAMES_BYTES) or "–",
            "crazed": self._names(mine.crazed),
            "victim": self._names(mine.targets),
            "sheriff": name(self._play.sheriff) if self._play.sheriff else "–",
        }

    # ---- by day -----------------------------------------------------------------------------

    def vote(self, page: int) -> Dialog | None:
        if self._play.phase != "day" or not self._player.living:
            return None

        def aim(target: Key) -> Button:
            label = self._say("button", "target", name=self._match.name(target))
            return Button(label, Vote(target))

        ends = [self._button("abstain", Vote()), self._button("card", then="card")]
        buttons, page, pages = paged("vote", self._play.living, aim, page, ends, self._theme)
        which = "vote_1" if self._play.day == 1 else "vote"
        text = self._say("menu", which, page=page + 1, pages=pages, **self._words())
        return make("vote", text, buttons, page=page, phase=self._match.phase)

    # ---- words ------------------------------------------------------------------------------

    def words(self, kind: str) -> Dialog | None:
        if not self._player.words:
            return None
        if kind == "write":
            return Dialog("write", self._say("menu", "write"), (), typed=True)
        buttons = [
            self._button("write", then="write"),
            self._button("say_nothing", LastWords()),
            self._button("card", then="card"),
        ]
        return make("words", self._say("menu", "words"), buttons)

    def letter(self, name: str, number: str) -> Dialog | None:
        if not number.isdecimal() or len(number) > 1 or int(number) >= len(GROUPS):
            return None
        group = GROUPS[int(number)]
        heard = rules.company(self._play, self._key, group)
        if not heard:
            return None
        others = tuple(k for k in heard if k != self._key)
        text = self._say("menu", "letter", names=self._names(others))
        return Dialog(name, text, (), typed=True)

    # ---- his own card -----------------------------------------------------------------------

    def card(self) -> Dialog:
        """Who he is and what he knows, and what he can do besides."""
        player, play, say = self._player, self._play, self._say
        lines = [
            say("menu", "card", role=say("role", player.role), camp=say("camp", player.camp)),
            say("menu", "card_out") if not player.living else say("goal", player.camp),
            *self._known(),
        ]
        buttons = []
        if player.living and play.phase == "day":
            buttons.append(self._button("vote", then="vote"))
        elif rules.asked(self._match, self._key):
            buttons.append(self._button("choose", then="act"))
        if player.words:
            buttons.append(self._button("write", then="words"))
        for number, group in enumerate(GROUPS):
            if rules.company(play, self._key, group):
                buttons.append(self._button(f"letter_{group}", then=f"letter.{number}"))
        shown = player.unveiled
        veil = Button(say("button", "hide" if shown else "show"), Unveil(not shown), then="card")
        table = "owner" if self._rights else "wait"
        buttons += [veil, self._button("table", then=table)]
        return make("card", clip("\n".join(filter(None, lines)), TEXT_BYTES), buttons)

    def _known(self) -> list[str]:
        """What only he may know."""
        mine, say, name = private(self._match, self._key), self._say, self._match.name
        known = []
        if mine.pack:
            known.append(say("menu", "know_pack", names=self._names(mine.pack)))
        if mine.lover and self._player.living:
            known.append(say("menu", "know_lover", name=name(mine.lover)))
        if self._player.role == "piper" and self._player.living:
            known.append(say("menu", "know_crazed", names=self._names(mine.crazed)))
        if mine.results:
            seen = ", ".join(
                say("menu", "know_villager" if is_one else "know_other", name=name(key))
                for key, is_one in mine.results
            )
            known.append(say("menu", "know_seen", seen=clip(seen, 2 * NAMES_BYTES)))
        if mine.potions:
            potions = ", ".join(say("menu", potion) for potion in mine.potions)
            known.append(say("menu", "know_potions", potions=potions))
        if mine.note and self._play.phase in NIGHT:
            known.append(say("menu", "know_note", name=name(mine.note)))
        return known
