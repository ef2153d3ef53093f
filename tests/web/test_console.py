"""The owner's console, as a browser without scripts sees it."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.robotparser import RobotFileParser

import httpx
import pytest

from app import codes, consoles
from app.games import GAMES
from app.games.core import Key
from app.table import listing
from app.web import console_log, console_views, words
from app.web.words import ENGLISH
from tests.api.service import ADA, BOB, OPERATOR, OWNER, QUICK, Service, Table, ok, serving

HOSTILE = {**ADA, "name": "=1+1<img src=x onerror=alert(1)>\u202e"}
STRANGER = Key("99999999-0000-4000-8000-000000000009")
CONSOLE = "🖥️ Console"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


async def link(service: Service, owner: str = OWNER["key"]) -> str:
    whole = await consoles.link(service.tables, Key(owner))
    return whole.removeprefix("http://127.0.0.1:8700")


async def enter(service: Service, owner: str = OWNER["key"]) -> httpx.AsyncClient:
    """A browser in which the button of the link's page was pressed."""
    code = (await link(service, owner)).partition("code=")[2]
    answer = await service.client.post("/owner/enter", data={"code": code})
    assert (answer.status_code, answer.headers["location"]) == (303, "/owner")
    return service.client


def values(page: str, name: str) -> str:
    """What the forms of a page carry under a name, which is the same for all of them."""
    found = set(re.findall(rf'name="{name}" value="([0-9a-f]+)"', page))
    assert len(found) == 1
    return str(found.pop())


class Console:
    """The page of a table in the console of its owner."""

    def __init__(self, client: httpx.AsyncClient, table: Table) -> None:
        self.client = client
        self.table = table
        self.path = f"/owner/t/{table.id}"

    async def page(self) -> str:
        return unescape(ok(await self.client.get(self.path)).text)

    async def form(self, do: str, **fields: str) -> dict[str, str]:
        page = await self.page()
        carried = {name: values(page, name) for name in ("form", "once")}
        return {**carried, "do": do, **fields}

    async def do(self, do: str, **fields: str) -> httpx.Response:
        return await self.client.post(self.path, data=await self.form(do, **fields))

    async def done(self, do: str, **fields: str) -> None:
        answer = await self.do(do, **fields)
        assert answer.status_code == 303, answer.text
        assert answer.headers["location"].startswith(self.path)

    async def refused(self, do: str, status: int, **fields: str) -> str:
        """The sentence that the page shows instead."""
        answer = await self.do(do, **fields)
        assert answer.status_code == status, answer.text
        said = re.search(r'role="alert">([^<]*)<', unescape(answer.text))
        assert said is not None
        return said[1]


@pytest.fixture
async def console(service: Service) -> Console:
    table = await service.table(options=QUICK | {"lives": 1, "victory_s": 0})
    return Console(await enter(service), table)


# ---- the way in -----------------------------------------------------------------------------


async def test_the_owners_menu_hands_out_the_link_to_him_alone(service: Service) -> None:
    """To the owner in person; not to a program that bears the token of his table."""
    table = await service.table()
    menu = ok(await table.touch(OWNER, OPERATOR)).json()["dialog"]
    owner_menu = ok(await table.press(OWNER, menu["token"], "Owner Menu", OPERATOR)).json()
    token = owner_menu["dialog"]["token"]
    lines = ok(await table.press(OWNER, token, CONSOLE, OPERATOR)).json()["lines"]
    found = re.search(r"http://127.0.0.1:8700(/owner/enter\?code=\S+) .* 2 minutes", lines[0])
    assert found is not None
    assert "<h1>Your console</h1>" in ok(await service.client.get(found[1])).text
    by_token = await table.press(OWNER, token, CONSOLE, table.owner_token)
    assert by_token.json()["error"]["code"] == "in_person"


async def test_looking_at_the_link_uses_nothing_up_and_entering_does(service: Service) -> None:
    """As previews of links do, by GET and by HEAD; the button lets in once."""
    address = await link(service)
    for look in (service.client.head, service.client.get, service.client.get):
        answer = ok(await look(address))
        assert "set-cookie" not in answer.headers
        assert answer.headers["referrer-policy"] == "no-referrer"
    code = {"code": address.partition("code=")[2]}
    assert (await service.client.post("/owner/enter", data=code)).status_code == 303
    service.client.cookies.clear()
    for again in (
        await service.client.post("/owner/enter", data=code),
        await service.client.get(address),
    ):
        assert again.status_code == 403
        assert "good once and for 2 minutes" in again.text
        assert "set-cookie" not in again.headers


