"""Who hears what: chat by range, private lines, dialogs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import dist
from typing import TYPE_CHECKING

from lummao import Key, Vector

if TYPE_CHECKING:
    from .avatars import Avatar
    from .prims import Linkset, Prim
    from .region import Region
    from .throttle import Throttle

WHISPER_M, SAY_M, SHOUT_M = 10.0, 20.0, 100.0
CHAT_BYTES = 1024
PUBLIC, DEBUG = 0, 0x7FFFFFFF
"""The channels PUBLIC_CHANNEL and DEBUG_CHANNEL."""


@dataclass(frozen=True)
class Line:
    """A line in somebody's chat window, or in everybody's."""

    text: str
    by: str
    how: str
    """say, whisper, shout, private, owner, im, debug or url"""
    at_s: float
    link: str = ""
    """The address that llLoadURL offers."""

    def __str__(self) -> str:
        return self.text


@dataclass(eq=False)
class Dialog:
    """A dialog or a text box in somebody's viewer."""

    avatar: Avatar
    prim: Prim
    text: str
    buttons: list[str]
    """As the script gave them; none for a text box."""
    channel: int
    at_s: float

    @property
    def linkset(self) -> Linkset:
        return self.prim.linkset

    @property
    def is_text_box(self) -> bool:
        return not self.buttons

    @property
    def rows(self) -> list[list[str]]:
        """The buttons as the viewer lays them: rows of three, from the bottom upwards."""
        rows = [self.buttons[i : i + 3] for i in range(0, len(self.buttons), 3)]
        return rows[::-1]


def cut(text: str, limit_bytes: int) -> str:
    """The beginning of a text, in whole characters."""
    return text.encode()[:limit_bytes].decode(errors="ignore")


class Chat:
    """The region's air."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.public: list[Line] = []
        self.debug: list[Line] = []
        self._loud: dict[Key, Throttle] = defaultdict(lambda: region.throttle(200, 10))
        self._private: dict[tuple[Key, Key], Throttle] = defaultdict(
            lambda: region.throttle(200, 10)
        )
        self._messages: dict[Key, Throttle] = defaultdict(lambda: region.throttle(2500, 1800))

    # ---- what objects say

    def object_says(self, prim: Prim, channel: int, text: str, how: str, reach_m: float) -> None:
        """Say, whisper or shout; `reach_m` is infinite for llRegionSay."""
        text = cut(text, CHAT_BYTES)
        owner = prim.linkset.owner
        if channel in (PUBLIC, DEBUG):
            if not self._loud[owner.key].allow():
                return
            line = Line(text, prim.name, how, self.region.now)
            (self.debug if channel == DEBUG else self.public).append(line)
            for avatar in self.region.present:
                if channel == PUBLIC and dist(avatar.pos, prim.pos) <= reach_m:
                    avatar.heard.append(line)
        self._carry(channel, text, prim.name, prim.key, prim.pos, reach_m)

    def object_says_to(self, prim: Prim, target: Key, channel: int, text: str) -> None:
        """llRegionSayTo: to an avatar (and what it wears) or to one prim."""
        text = cut(text, CHAT_BYTES)
        avatar = self.region.avatar_here(target)
        if avatar is None:
            self._carry(channel, text, prim.name, prim.key, prim.pos, None, only=target)
        elif channel == PUBLIC:
            if self._private[prim.linkset.owner.key, target].allow():
                avatar.lines.append(Line(text, prim.name, "private", self.region.now))
        else:
            for worn in avatar.attachments:
                for each in worn.prims:
                    self._carry(channel, text, prim.name, prim.key, prim.pos, None, only=each.key)

    def object_tells_owner(self, prim: Prim, text: str) -> None:
        owner = prim.linkset.owner
        if self.region.avatar_here(owner.key):
            text = cut(text, CHAT_BYTES)
            owner.lines.append(Line(text, prim.name, "owner", self.region.now))

    def instant_message(self, prim: Prim, target: Key, text: str) -> None:
        avatar = self.region.known_avatar(target)
        if avatar and self._messages[prim.linkset.owner.key].allow():
            text = cut(text, CHAT_BYTES - 1)
            avatar.lines.append(Line(text, prim.name, "im", self.region.now))

    def shout_error(self, prim: Prim, text: str) -> None:
        """The simulator's own complaint about a script."""
        self.debug.append(Line(text, prim.name, "debug", self.region.now))

    # ---- what avatars say

    def avatar_says(self, avatar: Avatar, channel: int, text: str, reach_m: float = SAY_M) -> None:
        text = cut(text, CHAT_BYTES)
        if channel == PUBLIC:
            line = Line(text, avatar.name, "say", self.region.now)
            self.public.append(line)
            for other in self.region.present:
                if dist(other.pos, avatar.pos) <= reach_m:
                    other.heard.append(line)
        self._carry(channel, text, avatar.name, avatar.key, avatar.pos, reach_m)

    def answer(self, dialog: Dialog, text: str) -> None:
        """A pressed button: heard by the object that asked, wherever; by others near to it."""
        who = dialog.avatar
        if dialog.linkset.in_region:
            pos, always = dialog.prim.pos, dialog.prim
        else:
            pos, always = who.pos, None
        self._carry(dialog.channel, text, who.name, who.key, pos, SAY_M, always=always)

    # ---- the rest

    def _carry(
        self,
        channel: int,
        text: str,
        name: str,
        key: Key,
        pos: Vector,
        reach_m: float | None,
        *,
        only: Key | None = None,
        always: Prim | None = None,
    ) -> None:
        for linkset in list(self.region.objects):
            for prim in linkset.prims:
                if prim.key == key or not prim.runners or (only and prim.key != only):
                    continue
                near = reach_m is None or prim is always or dist(prim.pos, pos) <= reach_m
                if not near:
                    continue
                for runner in prim.runners.values():
                    if any(x.hears(channel, name, key, text) for x in runner.listens.values()):
                        runner.post("listen", channel, name, key, text)

    def show_dialog(self, prim: Prim, target: Key, text: str, buttons: list[str], ch: int) -> None:
        avatar = self.region.avatar_here(target)
        if avatar:
            dialog = Dialog(avatar, prim, text, buttons, ch, self.region.now)
            avatar.dialogs.append(dialog)
            avatar.shown[prim.linkset] = dialog

    def offer_url(self, prim: Prim, target: Key, text: str, url: str) -> None:
        avatar = self.region.avatar_here(target)
        if avatar:
            avatar.lines.append(Line(text, prim.name, "url", self.region.now, link=url))
