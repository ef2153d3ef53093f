"""Acting at a table: commands and their ids, touches, presses of dialogs' buttons."""

import asyncio
from typing import Any

import pytest

from app.api import schemas

from .service import ADA, BOB, CAT, OPERATOR, OWNER, Service, Table, ok, refused

# ---- commands -------------------------------------------------------------------------------


async def test_a_command_answers_with_the_state_it_made_and_what_is_due_for_the_sender(
    table: Table,
) -> None:
    answer = ok(await table.command(ADA, "join")).json()
    assert (answer["match"], answer["seq"]) == (f"{table.id}-1", 2)
    assert answer["dialog"]["name"] == "lobby"
    assert set(answer["dialog"]) == {"token", "name", "text", "buttons"}


async def test_a_refusal_says_why_and_changes_nothing(table: Table) -> None:
    ok(await table.command(ADA, "join"))
    seq = await table.seq()
    assert refused(await table.command(ADA, "roll"), 409, "not_started")
    assert refused(await table.command(BOB, "ready"), 409, "touch_to_join")
    assert "at least" in refused(await table.command(ADA, "start"), 409, "too_few_players").lower()
    assert await table.seq() == seq


async def test_a_refusal_names_who_is_not_ready(table: Table) -> None:
    for player in (ADA, BOB, CAT):
        ok(await table.command(player, "join"))
    said = refused(await table.command(ADA, "start"), 409, "not_ready")
    assert said == "Not ready yet: Bob, Cat."


async def test_every_command_there_is_gets_an_answer(table: Table) -> None:
    fields: dict[str, dict[str, Any]] = {
        "turn_ranking": {"page": 1},
        "kick": {"key": BOB["key"]},
        "set_options": {"options": {"lives": 2}},
        "choose_game": {"game": "chess"},
        "set_language": {"language": "es"},
        "mark": {"number": 1},
        "unmark": {"number": 1},
        "pick": {"numbers": [1]},
        "steal": {"target": BOB["key"]},
        "quick_draw": {"target": BOB["key"]},
        "arrow": {"one": ADA["key"], "other": BOB["key"]},
        "check": {"target": BOB["key"]},
        "successor": {"target": BOB["key"]},
        "whisper": {"group": "wolves", "text": "Who?"},
    }
    types = schemas.components()["CommandIn"]["properties"]["command"]["discriminator"]["mapping"]
    assert set(fields) <= set(types)
    for what in types:
        token = table.owner_token
        answer = await table.command(OWNER, what, token=token, **fields.get(what, {}))
        assert answer.status_code in (200, 409), f"{what}: {answer.text}"


async def test_a_bot_is_driven_by_its_key(table: Table) -> None:
    await table.owner("add_bot")
    ok(await table.command(ADA, "join"))
    said = await table.command({"key": "bot:1", "name": "Bot1"}, "ready", ready=False)
    refused(said, 409, "bots_are_ready")
    refused(await table.command({"key": "bot:7", "name": "Bot7"}, "join"), 409, "not_an_avatar")


async def test_the_same_id_gets_the_same_answer_however_often_it_is_sent(table: Table) -> None:
    ok(await table.command(BOB, "join"))
    first = ok(await table.command(ADA, "join", id="ada-1")).json()
    ok(await table.command(CAT, "join"))
    again = ok(await table.command(ADA, "join", id="ada-1")).json()
    assert [again[k] for k in ("match", "seq", "lines")] == [
        first[k] for k in ("match", "seq", "lines")
    ]
    assert len((await table.state())["seats"]) == 3


async def test_the_same_id_sent_twice_at_one_time_is_done_once(table: Table) -> None:
    answers = await asyncio.gather(*(table.command(ADA, "join", id="x") for _ in range(20)))
    assert {ok(a).json()["seq"] for a in answers} == {2}


async def test_the_id_of_another_avatar_is_refused(table: Table) -> None:
    ok(await table.command(ADA, "join", id="x"))
    refused(await table.command(BOB, "join", id="x"), 409, "id_used")


async def test_commands_sent_at_one_time_all_get_their_own_answer(table: Table) -> None:
    players = [{"key": f"{n:08d}-0000-4000-8000-000000000000", "name": f"P{n}"} for n in range(25)]
    answers = await asyncio.gather(*(table.command(p, "join") for p in players))
    assert sorted(a.status_code for a in answers) == [200] * 10 + [409] * 15
    assert sorted(a.json()["seq"] for a in answers if a.is_success) == list(range(2, 12))
    assert {a.json()["error"]["code"] for a in answers if a.is_error} == {"table_full"}


