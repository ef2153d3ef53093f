"""Events, states, timers and sleeping (facts 4)."""

from __future__ import annotations

import pytest

from . import LSL, Region
from .conftest import Make, script

COUNTER = "integer n; integer last;"


def test_the_queue_holds_64_events_and_the_rest_is_lost(region: Region, make: Make) -> None:
    thing = make(
        "touch_start(integer t) { llSleep(5.0); }"
        "link_message(integer s, integer num, string t, key k) { ++n; last = num; }",
        top=COUNTER,
    )
    region.owner.touch(thing)
    for i in range(100):
        for runner in thing.runners:
            runner.post("link_message", 1, i, "", "")
    region.run(6)
    assert (thing.script("script")["n"], thing.script("script")["last"]) == (64, 63)
    assert len(region.dropped) == 36


def test_events_of_a_sleeping_script_wait(region: Region, make: Make) -> None:
    thing = make(
        "touch_start(integer t) { llSleep(2.0); n += 10; } timer() { ++n; llSetTimerEvent(0.0); }"
        "state_entry() { llSetTimerEvent(1.0); }",
        top=COUNTER,
    )
    region.owner.touch(thing)
    region.run(1.5)
    assert thing.script("script")["n"] == 0
    region.run(1)
    assert thing.script("script")["n"] == 11


@pytest.mark.parametrize(
    ("call", "seconds"),
    [
        ('llDialog(llGetOwner(), "x", ["a"], 5)', 1.0),
        ('llTextBox(llGetOwner(), "x", 5)', 1.0),
        ('llInstantMessage(llGetOwner(), "x")', 2.0),
        ('llLoadURL(llGetOwner(), "x", "http://a.test")', 0.1),
        ('llPreloadSound("x")', 1.0),
        ('llSetLinkTexture(1, "", 0)', 0.2),
        ("llSetPrimMediaParams(0, [])", 1.0),
        ('llMessageLinked(LINK_SET, 0, "", "")', 0.0),
        ("llSetLinkPrimitiveParamsFast(1, [])", 0.0),
        ("llSetLinkMedia(1, 0, [])", 0.0),
        ('llSetText("", <1.0, 1.0, 1.0>, 1.0)', 0.0),
        ('llRegionSayTo(llGetOwner(), 0, "x")', 0.0),
        ('llLinksetDataWrite("a", "b")', 0.0),
        ('llHTTPRequest("http://a.test", [], "")', 0.0),
    ],
)
def test_forced_delays_are_those_of_the_definitions(
    region: Region, call: str, seconds: float
) -> None:
    text = script(f"state_entry() {{ {call}; took = llGetTime(); }}", "float took = -1.0;")
    runner = region.object("x").root.script(text)
    region.run(5)
    assert runner["took"] == pytest.approx(seconds)


def test_the_timer_fires_once_a_period_however_late(region: Region, make: Make) -> None:
    thing = make(
        "state_entry() { llSetTimerEvent(1.0); } timer() { ++n; if (n == 1) llSleep(3.5); }",
        top=COUNTER,
    )
    region.run(5.1)
    # At 1; asleep until 4.5, where one waits; then at 5.
    assert thing.script("script")["n"] == 3


def test_there_is_one_timer_and_it_survives_a_change_of_state(region: Region) -> None:
    text = (
        "integer n; default { state_entry() { llSetTimerEvent(9.0); llSetTimerEvent(1.0);"
        " state on; } }\nstate on { timer() { ++n; } }"
    )
    runner = region.object("x").root.script(text)
    region.run(3.5)
    assert runner["n"] == 3


def test_a_change_of_state_drops_listens_and_waiting_events(region: Region) -> None:
    text = (
        'integer n; default { state_entry() { llListen(5, "", "", ""); }'
        " touch_start(integer t) { llSleep(1.0); state on; }"
        " state_exit() { n += 100; } }\n"
        "state on { state_entry() { n += 10; }"
        " listen(integer c, string a, key k, string t) { ++n; } touch_start(integer t) { ++n; } }"
    )
    thing = region.object("x", scripts=[text])
    region.owner.touch(thing)
    region.owner.touch(thing)
    region.run(2)
    region.owner.type(5, "hello")
    assert thing.script("script")["n"] == 110
    region.owner.touch(thing)
    assert thing.script("script")["n"] == 111


def test_a_reset_forgets_everything_but_what_the_prim_shows(region: Region, make: Make) -> None:
    thing = make(
        'state_entry() { ++n; llListen(5, "", "", ""); }'
        'touch_start(integer t) { n = 50; llSetText("hi", <1.0,1.0,1.0>, 1.0); llResetScript();'
        " n = 60; }",
        top=COUNTER,
    )
    region.owner.touch(thing)
    assert thing.script("script")["n"] == 1
    assert len(thing.script("script").listens) == 1
    assert thing.root.shown == "hi"


