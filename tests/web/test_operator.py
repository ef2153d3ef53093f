"""The operator's console, as a browser without scripts sees it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

import httpx
import pytest

from app import codes
from tests.api.service import ADA, BOB, OPERATOR, QUICK, Service, bearer, ok, serving

PAGES = ("/operator", "/operator/tables", "/operator/tokens")
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


async def enter(service: Service, token: str = OPERATOR) -> httpx.Response:
    return await service.client.post("/operator/enter", data={"token": token})


async def entered(service: Service) -> httpx.AsyncClient:
    answer = await enter(service)
    assert (answer.status_code, answer.headers["location"]) == (303, "/operator")
    return service.client


async def do(client: httpx.AsyncClient, path: str, **fields: str) -> httpx.Response:
    page = ok(await client.get(path)).text
    (form,) = set(re.findall(r'name="form" value="([0-9a-f]{64})"', page))
    return await client.post(path, data={"form": form, **fields})


async def made(service: Service, scope: str, **more: str) -> dict[str, str]:
    body = {"scope": scope, **more}
    headers = bearer(OPERATOR)
    return dict(ok(await service.client.post("/api/v1/tokens", json=body, headers=headers)).json())


# ---- the way in -----------------------------------------------------------------------------


async def test_the_token_is_typed_once_and_a_cookie_stands_for_it(service: Service) -> None:
    """The cookie is not made of the token, and good for these pages and two hours."""
    answer = await enter(service, f" {OPERATOR} ")
    value, *rules = answer.headers["set-cookie"].split("; ")
    assert re.fullmatch(r"operator=[\w-]{32}", value)
    due = {"httponly", "max-age=7200", "path=/operator", "samesite=strict"}
    assert {r.lower() for r in rules} == due
    for path in PAGES:
        page = ok(await service.client.get(path))
        assert page.headers["cache-control"] == "no-store"
        assert OPERATOR not in page.text
    service.clock.ahead_s = codes.OPERATOR_S + 1
    assert (await service.client.get("/operator")).status_code == 403


async def test_nobody_else_comes_in(service: Service) -> None:
    """Not by another token, by the session of an owner, or from another site's page."""
    table = await service.table()
    for token in ("", "wrong", table.owner_token, (await made(service, "read"))["token"]):
        answer = await enter(service, token)
        assert answer.status_code in (401, 403)
        assert 'role="alert"' in answer.text
        assert "set-cookie" not in answer.headers
    foreign = await service.client.post(
        "/operator/enter", data={"token": OPERATOR}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert foreign.status_code == 403
    for path in PAGES:
        for cookie in ("", "operator=" + "x" * 32):
            headers = {"Cookie": cookie} if cookie else {}
            shut = await service.client.get(path, headers=headers)
            assert shut.status_code == 403
            assert table.id not in shut.text
    for path in ("/operator", "/operator/tokens", "/operator/leave"):
        assert (await service.client.post(path, data={"do": "clear"})).status_code == 403


async def test_who_guesses_tokens_is_held_up(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=True, guess_burst=3) as service:
        statuses = [(await enter(service, f"guess {n}")).status_code for n in range(5)]
    assert statuses == [401, 401, 401, 429, 429]


async def test_a_session_ends_with_its_token_or_when_he_leaves(service: Service) -> None:
    other = await made(service, "operator")
    ok_then = await enter(service, other["token"])
    assert ok_then.status_code == 303
    client = service.client
    ok(await client.get("/operator"))
    path = f"/api/v1/tokens/{other['id']}"
    ok(await client.delete(path, headers=bearer(OPERATOR)))
    assert (await client.get("/operator")).status_code == 403
    await entered(service)
    cookie = {"Cookie": f"operator={client.cookies['operator']}"}
    page = ok(await client.get("/operator")).text
    form = re.findall(r'name="form" value="([0-9a-f]{64})"', page)[0]
    left = ok(await client.post("/operator/leave", data={"form": form}))
    assert "<h1>Signed out</h1>" in left.text
    assert (await client.get("/operator", headers=cookie)).status_code == 403


@pytest.mark.parametrize("path", ["/operator", "/operator/tokens"])
async def test_a_form_from_elsewhere_does_nothing(service: Service, path: str) -> None:
    client = await entered(service)
    for form in ({}, {"form": "0" * 64, "do": "announce", "text": "x", "scope": "operator"}):
        answer = await client.post(path, data=form)
        assert answer.status_code == 403
        assert "That form is an old one" in answer.text
    assert "knows no such thing" in (await do(client, path, do="dance")).text


# ---- what it shows --------------------------------------------------------------------------


async def test_tables_are_listed_found_and_counted_with_their_owners(service: Service) -> None:
    names = [HOSTILE, "The 100 % Cellar", *(f"Table {n}" for n in range(51))]
    for name in names:
        await service.table(name=name)
    client = await entered(service)
    overview = ok(await client.get("/operator")).text
    assert "<dd>53</dd>" in overview
    assert ">Olive</bdi></a></th><td>53</td>" in overview
    first = ok(await client.get("/operator/tables")).text
    more = re.search(r'href="(/operator/tables\?[^"]*after=[^"]*)"', first)
    assert more is not None
    rest = ok(await client.get(unescape(more[1]))).text
    ids = re.findall(r'href="/t/([a-z2-9]{8})"', first + rest)
    assert len(set(ids)) == len(ids) == 53
    for search, count in (("cellar", 1), ("100 %", 1), ("%", 1), ("olive", 50), ("zzz", 0)):
        page = ok(await client.get("/operator/tables", params={"search": search})).text
        assert page.count('<th scope="row">') == count
    script = ok(await client.get("/operator/tables", params={"search": HOSTILE})).text
    assert HOSTILE not in script
    assert HOSTILE in unescape(script)


async def test_tokens_are_made_shown_once_and_revoked(service: Service) -> None:
    table = await service.table()
    client = await entered(service)
    answer = await do(client, "/operator/tokens", do="grant", scope="read", label=HOSTILE)
    token = re.search(r"<code>([\w-]{43})</code>", ok(answer).text)
    assert token is not None
    ok(await service.get("/tables", token[1]))
    page = ok(await client.get("/operator/tokens")).text
    assert token[1] not in page
    assert HOSTILE not in page
    assert HOSTILE in unescape(page)
    for fields, status, why in (
        ({"scope": "owner"}, 422, "is for one table"),
        ({"scope": "owner", "table": "nowhere"}, 404, "There is no table"),
        ({"scope": "read", "table": table.id}, 422, "is for one table"),
        ({"scope": "god"}, 422, "knows no such thing"),
    ):
        refused = await do(client, "/operator/tokens", do="grant", **fields)
        assert refused.status_code == status
        assert why in refused.text
    (id_,) = re.findall(r'name="id" value="([0-9a-f]{64})"', page.partition("read</b>")[2])[:1]
    assert (await do(client, "/operator/tokens", do="revoke", id=id_)).status_code == 422
    gone = await do(client, "/operator/tokens", do="revoke", id=id_, sure="on")
    assert gone.headers["location"] == "/operator/tokens"
    assert (await service.get("/tables", token[1])).status_code in (200, 401)
    assert (await service.client.get("/metrics", headers=bearer(token[1]))).status_code == 401


async def test_the_ranking_of_the_service_is_wiped_with_a_tick(service: Service) -> None:
    table = await service.table(options=QUICK | {"lives": 1, "victory_s": 0})
    await table.play(ADA, BOB)
    await table.until(lambda state: state["stage"] == "lobby")
    client = await entered(service)
    assert "box was not ticked" in (await do(client, "/operator", do="wipe", game="peril")).text
    assert len(ok(await service.get("/rankings")).json()["rows"]) == 2
    done = await do(client, "/operator", do="wipe", game="peril", sure="on")
    assert done.status_code == 303
    assert ok(await service.get("/rankings")).json()["rows"] == []
    assert len(ok(await table.get("/ranking")).json()["rows"]) == 2
    assert (await do(client, "/operator", do="wipe", game="chess", sure="on")).status_code == 422


# ---- the notice -----------------------------------------------------------------------------


async def test_a_notice_is_set_and_taken_back_here_and_by_rest(service: Service) -> None:
    """It stands on the boards that everybody sees, names of boards and pages being text."""
    table = await service.table()
    client = await entered(service)

    async def over() -> str:
        return str(ok(await table.get("/frames")).json()["frames"]["root"]["text"])

    assert (await do(client, "/operator", do="announce", text=HOSTILE)).status_code == 303
    assert (await over()).startswith(f"🛠️ {HOSTILE}\n")
    assert HOSTILE not in ok(await client.get("/operator")).text
    assert HOSTILE not in ok(await client.get(f"/t/{table.id}")).text
    await do(client, "/operator", do="clear")
    assert "🛠️" not in await over()
    put = {"json": {"text": "Restart at 14:00"}}
    told = await client.put("/api/v1/notice", headers=bearer(OPERATOR), **put)
    assert ok(told).json() == {"text": "Restart at 14:00"}
    assert "Restart at 14:00" in await over()
    assert ok(await service.get("/notice")).json() == {"text": "Restart at 14:00"}
    for token, status in (("", 401), (table.owner_token, 403)):
        for send in (client.put("/api/v1/notice", headers=bearer(token), **put),
                     client.delete("/api/v1/notice", headers=bearer(token))):  # fmt: skip
            assert (await send).status_code == status
    ok(await client.delete("/api/v1/notice", headers=bearer(OPERATOR)))
    assert ok(await service.get("/notice")).json() == {"text": ""}
    assert "🛠️" not in await over()


async def test_refusals_are_those_of_all_processes_since_days(tmp_path: Path) -> None:
    """They outlive the process that refused."""

    def guesses(page: str) -> list[str]:
        return re.findall(r'<th scope="row">guess</th><td>(\d+)</td><td>(\d+)</td>', page)[0]

    async with serving(tmp_path, limits=True, guess_burst=3) as service:
        assert guesses(ok(await (await entered(service)).get("/operator")).text) == ("0", "0")
        for number in range(5):
            await service.client.post("/operator/enter", data={"token": f"guess {number}"})
        assert guesses(ok(await service.client.get("/operator")).text) == ("2", "2")
    async with serving(tmp_path, limits=True) as service:
        assert guesses(ok(await (await entered(service)).get("/operator")).text) == ("2", "2")
