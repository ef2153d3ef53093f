"""Commands, touches and presses: the hot path.  Decode, put to the table, encode."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from fastapi import APIRouter, Request, Response

from app.api.access import Access, Caller
from app.api.schemas import CommandIn, PressIn, TouchIn, answer_out, refusal_out
from app.errors import Malformed
from app.table import talk
from app.table.hot import HotTable
from app.table.service import Tables

T = TypeVar("T")

_command = msgspec.json.Decoder(CommandIn)
_touch = msgspec.json.Decoder(TouchIn)
_press = msgspec.json.Decoder(PressIn)
_encode = msgspec.json.Encoder().encode

EXAMPLE_AVATAR = {"key": "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b", "name": "Ada"}


def described(schema: str, examples: dict[str, Any]) -> dict[str, Any]:
    """OpenAPI of a route that takes `schema` and answers `AnswerOut` or `ErrorOut`."""

    def body(name: str) -> dict[str, Any]:
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}

    content = body(schema)
    content["application/json"]["examples"] = {k: {"value": v} for k, v in examples.items()}
    refused = {"description": "Refused by the rules", "content": body("ErrorOut")}
    return {
        "requestBody": {"required": True, "content": content},
        "responses": {
            "200": {"description": "Done", "content": body("AnswerOut")},
            "409": refused,
        },
    }


def router(tables: Tables, access: Access) -> APIRouter:
    """Routes through which avatars and bots act."""
    routes = APIRouter(prefix="/tables/{table_id}", tags=["play"])

    @routes.post(
        "/commands",
        summary="Send a command",
        openapi_extra=described(
            "CommandIn",
            {
                "join": {"avatar": EXAMPLE_AVATAR, "command": {"type": "join"}},
                "pick": {
                    "id": "3f1d",
                    "avatar": EXAMPLE_AVATAR,
                    "command": {"type": "pick", "numbers": [7]},
                },
            },
        ),
    )
    async def post_command(table_id: str, request: Request) -> Response:
        """Put a command to the table.  The same `id` gets the same answer however often sent."""
        caller, table = await _who(table_id, request)
        sent = _decode(_command, await request.body())
        actor = access.actor(caller, table, sent.avatar)
        return _reply(table, await talk.command(tables, table_id, actor, sent.command, sent.id))

    @routes.post(
        "/touches",
        summary="Touch the table",
        openapi_extra=described("TouchIn", {"touch": {"avatar": EXAMPLE_AVATAR}}),
    )
    async def post_touch(table_id: str, request: Request) -> Response:
        """What a touch in-world does: join, get the dialog that is due, open the owner menu."""
        caller, table = await _who(table_id, request)
        sent = _decode(_touch, await request.body())
        actor = access.actor(caller, table, sent.avatar)
        if sent.prim == "Leaderboard":
            turned = talk.turn_ranking(tables, table_id, actor, sent.column, sent.row)
            return _reply(table, await turned)
        return _reply(table, await talk.touch(tables, table_id, actor, sent.id))

    @routes.post(
        "/presses",
        summary="Press a button of a dialog",
        openapi_extra=described(
            "PressIn",
            {
                "ready": {
                    "avatar": EXAMPLE_AVATAR,
                    "token": "lobby~0~k3f9m2xq-1~-1~0a1b2c3d4e5f607182",
                    "button": "Ready",
                }
            },
        ),
    )
    async def post_press(table_id: str, request: Request) -> Response:
        """What a press of a dialog's button does.  A dialog no longer due does nothing (409)."""
        caller, table = await _who(table_id, request)
        sent = _decode(_press, await request.body())
        actor = access.actor(caller, table, sent.avatar)
        pressed = talk.press(tables, table_id, actor, sent.token, sent.button, sent.id)
        return _reply(table, await pressed)

    async def _who(table_id: str, request: Request) -> tuple[Caller, HotTable]:
        caller = await access.caller(request)
        return caller, tables.hot.get(table_id) or await tables.table(table_id)

    return routes


def _decode(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Malformed(f"That is not what this address takes: {error}.") from error


def _reply(table: HotTable, answer: talk.Answer) -> Response:
    if answer.refusal is not None:
        out = refusal_out(answer.refusal, answer.dialog, table.now.theme)
        return Response(_encode(out), 409, media_type="application/json")
    return Response(_encode(answer_out(answer)), media_type="application/json")