def test_under_time_dilation_timers_and_sleeps_take_longer(region: Region, make: Make) -> None:
    region.dilation = 0.5
    thing = make(
        "state_entry() { llSetTimerEvent(1.0); } timer() { ++n; if (n == 3) llSleep(1.0); last = n;"
        " } touch_start(integer t) { f = llGetRegionTimeDilation(); }",
        top=COUNTER + "float f;",
    )
    region.run(7.9)
    assert (thing.script("script")["n"], thing.script("script")["last"]) == (3, 2)
    region.run(0.2)
    assert thing.script("script")["last"] == 4
    region.owner.touch(thing)
    assert thing.script("script")["f"] == 0.5


def test_scripts_stand_still_where_the_land_forbids_them(region: Region, make: Make) -> None:
    thing = make("touch_start(integer t) { ++n; }", top=COUNTER)
    region.land.scripts_allowed = False
    region.owner.touch(thing)
    assert thing.script("script")["n"] == 0
    region.land.scripts_allowed = True
    region.run()
    assert thing.script("script")["n"] == 1


def test_a_touch_tells_who_where_and_which_face(region: Region) -> None:
    text = script(
        "touch_start(integer t) { who = llDetectedKey(0); name = llDetectedName(0);"
        " link = llDetectedLinkNumber(0); face = llDetectedTouchFace(0);"
        " st = llDetectedTouchST(0); }",
        "key who; string name; integer link; integer face; vector st;",
    )
    thing = region.object("table", ["board"], scripts=[text])
    ann = region.avatar("Ann")
    ann.touch(thing, "board", face=3, st=(0.25, 0.75))
    seen = thing.script("script")
    assert (seen["who"], seen["name"]) == (ann.key, "Ann Resident")
    assert (seen["link"], seen["face"], seen["st"]) == (2, 3, (0.25, 0.75, 0.0))


def test_a_touched_prim_with_a_touch_script_keeps_the_touch_to_itself(region: Region) -> None:
    text = script("touch_start(integer t) { ++n; }", "integer n;")
    thing = region.object("table", ["board", "lamp"], scripts=[text])
    thing.prim("board").script(text, "own")
    region.run()
    region.owner.touch(thing, "board")
    region.owner.touch(thing, "lamp")
    assert (thing.script("own")["n"], thing.script("script")["n"]) == (1, 1)


def test_touches_on_a_face_with_media_are_not_told(region: Region, make: Make) -> None:
    thing = make(
        'state_entry() { llSetLinkMedia(LINK_THIS, 2, [PRIM_MEDIA_CURRENT_URL, "http://a.test"]);'
        " } touch_start(integer t) { ++n; }",
        top=COUNTER,
    )
    region.owner.touch(thing, face=2)
    assert thing.script("script")["n"] == 0
    region.owner.touch(thing, face=1)
    assert thing.script("script")["n"] == 1


def test_the_clock_of_a_script_is_the_regions(region: Region) -> None:
    text = script("touch_start(integer t) { u = llGetUnixTime(); s = llGetTimestamp(); }",
                  "integer u; string s;")  # fmt: skip
    thing = region.object("x", scripts=[text])
    region.run(10.5)
    region.owner.touch(thing)
    assert thing.script("script")["u"] == int(region.clock()) == 1_800_000_010
    assert thing.script("script")["s"] == "2027-01-15T08:00:10.500000Z"


def test_a_region_restart_is_told_and_variables_stay(region: Region) -> None:
    text = script(
        "changed(integer c) { if (c & CHANGED_REGION_START) { ++n; at = (integer)llGetEnv("
        '"region_start_time"); } } state_entry() { llSetTimerEvent(10.0); } timer() { ++last; }',
        COUNTER + "integer at;",
    )
    thing = region.object("x", scripts=[text])
    region.run(25)
    region.restart(down_s=120)
    seen = thing.script("script")
    assert (seen["n"], seen["last"]) == (1, 2)
    assert seen["at"] == int(region.clock())
    region.run(5.1)
    assert seen["last"] == 3


def test_timers_and_sleep_cost_no_real_time(region: Region, make: Make) -> None:
    thing = make("state_entry() { llSetTimerEvent(10.0); } timer() { ++n; }", top=COUNTER)
    region.run(3600)
    assert thing.script("script")["n"] == 360
    assert LSL.CHANGED_REGION_START == 0x400