async def test_a_used_link_leads_who_is_in_already_to_his_tables(service: Service) -> None:
    """As the back button does; to nobody else, and it lets in nobody anew."""
    address = await link(service)
    code = {"code": address.partition("code=")[2]}
    client = service.client
    assert (await client.post("/owner/enter", data=code)).status_code == 303
    for again in (await client.get(address), await client.post("/owner/enter", data=code)):
        assert (again.status_code, again.headers["location"]) == (303, "/owner")
        assert "set-cookie" not in again.headers
    assert (await client.get("/owner/enter")).status_code == 403


async def test_the_link_is_good_for_two_minutes_and_voids_the_one_before(service: Service) -> None:
    first = await link(service)
    second = await link(service)
    assert (await service.client.get(first)).status_code == 403
    ok(await service.client.get(second))
    service.clock.ahead_s = codes.CONSOLE_S + 1
    assert (await service.client.get(second)).status_code == 403


@pytest.mark.parametrize("public", ["", "https://table.example"])
async def test_the_cookie_is_for_these_pages_and_this_site_alone(
    tmp_path: Path, public: str
) -> None:
    """Out of reach of scripts, and by https where the world comes by https."""
    async with serving(tmp_path, public_url=public) as service:
        code = (await consoles.link(service.tables, Key(OWNER["key"]))).partition("code=")[2]
        answer = await service.client.post("/owner/enter", data={"code": code})
    value, *rules = answer.headers["set-cookie"].split("; ")
    assert re.fullmatch(r"owner=[\w-]{32}", value)
    due = {"httponly", "max-age=43200", "path=/owner", "samesite=strict"}
    assert {r.lower() for r in rules} == due | ({"secure"} if public else set())


async def test_a_session_ends_after_twelve_hours_or_when_he_leaves(service: Service) -> None:
    await service.table()
    client = await enter(service)
    page = ok(await client.get("/owner")).text
    cookie = {"Cookie": f"owner={client.cookies['owner']}"}
    left = ok(await client.post("/owner", data={"form": values(page, "form"), "do": "leave"}))
    assert "<h1>Signed out</h1>" in left.text
    assert (await client.get("/owner", headers=cookie)).status_code == 403
    await enter(service)
    ok(await client.get("/owner"))
    service.clock.ahead_s = codes.OWNER_S + 1
    assert (await client.get("/owner")).status_code == 403


async def test_a_stranger_sees_nothing_and_another_owner_nothing_of_these(
    service: Service,
) -> None:
    """Without a session there is one sentence everywhere; with one of somebody else no table."""
    table = await service.table(name="The Secret Cellar")
    below = [f"/owner/t/{table.id}{rest}" for rest in ("", "/log", "/log.csv", "/log.json")]
    for path in ("/owner", *below, "/owner/t/nowhere", "/owner/enter?code=%ff%00"):
        for headers in ({}, {"Cookie": "owner=" + "x" * 32}):
            answer = await service.client.get(path, headers=headers)
            assert answer.status_code == 403
            assert "Cellar" not in answer.text
    for path in ("/owner", below[0]):
        posted = await service.client.post(path, data={"do": "lock", "form": "0" * 64})
        assert posted.status_code == 403
    client = await enter(service, STRANGER)
    assert "Cellar" not in ok(await client.get("/owner")).text
    for path in below:
        answer = await client.get(path)
        assert answer.status_code == 404
        assert "There is no such table of yours." in answer.text
    assert (await client.post(below[0], data={"do": "lock"})).status_code == 404
    assert not (await service.tables.table(table.id)).now.match.locked


