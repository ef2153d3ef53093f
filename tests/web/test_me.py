"""The pages about one's own data, as a browser without scripts sees them."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from app import codes, people
from app.games.core import Key
from app.web import sessions
from tests.api.service import ADA, BOB, OPERATOR, QUICK, Service, bearer, ok, refused, serving

NAMED = {**ADA, "name": "<img src=x onerror=alert(1)>\u202e"}
BEGINNING = "http://127.0.0.1:8700"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


async def link(service: Service, key: str = ADA["key"]) -> str:
    whole = await people.link(service.tables, Key(key))
    assert whole.startswith(f"{BEGINNING}/me/open?code=")
    return whole.removeprefix(BEGINNING)


async def entered(service: Service, key: str = ADA["key"]) -> httpx.AsyncClient:
    """A browser that has opened a link."""
    opened = await open_(service.client, await link(service, key))
    assert (opened.status_code, opened.headers["location"]) == (303, "/me")
    return service.client


async def open_(client: httpx.AsyncClient, address: str) -> httpx.Response:
    """What the button of the page does to which a link leads."""
    where, code = address.split("?code=")
    return await client.post(where, data={"code": code})


def form(page: httpx.Response) -> str:
    tokens = set(re.findall(r'name="form" value="([0-9a-f]{64})"', page.text))
    assert len(tokens) == 1
    return str(tokens.pop())


async def do(client: httpx.AsyncClient, what: str, **more: str) -> httpx.Response:
    page = ok(await client.get("/me"))
    return await client.post("/me", data={"form": form(page), "do": what, **more})


async def played(service: Service) -> None:
    table = await service.table(options=QUICK | {"lives": 1, "victory_s": 0})
    await table.play(NAMED, BOB)
    await table.until(lambda state: state["stage"] == "lobby")


# ---- the way in -----------------------------------------------------------------------------


async def test_a_link_opens_the_page_once(service: Service) -> None:
    address = await link(service)
    assert (await open_(service.client, address)).headers["location"] == "/me"
    assert ADA["key"] in ok(await service.client.get("/me")).text
    service.client.cookies.clear()
    for again in (await service.client.get(address), await open_(service.client, address)):
        assert again.status_code == 403
        assert "good once" in again.text
        assert "set-cookie" not in again.headers


async def test_looking_at_the_link_uses_nothing_up(service: Service) -> None:
    """As previews of links do, by GET and by HEAD."""
    address = await link(service)
    for look in (service.client.head, service.client.get, service.client.get):
        assert "set-cookie" not in ok(await look(address)).headers
    assert (await open_(service.client, address)).status_code == 303


async def test_another_site_opens_no_page_here(service: Service) -> None:
    service.client.headers["Sec-Fetch-Site"] = "cross-site"
    address = await link(service)
    stopped = await open_(service.client, address)
    assert stopped.status_code == 403
    assert "That form is an old one" in stopped.text
    ok(await service.client.get(address))


async def test_the_cookie_is_for_the_page_alone_and_for_half_an_hour(service: Service) -> None:
    opened = await open_(service.client, await link(service))
    cookie = opened.headers["set-cookie"]
    value, *rules = cookie.split("; ")
    assert re.fullmatch(r"me=[\w-]{32}", value)
    assert {r.lower() for r in rules} == {"httponly", "max-age=1800", "path=/me", "samesite=strict"}


async def test_by_https_the_cookie_is_for_https_alone(service: Service) -> None:
    secure = str(service.client.base_url).replace("http:", "https:")
    opened = await open_(service.client, secure + await link(service))
    assert "; Secure" in opened.headers["set-cookie"]


async def test_the_cookie_is_secure_where_a_proxy_ends_https(tmp_path: Path) -> None:
    public = "https://table.example"
    async with serving(tmp_path, public_url=public) as service:
        whole = await people.link(service.tables, Key(ADA["key"]))
        opened = await open_(service.client, whole.removeprefix(public))
    assert "; Secure" in opened.headers["set-cookie"]


@pytest.mark.parametrize("path", ["/me", "/me/export", "/me/open", "/me/open?code=%ff%00x"])
async def test_without_a_link_there_is_a_sentence_and_nothing_else(
    service: Service, path: str
) -> None:
    answer = await service.client.get(path)
    assert answer.status_code == 403
    assert "opens with a link that a table gives you" in answer.text
    assert "set-cookie" not in answer.headers


async def test_a_visit_ends_after_half_an_hour(service: Service) -> None:
    client = await entered(service)
    service.clock.ahead_s = codes.VISIT_S + 1
    assert (await client.get("/me")).status_code == 403
    assert (await client.post("/me", data={"do": "hide"})).status_code == 403


@pytest.mark.parametrize("path", ["/me", "/me/export"])
async def test_nobody_keeps_these_pages_nor_hears_where_one_came_from(
    service: Service, path: str
) -> None:
    client = await entered(service)
    for answer in (await client.get(path), await client.get(await link(service))):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert not re.search(r"<script|style=|\son\w+=|javascript:", answer.text)


# ---- what it shows --------------------------------------------------------------------------


async def test_the_page_shows_what_is_kept_with_names_as_text(service: Service) -> None:
    await played(service)
    page = ok(await (await entered(service)).get("/me")).text
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "Peril Dice" in page
    assert len(re.findall(r'<th scope="row">Peril Dice</th>', page)) == 2
    assert "1 match, in which" in page


async def test_the_export_is_everything_as_a_file(service: Service) -> None:
    await played(service)
    answer = ok(await (await entered(service)).get("/me/export"))
    saved = answer.headers["content-disposition"]
    assert saved == f'attachment; filename="peril-table-{ADA["key"]}.json"'
    told = answer.json()
    assert set(told) == {
        *("key", "names", "hidden", "language"),
        *("results", "matches", "tables", "devices", "standings", "picture", "beside"),
    }
    assert told["matches"][0]["deeds"][0]["command"] == {"type": "join"}
    assert BOB["key"] not in answer.text


async def test_who_never_played_sees_that_there_is_nothing(service: Service) -> None:
    page = ok(await (await entered(service)).get("/me")).text
    assert "you have not finished a match that counts" in page


# ---- what can be done -----------------------------------------------------------------------


async def test_hide_and_show_change_rankings_and_the_page(service: Service) -> None:
    await played(service)
    client = await entered(service)
    hidden = await do(client, "hide")
    assert (hidden.status_code, hidden.headers["location"]) == (303, "/me")
    assert "hidden, as you wish" in (await client.get("/me")).text
    rows = ok(await service.get("/rankings")).json()["rows"]
    assert [(r["place"], r["key"]) for r in rows] == [(1, BOB["key"])]
    refused(await service.get(f"/players/{ADA['key']}"), 404, "not_found")
    await do(client, "show")
    assert len(ok(await service.get("/rankings")).json()["rows"]) == 2
    ok(await service.get(f"/players/{ADA['key']}"))


async def test_delete_wants_its_word_and_then_ends_the_visit(service: Service) -> None:
    await played(service)
    client = await entered(service)
    for word in ("", "DELET", "yes"):
        answer = await do(client, "delete", word=word)
        assert answer.status_code == 422
        assert "the word DELETE was not typed" in unescape(answer.text)
    gone = ok(await do(client, "delete", word=" delete "))
    assert "<h1>Deleted</h1>" in gone.text
    assert 'me=""' in gone.headers["set-cookie"]
    assert (await client.get("/me")).status_code == 403
    refused(await service.get(f"/players/{ADA['key']}"), 404, "not_found")


async def test_who_sits_in_a_match_is_told_to_leave_it_first(service: Service) -> None:
    table = await service.table()
    ok(await table.command(ADA, "join"))
    answer = await do(await entered(service), "delete", word="DELETE")
    assert answer.status_code == 409
    assert "Leave it, or wait until the match is over" in unescape(answer.text)


async def test_closing_the_page_ends_the_visit_at_the_server(service: Service) -> None:
    client = await entered(service)
    cookie = client.cookies["me"]
    assert "<h1>Closed</h1>" in ok(await do(client, "close")).text
    assert (await client.get("/me", headers={"Cookie": f"me={cookie}"})).status_code == 403


@pytest.mark.parametrize("token", ["", "0" * 64, "ä", None])
async def test_a_form_of_another_visit_does_nothing(service: Service, token: str | None) -> None:
    await played(service)
    client = await entered(service)
    token = sessions.form_token("another") if token is None else token
    answer = await client.post("/me", data={"form": token, "do": "delete", "word": "DELETE"})
    assert answer.status_code == 403
    assert "That form is an old one" in answer.text
    ok(await service.get(f"/players/{ADA['key']}"))


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"&".join([b"a=1"] * 99), b"do=%zz"])
async def test_what_is_no_form_does_nothing(service: Service, body: bytes) -> None:
    client = await entered(service)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert (await client.post("/me", content=body, headers=headers)).status_code == 403


async def test_an_unknown_wish_brings_the_page_again(service: Service) -> None:
    assert (await do(await entered(service), "dance")).status_code == 303


# ---- who gets a link by the API -------------------------------------------------------------


async def pressed(service: Service, token: str) -> httpx.Response:
    table = await service.table()
    token = table.owner_token if token == "owner" else token
    ok(await table.command(ADA, "join", token=token))
    dialog = ok(await table.touch(ADA, token)).json()["dialog"]["token"]
    return await table.press(ADA, dialog, "🔎 My Data", token)


@pytest.mark.parametrize("token", ["", OPERATOR])
async def test_the_operator_and_people_on_a_laptop_get_links(service: Service, token: str) -> None:
    answer = ok(await pressed(service, token)).json()
    assert len(answer["lines"]) == 1
    assert "/me/open?code=" in answer["lines"][0]


async def test_neither_an_owner_nor_a_harness_gets_the_link_of_somebody_else(
    service: Service,
) -> None:
    body: dict[str, Any] = {"scope": "harness"}
    made = await service.client.post("/api/v1/tokens", json=body, headers=bearer(OPERATOR))
    for token in ("owner", ok(made).json()["token"]):
        answer = await pressed(service, token)
        refused(answer, 409, "in_person")
        assert "code=" not in json.dumps(answer.json())


# ---- what is stored -------------------------------------------------------------------------


async def test_every_page_leads_to_what_is_stored(service: Service) -> None:
    for path in ("/", "/rules/peril", "/me", "/privacy", "/nowhere"):
        assert 'href="/privacy"' in (await service.client.get(path)).text
    told = ok(await service.client.get("/privacy")).text
    for words in ("My Data", "Until you delete it", "15 minutes", "Chat."):
        assert words in told
