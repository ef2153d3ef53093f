"""Nobody forges, copies or replays: pairing, signatures, and a file of attacks on them."""

from __future__ import annotations

import uuid
from urllib.parse import parse_qsl, urlencode

import httpx
import pytest
from sqlmodel import select

from app import codes
from app.devices import callback, signing
from app.games import lobby
from app.games.core import Actor, Key
from app.table.models import CodeRow, DeviceRow

from .conftest import Serve
from .inworld import ANN, BOB, OUTSIDE, OWNER, Linkset, Server

OPERATOR = {"Authorization": f"Bearer {OUTSIDE['operator_token']}"}
CAP = "https://simhost-1.agni.secondlife.io:12043/cap/1"


@pytest.fixture
async def outside(serve: Serve) -> Server:
    """A server that others can reach."""
    return await serve(**OUTSIDE)


@pytest.fixture
async def table(outside: Server) -> Linkset:
    """A table that is paired there."""
    return await outside.paired()


async def status(linkset: Linkset, verb: str, body: str) -> int:
    return (await linkset.send(verb, body)).status_code


def poll(linkset: Linkset, secret: str = "", verb: str = "poll", **more: str) -> str:
    """The body of a signed request."""
    fields = {name: value for name, value in form(linkset, **more).items() if name != "k"}
    return linkset.signed(verb, urlencode(fields), secret or linkset.form["k"])


def form(linkset: Linkset, **more: str) -> dict[str, str]:
    """What a poll of this linkset says, with its secret to sign it."""
    keys = ("d", "k", "o", "owner", "u")
    return {**{name: linkset.form[name] for name in keys}, "since": str(linkset.seq), **more}


# ---- pairing --------------------------------------------------------------------------------


async def test_a_table_that_is_not_paired_shows_it_and_tells_its_owner(outside: Server) -> None:
    linkset = Linkset(outside)
    await linkset.hello()
    assert linkset.records[0] == ["S", "0", "0", "60"]
    (frame,) = linkset.of("F")
    assert frame[1] == "root"
    assert "NOT PAIRED YET" in " ".join(frame)
    assert linkset.of("P")[0][2:] == [OWNER, linkset.of("P")[0][3]]
    assert linkset.of("I") == []


async def test_such_a_table_speaks_the_language_of_its_notecard(outside: Server) -> None:
    linkset = Linkset(outside, language="es")
    await linkset.hello()
    assert "AÚN SIN EMPAREJAR" in " ".join(linkset.of("F")[0])
    assert linkset.of("P")[0][3].startswith("Esta mesa aún no está emparejada con su servidor.")
    await linkset.touch(ANN, language="es")
    assert linkset.of("P", ANN)[0][3].endswith("Tiene que tocarla quien la posee.")
    await linkset.touch(OWNER, language="es")
    assert "Vale una vez, durante 15 minutos." in linkset.of("B")[0][4]
    for _ in range(outside.settings.guess_burst):
        await linkset.press("WRONG", OWNER, t="pair", language="es")
        assert linkset.of("P")[0][3].startswith("Ese no es un código de emparejamiento tuyo")
    await linkset.press("WRONG", OWNER, t="pair", language="es")
    assert linkset.of("P")[0][3].startswith("Demasiados intentos. Prueba otra vez en ")
    linkset = Linkset(outside, owner=BOB)
    await linkset.press(await outside.code(BOB), BOB, t="pair", language="zh")
    assert linkset.of("P")[0][3] == "这张桌子已与服务器配对。"


async def test_its_owner_touches_it_and_types_the_code(outside: Server) -> None:
    linkset = Linkset(outside)
    await linkset.touch(OWNER, "Olive Owner")
    assert linkset.of("B")[0][2:4] == [OWNER, "pair"]
    await linkset.pair(await outside.code())
    (told,) = linkset.of("I")
    assert len(told[2]) == 64
    assert linkset.records[0][3] == "0"  # it says hello at once
    await linkset.hello()
    assert linkset.table.owner == OWNER
    await linkset.touch()
    assert linkset.of("D", ANN)


