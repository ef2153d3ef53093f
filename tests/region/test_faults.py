"""What goes wrong between a region and a server: nothing lost, nobody harmed, nobody stuck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.games.core import Key

from . import Avatar, Linkset
from .venue import QUICK, Venue, venue


def started(v: Venue, **options: Any) -> tuple[Linkset, list[Avatar]]:
    """Two people in a running match; the one who is to pick comes first."""
    table = v.build()
    v.set_options(table, **QUICK, **options)
    people = v.join(table, "Ann", "Bob")
    v.get_ready(people)
    people[0].press("Start Game")
    v.region.run(4)
    picker = v.hot(table).now.public.waiting_for[0]
    people.sort(key=lambda who: who.key != picker)
    assert people[0].dialog is not None
    return table, people


def play_on(v: Venue, table: Linkset, people: list[Avatar]) -> None:
    """The match goes on to its end from here, by touches and presses."""
    for who in people:
        who.touch(table)
        v.region.run(2)
    v.play(table, people)
    assert v.region.errors == []


def busiest_20_s(v: Venue) -> int:
    """Most requests that one object sent within 20 seconds."""
    times = [request.sent_s for request in v.region.requests]
    return max(sum(t <= u < t + 20 for u in times) for t in times)


def test_a_region_restart_during_a_pick_loses_nothing(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        old = str(table.script("controller")["gUrl"])
        v.region.restart(30)
        v.region.run(10)
        assert str(table.script("controller")["gUrl"]) not in ("", old)
        v.same(table)
        play_on(v, table, people)


def test_a_table_away_for_long_freezes_its_match_which_goes_on_with_full_time(
    tmp_path: Path,
) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        v.region.restart(300)
        v.region.run(10)
        hot = v.hot(table)
        assert not hot.now.match.frozen
        assert hot.now.match.seat(Key(people[0].key)).strikes == 0  # type: ignore[union-attr]
        left_s = min(hot.deadlines.values()) / 1000 - v.region.clock()
        assert left_s > 45
        assert any("goes on where it stopped" in line.text for line in v.region.public_chat)
        play_on(v, table, people)


def test_a_server_restart_during_a_roll_loses_nothing(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        while "ROLL THE DICE OF FATE" not in (people[0].dialog.buttons if people[0].dialog else []):
            v.answer(people)
            v.region.run(2)
        v.stop_server()
        v.region.run(20)
        v.start_server()
        v.region.run(60)
        people[0].touch(table)
        v.region.run(3)
        assert people[0].dialog is not None
        assert "ROLL THE DICE OF FATE" in people[0].dialog.buttons
        play_on(v, table, people)


def test_ten_minutes_without_a_server_end_by_themselves(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        v.region.web.down()
        v.region.run(300)
        people[0].touch(table)
        v.region.run(300)
        assert any("server does not answer" in line.text for line in people[0].lines)
        v.region.web.up()
        v.region.run(90)
        assert not v.hot(table).now.match.frozen
        v.same(table)
        assert busiest_20_s(v) <= 25
        play_on(v, table, people)


@pytest.mark.parametrize("script", ["controller", "dialogs", "display", "text", "huds", "land"])
def test_a_reset_of_any_script_during_a_match_loses_nothing(tmp_path: Path, script: str) -> None:
    """PB-011, PB-176: a part that starts anew gets the state; the lobby and match stay."""
    with venue(tmp_path) as v:
        table, people = started(v)
        seats = v.hot(table).now.match.seats
        table.script(script).reset()
        v.region.run(20)
        assert v.hot(table).now.match.seats == seats
        assert all(len(who.attachments) == 1 for who in people)
        play_on(v, table, people)


def test_a_lost_answer_is_asked_for_again_and_has_one_effect(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        v.region.web.lose_answer("/touch")
        [ann] = v.join(table, "Ann")
        v.region.run(90)
        assert [s.name for s in v.hot(table).now.match.seats] == ["Ann"]
        assert ann.dialog is not None
        said = [line.text for line in v.region.public_chat]
        assert sum("Ann has entered" in line for line in said) == 1


def test_doubled_and_late_pushes_change_nothing(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        for _ in range(3):
            v.answer(people)
            v.region.run(3)
        url = str(table.script("controller")["gUrl"])
        known = table.script("controller")["gSeq"]
        said = len(v.region.public_chat)
        for method, _url, body in v.pushes.requests[-6:]:
            assert v.region.http_in(url, method, body).status == 200
            v.region.run(1)
        assert table.script("controller")["gSeq"] >= known
        assert len(v.region.public_chat) == said
        v.same(table)
        play_on(v, table, people)


def test_without_any_url_the_table_plays_by_asking(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        v.region.caps.deny_next = 1000
        table, people = started(v)
        assert str(table.script("controller")["gUrl"]) == ""
        play_on(v, table, people)
        assert v.pushes.requests == []
        assert busiest_20_s(v) <= 25


@pytest.mark.parametrize("experience", ["deny", "silent"])
def test_who_gives_no_consent_gets_a_floater_and_plays(tmp_path: Path, experience: str) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        [ann] = v.join(table, "Ann", experience=experience)
        v.region.run(90)
        assert ann.attachments == []
        assert "Ann" in v.huds()
        assert ann.dialog is not None


def test_full_attachment_slots_and_forbidden_rezzing_stop_no_game(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        v.region.land.rez_allowed = False
        table, people = started(v)
        assert v.huds() == {}
        assert sum("cannot be rezzed" in line.text for line in v.owner.lines) <= 1
        play_on(v, table, people)


def test_a_press_in_an_old_dialog_does_nothing(tmp_path: Path) -> None:
    """PB-076: the listen of an old dialog is gone."""
    with venue(tmp_path) as v:
        table, people = started(v)
        old = people[0].dialog
        people[0].touch(table)
        v.region.run(2)
        before = v.hot(table).now.match.play
        people[0].press("1", dialog=old)
        v.region.run(3)
        assert v.hot(table).now.match.play == before
        people[0].press("1")
        v.region.run(3)
        assert v.hot(table).now.match.play != before


def test_nobody_answers_for_another_and_typed_words_are_refused(tmp_path: Path) -> None:
    """PB-077, PB-098, PB-208, PB-209: the channel obeys only the avatar who was asked."""
    with venue(tmp_path) as v:
        table, people = started(v)
        dialog = people[0].dialog
        assert dialog is not None
        before = v.hot(table).now.match.play
        people[1].type(dialog.channel, "1")
        v.region.run(2)
        assert v.hot(table).now.match.play == before
        people[0].type(dialog.channel, "everything")
        v.region.run(3)
        assert v.hot(table).now.match.play == before
        assert people[0].lines[-1].text == "That was not one of the buttons."
        assert people[0].dialog is not dialog


def test_the_owners_buttons_are_no_use_to_others(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        [ann] = v.join(table, "Ann")
        assert ann.dialog is not None
        ann.type(ann.dialog.channel, "🔒 Lock Game")
        v.region.run(3)
        assert not v.hot(table).now.match.locked


def test_ten_people_touching_at_once_are_all_served(tmp_path: Path) -> None:
    """PB-013, PB-218: nothing is lost while dialogs hold their script."""
    with venue(tmp_path) as v:
        table = v.build()
        people = [v.region.avatar(f"P{n} Resident", display_name=f"P{n}") for n in range(10)]
        for who in people:
            who.touch(table)
        v.region.run(40)
        assert len(v.hot(table).now.match.seats) == 10
        assert all(who.dialog for who in people)
        assert v.region.dropped == []
        assert busiest_20_s(v) <= 25


def test_two_tables_of_one_owner_do_not_disturb_each_other(tmp_path: Path) -> None:
    """PB-183, PB-184, PB-222."""
    with venue(tmp_path) as v:
        one, two = v.build("One"), v.build("Two")
        [ann] = v.join(one, "Ann")
        assert v.hot(one).id != v.hot(two).id
        v.owner.touch(two)
        v.region.run(2)
        for label in ("Owner Menu", "🔄 Reset Options", "Reset Game", "YES, RESET GAME"):
            v.owner.press(label)
            v.region.run(2)
        assert [s.name for s in v.hot(one).now.match.seats] == ["Ann"]
        assert len(ann.attachments) == 1


def test_huds_obey_only_their_own_table(tmp_path: Path) -> None:
    """PB-211: words of a foreign object on the channel change nothing."""
    with venue(tmp_path) as v:
        table = v.build()
        [ann] = v.join(table, "Ann")
        channel = int(table.data.read("peril:channel")) if hasattr(table.data, "read") else 0
        channel = channel or int(table.script("huds")["gChannel"])
        script = f'default {{ state_entry() {{ llRegionSay({channel}, "die"); }} }}\n'
        v.region.object("Stranger", scripts=[script])
        v.region.run(5)
        assert len(ann.attachments) == 1


def test_a_hud_goes_by_itself_when_its_table_is_gone(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        [ann] = v.join(table, "Ann")
        table.take()
        v.region.run(60)
        assert ann.attachments == []


def test_a_table_rezzed_again_is_the_same_table(tmp_path: Path) -> None:
    """PB-009: whoever touches it then joins or gets his menu at once."""
    with venue(tmp_path) as v:
        table = v.build()
        v.join(table, "Ann")
        first = v.hot(table).id
        asset = table.take()
        v.region.run(120)
        again = v.region.rez(asset)
        v.region.run(20)
        assert v.hot(again).id == first
        assert [s.name for s in v.hot(again).now.match.seats] == ["Ann"]


def test_a_copy_is_refused_while_its_original_lives_and_the_owner_is_told_once(
    tmp_path: Path,
) -> None:
    """PB-148."""
    with venue(tmp_path) as v:
        table = v.build()
        copy = table.copy()
        v.region.run(300)
        told = [line for line in v.owner.lines if line.text.startswith("Another copy")]
        assert len(told) == 1
        [ann] = v.join(table, "Ann")
        assert ann.dialog is not None
        bob = v.region.avatar("Bob")
        bob.touch(copy)
        v.region.run(5)
        assert [s.name for s in v.hot(table).now.match.seats] == ["Ann"]


def test_a_new_owner_gets_a_table_of_his_own(tmp_path: Path) -> None:
    """PB-221."""
    with venue(tmp_path) as v:
        table = v.build()
        first, secret = v.hot(table).id, str(table.script("controller")["gSecret"])
        buyer = v.region.avatar("Buyer")
        v.region.change_owner(table, buyer)
        v.region.run(20)
        assert v.hot(table).id != first
        assert str(table.script("controller")["gSecret"]) not in ("", secret)
        assert v.hot(table).owner == buyer.key