async def test_a_form_from_elsewhere_does_nothing(console: Console) -> None:
    """Neither without what only our pages carry, nor where the browser says it is another's."""
    form = await console.form("lock")
    for fields, headers in (
        ({**form, "form": "0" * 64}, {}),
        ({**form, "form": "ä"}, {}),
        (form, {"Sec-Fetch-Site": "cross-site"}),
        (form, {"Sec-Fetch-Site": "same-site"}),
        (form, {"Origin": "https://evil.example"}),
    ):
        answer = await console.client.post(console.path, data=fields, headers=headers)
        assert answer.status_code == 403
        assert "That form is an old one" in answer.text
    assert "Unlock" not in await console.page()
    for headers in ({"Origin": "http://127.0.0.1:8700"}, {"Sec-Fetch-Site": "same-origin"}):
        form = await console.form("lock" if "Origin" in headers else "unlock")
        answer = await console.client.post(console.path, data=form, headers=headers)
        assert answer.status_code == 303


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", b"&".join([b"a=1"] * 999), b"do=%zz", b"do=lock&do=lock"]
)
async def test_what_is_no_form_does_nothing(console: Console, body: bytes) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in ("/owner", console.path):
        answer = await console.client.post(path, content=body, headers=headers)
        assert answer.status_code == 403


# ---- running matches ------------------------------------------------------------------------


async def test_the_owner_runs_a_match_with_the_commands_of_the_table(console: Console) -> None:
    """Lock, bots, kick, start, close: each stands in the log as his, and refusals are sentences."""
    table = console.table
    ok(await table.command(ADA, "join"))
    assert "At least 2 players" in await console.refused("start", 409)
    await console.done("add_bot")
    await console.done("add_bot")
    await console.done("remove_bot")
    await console.done("kick", key=ADA["key"])
    await console.done("lock")
    assert "locked already" in await console.refused("lock", 409)
    await console.done("unlock")
    await console.done("add_bot")
    await console.done("start")
    assert "Only" not in await console.refused("preset", 409, preset="high_stakes")
    assert "box was not ticked" in await console.refused("close", 422)
    await console.done("close", sure="on")
    log = ok(await table.get("/matches")).json()
    entries = ok(await table.client.get(f"/api/v1/matches/{log[-1]['id']}")).json()["entries"]
    by_owner = [e["command"]["type"] for e in entries if e["actor"] == OWNER["key"]]
    assert by_owner == [
        "add_bot", "add_bot", "remove_bot", "kick", "lock", "unlock", "add_bot", "start",
        "reset_match",
    ]  # fmt: skip


async def test_a_form_sent_twice_counts_once(console: Console) -> None:
    """The other buttons of the same page are other commands."""
    form = await console.form("add_bot")
    for _ in range(3):
        assert (await console.client.post(console.path, data=form)).status_code == 303
    assert (await console.client.post(console.path, data={**form, "do": "lock"})).is_redirect
    state = await console.table.state()
    assert (len(state["seats"]), state["locked"]) == (1, True)


async def test_names_of_several_who_are_waited_for_do_not_turn_one_another_round(
    service: Service,
) -> None:
    """Each stands by itself, wherever one reads them: in the console, at the table, on a prim."""
    table = await service.table(game="werewolf", options={})
    ok(await table.command({**ADA, "name": "\u05d1\u05d5\u05d1"}, "join"))
    for _ in range(7):
        await table.owner("add_bot")
    await table.owner("start")
    client = await enter(service)
    for path in (f"/owner/t/{table.id}", f"/t/{table.id}", f"/t/{table.id}?media"):
        page = ok(await client.get(path)).text
        assert re.search(
            "<b[^>]*><bdi>\u05d1\u05d5\u05d1</bdi>, <bdi>Bot1</bdi>, <bdi>Bot2</bdi>", page
        ), path


async def test_an_unknown_wish_is_refused_in_a_sentence(console: Console) -> None:
    for do in ("", "dance", "repaint", "freeze", "join"):
        assert "knows no such thing" in await console.refused(do, 422)


async def test_search_engines_list_no_page_about_one_person(service: Service) -> None:
    """Those of himself alone they do not even ask for."""
    table = await service.table(options=QUICK | {"lives": 1, "victory_s": 0})
    await table.play(ADA, BOB)
    await table.until(lambda state: state["stage"] == "lobby")
    client = await enter(service)
    here = f"/owner/t/{table.id}"
    alone = ["/owner", here, f"{here}/log", f"/owner/{table.id}/theme", "/operator", "/me"]
    for path in (*alone, f"/p/{ADA['key']}"):
        assert (await client.get(path)).headers["x-robots-tag"] == "noindex", path
    for path in ("/", f"/t/{table.id}", f"/m/{table.id}-1", "/rankings"):
        assert "x-robots-tag" not in ok(await client.get(path)).headers, path
    answer = ok(await client.get("/robots.txt"))
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    robots = RobotFileParser()
    robots.parse(answer.text.splitlines())
    for path in (*alone, "/api/v1/tables", "/lsl/v1/hello", "/metrics"):
        assert not robots.can_fetch("Somebot", path), path
    for path in ("/", f"/t/{table.id}", f"/m/{table.id}-1", "/rankings", "/static/art/title.svg"):
        assert robots.can_fetch("Somebot", path), path


