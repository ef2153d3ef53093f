"""What is fuzzed.  A target gives good inputs, and a check that raises if one is read wrongly.

To add one: a function as those below, with its name in `TARGETS`.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote_plus, urlencode

import msgspec

from app.api.schemas import MESSAGE, CommandIn, PressIn, TouchIn, error_out
from app.devices import routes, signing
from app.display import LARGEST_SET, TEXT_SETS
from app.errors import Malformed
from app.games import COMMANDS
from app.games.core import Actor, Key
from app.table import talk
from app.table.database import open_log
from app.table.service import Tables

NEWLINE = "\n"
OWNER = "0e000000-0000-4000-8000-000000000009"
ADA = {"key": "ada00000-0000-4000-8000-000000000001", "name": "Ada 🎲"}


class Target(NamedTuple):
    """Good inputs to begin with; `check` returns, or raises what is wrong."""

    seeds: Sequence[bytes]
    check: Callable[[bytes], None]


@contextmanager
def form() -> Iterator[Target]:
    """The bodies of tables in-world: read into bounded words, or refused in a sentence."""
    who = {"o": ADA["key"], "owner": OWNER, "d": "0a1b2c3d4e5f"}
    prims = "root,life:0:0,Status:0:0:8,Status:1:0:8,Leaderboard:0:31,TitleAction:0:0"
    hello = {
        **who, "name": "Olive", "table": "k3f9m2xq", "title": "The Rooftop",
        "region": "Da Boom", "u": "http://sim.agni.lindenlab.com:12046/cap/0a1b", "v": "1.0",
        "theme": "classic", "prims": prims,
    }  # fmt: skip
    act = {
        **who, "since": "41", "from": "40", "more": "3", "to": "42", "a": ADA["key"],
        "n": ADA["name"], "x": "3", "y": "4", "t": "lobby~0~k3f9m2xq-1~-1~0a1b", "b": "Ready",
        "id": "3f1d-7",
    }  # fmt: skip
    table = cast(Any, SimpleNamespace(owner=OWNER))

    def check(data: bytes) -> None:
        try:
            read = routes.read_form(data.decode())
        except (Malformed, UnicodeDecodeError):
            return
        assert len(read) <= routes.FIELDS
        assert not any("\0" in value for value in read.values())
        for value in read.values():
            value.encode()  # no half characters
        assert all(abs(routes._number(read, name)) < 10**9 for name in ("since", "x", "to"))
        for reading in (_hello, _act):
            with suppress(Malformed):
                reading(read)

    def _hello(read: dict[str, str]) -> None:
        said = routes._hello(read)
        for name, (columns, rows) in said.sets.items():
            assert name in TEXT_SETS
            assert 1 <= columns <= LARGEST_SET[0]
            assert 1 <= rows <= LARGEST_SET[1]

    def _act(read: dict[str, str]) -> None:
        actor = routes._actor(table, read)
        assert len(actor.name) <= 255
        assert actor.owner == (read["a"] == OWNER)
        id = routes._id(read)
        assert id is None or len(id) <= 64

    yield Target([urlencode(form).encode() for form in (hello, act)] + [b""], check)


@contextmanager
def command() -> Iterator[Target]:
    """The bodies of commands, touches and presses: read and written again alike, or refused."""
    takes = (CommandIn, TouchIn, PressIn)
    decoders = [msgspec.json.Decoder(kind).decode for kind in takes]
    fields = {"numbers": [7, 8], "number": 7, "key": OWNER, "options": {"lives": 2}, "page": 1}
    sent: list[dict[str, Any]] = [
        {"id": "3f1d", "avatar": ADA, "command": _command(kind, fields)} for kind in COMMANDS
    ]
    sent.append({"avatar": ADA, "prim": "Leaderboard", "column": 3, "row": 4, "id": "a:1"})
    sent.append({"avatar": ADA, "token": "lobby~0~k3f9m2xq-1~-1~0a", "button": "Ready"})

    def check(data: bytes) -> None:
        for kind, decode in zip(takes, decoders, strict=True):
            try:
                read = decode(data)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                told = json.loads(error_out("malformed", f"That is not: {error}."))
                assert len(told["error"]["message"]) <= MESSAGE
                continue
            assert len(read.avatar.name) <= 255
            assert len(read.avatar.key) <= 36
            again = msgspec.json.encode(read)
            assert msgspec.json.encode(msgspec.json.decode(again, type=kind)) == again

    bodies = [body for one in sent for body in (one, *_varied(one))]
    yield Target([json.dumps(body).encode() for body in bodies], check)


NASTY: tuple[Any, ...] = (
    None, True, 0, -1, 2**31, 2**63, 2**64, 1.5, 1e308, "", "\0", "\u202eevil", "x" * 300,
    "bot:1", "server", [], [1] * 200, {}, {"type": "join"}, {"x": "y"},
)  # fmt: skip


def _varied(value: Any) -> Iterator[Any]:
    """The value with each of its parts exchanged for something nasty, one at a time."""
    if isinstance(value, dict):
        for name, part in value.items():
            for other in (*NASTY, *_varied(part)):
                yield {**value, name: other}


def _command(kind: Any, fields: dict[str, Any]) -> dict[str, Any]:
    names = {field.name for field in msgspec.structs.fields(kind)}
    tag = {"type": kind.__struct_config__.tag}
    return tag | {name: value for name, value in fields.items() if name in names}


@contextmanager
def dialog() -> Iterator[Target]:
    """Tokens and buttons of dialogs, split by a newline: only what was offered does something."""
    owner = Actor(Key(OWNER), "Olive", owner=True)
    ada = Actor(Key(ADA["key"]), ADA["name"], owner=False)
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        tables = Tables(open_log(Path(folder) / "peril.db"))
        made = runner.run(tables.create("Fuzz", owner.key, owner.name))
        joined = runner.run(talk.touch(tables, made.id, ada, None))
        menu = runner.run(talk.touch(tables, made.id, owner, None))
        shown = [answer.dialog for answer in (joined, menu) if answer.dialog is not None]
        assert len(shown) == 2

        def check(data: bytes) -> None:
            token, _, button = data.decode(errors="replace").partition("\n")
            seq = made.now.seq
            for actor, other in ((ada, shown[1]), (owner, shown[0])):
                name, page = talk._named(token)
                assert 0 <= page <= 999
                due = made.now.dialog(actor.key, name, page)
                if due is not None and due.token == token:
                    continue  # pressing what is offered does what it says; see the tests of talk
                answer = runner.run(talk.press(tables, made.id, actor, token, button))
                assert answer.refusal is not None
                assert answer.refusal.code == "not_due"
                assert answer.dialog is None or answer.dialog.key == actor.key
                assert token != other.token or answer.refusal
            assert made.now.seq == seq

        labels = [f"{d.token}\n{b.label}".encode() for d in shown for b in d.made.buttons]
        try:
            yield Target(labels, check)
        finally:
            tables.store.close()


@contextmanager
def signature() -> Iterator[Target]:
    """Signed requests: whatever is changed in one, it is nobody's any more."""
    secrets = ("5e" * 32, "")
    body = f"d=0a1b2c3d4e5f&o={ADA['key']}&since=41&ts=1750000000&nonce=0a1b-2c3d"
    texts = (body, f"{body}&a={OWNER}&n=Olive+%F0%9F%8E%B2", "")
    made = [quote(signing.sign(secrets[0], f"poll{NEWLINE}{text}"), safe="") for text in texts]
    signed = [signing.SEPARATOR.join(pair) for pair in zip(texts, made, strict=True)]
    good = {(text.rpartition(signing.SEPARATOR)[0], _plain(text)) for text in signed}

    def check(data: bytes) -> None:
        text = data.decode(errors="replace")
        found = signing.is_signed(secrets, "poll", text)
        # The same signature may be escaped in other ways.
        assert bool(found) == ((text.rpartition(signing.SEPARATOR)[0], _plain(text)) in good)
        assert signing.is_signed(secrets, "touch", text) == ""
        assert signing.is_signed(("", ""), "poll", text) == ""

    yield Target([text.encode() for text in signed], check)


def _plain(text: str) -> str:
    return unquote_plus(text.rpartition(signing.SEPARATOR)[2])


TARGETS: dict[str, Callable[[], AbstractContextManager[Target]]] = {
    "form": form,
    "command": command,
    "dialog": dialog,
    "signature": signature,
}
