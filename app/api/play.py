"""Commands, touches and presses: the hot path.  Decode, put to the table, encode.

These go beside FastAPI's routes (see `straight`), since resolving dependencies would cost more than
the command itself; what they take and give is described in the same OpenAPI document (`PATHS`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import msgspec
from starlette.requests import Request
from starlette.types import Scope

from app.api.access import Access
from app.api.schemas import (
    AvatarIn,
    CommandIn,
    PressIn,
    TouchIn,
    answer_out,
    error_out,
)
from app.errors import Malformed
from app.games.core import Actor
from app.limits import Limits
from app.replies import Reply, Take
from app.table import talk
from app.table.service import Tables

_encode = msgspec.json.Encoder().encode
JSON = b"application/json"


class _Sent(Protocol):
    avatar: AvatarIn


S = TypeVar("S", bound=_Sent)
Do = Callable[[str, Actor, S], Awaitable[talk.Answer]]


def takers(tables: Tables, access: Access, limits: Limits, prefix: str) -> dict[str, Take]:
    """Through which avatars and bots act, by path."""

    async def command(table_id: str, actor: Actor, sent: CommandIn) -> talk.Answer:
        return await talk.command(tables, table_id, actor, sent.command, sent.id)

    async def touch(table_id: str, actor: Actor, sent: TouchIn) -> talk.Answer:
        if sent.prim == "Leaderboard":
            return await talk.turn_ranking(tables, table_id, actor, sent.column, sent.row)
        return await talk.touch(tables, table_id, actor, sent.id)

    async def press(table_id: str, actor: Actor, sent: PressIn) -> talk.Answer:
        return await talk.press(tables, table_id, actor, sent.token, sent.button, sent.id)

    path, common = f"{prefix}/tables/{{table_id}}", (tables, access, limits)
    return {
        f"{path}/commands": _Act(*common, CommandIn, command),
        f"{path}/touches": _Act(*common, TouchIn, touch),
        f"{path}/presses": _Act(*common, PressIn, press),
    }


class _Act:
    """Who sends it, what he sends, what came of it."""

    def __init__(
        self, tables: Tables, access: Access, limits: Limits, takes: type[S], do: Do[S]
    ) -> None:
        self._tables = tables
        self._access = access
        self._limits = limits
        self._decode = msgspec.json.Decoder(takes).decode
        self._do = do

    async def __call__(self, scope: Scope, body: bytes) -> Reply:
        table_id = scope["path_params"]["table_id"]
        caller = await self._access.caller(Request(scope))
        table = self._tables.ready(table_id) or await self._tables.table(table_id)
        try:
            sent = self._decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            line = "That is not what this address takes: {error}."
            raise Malformed(line, error=error) from error
        actor = self._access.actor(caller, table, sent.avatar)
        # By table too: the owner of another one must not use up this avatar's turns here.
        self._limits.check("avatar", (table_id, actor.key))
        answer = await self._do(table_id, actor, sent)
        if answer.refusal is None:
            return Reply(200, _encode(answer_out(answer)), JSON)
        sentence = table.now.theme_of(actor.key).refusal(answer.refusal)
        return Reply(409, error_out(answer.refusal.code, sentence, answer.dialog), JSON)


# ---- their part of the OpenAPI document -----------------------------------------------------

_AVATAR = {"key": "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b", "name": "Ada"}
_TOKEN = "lobby~0~k3f9m2xq-1~-1~0a1b2c3d4e5f607182"


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _described(
    summary: str, description: str, schema: str, examples: dict[str, Any]
) -> dict[str, Any]:
    content = _json(schema)
    content["application/json"]["examples"] = {k: {"value": v} for k, v in examples.items()}
    return {
        "post": {
            "tags": ["play"],
            "summary": summary,
            "description": description,
            "operationId": schema.removesuffix("In").lower(),
            "parameters": [
                {"name": "table_id", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "requestBody": {"required": True, "content": content},
            "responses": {"200": {"description": "Done", "content": _json("AnswerOut")}},
        }
    }


PATHS: dict[str, dict[str, Any]] = {
    "/tables/{table_id}/commands": _described(
        "Send a command",
        "Put a command to the table. The same `id` gets the same answer however often it is sent.",
        "CommandIn",
        {
            "join": {"avatar": _AVATAR, "command": {"type": "join"}},
            "pick": {
                "id": "3f1d",
                "avatar": _AVATAR,
                "command": {"type": "pick", "numbers": [7]},
            },
        },
    ),
    "/tables/{table_id}/touches": _described(
        "Touch the table",
        "What a touch in-world does: join, get the dialog that is due, open the owner menu.",
        "TouchIn",
        {"touch": {"avatar": _AVATAR}},
    ),
    "/tables/{table_id}/presses": _described(
        "Press a button of a dialog",
        "What a press of a dialog's button does. A dialog no longer due does nothing (409).",
        "PressIn",
        {"ready": {"avatar": _AVATAR, "token": _TOKEN, "button": "Ready"}},
    ),
}