async def test_nobody_else_is_asked_for_the_code(outside: Server) -> None:
    linkset = Linkset(outside)
    await linkset.touch(ANN)
    assert linkset.of("B") == []
    assert "owner has to touch it" in linkset.of("P", ANN)[0][3]
    code = await outside.code()
    await linkset.pair(code, who=ANN)
    assert linkset.of("I") == []


async def test_a_code_is_good_once_for_its_owner_and_for_fifteen_minutes(outside: Server) -> None:
    code = await outside.code()
    thief = Linkset(outside, owner=BOB)
    await thief.pair(code)
    assert thief.of("I") == []
    first, second = Linkset(outside), Linkset(outside)
    await first.pair(f" {code[:4].lower()} {code[4:]}")
    assert first.of("I")
    await second.pair(code)
    assert second.of("I") == []
    assert "no longer good" in second.of("P")[0][3]
    late = await outside.code()
    outside.clock.ms += (codes.LIFE_S + 1) * 1000
    await second.pair(late)
    assert second.of("I") == []


async def test_a_new_code_voids_the_one_before_and_only_hashes_are_kept(outside: Server) -> None:
    old, new = await outside.code(), await outside.code()
    linkset = Linkset(outside)
    await linkset.pair(old)
    assert linkset.of("I") == []
    kept = await outside.tables.store.run(lambda s: [r.hash for r in s.exec(select(CodeRow))])
    assert len(kept) == 1
    assert new not in kept[0]
    assert len(new) == 8


async def test_guessing_codes_ends_soon_and_says_so(outside: Server) -> None:
    linkset = Linkset(outside)
    said = set()
    for _ in range(40):
        await linkset.pair("AAAAAAAA")
        said.add(linkset.of("P")[0][3])
    assert len(said) == 2
    await linkset.pair(await outside.code())
    assert linkset.of("I") == []


async def test_one_owner_has_several_tables_and_a_server_several_owners(outside: Server) -> None:
    one, other, bobs = (
        await outside.paired(),
        await outside.paired(),
        await outside.paired(owner=BOB),
    )
    assert len({x.known.table_id for x in (one, other, bobs)}) == 3
    assert (one.table.owner, bobs.table.owner) == (OWNER, BOB)


async def test_a_code_for_a_table_moves_it_to_the_new_object(table: Linkset) -> None:
    server, kept = table.server, table.known.table_id
    heir = Linkset(server)
    await heir.pair(await server.code(OWNER, kept))
    await heir.hello()
    assert heir.known.table_id == kept
    assert await status(table, "poll", poll(table)) == 401


async def test_codes_are_made_by_the_operator_or_for_a_table_by_its_owner(
    table: Linkset,
) -> None:
    client, kept = table.server.client, table.known.table_id
    asked = {"owner": OWNER}
    assert (await client.post("/api/v1/pairing-codes", json=asked)).status_code == 401
    made = await client.post("/api/v1/pairing-codes", json=asked, headers=OPERATOR)
    assert made.status_code == 201
    linkset = Linkset(table.server)
    await linkset.pair(made.json()["code"])
    assert linkset.of("I")
    scope = {"scope": "owner", "table": kept}
    token = (await client.post("/api/v1/tokens", json=scope, headers=OPERATOR)).json()["token"]
    mine = {"Authorization": f"Bearer {token}"}
    for body, wanted in (
        ({"owner": OWNER, "table": kept}, 201),
        (asked, 403),
        ({"owner": BOB, "table": kept}, 404),
    ):
        made = await client.post("/api/v1/pairing-codes", json=body, headers=mine)
        assert made.status_code == wanted


# ---- secrets --------------------------------------------------------------------------------


