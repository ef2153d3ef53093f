"""Who the tables in-world are: registration, recognition, copies, URLs."""

from __future__ import annotations

import pytest
from sqlmodel import select

from app import troubles
from app.games import texts
from app.table.models import DeviceRow, TableRow

from .conftest import Serve
from .inworld import BOB, OUTSIDE, OWNER, Linkset, Server


async def rows(server: Server, model: type) -> list[object]:
    return list(await server.tables.store.run(lambda session: session.exec(select(model)).all()))


async def test_a_new_table_gets_an_id_a_secret_and_the_whole_board(server: Server) -> None:
    linkset = await server.linkset()
    (told,) = linkset.of("I")
    assert linkset.records[0][:2] == ["S", "0"]
    assert len(told[1]) == 12
    assert len(told[2]) == 64
    assert told[3] == linkset.known.table_id
    assert {r[1] for r in linkset.of("F") + linkset.of("X")} == set(linkset.table.now.board)
    assert linkset.table.owner_name == "Olive Owner"
    assert linkset.table.name == "Peril Table"


async def test_what_a_table_says_of_itself_is_kept(server: Server) -> None:
    await server.linkset(region="Da Boom", v="1.0.0")
    (row,) = await rows(server, DeviceRow)
    assert isinstance(row, DeviceRow)
    assert (row.region, row.version) == ("Da Boom", "1.0.0")


async def test_it_is_recognised_after_a_reset_and_after_a_re_rez(server: Server) -> None:
    linkset = await server.linkset()
    table = linkset.known.table_id
    await linkset.hello()
    assert linkset.of("I") == [["I", linkset.id, "", table]]
    await server.later(91)
    again = linkset.copy()
    await again.hello()
    assert again.of("I") == [["I", linkset.id, "", table]]
    assert len(await rows(server, TableRow)) == 1


async def test_it_is_recognised_by_another_process(serve: Serve, server: Server) -> None:
    linkset = await server.linkset()
    table = linkset.known.table_id
    linkset.server = await serve()
    await linkset.hello()
    assert linkset.of("I") == [["I", linkset.id, "", table]]


@pytest.mark.parametrize("wrong", [{"k": "0" * 64}, {"d": "0" * 12}, {"owner": BOB}, {"k": ""}])
async def test_a_wrong_secret_id_or_owner_makes_another_table(
    server: Server, wrong: dict[str, str]
) -> None:
    linkset = await server.linkset()
    other = Linkset(server, **{**linkset.form, **wrong})
    await other.hello()
    assert other.of("I")[0][1] != linkset.id
    assert other.known.table_id != linkset.known.table_id
    assert other.form["k"] != linkset.form["k"]
    await linkset.act()  # the first one goes on


async def test_a_copy_is_refused_while_the_other_one_lives(server: Server) -> None:
    linkset = await server.linkset()
    copy = linkset.copy()
    await copy.hello()
    assert copy.records[0] == ["S", "0", "0", "60"]
    (said,) = copy.of("P")
    assert said[2] == copy.form["owner"]
    assert said[3].startswith("Another copy of this table is in use.")
    assert copy.of("I") == []
    response = await copy.post("poll", {n: copy.form[n] for n in ("d", "k", "o")})
    assert response.status_code == 409
    await linkset.act()


async def test_a_copy_takes_over_when_the_other_one_is_silent_for_90_s(server: Server) -> None:
    linkset = await server.linkset()
    copy = linkset.copy()
    await server.later(89)
    await copy.hello()
    assert copy.of("I") == []
    await server.later(2)
    await copy.hello()
    assert copy.of("I")
    response = await linkset.post("poll", {n: linkset.form[n] for n in ("d", "k", "o")})
    assert response.status_code == 409


async def test_after_a_restart_a_copy_waits_for_the_one_that_was_the_table(
    serve: Serve, server: Server
) -> None:
    linkset = await server.linkset()
    copy = linkset.copy()
    heir = Linkset(server, table=linkset.known.table_id)
    copy.server = heir.server = again = await serve()
    for other in (copy, heir):
        await other.hello()
        assert other.of("P")[0][3].startswith("Another copy of this table is in use.")
    response = await copy.post("poll", {n: copy.form[n] for n in ("d", "k", "o")})
    assert response.status_code == 409
    again.clock.ms += 80_000
    linkset.server = again
    await linkset.act()
    again.clock.ms += 80_000
    await copy.hello()
    assert copy.of("I") == []
    again.clock.ms += 11_000
    await copy.hello()
    assert copy.of("I")


