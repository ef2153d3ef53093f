"""The words of the REST API: requests and answers, their limits and their examples."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.display import Frame
from app.games import AnyCommand
from app.table import talk
from app.table.hot import Dialog
from app.table.news import News

UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
KEY = f"^({UUID}|bot:[0-9]{{1,2}})$"

AvatarKey = Annotated[
    str,
    Meta(
        pattern=KEY,
        max_length=36,
        description="An avatar's UUID in lower case, or `bot:N` for a bot at the table.",
        examples=["0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b"],
    ),
]
CommandId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9:._-]+$",
        description="Names this command; sent again, it gets the same answer.",
    ),
]
MESSAGE = 1000
"""Characters of an error's sentence."""

Name = Annotated[str, Meta(max_length=255, description="The display name; any Unicode.")]


class AvatarIn(msgspec.Struct, forbid_unknown_fields=True):
    """Who acts."""

    key: AvatarKey
    name: Name = ""


class CommandIn(msgspec.Struct, forbid_unknown_fields=True):
    """A command by an avatar or bot."""

    avatar: AvatarIn
    command: AnyCommand
    id: CommandId | None = None


class TouchIn(msgspec.Struct, forbid_unknown_fields=True):
    """A touch of the table; on the ranking (`prim` = `Leaderboard`) with the cell touched."""

    avatar: AvatarIn
    prim: Annotated[str, Meta(max_length=63)] = "root"
    column: Annotated[int, Meta(ge=0, le=1000)] = 0
    row: Annotated[int, Meta(ge=0, le=1000)] = 0
    id: CommandId | None = None


class PressIn(msgspec.Struct, forbid_unknown_fields=True):
    """A press of a button in a dialog."""

    avatar: AvatarIn
    token: Annotated[str, Meta(max_length=200)]
    button: Annotated[str, Meta(max_length=255)]
    id: CommandId | None = None


class DialogOut(msgspec.Struct, omit_defaults=True):
    """A dialog: buttons in llDialog's order, rows of three from the bottom row upwards."""

    token: str
    name: str
    text: str
    buttons: list[str]
    typed: bool = False
    """A text is to be typed and sent as the button."""


class AnswerOut(msgspec.Struct):
    """What came of it: the state of the table, lines to the sender alone, a dialog for him."""

    match: str
    seq: int
    lines: list[str]
    dialog: DialogOut | None


class SeatOut(msgspec.Struct, omit_defaults=True):
    """For one avatar.  `hud` is left out when it did not change and null when there is none."""

    lines: list[str] = []
    dialog: DialogOut | None = None
    hud: Frame | msgspec.UnsetType | None = msgspec.UNSET


class WaitingOut(msgspec.Struct, rename={"names": "for"}):
    """Who is waited for, and how many seconds are left (null: no deadline)."""

    names: list[str]
    left_s: float | None


class FramesOut(msgspec.Struct):
    """The difference since a seq."""

    table: str
    match: str
    seq: int
    kind: Literal["up_to_date", "changes", "whole"]
    frames: dict[str, Frame]
    lines: list[str]
    seats: dict[str, SeatOut]
    waiting: WaitingOut | None


class EntryOut(msgspec.Struct):
    """An entry of the event log."""

    match: str
    seq: int
    at_ms: int
    actor: str
    command: msgspec.Raw
    events: msgspec.Raw
    id: str = ""
    """Of the command; "" till the match is over."""


class EntriesOut(msgspec.Struct):
    """Entries of the event log after a seq; `seq` is the last one to ask from next time."""

    seq: int
    entries: list[EntryOut]


class ErrorBody(msgspec.Struct):
    code: str
    message: str


class ErrorOut(msgspec.Struct, omit_defaults=True):
    """Every error has this form.  A refusal may bring the dialog that is due."""

    error: ErrorBody
    dialog: DialogOut | None = None


class StepOut(msgspec.Struct):
    """What the table showed after a line of the log, `after_ms` after the match was opened.

    `frames`: all of them, or those that differ from the step before.
    """

    seq: int
    after_ms: int
    kind: Literal["changes", "whole"]
    frames: dict[str, Frame]
    lines: list[str]


class ReplayOut(msgspec.Struct):
    """Some steps of a match, from the one numbered `first`; there are `steps`, from 1."""

    match: str
    steps: int
    first: int
    boards: list[StepOut]