# ---- options --------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
async def test_every_option_of_every_game_is_asked_for_and_set(
    console: Console, service: Service, game: str
) -> None:
    """With its meaning from the page of rules; the form as it stands changes nothing."""
    if game != "peril":
        await console.done("game", game=game)
    table = await service.tables.table(console.table.id)
    asked = console_views.fields(table.now.match, ENGLISH)
    assert [f.name for f in asked] == list(GAMES[game].options.__struct_fields__)
    assert all(f.meaning for f in asked)
    form, seq = {f.name: f.value for f in asked}, table.now.seq
    await console.done("options", **form)
    assert table.now.seq == seq
    for field in asked:
        other = (
            next(v for v, _ in field.choices if v != field.value) if field.choices else field.most
        )
        await console.done("options", **{**form, field.name: other})
        form[field.name] = other
    assert {f.name: f.value for f in console_views.fields(table.now.match, ENGLISH)} == form


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
async def test_options_are_called_as_people_call_them(
    console: Console, service: Service, game: str, language: str
) -> None:
    """No name that programs have for an option or its values, and no number of a rule."""
    if game != "peril":
        await console.done("game", game=game)
    table = await service.tables.table(console.table.id)
    for field in console_views.fields(table.now.match, words.LANGUAGES[language]):
        said = f"{field.label} {field.meaning} {' '.join(word for _, word in field.choices)}"
        assert not re.search(r"_|\bW\d|\bUtc\b|[a-z][A-Z]|simul\b", said), said
        assert field.meaning[0].isupper()


async def test_options_that_do_not_work_are_explained(console: Console) -> None:
    for given in ("1", "1e9", "nan", "<b>", ""):
        assert "That option does not work" in await console.refused("options", 409, turn_s=given)


async def test_game_preset_language_theme_and_listing(console: Console, service: Service) -> None:
    await console.done("preset", preset="high_stakes")
    await console.done("language", language="es")
    await console.done("theme", theme="existing")
    await console.done("listed", listed="on")
    table = await service.tables.table(console.table.id)
    assert (table.now.match.options.lives, table.now.match.language) == (2, "es")
    assert (table.theme, table.listed) == ("existing", True)
    assert [line.id for line in await listing.tables(service.tables, unlisted=False)] == [table.id]
    await console.done("listed", listed="off")
    assert not table.listed
    await console.done("game", game="roulette")
    assert table.now.match.game == "roulette"
    for do, name in (("game", "chess"), ("preset", "chess"), ("language", "xx"), ("theme", "xx")):
        answer = await console.do(do, **{do: name})
        assert answer.status_code in (404, 409)
        assert 'role="alert"' in answer.text


async def test_resets_want_a_tick_and_wipe_the_ranking(console: Console) -> None:
    table = console.table
    await table.play(ADA, BOB)
    await table.until(lambda state: state["stage"] == "lobby")
    assert ok(await table.get("/ranking")).json()["rows"]
    for do in ("reset_ranking", "reset_all"):
        assert "Nothing was done" in await console.refused(do, 422)
    assert ok(await table.get("/ranking")).json()["rows"]
    await console.done("reset_ranking", sure="on")
    assert ok(await table.get("/ranking")).json()["rows"] == []


# ---- in-world -------------------------------------------------------------------------------


async def test_a_pairing_code_pairs_and_the_linkset_can_be_cut_off(
    console: Console, service: Service
) -> None:
    assert "No linkset shows this table" in await console.page()
    page = unescape(ok(await console.do("pair")).text)
    code = re.search(r"<code>([A-Z2-9]{8})</code>", page)
    assert code is not None
    registry = service.app.state.registry
    object_key = "77777777-0000-4000-8000-000000000007"
    device = await registry.pair(code[1], object_key, OWNER["key"], "Olga")
    assert device is not None
    assert device.table_id == console.table.id
    device.answered(429)
    page = await console.page()
    assert "in touch" in page
    assert "1 × 429" in page
    assert "not told" in page
    device.told_health("41000.7.8191")
    await service.app.state.tally.save()
    page = await console.page()
    assert "requests 40.0 KB, link 8.0 KB" in page
    assert re.search(r"<dt>Requests lost</dt><dd>7 ", page)
    assert ">little<" in page
    service.clock.ahead_s = 600
    assert "silent" in await console.page()
    assert "10 minutes ago" in ok(await console.client.get("/owner")).text
    await console.done("cut", sure="on")
    assert "No linkset shows this table" in await console.page()
    assert "no device of the table" in await console.refused("cut", 404, sure="on")


