"""The route of the tables in-world: touch, press, poll."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.devices import routes, wire
from app.games import lobby
from app.games.core import Actor, Key

from .inworld import ANN, BOB, OWNER, URL, Linkset, Server

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
async def linkset(server: Server) -> Linkset:
    return await server.linkset()


async def test_a_touch_joins_and_brings_the_dialog_and_the_news(linkset: Linkset) -> None:
    known = linkset.seq
    await linkset.touch()
    assert linkset.records[0] == ["S", str(known), str(linkset.seq), "5"]
    (dialog,) = [d for d in linkset.of("D", ANN) if d[1] == "0"]
    assert dialog[5:] == ["Leave Game", "Start Game"] or "Leave Game" in dialog[5:]
    assert linkset.of("L")[0][2].startswith("💀 Ann has entered")
    (hud,) = linkset.of("H")
    assert hud[1:3] == [ANN, "h"]
    names = {r[1] for r in linkset.of("F")}
    assert {"profile:0:0", "life:0:0"} <= names
    assert "profile:0:1" not in names


async def test_a_press_does_what_the_button_says(linkset: Linkset) -> None:
    await linkset.touch()
    await linkset.touch(BOB, "Bob")
    await linkset.press("Ready", BOB)
    assert linkset.of("L")[0][2].startswith("⚔️ Bob steels")
    await linkset.touch(BOB, "Bob")
    await linkset.press("Leave Game", BOB)
    assert linkset.of("A") == [["A", ANN]]


async def test_a_poll_without_news_is_its_header(linkset: Linkset) -> None:
    await linkset.act()
    assert linkset.records == [["S", str(linkset.seq), str(linkset.seq), "15"]]


async def test_who_knows_an_unknown_state_gets_the_whole_board(linkset: Linkset) -> None:
    for since in ("0", "999999", "nonsense", "-3", ""):
        await linkset.act(since=since)
        assert linkset.records[0][:2] == ["S", "-999999" if since == "999999" else "0"]
        assert {r[1] for r in linkset.of("F") + linkset.of("X")} == set(linkset.table.now.board)
        assert linkset.of("A") == [["A"]]


async def test_a_refusal_is_a_line_to_the_sender_alone(linkset: Linkset) -> None:
    await linkset.touch()
    (token,) = {d[3] for d in linkset.of("D", ANN)}
    await linkset.press("Start Game")
    (said,) = linkset.of("P")
    assert said[1:3] == ["0", ANN]
    assert said[3]
    assert linkset.of("L") == []
    await linkset.press("No Such Button", t=token)
    assert linkset.of("P", ANN)
    assert [d[1] for d in linkset.of("D", ANN)] == ["0"]
    await linkset.act("press", a=BOB, n="Bob", t=token, b="Leave Game")
    assert linkset.of("P", BOB)
    assert len(linkset.table.now.match.seats) == 1


async def test_the_same_action_sent_again_is_done_once(linkset: Linkset) -> None:
    await linkset.touch(id="t-1")
    await linkset.touch(id="t-1")
    assert [s.name for s in linkset.table.now.match.seats] == ["Ann"]
    assert linkset.of("L") == []
    token = linkset.of("D", ANN)[0][3]
    await linkset.press("Leave Game", t=token, id="p-1")
    assert linkset.of("A") == [["A"]]
    await linkset.press("Leave Game", t=token, id="p-1")
    assert linkset.of("P") == []


async def test_an_empty_id_is_none(linkset: Linkset) -> None:
    await linkset.touch(id="")
    await linkset.touch(BOB, "Bob", id="")
    assert len(linkset.table.now.match.seats) == 2


async def test_a_touch_of_the_ranking_turns_it_and_joins_nobody(linkset: Linkset) -> None:
    await linkset.touch(p="Leaderboard", x="23", y="9")
    assert linkset.of("D") == []
    assert linkset.table.now.match.seats == ()


async def test_the_owner_is_known_by_his_key(linkset: Linkset) -> None:
    await linkset.touch(OWNER, "Olive")
    (dialog,) = linkset.of("D", OWNER)
    assert dialog[3].startswith("owner_")


async def test_hostile_names_stay_in_their_fields(linkset: Linkset) -> None:
    await linkset.touch(ANN, "A¦b\nD¦0¦x¶y\x00")
    kinds = {r[0] for r in linkset.records}
    assert kinds <= {"S", "F", "X", "H", "L", "D"}
    assert all(r[1] in (ANN, "0", str(linkset.seq)) for r in linkset.of("D"))


async def test_much_news_comes_in_parts(linkset: Linkset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "BODY_BYTES", 9000)
    whole = [r for r in await linkset.act(since="0") if r[0] != "S"]
    monkeypatch.setattr(wire, "BODY_BYTES", 700)
    got, head = [], await linkset.act(since="0")
    while True:
        got += linkset.records[1:]
        head = linkset.records[0]
        if head[0] == "S":
            break
        await linkset.act(to=head[2], more=head[3], **{"from": head[1]})
    assert got == whole
    assert linkset.seq == linkset.table.now.seq


async def test_a_rest_of_what_is_forgotten_is_the_whole_board(linkset: Linkset) -> None:
    await linkset.act(to="999", more="5", since="0", **{"from": "0"})
    assert linkset.records[0][:2] == ["S", "0"]
    assert len(linkset.of("F")) + len(linkset.of("X")) == len(linkset.table.now.board)


async def test_the_dialog_of_an_answer_comes_once(linkset: Linkset) -> None:
    await linkset.touch()
    assert len(linkset.of("D", ANN)) >= 1
    tokens = [d[3] for d in linkset.of("D", ANN)]
    assert len(set(tokens)) == len(tokens)


@pytest.mark.parametrize("body", [b"", b"d=x&k=y&o=z", b"d=&k=&o="])
async def test_an_unknown_table_is_told_so(server: Server, body: bytes) -> None:
    for verb in ("poll", "touch", "press"):
        response = await server.client.post(f"/lsl/v1/{verb}", content=body, headers=FORM)
        assert response.status_code == 401


async def test_the_secret_is_asked_for_each_time(linkset: Linkset) -> None:
    linkset.form["k"] = "0" * 64
    response = await linkset.post("poll", {n: linkset.form[n] for n in ("d", "k", "o")})
    assert response.status_code == 401


@pytest.mark.parametrize("body", [b"\xff\xfe", b"nonsense", b"a=1&b", b"&".join([b"a=1"] * 40)])
@pytest.mark.parametrize("verb", ["hello", "poll", "touch"])
async def test_what_is_no_form_is_refused(server: Server, verb: str, body: bytes) -> None:
    response = await server.client.post(f"/lsl/v1/{verb}", content=body, headers=FORM)
    assert response.status_code == 422


@pytest.mark.parametrize(
    "more",
    [
        {"a": ""},
        {"a": "bot:1"},
        {"a": "nonsense"},
        {"a": ANN, "id": "x" * 65},
        {"a": ANN, "id": "ä"},
    ],
)
async def test_an_avatar_and_an_action_are_named_rightly(
    linkset: Linkset, more: dict[str, str]
) -> None:
    form = {n: linkset.form[n] for n in ("d", "k", "o")} | more
    for verb in ("touch", "press"):
        assert (await linkset.post(verb, form)).status_code == 422


async def test_a_hello_names_object_and_owner(server: Server) -> None:
    for wrong in ({"o": "x"}, {"owner": ""}):
        linkset = Linkset(server, **wrong)
        assert (await linkset.post("hello", linkset.form)).status_code == 422


async def test_other_verbs_and_methods_do_not_exist(server: Server) -> None:
    assert (await server.client.post("/lsl/v1/dance")).status_code in (404, 422)
    assert (await server.client.get("/lsl/v1/poll")).status_code == 405


KEYS = [
    "d",
    "k",
    "o",
    "u",
    "a",
    "n",
    "t",
    "b",
    "id",
    "p",
    "x",
    "y",
    "since",
    "more",
    "from",
    "to",
    "owner",
    "name",
    "sets",
    "theme",
    "table",
    "title",
    "troubles",
    "v",
    "key",
    "region",
]
VALUES = st.sampled_from(
    [
        "",
        "0",
        "1",
        "-1",
        "9" * 30,
        "²",
        "٣",
        ANN,
        "¦\n¶",
        "http://[",
        "a~0~b~1~c",
        "Leaderboard:5x5",
        "\ud7ff\0",
        "~~~~",
        "x" * 300,
    ]
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    verb=st.sampled_from(["hello", "poll", "touch", "press"]),
    form=st.dictionaries(st.sampled_from(KEYS), VALUES | st.text(max_size=20), max_size=12),
    known=st.booleans(),
)
async def test_nothing_that_is_sent_breaks_the_server(
    linkset: Linkset, verb: str, form: dict[str, str], known: bool
) -> None:
    if known:
        form = {"a": ANN, **form, **{n: linkset.form[n] for n in ("d", "k", "o")}}
    body = urlencode({k: v.encode(errors="replace") for k, v in form.items()})
    response = await linkset.server.client.post(f"/lsl/v1/{verb}", content=body, headers=FORM)
    assert response.status_code in (200, 401, 404, 409, 422), response.text
    assert len(response.content) <= wire.BODY_BYTES
    if response.status_code == 200:
        assert re.match("[SM]¦", response.text)


async def test_how_soon_to_ask_again_depends_on_what_happens(
    server: Server, linkset: Linkset
) -> None:
    def pause() -> int:
        return int(linkset.records[0][3])

    assert pause() == routes.POLL_IDLE_S
    await linkset.touch()
    assert pause() == routes.POLL_LOBBY_S
    await linkset.touch(BOB, "Bob")
    await linkset.press("Ready", BOB)
    await linkset.touch()
    await linkset.press("Start Game")
    assert pause() == routes.POLL_SHOWING_S
    while not linkset.table.now.public.waiting_for:
        server.clock.ms += 1000
        await server.tables.timers.run_due()
    await linkset.act()
    assert pause() == routes.POLL_WAITING_S
    linkset.takes_pushes(URL)
    await linkset.act()
    assert pause() == routes.POLL_PUSHED_S


async def test_a_silent_table_freezes_and_goes_on_with_its_next_request(
    server: Server, linkset: Linkset
) -> None:
    await linkset.touch()
    await linkset.touch(BOB, "Bob")
    await linkset.press("Ready", BOB)
    await linkset.touch()
    await linkset.press("Start Game")
    await server.later(91)
    assert linkset.table.now.match.frozen
    await linkset.act()
    assert not linkset.table.now.match.frozen


async def test_the_owner_is_told_to_look_at_his_land(server: Server, linkset: Linkset) -> None:
    owner = Actor(Key(OWNER), "Olive", owner=True)
    await server.tables.submit(linkset.table.id, owner, lobby.CheckLand())
    await linkset.act()
    assert linkset.of("K") == [["K"]]
    await linkset.act("land", a=OWNER, lacks="rez,unheard of", experience="")
    [[_, number, who, told]] = linkset.of("P")
    assert (number, who) == ("0", OWNER)
    assert told.startswith("The table works here, but:¶• HUDs and floaters cannot be rezzed here.")
    await linkset.act("land", a=ANN, lacks="url")
    assert linkset.of("P") == []


async def test_the_scripts_are_given_their_words_once_and_again_in_another_language(
    server: Server, linkset: Linkset
) -> None:
    """They say them while this server is not reached."""
    await linkset.hello()
    [[_, *words]] = linkset.of("W")
    assert len(words) == len(wire.WORDS)
    await linkset.act()
    assert linkset.of("W") == []
    owner = Actor(Key(OWNER), "Olive", owner=True)
    await server.tables.submit(linkset.table.id, owner, lobby.SetLanguage("es"))
    await linkset.act()
    [[_, *spanish]] = linkset.of("W")
    assert len(spanish) == len(words)
    assert not set(spanish) & set(words)


async def test_all_huds_anew_is_one_record_and_all_of_them(
    server: Server, linkset: Linkset
) -> None:
    await linkset.touch()
    await linkset.touch(BOB, "Bob")
    owner = Actor(Key(OWNER), "Olive", owner=True)
    await server.tables.submit(linkset.table.id, owner, lobby.SendHuds())
    await linkset.act()
    assert linkset.records[1] == ["G"]
    assert {r[1] for r in linkset.of("H")} == {ANN, BOB}


async def test_a_language_chosen_in_the_menu_comes_with_his_hud_in_it(linkset: Linkset) -> None:
    await linkset.touch()
    assert "Waiting for the game" in linkset.of("H", ANN)[0][-1]
    await linkset.press("🌐 Language")
    await linkset.press("Español")
    assert "Esperando el juego" in linkset.of("H", ANN)[0][-1]
    assert linkset.of("P", ANN)[0][-1] == "🌐 La mesa te habla ahora en español."
    assert "Empezar" in linkset.of("D", ANN)[0]
    await linkset.act()
    assert not linkset.of("H")


async def test_a_link_to_his_data_is_told_to_the_presser_alone(linkset: Linkset) -> None:
    await linkset.touch()
    await linkset.touch(BOB, "Bob")
    known = linkset.seq
    await linkset.press("🔎 My Data", BOB, t=linkset.of("D", BOB)[-1][3])
    assert linkset.records[0][:3] == ["S", str(known), str(known)]
    ((_, number, who, line),) = linkset.of("P")
    assert (number, who) == ("0", BOB)
    link = re.search(r"http://127\.0\.0\.1:8700/me/open\?code=[\w-]{32}", line)
    assert link is not None
    assert len(line.encode()) < 1024
    assert [r[0] for r in linkset.records] == ["S", "P"]
    opened = await linkset.server.client.get(link[0])
    assert opened.status_code == 200
    await linkset.act()
    assert linkset.of("P") == linkset.of("L") == []


async def test_a_link_to_his_console_is_told_to_the_owner_alone(linkset: Linkset) -> None:
    await linkset.touch(OWNER, "Olive")
    for label in ("Owner Menu", "🖥️ Console"):
        await linkset.press(label, OWNER, t=linkset.of("D", OWNER)[-1][3])
    ((_, number, who, line),) = linkset.of("P")
    assert (number, who) == ("0", OWNER)
    link = re.search(r"http://127\.0\.0\.1:8700/owner/enter\?code=[\w-]{32}", line)
    assert link is not None
    assert len(line.encode()) < 1024
    opened = await linkset.server.client.get(link[0])
    assert "<h1>Your console</h1>" in opened.text