SCHEMAS = (
    CommandIn,
    TouchIn,
    PressIn,
    AnswerOut,
    FramesOut,
    EntriesOut,
    ReplayOut,
    ErrorOut,
)
"""What the OpenAPI document describes from these types."""

_ADA = "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b"
_DIALOG = {
    "token": "lobby~0~k3f9m2xq-1~-1~0a1b2c3d4e5f607182",
    "name": "lobby",
    "text": "Press Ready when you want to take part.",
    "buttons": ["Ready", "Leave Game"],
}
EXAMPLES: dict[str, Any] = {
    "AnswerOut": {"match": "k3f9m2xq-1", "seq": 2, "lines": [], "dialog": _DIALOG},
    "FramesOut": {
        "table": "k3f9m2xq",
        "match": "k3f9m2xq-1",
        "seq": 41,
        "kind": "changes",
        "frames": {
            "TitleAction:0:0": {"picture": "direct_hit"},
            "life:0:0": {"picture": "hearts_2", "color": [1, 1, 0], "glow": 0.2},
        },
        "lines": ["🎲 Ada rolls the d12… 7!"],
        "seats": {_ADA: {"dialog": {**_DIALOG, "name": "roll"}, "hud": {"text": "Ada"}}},
        "waiting": {"for": ["Ada"], "left_s": 118.5},
    },
    "EntriesOut": {
        "seq": 2,
        "entries": [
            {
                "match": "k3f9m2xq-1",
                "seq": 2,
                "at_ms": 1750000000000,
                "actor": _ADA,
                "command": {"type": "join"},
                "events": [{"type": "joined", "key": _ADA, "name": "Ada", "bot": False}],
            }
        ],
    },
    "ReplayOut": {
        "match": "k3f9m2xq-1",
        "steps": 57,
        "first": 12,
        "boards": [
            {
                "seq": 12,
                "after_ms": 31500,
                "kind": "whole",
                "frames": {"TitleAction:0:0": {"picture": "direct_hit"}},
                "lines": ["🎲 Ada rolls the d12… 7!"],
            }
        ],
    },
    "ErrorOut": {"error": {"code": "not_ready", "message": "Not ready yet: Bob."}},
}
"""An example of every answer."""


def dialog_out(dialog: Dialog | None) -> DialogOut | None:
    if dialog is None:
        return None
    made = dialog.made
    labels = [button.label for button in made.buttons]
    return DialogOut(dialog.token, made.name, made.text, labels, made.typed)


def answer_out(answer: talk.Answer) -> AnswerOut:
    lines = [*answer.lines, *filter(None, [answer.aside])]
    return AnswerOut(answer.match_id, answer.seq, lines, dialog_out(answer.dialog))


def error_out(code: str, message: str, dialog: Dialog | None = None) -> bytes:
    """An error's JSON.  What was sent may be quoted in the message: it is cut, and made sound."""
    sound = message.encode(errors="replace").decode()
    if len(sound) > MESSAGE:
        sound = sound[: MESSAGE - 1] + "…"
    return msgspec.json.encode(ErrorOut(ErrorBody(code, sound), dialog_out(dialog)))


def frames_out(news: News) -> FramesOut:
    seats: dict[str, SeatOut] = {}
    for key, seat in news.seats.items():
        out = SeatOut(list(seat.lines), dialog_out(seat.dialog))
        if seat.hud_changed:
            out.hud = seat.hud
        seats[key] = out
    waiting = news.waiting
    return FramesOut(
        table=news.table_id,
        match=news.match_id,
        seq=news.seq,
        kind=news.kind,
        frames=news.frames,
        lines=list(news.lines),
        seats=seats,
        waiting=WaitingOut(list(waiting.names), waiting.left_s) if waiting else None,
    )


def schema(name: str) -> dict[str, Any]:
    """What the OpenAPI document says of a route that answers one of these types."""
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {"responses": {"200": {"description": "As the schema says", "content": content}}}


def components() -> dict[str, Any]:
    """JSON schemas of the types above, by name."""
    refs = "#/components/schemas/{name}"
    _, schemas = msgspec.json.schema_components(SCHEMAS, ref_template=refs)
    for name, example in EXAMPLES.items():
        schemas[name]["example"] = example
    return dict(schemas)