async def test_each_request_is_a_sign_of_life(server: Server) -> None:
    linkset = await server.linkset()
    copy = linkset.copy()
    for _ in range(4):
        await server.later(60)
        await linkset.act()
    await copy.hello()
    assert copy.of("I") == []


async def test_a_notecard_names_a_table_of_the_same_owner(server: Server) -> None:
    made = await server.tables.create("Rooftop", Linkset(server).form["owner"], "Olive")
    linkset = await server.linkset(table=made.id)
    assert linkset.known.table_id == made.id
    stranger = Linkset(server, table=made.id, owner=BOB)
    await stranger.hello()
    assert stranger.of("P")[0][3] == f"There is no table of yours “{made.id}” here."
    nowhere = Linkset(server, table="nonsense¦\n")
    await nowhere.hello()
    assert nowhere.of("P")[0][3] == "There is no table “nonsense|¶” here."
    second = Linkset(server, table=made.id)
    await second.hello()
    assert second.of("P")[0][3].startswith("Another copy of this table")


async def test_a_linkset_that_died_gives_its_table_to_the_next_one(server: Server) -> None:
    linkset = await server.linkset()
    table = linkset.known.table_id
    await server.later(91)
    heir = await server.linkset(table=table)
    assert heir.known.table_id == table
    assert heir.id != linkset.id
    response = await linkset.post("poll", {n: linkset.form[n] for n in ("d", "k", "o")})
    assert response.status_code == 401
    assert len(await rows(server, DeviceRow)) == 1


FOREIGN = [
    "file:///etc/passwd",
    "http://evil.example/x",
    "http://169.254.169.254/latest",
    "http://user@simhost.agni.secondlife.io/cap",
    "http://a:b@cap.secondlife.io/",
    "http://@cap.secondlife.io/",
    "https://cap.secondlife.io:22/x",
    "https://secondlife.io/x",
    "http://cap.secondlife.io:80/x",
    "https://cap.secondlife.io:99999/",
    "https://evilsecondlife.io/x",
    "https://secondlife.io.evil.example/x",
    "gopher://cap.secondlife.io",
    "https://evil.example#.secondlife.io",
    "https://evil.example\\.secondlife.io/",
    "//secondlife.io",
    "http://[::1",
    "https://127.0.0.1/x",
    "https://localhost/x",
    "http://[::1]/",
    "nonsense",
    "http://",
    "https://cap.secondlife.io/" + "x" * 300,
    "https://evil.example?.secondlife.io",
]
GOOD = [
    "https://simhost-1.agni.secondlife.io:12043/cap/1",
    "http://sim1.agni.lindenlab.com:12046/cap/2",
    "https://secondlife.io:12043/x",
    "https://CAP.secondlife.io:12043/",
]


@pytest.mark.parametrize("url", FOREIGN)
async def test_pushes_never_go_elsewhere(serve: Serve, url: str) -> None:
    server = await serve(**OUTSIDE)
    linkset = await server.paired(u=url)
    assert linkset.known.url == ""
    await linkset.act(u=url)
    assert linkset.known.url == ""
    assert linkset.records[0][3] == "15"
    assert server.grid.calls == []


@pytest.mark.parametrize("url", GOOD)
async def test_pushes_go_to_the_grid(serve: Serve, url: str) -> None:
    server = await serve(**OUTSIDE)
    linkset = await server.paired(u=url)
    assert linkset.known.url == url


async def test_on_loopback_pushes_go_to_this_machine_too(server: Server) -> None:
    for url in ("http://127.0.0.1:9123/cap", "http://[::1]:80/", "http://localhost:1/x"):
        linkset = await server.linkset(u=url)
        assert linkset.known.url == url
    linkset = await server.linkset(u="http://192.168.1.1/")
    assert linkset.known.url == ""


async def test_other_hosts_can_be_allowed(serve: Serve) -> None:
    server = await serve(**OUTSIDE, callback_hosts=" grid.example , ", callback_ports="443, 9000")
    for url in ("https://cap.grid.example/1", "http://cap.grid.example:9000/1"):
        linkset = await server.paired(u=url)
        assert linkset.known.url == url
    linkset = await server.paired(u="https://evilgrid.example/1")
    assert linkset.known.url == ""