async def test_a_line_to_the_sender_alone_comes_with_the_answer(table: Table) -> None:
    seq = await table.seq()
    answer = (await table.owner("send_huds")).json()
    assert len(answer["lines"]) == 1
    assert answer["lines"][0] not in ok(await table.get("/frames", since=seq)).json()["lines"]


# ---- touches --------------------------------------------------------------------------------


async def test_a_touch_joins_and_a_second_one_brings_the_dialog_back(table: Table) -> None:
    first = ok(await table.touch(ADA)).json()
    second = ok(await table.touch(ADA, prim="profile:0:0")).json()
    assert first["dialog"]["name"] == second["dialog"]["name"] == "lobby"
    assert len((await table.state())["seats"]) == 1


async def test_the_owners_touch_offers_him_his_menu(table: Table) -> None:
    answer = ok(await table.touch(OWNER, table.owner_token)).json()
    assert answer["dialog"]["name"] == "owner_choice"


async def test_a_touch_of_a_locked_table_says_why_not(table: Table) -> None:
    await table.owner("lock")
    refused(await table.touch(ADA), 409, "locked")


async def test_a_touch_brings_back_the_dialog_that_is_due(table: Table) -> None:
    await table.start(ADA, BOB)
    state = await table.state()
    first = next(p for p in (ADA, BOB) if p["key"] in state["waiting_for"])
    assert ok(await table.touch(first)).json()["dialog"]["name"] == "pick"
    refused(await table.touch(CAT), 409, "game_running")


async def test_a_touch_of_the_ranking_turns_its_page_only_where_there_is_one(
    service: Service, table: Table
) -> None:
    seq = await table.seq()
    ok(await table.touch(ADA, prim="Leaderboard", column=20, row=9))
    assert await table.seq() == seq
    await add_records(service, table, 15)
    answer = ok(await table.touch(ADA, prim="Leaderboard", column=20, row=9)).json()
    assert answer["seq"] == seq + 1
    rows = ok(await table.get("/frames")).json()["frames"]["Leaderboard"]["rows"]
    assert rows[0].startswith("11.")


@pytest.mark.parametrize(
    "where", [{"column": -1}, {"row": 1001}, {"column": 1.5}, {"prim": "x" * 64}, {"prim": None}]
)
async def test_a_touch_of_nowhere_is_malformed(table: Table, where: dict[str, Any]) -> None:
    refused(await table.touch(ADA, **{"prim": "Leaderboard", **where}), 422, "malformed")


async def add_records(service: Service, table: Table, count: int) -> None:
    """So many players with a won match each; the ranking on the board is then made anew."""
    from app.table.models import RecordRow

    def write(session: Any) -> None:
        for scope in (table.id, ""):
            for n in range(count):
                key = f"{n:08d}-0000-4000-8000-000000000000"
                session.add(
                    RecordRow(
                        scope=scope, game="peril", key=key, name=f"P{n}", wins=count - n,
                        losses=1, reached_ms=n,
                    )
                )  # fmt: skip
        session.commit()

    await service.tables.store.run(write)
    service.tables.hot.clear()


# ---- presses --------------------------------------------------------------------------------


async def test_a_press_does_what_its_button_says(table: Table) -> None:
    ok(await table.command(ADA, "join"))
    dialog = ok(await table.command(BOB, "join")).json()["dialog"]
    assert "Ready" in dialog["buttons"]
    ok(await table.press(BOB, dialog["token"], "Ready"))
    assert (await table.state())["seats"][1]["ready"] is True


async def test_a_whole_menu_can_be_walked_through_by_presses(table: Table) -> None:
    token = table.owner_token
    dialog = ok(await table.touch(OWNER, token)).json()["dialog"]
    names = [dialog["name"]]
    for button in ("Owner", "Players", "Add", "Main", "Reset", "Game", "CANCEL"):
        label = next((b for b in dialog["buttons"] if button in b), None)
        assert label, f"{button} is not among {dialog['buttons']}"
        dialog = ok(await table.press(OWNER, dialog["token"], label, token)).json()["dialog"]
        names.append(dialog["name"])
    assert names == [
        "owner_choice", "owner", "players", "players", "owner", "resets", "reset_match", "resets",
    ]  # fmt: skip
    assert [s["bot"] for s in (await table.state())["seats"]] == [True]