async def test_a_rotated_secret_is_handed_over_and_ends_the_old_one(table: Linkset) -> None:
    old, client = table.form["k"], table.server.client
    where = f"/api/v1/tables/{table.known.table_id}/device"
    assert (await client.post(f"{where}/rotate", headers=OPERATOR)).status_code == 200
    await table.act()
    assert table.form["k"] != old
    for _ in range(2):  # an answer may be lost: the old one is good until the new one is used
        assert await status(table, "poll", poll(table, old)) == 200
    await table.act()
    assert await status(table, "poll", poll(table, old)) == 401
    await table.act()


async def test_a_revoked_table_is_cut_off_at_once_and_can_be_paired_anew(table: Linkset) -> None:
    client, kept = table.server.client, table.known.table_id
    where = f"/api/v1/tables/{kept}/device"
    assert (await client.get(where, headers=OPERATOR)).json()["owner"] == OWNER
    assert (await client.delete(where, headers=OPERATOR)).status_code == 200
    assert (await table.post("poll", form(table))).status_code == 401
    await table.hello()
    assert "NOT PAIRED YET" in " ".join(table.of("F")[0])
    assert (await client.get(where, headers=OPERATOR)).status_code == 404
    await table.touch(OWNER)
    assert table.of("B")
    await table.pair(await table.server.code(OWNER, kept))
    await table.hello()
    assert table.known.table_id == kept


async def test_who_is_cut_off_in_the_store_is_so_here_within_seconds(table: Linkset) -> None:
    server = table.server

    def cut(session: object) -> None:
        session.delete(session.exec(select(DeviceRow)).one())  # type: ignore[attr-defined]
        session.commit()  # type: ignore[attr-defined]

    await server.tables.store.run(cut)
    server.clock.ms += 3000
    await table.post("poll", form(table))
    assert server.registry._checking is not None
    await server.registry._checking
    assert (await table.post("poll", form(table))).status_code == 401


async def test_the_secret_is_in_no_answer_but_the_one_that_hands_it_over(table: Linkset) -> None:
    secret, client = table.form["k"], table.server.client
    for answer in (
        await table.post("poll", form(table)),
        await table.post("hello", table.form),
        await client.get(f"/api/v1/tables/{table.known.table_id}/device", headers=OPERATOR),
        await client.get(f"/t/{table.known.table_id}"),
    ):
        assert answer.status_code == 200
        assert secret not in answer.text
        assert secret not in str(answer.headers)


# ---- copies ---------------------------------------------------------------------------------


async def test_a_stolen_copy_is_refused_and_both_ends_tell_the_owner(table: Linkset) -> None:
    thief = table.copy()
    await thief.hello()
    assert thief.of("P", OWNER)[0][3].startswith("Another copy of this table is in use.")
    assert thief.of("F") == []
    seq = str(table.seq)
    await table.act(**{"from": seq, "to": seq, "more": "2"})  # the rest of an answer says nothing
    assert table.of("P") == []
    await table.act()
    assert table.of("P", OWNER)[0][3].startswith("A copy of this table tried to take its place")
    await table.act()
    assert table.of("P") == []


async def test_both_ends_tell_it_in_the_language_that_the_table_speaks(table: Linkset) -> None:
    server, owner = table.server, Actor(Key(OWNER), owner=True)
    await server.tables.submit(table.known.table_id, owner, lobby.SetLanguage("es"))
    thief = table.copy()
    await thief.hello()
    assert thief.of("P", OWNER)[0][3].startswith("Hay otra copia de esta mesa en uso.")
    await table.act()
    assert table.of("P", OWNER)[0][3].startswith("Una copia de esta mesa quiso ocupar su lugar")


async def test_one_that_is_rezzed_anew_goes_on_at_once_and_a_copy_does_not(server: Server) -> None:
    linkset = Linkset(server)
    linkset.takes_pushes()
    await linkset.hello()
    again = linkset.copy()
    await again.hello()
    assert again.of("P", OWNER)[0][3].startswith("Another copy of this table is in use.")
    del server.grid.urls[linkset.form["u"]]  # the old object is gone, and its URL with it
    again.form["u"] = ""
    await again.hello()
    assert again.of("I")
    assert again.known.table_id == linkset.known.table_id