async def test_sizes_of_text_sets_are_taken_over(server: Server) -> None:
    meshes = [f"Leaderboard:{row}:{column}:8" for row in range(12) for column in range(4)]
    meshes += ["Status:1:0:8", "Status:0:0:4", "Status:0:1:8", "Mine:0:0:8", "Dice:0:0", "Dice:x:1"]
    linkset = await server.linkset(prims=",".join(meshes))
    assert linkset.table.text_sets == {"Leaderboard": (32, 12), "Status": (12, 2), "Dice": (8, 1)}
    rows = next(r for r in linkset.of("X") if r[1] == "Leaderboard")[3:]
    assert len(rows) == 12
    await linkset.hello(
        prims="Leaderboard:99:0:8,Status:3:0:8,Dice:0:0:9" + 20 * ",Leaderboard:0:0:8"
    )
    assert linkset.table.text_sets["Leaderboard"] == (128, 32)
    assert linkset.table.text_sets["Status"] == (12, 2)


async def test_missing_and_double_prims_are_said_to_the_owner_once(server: Server) -> None:
    linkset = await server.linkset()
    assert linkset.of("P") == []
    painted = [r[1] for r in linkset.of("F")]
    faulty = ",".join([*painted, "life:0:0", "a:b:c", "a:b:c"]).replace("overlay:2:1", "mine")
    await linkset.hello(prims=faulty)
    said = "Prims missing: overlay:2:1. Prims with the same name: life:0:0."
    assert linkset.of("P") == [["P", "0", OWNER, said]]
    await linkset.hello(prims=faulty)
    assert linkset.of("P") == []
    (row,) = await rows(server, DeviceRow)
    assert isinstance(row, DeviceRow)
    assert row.troubles == "-overlay:2:1 +life:0:0"
    await linkset.hello(prims=",".join(painted))
    await linkset.hello(prims=faulty)
    assert linkset.of("P")


async def test_they_are_said_in_the_language_that_the_table_speaks(serve: Serve) -> None:
    """And in English to programs."""
    token = OUTSIDE["operator_token"]
    server = await serve(operator_token=token)
    linkset = await server.linkset(language="es")
    painted = [r[1] for r in linkset.of("F")]
    await linkset.hello(prims=",".join([*painted[1:], painted[2]]))
    said = f"Faltan prims: {painted[0]}. Prims con el mismo nombre: {painted[2]}."
    assert linkset.of("P") == [["P", "0", OWNER, said]]
    where = f"/api/v1/tables/{linkset.known.table_id}/device"
    answer = (await server.client.get(where, headers={"Authorization": f"Bearer {token}"})).json()
    assert answer["troubles"].startswith(f"Prims missing: {painted[0]}.")


async def test_what_was_kept_of_them_as_a_sentence_once_is_shown_as_it_is() -> None:
    said = "Prims missing: overlay:2:1."
    assert troubles.said(said, texts.lobby("es")) == said


async def test_so_many_missing_prims_are_kept_as_fit() -> None:
    wanted = [f"nameless:{n}" for n in range(200)]
    kept = troubles.between([], wanted)
    assert len(kept) <= troubles.MOST
    assert set(kept.split(" ")) < {f"-{prim}" for prim in wanted}


async def test_the_theme_of_the_notecard_is_taken_over(server: Server) -> None:
    linkset = await server.linkset(theme="existing")
    assert linkset.table.theme == "existing"
    shown = {r[1]: r[2] for r in linkset.of("F") if len(r) > 2}
    assert shown["TitleAction:0:0"] == linkset.table.now.theme.pictures["title"]


async def test_the_language_of_the_notecard_is_spoken(server: Server) -> None:
    linkset = await server.linkset(language="es")
    assert linkset.table.now.match.language == "es"
    shown = {r[1]: r for r in linkset.of("X")}
    assert any("ENTRA EN EL PELIGRO" in cell for cell in shown["Status"])
    await linkset.hello(language="tlh")
    assert linkset.of("P")[0][3] == "Aquí no existe el idioma «tlh»."
    assert linkset.table.now.match.language == "es"


async def test_an_unknown_theme_is_said_and_makes_no_table(server: Server) -> None:
    linkset = Linkset(server, theme="nonsense")
    for _ in range(2):
        await linkset.hello()
        assert linkset.of("P")[0][3] == "There is no theme “nonsense” here."
    assert await rows(server, TableRow) == []
    linkset.form["theme"] = ""
    await linkset.hello()
    await linkset.hello(theme="nonsense")
    assert linkset.of("P")
