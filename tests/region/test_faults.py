"""What goes wrong between a region and a server: nothing lost, nobody harmed, nobody stuck."""

from __future__ import annotations

import itertools
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from app.devices import wire
from app.games.core import Key

from . import Avatar, Linkset
from .memory import LIMIT_BYTES
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
        old = str(table.script("link")["gUrl"])
        v.region.restart(30)
        v.region.run(10)
        assert str(table.script("link")["gUrl"]) not in ("", old)
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


@pytest.mark.parametrize(
    "script", ["requests", "link", "controller", "dialogs", "display", "text", "huds"]
)
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
        url = str(table.script("link")["gUrl"])
        known = table.script("link")["gSeq"]
        said = len(v.region.public_chat)
        for method, _url, body in v.pushes.requests[-6:]:
            assert v.region.http_in(url, method, body).status == 403  # its signature was used
            v.region.run(1)
        assert table.script("link")["gSeq"] >= known
        assert len(v.region.public_chat) == said
        v.same(table)
        play_on(v, table, people)


def test_without_any_url_the_table_plays_by_asking(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        v.region.caps.deny_next = 1000
        table, people = started(v)
        assert str(table.script("link")["gUrl"]) == ""
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
        v.region.run(5)
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
        first, secret = v.hot(table).id, str(table.script("link")["gSecret"])
        buyer = v.region.avatar("Buyer")
        v.region.change_owner(table, buyer)
        v.region.run(20)
        assert v.hot(table).id != first
        assert str(table.script("link")["gSecret"]) not in ("", secret)
        assert v.hot(table).owner == buyer.key


def test_a_dead_url_is_replaced_by_another_one(tmp_path: Path) -> None:
    """Nobody tells a script that its URL is gone: the server does, after a push that failed."""
    with venue(tmp_path) as v:
        table, people = started(v)
        old = str(table.script("link")["gUrl"])
        v.region.caps.release(old)
        v.answer(people)
        v.region.run(90)
        assert str(table.script("link")["gUrl"]) not in ("", old)
        pushes = len(v.pushes.requests)
        play_on(v, table, people)
        assert len(v.pushes.requests) > pushes


def test_errors_of_a_proxy_for_ten_minutes_do_not_lock_the_table_out(tmp_path: Path) -> None:
    """The region answers five errors of a server by holding the script back."""
    with venue(tmp_path) as v:
        table, people = started(v)
        v.region.web.fail(503, times=10_000)
        for _ in range(20):
            people[0].touch(table)
            v.region.run(30)
        v.region.web.faults.clear()
        v.region.run(180)
        assert any("server does not answer" in line.text for line in people[0].lines)
        assert any("cannot reach its server" in line.text for line in people[0].lines)
        v.same(table)
        assert not v.hot(table).now.match.frozen
        play_on(v, table, people)


def test_a_lost_press_counts_once(tmp_path: Path) -> None:
    """The same press goes again with the same id."""
    with venue(tmp_path) as v:
        table, people = started(v)
        v.region.web.lose_answer("/press")
        v.answer(people)
        v.region.run(70)
        sent = [r.body for r in v.region.requests if r.url.endswith("/press")][-2:]
        ids = [body.partition("&id=")[2][:36] for body in sent]
        assert ids[0] == ids[1]
        v.same(table)
        play_on(v, table, people)
        v.same_words(table, [])


def test_a_server_that_forgot_the_table_gets_to_know_it_again(tmp_path: Path) -> None:
    """The touch that met the strange server is served as soon as the table is registered."""
    with venue(tmp_path) as v:
        table = v.build()
        v.join(table, "Ann")
        v.stop_server()
        v.region.run(5)
        v.folder = tmp_path / "other"
        v.folder.mkdir()
        v.start_server()
        bob = v.region.avatar("Bob")
        bob.touch(table)
        v.region.run(60)
        assert [s.name for s in v.hot(table).now.match.seats] == ["Bob"]
        assert bob.dialog is not None
        v.same_huds(table)


def test_ten_people_in_a_slow_region_lose_nothing(tmp_path: Path) -> None:
    """PB-218: at a third of its speed the region holds dialogs three seconds each."""
    with venue(tmp_path) as v:
        table = v.build()
        v.set_options(table, **QUICK, lives=1)
        v.region.dilation = 0.3
        people = v.join(table, *[f"P{n}" for n in range(10)])
        v.region.run(60)
        v.get_ready(people)
        v.region.run(40)
        people[0].press("Start Game")
        v.region.run(10)
        for _ in range(60):
            v.answer(people)
            v.region.run(5)
        v.region.run(60)
        v.same_huds(table)
        assert v.region.dropped == []


def test_strangers_on_the_channel_of_the_huds_change_nothing(tmp_path: Path) -> None:
    """PB-211: neither floaters nor the table believe an object that is not theirs."""
    with venue(tmp_path) as v:
        table = v.build()
        v.menu(v.owner, table, "Owner Menu", "👥 Players", "Add Test Player")
        [ann] = v.join(table, "Ann")
        eve = v.region.avatar("Eve")
        channel = int(table.script("huds")["gChannel"])
        before = list(table.script("huds")["gHuds"])
        words = ("die", "who", "show¦x¦1,0,0¦1¦HACKED", f"hello¦{ann.key}", f"touch¦{eve.key}")
        for word in words:
            source = f'default {{ state_entry() {{ llRegionSay({channel}, "{word}"); }} }}\n'
            v.region.object("Stranger", scripts=[source], owner=eve)
            eve.type(channel, word)
            v.region.run(2)
        v.region.run(10)
        assert list(table.script("huds")["gHuds"]) == before
        assert [s.name for s in v.hot(table).now.match.seats] == ["Bot1", "Ann"]
        v.same_huds(table)


def test_a_hud_that_got_lost_comes_again_but_is_not_forced_on_anybody(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        ann, bob = people
        for left in (1, 0):
            ann.detach(ann.attachments[0])
            shown = v.hot(table).now.hud(Key(ann.key))
            while v.hot(table).now.hud(Key(ann.key)) == shown:
                v.answer(people)
                v.region.run(2)
            v.region.run(20)
            assert len(ann.attachments) == left
        assert len(bob.attachments) == 1


def test_a_hud_of_somebody_who_was_kicked_elsewhere_goes_when_he_comes_back(
    tmp_path: Path,
) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        ann, _ = v.join(table, "Ann", "Bob")
        ann.teleport_away()
        v.menu(v.owner, table, "Owner Menu", "👥 Players", "Kick Player", "👢 Ann")
        v.region.run(5)
        ann.come_back()
        v.region.run(10)
        assert ann.attachments == []
        v.same_huds(table)


def test_who_goes_away_for_a_minute_finds_everything_as_it_was(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        people[0].teleport_away()
        v.region.run(30)
        people[0].come_back()
        v.region.run(10)
        assert len(people[0].attachments) == 1
        v.same_huds(table)
        play_on(v, table, people)


def test_a_hud_that_was_elsewhere_shows_what_it_missed(tmp_path: Path) -> None:
    """The table has no room to keep what it misses; it asks for the whole board."""
    with venue(tmp_path) as v:
        table, people = started(v)
        ann = people[0]
        ann.teleport_away()
        shown = v.hot(table).now.hud(Key(ann.key))
        while v.hot(table).now.hud(Key(ann.key)) == shown:
            v.answer(people[1:])
            v.region.run(5)
        v.region.run(5)
        ann.come_back()
        v.region.run(10)
        assert len(ann.attachments) == 1
        v.same_huds(table)


def test_who_has_no_slot_free_gets_a_floater(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        ann = v.region.avatar("Ann")
        ann.slots_free = 0
        ann.touch(table)
        v.region.run(10)
        assert ann.attachments == []
        v.same_huds(table)
        ann.touch(v.huds()["Ann"])
        v.region.run(3)
        assert ann.dialog is not None


def test_pushes_in_the_wrong_order_end_at_the_newest_state(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        for _ in range(4):
            v.answer(people)
            v.region.run(3)
        url = str(table.script("link")["gUrl"])
        said = len(v.region.public_chat)
        for method, _url, body in reversed(v.pushes.requests[-8:]):
            v.region.http_in(url, method, body)
        v.region.run(1)
        assert len(v.region.public_chat) == said
        v.same(table)
        assert table.script("link")["gSeq"] == v.hot(table).now.seq


def test_what_others_type_into_the_owners_menu_is_not_heard(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        [ann] = v.join(table, "Ann")
        v.menu(v.owner, table, "Owner Menu", "🔄 Reset Options", "Reset Game")
        asked = v.owner.dialog
        assert asked is not None
        ann.type(asked.channel, "YES, RESET GAME")
        v.region.run(3)
        assert [s.name for s in v.hot(table).now.match.seats] == ["Ann"]
        v.owner.press("YES, RESET GAME")
        v.region.run(3)
        assert not v.hot(table).now.match.seats


def test_who_touches_a_copy_is_told_that_it_cannot_play(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        copy = table.copy()
        v.region.run(20)
        bob = v.region.avatar("Bob")
        bob.touch(copy)
        v.region.run(5)
        assert bob.lines[-1].text.startswith("This table cannot play")


def test_a_copy_becomes_the_table_when_its_original_is_gone(tmp_path: Path) -> None:
    """PB-009, PB-148."""
    with venue(tmp_path) as v:
        table = v.build()
        first = v.hot(table).id
        copy = table.copy()
        v.region.run(20)
        table.take()
        v.region.run(240)
        assert v.hot(copy).id == first
        [ann] = v.join(copy, "Ann")
        assert ann.dialog is not None


def test_nothing_of_the_old_owners_secret_is_left_to_the_new_one(tmp_path: Path) -> None:
    """PB-221: linkset data, menus and rights follow the owner."""
    with venue(tmp_path) as v:
        table = v.build()
        secret = str(table.script("link")["gSecret"])
        buyer = v.region.avatar("Buyer")
        v.region.change_owner(table, buyer)
        v.region.run(20)
        assert secret not in repr(vars(table.data))
        v.menu(buyer, table, "Owner Menu", "🔒 Lock Game")
        v.owner.touch(table)
        v.region.run(3)
        assert v.owner.dialog is None
        assert v.hot(table).now.match.locked


def test_a_url_that_is_free_later_is_taken_then(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        v.region.caps.deny_next = 1
        table = v.build()
        assert str(table.script("link")["gUrl"]) == ""
        v.region.run(90)
        assert str(table.script("link")["gUrl"])
        people = v.join(table, "Ann", "Bob")
        v.get_ready(people)
        people[0].press("Start Game")
        v.region.run(10)
        assert v.pushes.requests


def test_a_new_address_in_the_notecard_is_used_at_once(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        table.root.notecard("Peril Table", "# moved\nserver = http://server.test/x/..\n")
        v.region.run(5)
        assert v.region.requests[-1].url.startswith("http://server.test/x/../lsl/v1/")


def test_a_reset_display_asks_for_textures_and_the_whole_board(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        v.join(table, "Ann")
        for prim in table.prims:
            prim.glow = dict.fromkeys(prim.glow, 0.9)
        table.script("display").reset()
        v.region.run(5)
        assert v.region.requests[-1].url.endswith("/hello")
        v.same(table)


def test_a_late_answer_to_hello_is_not_painted_over_what_a_push_brought(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, people = started(v)
        v.region.web.delay(8, "/hello")
        v.region.restart(5)
        known = 0
        for _ in range(40):
            v.answer(people)
            v.region.run(0.5)
            seq = int(table.script("link")["gSeq"])
            assert seq >= known
            known = seq
        v.same(table)
        assert known == v.hot(table).now.seq
        play_on(v, table, people)
        v.same_words(table, people)


ANSWERS_AS_TYPED = """
default
{
    state_entry() { llListen(5, "", NULL_KEY, ""); }
    listen(integer channel, string name, key who, string text)
    {
        llMessageLinked(LINK_THIS, NUMBER, text, NULL_KEY);
    }
}
"""


def test_a_late_answer_makes_the_table_ask_again_at_once(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, _ = started(v)
        number = wire.LSL_CONSTANTS["MSG_ANSWER"]
        table.root.script(ANSWERS_AS_TYPED.replace("NUMBER", str(number)))
        v.region.run(5)
        link = table.script("link")
        for late in ("S¦0¦{}¦30", "S¦-2¦{}¦30", "M¦0¦{}¦9"):
            state, asked = v.hot(table).now.seq, len(v.region.requests)
            v.owner.type(5, late.format(state - 1))
            v.region.run(3)
            assert link["gSeq"] >= state
            assert [r.url.rpartition("/")[2] for r in v.region.requests[asked:]] == ["poll"]
        v.same(table)


def test_a_server_that_was_set_back_is_painted_as_it_is_now(tmp_path: Path) -> None:
    """From a copy of its database, say: its older state is the true one."""
    with venue(tmp_path) as v:
        table = v.build()
        v.join(table, "Ann")
        v.stop_server()
        shutil.copytree(tmp_path, v.folder.with_name("earlier"))
        v.start_server()
        v.join(table, "Bob", "Cem")
        v.region.run(5)
        v.stop_server()
        v.folder = v.folder.with_name("earlier")
        v.start_server()
        v.region.run(75)
        assert [s.name for s in v.hot(table).now.match.seats] == ["Ann"]
        v.same_huds(table)
        said = len(v.region.public_chat)
        v.join(table, "Dan")
        assert "Dan has entered" in v.region.public_chat[said].text


@pytest.mark.parametrize("lost", ["request", "answer"])
@pytest.mark.parametrize("part", [1, 2, 4])
def test_lines_of_a_push_that_breaks_off_are_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str, part: int
) -> None:
    """And what of it was painted already does not stay beside newer things."""
    with venue(tmp_path) as v:
        table, people = started(v)
        monkeypatch.setattr(wire, "BODY_BYTES", 330)
        parts = itertools.count(1)
        v.pushes.loses = lambda body: lost if body[0] == "M" and next(parts) == part else ""
        while next(parts) <= part:
            assert v.answer(people) or v.hot(table).now.match.stage == "playing"
            v.region.run(3)
        v.region.run(70)
        v.same(table)
        play_on(v, table, people)
        v.same_huds(table)
        v.same_words(table, people)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_gets_lost_or_late_each_line_is_said_once_and_the_board_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(wire, "BODY_BYTES", 500)
    chance = random.Random(seed)
    with venue(tmp_path) as v:
        table, people = started(v)
        v.pushes.loses = lambda _: chance.choice(["", "", "", "request", "answer"])
        for _ in range(60):
            trouble = chance.choice([v.region.web.lose_answer, v.region.web.lose_request])
            if chance.random() < 0.2:
                trouble()
            elif chance.random() < 0.3:
                v.region.web.delay(chance.uniform(1, 9))
            v.answer(people)
            v.region.run(chance.uniform(0.5, 6))
        v.pushes.loses = lambda _: ""
        v.region.web.faults.clear()
        v.region.run(150)
        v.same(table)
        assert table.script("link")["gSeq"] == v.hot(table).now.seq
        v.same_huds(table)
        for who in people:
            answers = "server does not", "server did not", "no longer due", "none of the buttons"
            who.lines[:] = [x for x in who.lines if not any(a in x.text for a in answers)]
        v.same_words(table, people)


def test_after_a_server_restart_a_copy_does_not_become_the_table(tmp_path: Path) -> None:
    """PB-148: the one that the server knows has time to come back first."""
    with venue(tmp_path) as v:
        table = v.build()
        v.join(table, "Ann")
        v.stop_server()
        v.region.run(30)
        copy = table.copy()
        v.start_server()
        copy.script("link").reset()
        v.region.run(240)
        hot = v.hot(table)
        registry = v.app.state.registry
        assert registry.by_table[hot.id].object_key == str(table.key)
        assert any(line.text.startswith("Another copy") for line in v.owner.lines)
        bob = v.region.avatar("Bob")
        bob.touch(table)
        v.region.run(3)
        assert bob.dialog is not None


def test_a_button_of_the_last_match_does_nothing_in_the_next(tmp_path: Path) -> None:
    """PB-076: even typed by hand on the old channel."""
    with venue(tmp_path) as v:
        table, people = started(v)
        old = people[0].dialog
        assert old is not None
        v.menu(v.owner, table, "🔄 Reset Options", "Reset Game", "YES, RESET GAME")
        people[0].press("1", dialog=old)
        people[0].type(old.channel, "1")
        v.region.run(3)
        assert not v.hot(table).now.match.seats
        assert people[0].lines[-1].text.startswith("That dialog is no longer due")


def test_the_owner_is_told_of_a_missing_notecard_and_a_missing_line(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        del table.root.inventory["Peril Table"]
        table.script("controller").reset()
        v.region.run(2)
        assert "Put a notecard" in v.owner.lines[-1].text
        ann = v.region.avatar("Ann")
        ann.touch(table)
        v.region.run(2)
        table.root.notecard("Peril Table", "server http://server.test")
        v.region.run(2)
        assert "with a line “server" in v.owner.lines[-1].text
        table.root.notecard("Peril Table", "Server =  http://server.test  \ntheme = server")
        v.region.run(30)
        ann.touch(table)
        v.region.run(3)
        assert ann.dialog is not None


def test_a_table_that_knows_no_server_yet_sends_nothing_and_says_so(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        del table.root.inventory["Peril Table"]
        for script in ("controller", "link"):
            table.script(script).reset()
        v.region.run(5)
        sent = len(v.region.requests)
        ann = v.region.avatar("Ann")
        ann.touch(table)
        v.region.run(5)
        assert "cannot reach its server" in ann.lines[-1].text
        assert len(v.region.requests) == sent
        assert v.region.debug == []


def test_what_is_said_while_no_server_answers_is_in_the_language_of_the_table(
    tmp_path: Path,
) -> None:
    """The server gave the words before, and others when the owner chose another language."""
    with venue(tmp_path) as v:
        table = v.build(language="es")
        [ann] = v.join(table, "Ann")
        v.menu(v.owner, table, "Menú casa", "🌐 Idioma mesa", "中文")
        v.region.run(60)
        said = len(ann.lines)
        v.region.web.fail(503, times=10_000)
        ann.touch(table)
        v.region.run(120)
        told = [line.text for line in ann.lines[said:]]
        assert told == [
            "服务器现在没有回应。桌子会自动重试。",
            "桌子现在连不上服务器。请稍后再点击一次。",
        ]


def test_a_crowd_at_a_table_without_a_server_is_told_so_and_bounded(tmp_path: Path) -> None:
    """PB-218: as many actions wait as memory and the region's limits allow."""
    with venue(tmp_path) as v:
        table = v.build()
        v.region.web.lose_request(times=1000)
        crowd = [v.region.avatar(f"P{n}") for n in range(40)]
        for who in crowd:
            who.touch(table)
        v.region.run(1)
        refused = [who for who in crowd if who.lines and "cannot reach" in who.lines[0].text]
        assert len(refused) >= len(crowd) - 17
        assert table.script("requests").used_bytes() < 0.6 * 65_536
        v.region.run(120)
        v.region.web.faults.clear()
        v.region.run(400)
        assert busiest_20_s(v) <= 25
        assert v.region.dropped == []
        [ann] = v.join(table, "Ann")
        assert ann.dialog is not None or "full" in ann.lines[-1].text


@pytest.mark.parametrize("urls", [True, False])
def test_the_table_tells_how_its_scripts_are(tmp_path: Path, urls: bool) -> None:
    """Memory and lost requests: with its hello, and twice a minute at most while it polls more."""
    with venue(tmp_path) as v:
        if not urls:
            v.region.caps.deny_next = 1000
        table, _ = started(v)
        device = v.app.state.registry.by_table[v.hot(table).id]

        def left(script: str) -> int:
            return LIMIT_BYTES - table.script(script).used_bytes()

        hello = next(r for r in v.region.requests if r.url.endswith("/hello"))
        assert re.search(r"&m=\d{5}%2E0%2E\d{5}&", hello.body)
        first = dict(device.free_bytes)
        assert set(first) == {"requests", "link"}
        before = len(v.region.requests)
        table.script("link")["gFacts"] = [*table.script("link")["gFacts"], "x", "x" * 6000]
        v.region.run(180)
        polls = [r for r in v.region.requests[before:] if r.url.endswith("/poll")]
        telling = [r for r in polls if "&m=" in r.body]
        assert 4 <= len(telling) <= 12
        assert (len(telling) == len(polls)) == urls
        assert device.free_bytes["link"] < first["link"] - 11_000
        for script, free in device.free_bytes.items():
            assert abs(free - left(script)) < 2_000
        v.region.web.lose_request(times=3)
        v.region.run(400)
        assert device.lost == 3
        assert v.region.errors == []
