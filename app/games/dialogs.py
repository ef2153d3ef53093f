"""Dialogs as data: text, at most twelve buttons, and what each button does.

An edge shows them with whatever it has: llDialog, a web page, a REST answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from app.display import clip
from app.games.core import Actor, Command
from app.games.texts import Theme

T = TypeVar("T")

TEXT_BYTES = 511
LABEL_BYTES = 24
BUTTONS = 12
PER_PAGE = 9

MAGIC_LABELS = ("Client_Side_Mute", "Client_Side_Ignore", "!!llTextBox!!")
"""Labels which viewers take for something else."""


class Button(msgspec.Struct, frozen=True, gc=False):
    """A label and what it does: `command`, then (or only) open the dialog named `then`."""

    label: str
    command: Command | None = None
    then: str = ""
    page: int = 0


class Dialog(msgspec.Struct, frozen=True, gc=False):
    """A dialog for one avatar.  Buttons are in llDialog's order: rows of three, bottom row first.

    `phase`: the phase of the match it belongs to, or -1 if it stays due beyond one.  `typed`: it
    has no buttons, a text is to be typed.
    """

    name: str
    text: str
    buttons: tuple[Button, ...]
    page: int = 0
    phase: int = -1
    typed: bool = False

    def button(self, label: str) -> Button | None:
        return next((b for b in self.buttons if b.label == label), None)


def make(
    name: str, text: str, buttons: Sequence[Button], *, page: int = 0, phase: int = -1
) -> Dialog:
    """A dialog whose text and labels fit; `buttons` come in reading order, top left first."""
    assert len(buttons) <= BUTTONS
    fitted = _fit(buttons)
    first = len(fitted) % 3 or 3
    rows = [fitted[:first], *(fitted[i : i + 3] for i in range(first, len(fitted), 3))]
    ordered = tuple(b for row in reversed(rows) for b in row)
    return Dialog(name, clip(text, TEXT_BYTES) or " ", ordered, page, phase)


def _fit(buttons: Sequence[Button]) -> list[Button]:
    """Labels of at most 24 bytes, no two alike."""
    seen: set[str] = set(MAGIC_LABELS)
    out = []
    for button in buttons:
        label = button.label
        if len(label) * 4 > LABEL_BYTES:
            label = clip(label, LABEL_BYTES)
        number = 2
        while label in seen:
            mark = f" {number}"
            label = clip(button.label, LABEL_BYTES - len(mark)) + mark
            number += 1
        seen.add(label)
        same = label == button.label
        out.append(button if same else msgspec.structs.replace(button, label=label))
    return out


def way_out(who: Actor, theme: Theme) -> Button:
    """Out of a match: to leave it, or first to the owner's menu for whoever may open that."""
    if who.rights:
        return Button(theme.say("button", "owner"), then="owner")
    return Button(theme.say("button", "leave"), then="leave")


def paged(
    name: str,
    choices: Sequence[T],
    button: Callable[[T], Button],
    page: int,
    last: Sequence[Button],
    theme: Theme,
) -> tuple[list[Button], int, int]:
    """One page of `choices` and the arrows to its neighbours: buttons, page, number of pages.

    The page is clamped to those there are, so that a shrinking list never shows an empty one.
    """
    room = BUTTONS - len(last)
    if len(choices) <= room and len(choices) <= PER_PAGE:
        return [*map(button, choices), *last], 0, 1
    size = min(PER_PAGE, room - 2)
    pages = max(1, -(-len(choices) // size))
    page = min(max(page, 0), pages - 1)
    shown = [button(choice) for choice in choices[page * size : (page + 1) * size]]
    if page > 0:
        shown.append(Button(theme.say("button", "previous"), then=name, page=page - 1))
    shown.extend(last[:1])
    if page < pages - 1:
        shown.append(Button(theme.say("button", "next"), then=name, page=page + 1))
    return [*shown, *last[1:]], page, pages
