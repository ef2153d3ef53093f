"""Whatever a client sends: one form of error, the right status, a sentence, never a 5xx."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from app.settings import Settings

from .service import ADA, API, OPERATOR, OWNER, Service, Table, bearer, ok, refused, serving

JSON = {"Content-Type": "application/json"}
LIMIT = Settings().body_limit_bytes


async def send(table: Table, content: bytes | str, path: str = "/commands") -> Any:
    """A body as it is, sent by the owner."""
    headers = JSON | bearer(table.owner_token)
    return await table.client.post(table.url + path, content=content, headers=headers)


def command(**fields: Any) -> dict[str, Any]:
    return {"avatar": ADA, "command": {"type": "join"}, **fields}


async def test_who_leaves_while_he_sends_a_form_is_no_error_of_the_service(
    service: Service,
) -> None:
    kind = b"application/x-www-form-urlencoded"
    headers = [(b"host", b"server.test"), (b"content-type", kind), (b"content-length", b"100")]
    scope = {
        "type": "http", "method": "POST", "path": "/owner/enter", "raw_path": b"/owner/enter",
        "query_string": b"", "headers": headers, "scheme": "http", "server": ("server.test", 80),
        "client": ("127.0.0.1", 1), "http_version": "1.1", "root_path": "", "app": service.app,
    }  # fmt: skip
    parts = [{"type": "http.request", "body": b"code=", "more_body": True}]

    async def receive() -> Any:
        return parts.pop() if parts else {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        pass

    with capture_logs() as said:
        await service.app(scope, receive, send)
    assert [line["event"] for line in said if line["log_level"] == "error"] == []


# ---- the language ---------------------------------------------------------------------------


async def test_an_error_is_told_in_the_language_that_is_asked_for(service: Service) -> None:
    """Its code is the same in all of them, and proxies are told what it depends on."""
    table = await service.table()
    said = {
        f"{API}/tables/nope": "Aquí no existe la mesa «nope».",
        f"{API}/nothing": "Aquí no existe la dirección «/api/v1/nothing».",
        f"{table.url}/device": "Para eso hace falta un token: Authorization: Bearer …",
    }
    for path, sentence in said.items():
        english = await service.client.get(path)
        spanish = await service.client.get(path, headers={"Accept-Language": "es-MX,en;q=0.5"})
        assert spanish.json() == {
            "error": {"code": english.json()["error"]["code"], "message": sentence}
        }
        assert english.json()["error"]["message"] != sentence
        for answer in (english, spanish):
            assert answer.headers["vary"] == "Accept-Language, Cookie"


async def test_so_are_errors_of_commands_and_of_their_form(service: Service) -> None:
    table = await service.table()
    spanish = {"Accept-Language": "es", **JSON}
    post = service.client.post
    answer = await post(table.url + "/commands", content="{", headers=spanish)
    assert refused(answer, 422, "malformed").startswith("No es eso lo que admite esta dirección: ")
    answer = await post(f"{API}/tables", content="{", headers=spanish | bearer(OPERATOR))
    assert refused(answer, 422, "malformed").startswith("Eso no es JSON: ")
    answer = await post(table.url + "/commands", content=" " * (LIMIT + 1), headers=spanish)
    assert refused(answer, 413, "too_large") == f"Se admiten {LIMIT} bytes como máximo."


async def test_a_language_nobody_knows_here_is_english(service: Service) -> None:
    answer = await service.client.get(f"{API}/tables/nope", headers={"Accept-Language": "tlh"})
    assert refused(answer, 404, "not_found") == "There is no table “nope” here."


async def test_who_reads_pages_gets_a_page_and_programs_get_json(service: Service) -> None:
    """The same error at the same address, by what is asked for."""
    page = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "es"}
    answer = await service.client.put("/operator", headers=page)
    assert answer.status_code == 405
    assert "En esta dirección no es posible PUT." in answer.text
    assert '<html lang="es">' in answer.text
    assert (await service.client.put("/operator")).json()["error"]["code"] == "method_not_allowed"
    answer = await service.client.get(f"{API}/tables/nope", headers=page)
    assert answer.headers["content-type"] == "application/json"


# ---- unknown, not possible ------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/tables/",
        "/tables/nope",
        "/tables/nope/frames",
        "/tables/nope/stream",
        "/tables/nope/events",
        "/tables/nope/ranking",
        "/tables/nope/matches",
        "/tables/%00/frames",
        "/tables/%ff%fe",
        "/tables/" + "x" * 3000,
        "/matches/nope-1",
        "/matches/%00",
        "/players/nobody",
        "/players/%00",
        "/rankings?game=chess",
    ],
)
async def test_what_is_not_there_is_a_404(service: Service, path: str) -> None:
    said = refused(await service.client.get(API + path), 404, "not_found")
    assert said.startswith("There is no ")
    assert len(said) < 120


async def test_a_table_that_is_not_there_takes_no_commands(service: Service) -> None:
    for path in ("commands", "touches", "presses"):
        url = f"{API}/tables/nope/{path}"
        refused(await service.client.post(url, json=command()), 404, "not_found")
    for method, path in (("PATCH", "options"), ("PUT", "text-sets"), ("DELETE", "ranking")):
        body = {"text_sets": {}} if method == "PUT" else {}
        url = f"{API}/tables/nope/{path}"
        answer = await service.client.request(method, url, json=body, headers=bearer(OPERATOR))
        refused(answer, 404, "not_found")


async def test_an_address_outside_the_api_gets_a_page(service: Service) -> None:
    response = await service.client.get("/nothing")
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
async def test_a_method_that_is_not_possible_is_a_405(service: Service, method: str) -> None:
    response = await service.client.request(method, f"{API}/tables")
    said = refused(response, 405, "method_not_allowed")
    assert said == f"{method} is not possible at this address."
    assert set(response.headers["allow"].split(", ")) & {"GET", "POST"}


async def test_pages_answer_head_requests(service: Service, table: Table) -> None:
    for path in ("/", f"/t/{table.id}", "/rules/peril", "/healthz", "/static/css/base.css"):
        ok(await service.client.head(path))


async def test_a_nonsense_host_header_harms_nothing(service: Service) -> None:
    for host in ("[", "x y", "a" * 5000, ""):
        for path in (f"{API}/nothing", f"{API}/tables/", "/nothing", "/"):
            response = await service.client.get(path, headers={"Host": host})
            assert response.status_code in (200, 404)
            assert "location" not in response.headers


# ---- malformed ------------------------------------------------------------------------------

DEEP = '{"a":' * 3000
MALFORMED: dict[str, bytes | str] = {
    "nothing": "",
    "no JSON": "{'avatar': 1}",
    "half of it": json.dumps(command())[:-1],
    "more than one": json.dumps(command()) * 2,
    "not an object": "[1, 2]",
    "null": "null",
    "a number": "17",
    "not UTF-8": b'{"avatar": "\xff\xfe"}',
    "UTF-16": json.dumps(command()).encode("utf-16"),
    "deep nesting": "[" * 8000 + "]" * 8000,
    "deep nesting inside": DEEP,
    "a NUL": '{"avatar": \x00}',
}


@pytest.mark.parametrize("path", ["/commands", "/touches", "/presses"])
@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
async def test_a_body_that_is_no_object_in_json_is_a_422(
    table: Table, path: str, content: bytes | str
) -> None:
    refused(await send(table, content, path), 422, "malformed")


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
async def test_the_same_holds_for_the_tables_themselves(
    service: Service, table: Table, content: bytes | str
) -> None:
    for method, path in (
        ("POST", "/tables"),
        ("PATCH", f"/tables/{table.id}/options"),
        ("PUT", f"/tables/{table.id}/text-sets"),
    ):
        answer = await service.client.request(
            method, API + path, content=content, headers=JSON | bearer(OPERATOR)
        )
        refused(answer, 422, "malformed")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "avatar"),
        ({"avatar": ADA}, "command"),
        (command(command={}), "type"),
        (command(command={"type": "dance"}), "dance"),
        (command(command={"type": 7}), "type"),
        (command(command={"type": "freeze", "reason": "restart"}), "freeze"),
        (command(command={"type": "time_up", "name": "x", "phase": 1, "epoch": 0}), "time_up"),
        (command(command={"type": "thaw"}), "thaw"),
        (command(command={"type": "join", "seat": 1}), "seat"),
        (command(command={"type": "pick"}), "numbers"),
        (command(command={"type": "pick", "numbers": 7}), "numbers"),
        (command(command={"type": "pick", "numbers": ["7"]}), "numbers"),
        (command(command={"type": "pick", "numbers": [1.5]}), "numbers"),
        (command(command={"type": "mark", "number": None}), "number"),
        (command(command={"type": "mark", "number": True}), "number"),
        (command(command={"type": "ready", "ready": "yes"}), "ready"),
        (command(owner=True), "owner"),
        (command(avatar={**ADA, "owner": True}), "owner"),
        (command(avatar="Ada"), "avatar"),
        (command(avatar={"name": "Ada"}), "key"),
        (command(avatar={"key": "Ada"}), "key"),
        (command(avatar={"key": ADA["key"].upper()}), "key"),
        (command(avatar={"key": ADA["key"] + "\n"}), "key"),
        (command(avatar={"key": "server"}), "key"),
        (command(avatar={"key": ""}), "key"),
        (command(avatar={"key": "bot:100"}), "key"),
        (command(avatar={**ADA, "name": "x" * 256}), "name"),
        (command(avatar={**ADA, "name": None}), "name"),
        (command(id=""), "id"),
        (command(id="x" * 65), "id"),
        (command(id="a b"), "id"),
        (command(id=7), "id"),
    ],
)
async def test_a_command_that_is_not_what_the_address_takes_is_a_422_that_names_the_place(
    table: Table, body: Any, named: str
) -> None:
    assert named in refused(await send(table, json.dumps(body)), 422, "malformed")


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000, "-" + "9" * 30, "1e400", "NaN", "1e2"])
@pytest.mark.parametrize(
    "what",
    [
        {"type": "mark", "number": "?"},
        {"type": "turn_ranking", "page": "?"},
        {"type": "pick", "numbers": ["?"]},
    ],
    ids=lambda what: what["type"],
)
async def test_numbers_beyond_all_measure_are_refused(
    table: Table, what: dict[str, Any], number: str
) -> None:
    response = await send(table, json.dumps(command(command=what)).replace('"?"', number))
    assert response.status_code in (409, 422)
    refused(response, response.status_code, response.json()["error"]["code"])


@pytest.mark.parametrize("text", ["\ud800", "\udc00x", "x\ud83d", "\ude00\ud83d"], ids=ascii)
async def test_half_a_character_is_malformed(service: Service, table: Table, text: str) -> None:
    for body in (
        command(avatar={**ADA, "name": text}),
        command(command={"type": "set_options", "options": {text: 1}}),
    ):
        refused(await send(table, json.dumps(body)), 422, "malformed")
    for body in ({"options": {text: 1}}, {"options": {"pace": text}}, {"name": text}, {text: 1}):
        url, headers = f"{API}/tables", JSON | bearer(OPERATOR)
        answer = await service.client.post(url, content=json.dumps(body), headers=headers)
        refused(answer, 422, "malformed")


@pytest.mark.parametrize(
    "body",
    [
        {"name": 7},
        {"name": "x" * 64},
        {"owner": "Olive"},
        {"owner": {"key": "Olive"}},
        {"owner": {"key": "bot:1"}},
        {"owner": {**OWNER, "key": OWNER["key"] + "\n"}},
        {"owner": {**OWNER, "name": "x" * 256}},
        {"game": "x" * 33},
        {"preset": ["classic"]},
        {"options": [1]},
        {"options": None},
        {"colour": "red"},
    ],
)
async def test_a_table_that_cannot_be_meant_is_a_422(service: Service, body: Any) -> None:
    answer = await service.client.post(f"{API}/tables", json=body, headers=bearer(OPERATOR))
    refused(answer, 422, "malformed")


@pytest.mark.parametrize(
    "query",
    [
        "frames?since=x",
        "frames?since=-1",
        "frames?since=1.5",
        f"frames?since={2**63}",
        f"frames?since={'9' * 5000}",
        f"events?since={2**63}",
        f"events?since={2**64}",
        "events?limit=0",
        "events?limit=201",
        "frames?since=1&wait_s=nan",
        "frames?since=1&wait_s=inf",
        "frames?since=1&wait_s=-1",
        "frames?since=1&wait_s=61",
        "frames?avatar=Ada",
        "frames?avatar=%00",
        "frames?" + "&".join([f"avatar={ADA['key']}"] * 41),
        f"stream?since={2**63}",
        "stream?avatar=Ada",
        "stream?token=" + "x" * 201,
        "ranking?page=-1",
        "ranking?page=100001",
        "matches?limit=101",
        "matches?limit=many",
    ],
)
async def test_a_parameter_out_of_bounds_is_a_422(table: Table, query: str) -> None:
    refused(await table.client.get(f"{table.url}/{query}"), 422, "malformed")


async def test_a_sentence_about_long_nonsense_is_not_long(table: Table) -> None:
    body = command(command={"type": "x" * 9000})
    assert len(refused(await send(table, json.dumps(body)), 422, "malformed")) <= 1000
    refused(await send(table, json.dumps({"x" * 9000: 1})), 422, "malformed")


# ---- too large ------------------------------------------------------------------------------


@pytest_asyncio.fixture(loop_scope="module")
async def poor(folder: Path) -> AsyncIterator[Table]:
    """A table of a service that takes very small bodies."""
    async with serving(folder, body_limit_bytes=400) as service:
        yield await service.table()


@pytest.mark.parametrize("path", ["/commands", "/touches", "/presses"])
async def test_a_body_over_the_limit_is_a_413_by_its_header(table: Table, path: str) -> None:
    said = refused(await send(table, "x" * (LIMIT + 1), path), 413, "too_large")
    assert said == f"At most {LIMIT} bytes are taken."


async def test_a_body_at_the_limit_is_taken(poor: Table) -> None:
    body = json.dumps(command())
    ok(await send(poor, body + " " * (400 - len(body))))
    refused(await send(poor, body + " " * (401 - len(body))), 413, "too_large")


async def test_a_body_without_a_length_is_counted_as_it_comes(
    service: Service, table: Table
) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 1000

    for method, url in (
        ("POST", f"{table.url}/commands"),
        ("POST", f"{API}/tables"),
        ("PATCH", f"{table.url}/options"),
        ("PUT", f"{table.url}/text-sets"),
    ):
        answer = await service.client.request(
            method, url, content=endless(), headers=JSON | bearer(OPERATOR)
        )
        refused(answer, 413, "too_large")


@pytest.mark.parametrize("length", ["9" * 400, str(LIMIT + 1)])
async def test_a_length_that_is_only_claimed_is_believed(table: Table, length: str) -> None:
    headers = {"Content-Length": length}
    answer = await table.client.post(f"{table.url}/commands", content=b"{}", headers=headers)
    refused(answer, 413, "too_large")


@pytest.mark.parametrize("length", ["abc", "-1", "²", ""])
async def test_a_length_that_is_no_number_changes_nothing(table: Table, length: str) -> None:
    headers = {"Content-Length": length.encode("latin-1")}
    body = json.dumps(command())
    ok(await table.client.post(f"{table.url}/commands", content=body, headers=headers))


# ---- names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Ada\x00\x07\nLove\u2028lace", "Ada Love lace"),
        ("  A   d a  ", "A d a"),
        ("\u202eevil\u202c", "evil"),
        ("\u200b\u200b", "?"),
        ("", "?"),
        ("x" * 255, "x" * 63),
        ("Zoë 🎲 дом", "Zoë 🎲 дом"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
    ],
)
async def test_a_name_is_one_clean_line_of_text(table: Table, given: str, shown: str) -> None:
    ok(await table.command({**ADA, "name": given}, "join"))
    assert (await table.state())["seats"][0]["name"] == shown


# ---- within ---------------------------------------------------------------------------------


async def test_an_error_of_our_own_is_a_500_that_gives_nothing_away(folder: Path) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    async with serving(folder) as service:
        table = await service.table()
        service.tables.table = broken
        said = refused(await table.get("/ranking"), 500, "internal")
    assert "secret" not in said
