"""Chat, dialogs and messages."""

from __future__ import annotations

import math
from typing import Any

from lummao import Key

from ..chat import PUBLIC, SAY_M, SHOUT_M, WHISPER_M
from ..script import Listen
from .base import Base

DIALOG_BYTES = 511
BUTTONS, BUTTON_BYTES = 12, 24
# The viewer takes these for something else than a label.
MAGIC_LABELS = {"Client_Side_Mute", "Client_Side_Ignore", "!!llTextBox!!"}


class ChatApi(Base):
    def llWhisper(self, channel: int, text: str) -> None:
        self.region.chat.object_says(self.prim, channel, text, "whisper", WHISPER_M)

    def llSay(self, channel: int, text: str) -> None:
        self.region.chat.object_says(self.prim, channel, text, "say", SAY_M)

    def llShout(self, channel: int, text: str) -> None:
        self.region.chat.object_says(self.prim, channel, text, "shout", SHOUT_M)

    def llRegionSay(self, channel: int, text: str) -> None:
        if channel == PUBLIC:
            self.error("llRegionSay: channel 0 is not possible")
            return
        self.region.chat.object_says(self.prim, channel, text, "region", math.inf)

    def llRegionSayTo(self, target: Key, channel: int, text: str) -> None:
        self.region.chat.object_says_to(self.prim, target, channel, text)

    def llOwnerSay(self, text: str) -> None:
        self.region.chat.object_tells_owner(self.prim, text)

    def llInstantMessage(self, target: Key, text: str) -> None:
        self.region.chat.instant_message(self.prim, target, text)

    def llLoadURL(self, target: Key, text: str, url: str) -> None:
        self.region.chat.offer_url(self.prim, target, text, url)

    def llListen(self, channel: int, name: str, key: Key, text: str) -> int:
        return self.script.listen(Listen(channel, name, key, text))

    def llListenRemove(self, handle: int) -> None:
        self.script.listens.pop(handle, None)

    def llListenControl(self, handle: int, on: int) -> None:
        if handle in self.script.listens:
            self.script.listens[handle].on = bool(on)

    def llDialog(self, target: Key, text: str, buttons: list[Any], channel: int) -> None:
        labels = buttons or ["OK"]
        if not 0 < len(text.encode()) <= DIALOG_BYTES:
            self.error(f"llDialog: the message must have 1 to {DIALOG_BYTES} bytes: {text!r}")
        elif len(labels) > BUTTONS:
            self.error(f"llDialog: more than {BUTTONS} buttons")
        elif not all(isinstance(label, str) for label in labels):
            self.error("llDialog: all buttons must be strings")
        elif not all(0 < len(label.encode()) <= BUTTON_BYTES for label in labels):
            self.error(f"llDialog: buttons must have 1 to {BUTTON_BYTES} bytes: {labels}")
        elif MAGIC_LABELS & set(labels):
            self.error(f"llDialog: a label that the viewer understands otherwise: {labels}")
        else:
            self.region.chat.show_dialog(self.prim, target, text, list(labels), channel)

    def llTextBox(self, target: Key, text: str, channel: int) -> None:
        if not 0 < len(text.encode()) <= DIALOG_BYTES:
            self.error(f"llTextBox: the message must have 1 to {DIALOG_BYTES} bytes")
            return
        self.region.chat.show_dialog(self.prim, target, text, [], channel)