async def test_a_copy_is_paired_anew_and_becomes_a_table_of_its_own(table: Linkset) -> None:
    copy = table.copy()
    await copy.hello()
    await copy.touch(OWNER)
    assert copy.of("B")
    await copy.pair(await table.server.code())
    await copy.hello()
    assert copy.known.table_id != table.known.table_id
    await table.act()
    await copy.act()


# ---- forged and stale requests --------------------------------------------------------------


async def test_a_request_counts_once(table: Linkset) -> None:
    body = poll(table, verb="touch", a=ANN, n="Ann")
    assert await status(table, "touch", body) == 200
    before = table.table.now.seq
    assert (await table.send("touch", body)).status_code != 200 or table.table.now.seq == before
    assert await status(table, "poll", body) == 401


@pytest.mark.parametrize("off_s", [-301, 301, -(10**6), 10**9])
async def test_clocks_may_differ_by_five_minutes_and_no_more(table: Linkset, off_s: int) -> None:
    for seconds, wanted in ((299 if off_s > 0 else -299, 200), (off_s, 401)):
        table.server.clock.ms += seconds * 1000
        body = poll(table)
        table.server.clock.ms -= seconds * 1000
        assert await status(table, "poll", body) == wanted


async def test_every_kind_of_failure_gets_the_same_answer(table: Linkset) -> None:
    plain = urlencode({k: v for k, v in form(table).items() if k != "k"})
    good = table.signed("poll", plain, table.form["k"])
    signature = good.rpartition("&sig=")[2]
    wrong = {
        "no signature": plain,
        "empty signature": good.rpartition("&sig=")[0] + "&sig=",
        "another secret": table.signed("poll", plain, "0" * 64),
        "no secret": table.signed("poll", plain, "") + "&sig=" + signature,
        "another device": good.replace(f"d={table.id}", "d=0123456789ab"),
        "another object": good.replace(table.form["o"], str(uuid.uuid4())),
        "another state": good.replace("since=", "since=9"),
        "more behind it": good + "&a=" + ANN,
        "a signature twice": f"{good}&sig={signature}",
        "another verb": table.signed("touch", plain, table.form["k"]),
        "no nonce": good.replace("&nonce=", "&nounce="),
        "time in words": good.replace("&ts=", "&ts=now"),
        "an old style secret": plain + "&k=" + table.form["k"],
    }
    answers = {name: await table.send("poll", body) for name, body in wrong.items()}
    assert {(a.status_code, a.text) for a in answers.values()} == {
        (401, answers["no signature"].text)
    }
    assert signature not in answers["no signature"].text
    assert await status(table, "poll", good) == 200


async def test_a_signature_cut_from_one_table_does_not_fit_another(table: Linkset) -> None:
    other = await table.server.paired()
    pasted = dict(parse_qsl(poll(table))) | {"d": other.id, "o": other.form["o"]}
    assert await status(other, "poll", urlencode(pasted)) == 401