async def test_a_press_in_an_old_dialog_does_nothing_and_brings_the_one_that_is_due(
    table: Table,
) -> None:
    ok(await table.command(ADA, "join"))
    old = ok(await table.command(BOB, "join")).json()["dialog"]
    ok(await table.press(BOB, old["token"], "Ready"))
    answer = await table.press(BOB, old["token"], "Ready")
    refused(answer, 409, "not_due")
    assert "Not Ready" in answer.json()["dialog"]["buttons"]
    assert (await table.state())["seats"][1]["ready"] is True


async def test_a_press_with_the_token_of_another_avatar_does_nothing(table: Table) -> None:
    ok(await table.command(ADA, "join"))
    ok(await table.command(CAT, "join"))
    bobs = ok(await table.command(BOB, "join")).json()["dialog"]
    refused(await table.press(CAT, bobs["token"], "Leave"), 409, "not_due")
    assert len((await table.state())["seats"]) == 3


async def test_a_press_with_the_owners_token_of_a_dialog_does_nothing_for_others(
    table: Table,
) -> None:
    menu = ok(await table.touch(OWNER, table.owner_token)).json()["dialog"]
    for button in menu["buttons"]:
        refused(await table.press(ADA, menu["token"], button), 409, "not_due")


async def test_a_press_with_the_token_of_another_table_does_nothing(
    service: Service, table: Table
) -> None:
    other = await service.table()
    ok(await table.command(ADA, "join"))
    foreign = ok(await other.command(ADA, "join")).json()["dialog"]
    refused(await table.press(ADA, foreign["token"], "Leave"), 409, "not_due")


@pytest.mark.parametrize(
    "token",
    ["", "~", "~~~~", "lobby~0~x~-1~0", "lobby~x~x~x~x", "lobby~-1~x~x~x", "lobby~999~x~x~x",
     "owner~٣~x~-1~x", "reset_all~0~x~-1~x", "pick~0~x~0~x", "\x00~0~\x00~0~\x00", "🎲" * 50],
)  # fmt: skip
async def test_a_press_with_a_made_up_token_does_nothing(table: Table, token: str) -> None:
    ok(await table.command(ADA, "join"))
    refused(await table.press(ADA, token, "Leave"), 409, "not_due")
    refused(await table.press(OWNER, token, "Leave", table.owner_token), 409, "not_due")
    assert len((await table.state())["seats"]) == 1


async def test_a_press_of_a_button_that_is_not_there_says_so_and_brings_the_dialog(
    table: Table,
) -> None:
    dialog = ok(await table.command(ADA, "join")).json()["dialog"]
    answer = await table.press(ADA, dialog["token"], "Win at once")
    refused(answer, 409, "not_offered")
    assert answer.json()["dialog"] == dialog


async def test_a_press_sent_again_under_its_id_is_done_once(table: Table) -> None:
    ok(await table.command(ADA, "join"))
    dialog = ok(await table.command(BOB, "join")).json()["dialog"]
    first = ok(await table.press(BOB, dialog["token"], "Ready", id="p1")).json()
    again = ok(await table.press(BOB, dialog["token"], "Ready", id="p1")).json()
    assert again["seq"] == first["seq"]
    assert (await table.state())["seats"][1]["ready"] is True


async def test_a_whole_match_is_played_by_touches_and_presses_alone(service: Service) -> None:
    table = await service.table(options={
        "draw_shown_s": 0, "roll_shown_s": 0, "outcome_shown_s": 0, "elimination_shown_s": 0,
        "lives": 1,
    })  # fmt: skip
    ok(await table.touch(ADA))
    dialog = ok(await table.touch(BOB)).json()["dialog"]
    ok(await table.press(BOB, dialog["token"], "Ready"))
    dialog = ok(await table.touch(ADA)).json()["dialog"]
    ok(await table.press(ADA, dialog["token"], next(b for b in dialog["buttons"] if "Start" in b)))
    by_key = {p["key"]: p for p in (ADA, BOB)}
    while not (state := await table.until(lambda s: s["waiting_for"] or s["winner"]))["winner"]:
        player = by_key[state["waiting_for"][0]]
        dialog = ok(await table.touch(player)).json()["dialog"]
        while dialog and dialog["name"] in ("pick", "roll"):
            wanted = next(b for b in dialog["buttons"] if b.isdigit() or "Done" in b or "ROLL" in b)
            dialog = ok(await table.press(player, dialog["token"], wanted)).json()["dialog"]
    assert state["winner"] in by_key


async def test_the_operator_can_play_everybody(table: Table) -> None:
    for player in (ADA, BOB, OWNER):
        ok(await table.command(player, "join", token=OPERATOR))
    assert len((await table.state())["seats"]) == 3