# ---- staff and bans -------------------------------------------------------------------------


async def test_ban_and_trust_from_a_seat_or_by_key(console: Console, service: Service) -> None:
    table = console.table
    for who in (HOSTILE, BOB):
        ok(await table.command(who, "join"))
    await console.done("ban", key=ADA["key"], name=HOSTILE["name"])
    refused = await table.command(ADA, "join")
    assert refused.json()["error"]["code"] == "banned"
    await console.done("staff", key=BOB["key"], name="Bob", may_matches="on")
    page = unescape(ok(await console.client.get("/owner")).text)
    assert "<img src=x" not in ok(await console.client.get("/owner")).text
    assert "matches since" in page
    assert "banned since" in page
    tables = service.tables
    assert (await tables.table(table.id)).actor(Key(BOB["key"])).rights == {"matches"}
    token = {"form": values(page, "form")}
    for key in (ADA["key"], BOB["key"]):
        answer = await console.client.post("/owner", data={**token, "do": "pardon", "key": key})
        assert answer.headers["location"] == "/owner#people"
    assert not (await tables.table(table.id)).standings
    ok(await table.command(ADA, "join"))


@pytest.mark.parametrize(
    ("fields", "status", "why"),
    [
        ({"do": "ban", "key": "Ada"}, 422, "is not the key of an avatar"),
        ({"do": "ban", "key": OWNER["key"]}, 409, "neither banned nor staff at his own"),
        ({"do": "staff", "key": ADA["key"]}, 422, "Tick what they may do"),
        ({"do": "dance", "key": ADA["key"]}, 422, "knows no such thing"),
    ],
)
async def test_what_cannot_be_set_is_explained(
    service: Service, fields: dict[str, str], status: int, why: str
) -> None:
    client = await enter(service)
    form = values(ok(await client.get("/owner")).text, "form")
    answer = await client.post("/owner", data={"form": form, **fields})
    assert answer.status_code == status
    assert why in unescape(answer.text)


# ---- the log --------------------------------------------------------------------------------


async def test_the_log_says_who_did_what_and_can_be_taken_away(
    console: Console, service: Service
) -> None:
    """On a page, as JSON and as CSV whose cells are no formulas; secrets wait for the end."""
    table = console.table
    ok(await table.command(HOSTILE, "join"))
    await console.done("staff", key=BOB["key"], name="Bob", may_matches="on")
    ok(await table.command(BOB, "add_bot", token=OPERATOR))
    await console.done("kick", key=ADA["key"])
    path = f"{console.path}/log"
    raw = ok(await console.client.get(path)).text
    assert "<img src=x" not in raw
    rows = re.findall(r"<td><bdi>(.*?)</bdi></td><td>(.*?)</td>", unescape(raw))
    did = [(who, what.partition(" (")[0]) for who, what in rows]
    assert ("Bob", "add bot") in did
    assert ("Olive", "kick") in did
    assert dict(rows)["Olive"] == "kick (=1+1<img src=x onerror=alert(1)>)"
    assert "Bob acts for the owner" in raw
    told: list[dict[str, Any]] = ok(await console.client.get(path + ".json")).json()
    kicked = told[1]["entries"][-1]
    assert (kicked["name"], kicked["command"]["type"]) == ("Olive", "kick")
    answer = ok(await console.client.get(path + ".csv"))
    assert answer.headers["content-disposition"].endswith(f'{table.id}.csv"')
    assert answer.content.startswith(codecs.BOM_UTF8)
    cells = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert list(cells[0]) == list(console_log.COLUMNS)
    assert next(c["name"] for c in cells if c["command"] == "join").startswith("'=1+1")
    elsewhere = await service.table()
    foreign = f"{path}?match={elsewhere.id}-1"
    assert (await console.client.get(foreign)).status_code == 404
    assert (await console.client.get(path + ".exe")).status_code == 404