async def test_x_secondlife_headers_prove_nothing(table: Linkset) -> None:
    claims = {
        "X-SecondLife-Owner-Key": OWNER,
        "X-SecondLife-Object-Key": table.form["o"],
        "X-SecondLife-Shard": "Production",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    plain = urlencode({**{k: v for k, v in form(table).items() if k != "k"}, "a": OWNER, "n": "O"})
    for verb in ("poll", "touch"):
        answer = await table.server.client.post(f"/lsl/v1/{verb}", content=plain, headers=claims)
        assert answer.status_code == 401 or "NOT PAIRED" not in answer.text
        assert "Owner Menu" not in answer.text


async def test_only_the_avatar_with_the_owner_s_key_acts_as_owner(table: Linkset) -> None:
    await table.touch(BOB, "Olive Owner")
    assert table.of("D", BOB)[0][5:] == ["Leave Game", "🔎 My Data", "🌐 Language", "Start Game"]
    press = await table.act("press", a=BOB, n="Olive Owner", t="owner~0~x~-1~y", b="🔒 Lock Game")
    assert not table.table.now.match.locked
    assert press


async def test_ten_thousand_nonces_are_remembered_within_bounds(table: Linkset) -> None:
    nonces = signing.Nonces()
    assert all(nonces.fresh(f"n{n}", 1000, 1000) for n in range(10_000))
    assert len(nonces._seen) == signing.NONCES
    assert not nonces.fresh("n9999", 1000, 1000)
    assert not nonces.fresh("x" * 65, 1000, 1000)
    assert not nonces.fresh("", 1000, 1000)


async def test_a_page_in_a_browser_is_no_table(server: Server) -> None:
    linkset = Linkset(server)
    answer = await server.client.post(
        "/lsl/v1/hello", data=linkset.form, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 401
    assert not server.registry.by_table


# ---- pushes ---------------------------------------------------------------------------------


async def test_a_push_is_signed_with_time_and_a_number_that_grows(server: Server) -> None:
    linkset = Linkset(server)
    linkset.takes_pushes()
    await linkset.hello()
    for name in (ANN, BOB):
        await server.tables.submit(linkset.table.id, Actor(Key(name), name[:3]), lobby.Join())
        await server.settled()
    stamps = []
    for _, body in server.grid.calls:
        text, _, stamp = body.rpartition("\nZ¦")
        seconds, number, signature = stamp.split("¦")
        assert signature == signing.sign(linkset.form["k"], f"push\n{text}\n{seconds}¦{number}")
        assert abs(int(seconds) - server.clock()) < 2
        assert len(body.encode()) <= 2048
        stamps.append((int(seconds), int(number)))
    assert len(stamps) >= 2
    assert stamps == sorted(set(stamps))


# ---- where pushes go ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "private",
    ["127.0.0.1", "10.0.0.5", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
     "fd00::1", "fe80::1", "::ffff:127.0.0.1", "224.0.0.1"],
)  # fmt: skip
async def test_a_host_that_points_inside_is_not_called(serve: Serve, private: str) -> None:
    server = await serve(**OUTSIDE)
    server.addresses = ["8.8.8.8", private]
    linkset = await server.paired(u=CAP)
    await server.tables.submit(linkset.table.id, Actor(Key(ANN), "Ann"), lobby.Join())
    await server.settled()
    assert server.grid.calls == []
    assert linkset.known.url == ""


async def test_the_address_that_was_checked_is_the_one_that_is_called(serve: Serve) -> None:
    server = await serve(**OUTSIDE)
    server.addresses = ["8.8.8.8"]
    seen: list[httpx.Request] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(302, headers={"Location": "http://127.0.0.1/"})

    server.grid.urls["https://8.8.8.8:12043/cap/1"] = answer
    linkset = await server.paired(u=CAP)
    await server.tables.submit(linkset.table.id, Actor(Key(ANN), "Ann"), lobby.Join())
    await server.settled()
    assert [r.headers["Host"] for r in seen] == ["simhost-1.agni.secondlife.io:12043"]
    assert seen[0].extensions["sni_hostname"] == "simhost-1.agni.secondlife.io"
    assert len(server.grid.calls) == 1  # a redirect is not followed


def test_an_ipv6_address_is_called_in_brackets() -> None:
    assert callback.pinned("https://a.example:12043/x?y", "2001:db8::1") == (
        "https://[2001:db8::1]:12043/x?y",
        "a.example:12043",
    )


async def test_a_grid_at_home_can_be_allowed(serve: Serve) -> None:
    server = await serve(
        **OUTSIDE, callback_hosts=".lan", callback_ports="9000", callback_private=True
    )
    linkset = Linkset(server)
    linkset.takes_pushes("http://grid.lan:9000/cap")
    await linkset.pair(await server.code())
    await linkset.hello()
    await server.tables.submit(linkset.table.id, Actor(Key(ANN), "Ann"), lobby.Join())
    await server.settled()
    assert len(server.grid.calls) == 1
