"""Rezzing, attachments, experiences, and people who come and go (facts 8 and 9)."""

from __future__ import annotations

import pytest

from . import LSL, NULL_KEY, Avatar, Experience, Linkset, Region
from .conftest import Make, script

# Writes down what happens to it, asks for an experience when told to, and puts itself on.
HUD = script(
    'state_entry() { log += ["entry"]; llListen(7, "", "", ""); }'
    'on_rez(integer p) { log += ["rez", p, llGetStartString()]; }'
    'attach(key who) { log += ["attach", who, llGetOwner(), llGetPermissions()]; }'
    'changed(integer c) { log += ["changed", c]; }'
    "listen(integer c, string n, key k, string t) {"
    ' if (t == "die") llDie();'
    ' else if (t == "off") llDetachFromAvatar();'
    ' else llRequestExperiencePermissions((key)t, ""); }'
    'experience_permissions(key who) { log += ["yes"];'
    " if (!llGetAttached()) llAttachToAvatarTemp(ATTACH_HUD_CENTER_1); }"
    'experience_permissions_denied(key who, integer reason) { log += ["no", reason]; }'
    'run_time_permissions(integer p) { log += ["perms", p]; }',
    "list log;",
)


@pytest.fixture
def experience(region: Region) -> Experience:
    return Experience("Peril", region.owner)


@pytest.fixture
def hud(region: Region, experience: Experience) -> Linkset:
    made = region.object("HUD")
    made.root.script(HUD, experience=experience)
    region.run()
    log(made).clear()
    return made


def log(thing: Linkset) -> list[object]:
    found: list[object] = thing.script("script")["log"]
    return found


def ask(hud: Linkset, who: Avatar) -> None:
    assert hud.region
    hud.region.owner.type(7, str(who.key))
    hud.region.run(1)


REZZER = script(
    'touch_start(integer n) { id = llRezObjectWithParams("child", [REZ_POS, <x, 0.0, 1.0>, TRUE,'
    " TRUE, REZ_PARAM, 42, REZ_PARAM_STRING, s]); took = llGetTime(); }"
    "object_rez(key k) { told = k; } touch_end(integer n) { if (kill)"
    " derezzed = llDerezObject(id, DEREZ_DIE); }",
    'key id; key told; float x; string s = "hello"; integer kill; integer derezzed; float took;',
)


@pytest.fixture
def rezzer(region: Region) -> Linkset:
    made = region.object("rezzer")
    made.root.contain(Linkset("child", scripts=[HUD]))
    made.root.script(REZZER, "rezzer")
    region.run()
    return made


def test_a_rezzed_object_knows_what_it_was_given(region: Region, rezzer: Linkset) -> None:
    region.owner.touch(rezzer)
    region.run(1)
    child = region.find("child")
    assert log(child) == ["entry", "rez", 42, "hello"]
    seen = rezzer.script("rezzer")
    assert seen["id"] == seen["told"] == child.key
    assert (child.owner, child.rezzer, child.pos) == (region.owner, rezzer.key, (128, 128, 26))
    assert seen["took"] == pytest.approx(0.1)


@pytest.mark.parametrize("why", ["far", "land", "full", "string", "name"])
def test_rezzing_fails_without_a_word_to_the_script(
    region: Region, rezzer: Linkset, why: str
) -> None:
    seen = rezzer.script("rezzer")
    match why:
        case "far":
            seen["x"] = 11.0
        case "land":
            region.land.rez_allowed = False
        case "full":
            region.land.capacity = 1
        case "string":
            seen["s"] = "x" * 1025
        case "name":
            del rezzer.root.inventory["child"]
    region.owner.touch(rezzer)
    region.run(1)
    assert (seen["id"], seen["told"], region.objects) == (NULL_KEY, "", [rezzer])


def test_the_lands_owner_may_rez_even_where_others_may_not(region: Region, rezzer: Linkset) -> None:
    region.land.rez_allowed, region.land.owner = False, region.owner
    region.owner.touch(rezzer)
    assert region.find("child").owner is region.owner


def test_an_object_may_derez_what_it_rezzed_and_nothing_else(
    region: Region, rezzer: Linkset
) -> None:
    seen, other = rezzer.script("rezzer"), region.object("other")
    seen["kill"] = 1
    region.owner.touch(rezzer)
    region.run(1)
    assert (seen["derezzed"], region.objects) == (1, [rezzer, other])
    seen["s"] = "x" * 1025
    region.owner.touch(rezzer)
    region.run(1)
    assert seen["derezzed"] == 0


def test_die_deletes_the_object_but_not_an_attachment(region: Region, hud: Linkset) -> None:
    worn = region.owner.wear(hud)
    region.owner.type(7, "die")
    assert (hud.in_region, worn.in_region) == (False, True)


def test_a_taken_object_keeps_its_state_and_gets_a_new_key_and_owner(
    region: Region, hud: Linkset
) -> None:
    ann, key = region.avatar("Ann"), hud.key
    asset = hud.take()
    again = region.rez(asset, owner=ann)
    assert again.key != key
    assert log(again) == ["changed", LSL.CHANGED_OWNER, "rez", 0, ""]
    region.rez(again.take(), owner=ann)
    assert log(region.objects[0])[-3:] == ["rez", 0, ""]


def test_an_attached_hud_hears_of_rez_before_attach(region: Region, hud: Linkset) -> None:
    ann = region.avatar("Ann")
    worn = ann.wear(hud.take())
    assert log(worn) == ["changed", 0x80, "rez", 0, "", "attach", ann.key, ann.key, 0]
    assert worn.pos == ann.pos


# ---- experiences


def test_who_grants_gets_a_temporary_hud_of_their_own(region: Region, hud: Linkset) -> None:
    ann = region.avatar("Ann")
    ask(hud, ann)
    assert log(hud) == ["yes", "changed", LSL.CHANGED_OWNER, "attach", ann.key, ann.key, 0]
    assert (hud.attached_to, hud.temp_attached, hud.attach_point) == (ann, True, 35)
    ask(hud, ann)
    assert log(hud)[-1] == "yes"


def test_consent_is_asked_for_once(region: Region, hud: Linkset) -> None:
    ann = region.avatar("Ann")
    ask(hud, ann)
    ann.experience = "deny"
    ask(hud, ann)
    assert log(hud)[-1] == "yes"


def test_a_denial_is_reason_4(region: Region, hud: Linkset) -> None:
    ask(hud, region.avatar("Ann", experience="deny"))
    assert log(hud) == ["no", 4]


def test_silence_is_reason_18_after_five_minutes(region: Region, hud: Linkset) -> None:
    ask(hud, region.avatar("Ann", experience="silent"))
    region.run(298)
    assert log(hud) == []
    region.run(2)
    assert log(hud) == ["no", 18]


def test_reasons_of_the_script_and_the_land(region: Region, hud: Linkset) -> None:
    ann = region.avatar("Ann")
    region.land.experience_allowed = False
    ask(hud, ann)
    region.land.experience_allowed = True
    plain = region.object("plain", scripts=[HUD])
    region.run()
    ask(plain, ann)
    assert (log(hud)[:2], log(plain)) == (["no", 17], ["entry", "no", 5])


def test_without_a_free_slot_the_hud_stays_on_the_ground_and_changes_hands(
    region: Region, hud: Linkset
) -> None:
    ann = region.avatar("Ann")
    ann.slots_free = 0
    ask(hud, ann)
    assert log(hud) == ["yes", "changed", LSL.CHANGED_OWNER]
    assert (hud.attached_to, hud.owner, hud.in_region) == (None, ann, True)


def test_free_slots_and_the_experience_can_be_asked_for(
    region: Region, experience: Experience
) -> None:
    ann = region.avatar("Ann")
    ann.slots_free = 3
    thing = region.object("x")
    text = script(
        "touch_start(integer n) { a = llGetObjectDetails(WHO, [OBJECT_ATTACHED_SLOTS_AVAILABLE,"
        " OBJECT_POS, OBJECT_NAME]) + [llAgentInExperience(WHO)]"
        " + llGetExperienceDetails(NULL_KEY); }",
        f'key WHO = "{ann.key}"; list a;',
    )
    runner = thing.root.script(text, experience=experience)
    region.run()
    ann.touch(thing)
    assert runner
    assert runner["a"] == [
        3, (127, 128, 25), "Ann Resident", 0, "Peril", region.owner.key, experience.key, 0,
        "no error", NULL_KEY,
    ]  # fmt: skip
    ann.consented.add(experience.key)
    ann.touch(thing)
    assert runner["a"][3] == 1


def test_a_temporary_hud_is_gone_after_detaching_or_logging_out(
    region: Region, hud: Linkset
) -> None:
    ann = region.avatar("Ann")
    second = hud.copy()
    ask(hud, ann)
    region.owner.type(7, str(ann.key))
    region.owner.type(7, "off")
    region.run(1)
    ann.logout()
    ann.login()
    assert (hud.in_region, second.in_region, ann.attachments) == (False, False, [])


def test_what_is_worn_from_the_inventory_comes_back_at_login(region: Region, hud: Linkset) -> None:
    ann = region.avatar("Ann")
    ann.wear(hud.take())
    ann.logout()
    assert region.objects == []
    ann.login()
    assert log(ann.attachments[0])[-7:] == ["rez", 0, "", "attach", ann.key, ann.key, 0]


def test_a_teleport_keeps_a_temporary_hud_and_is_told_to_it(region: Region, hud: Linkset) -> None:
    ann = region.avatar("Ann")
    ask(hud, ann)
    ann.teleport_away()
    assert region.objects == []
    ann.come_back()
    assert log(hud)[-2:] == ["changed", LSL.CHANGED_REGION | LSL.CHANGED_TELEPORT]
    ann.teleport((10, 10, 25))
    assert log(hud)[-2:] == ["changed", LSL.CHANGED_TELEPORT]
    ann.teleport_away()
    ann.come_back(crossing=True)
    assert log(hud)[-2:] == ["changed", LSL.CHANGED_REGION]


def test_a_temporary_hud_falls_off_where_the_experience_is_not_allowed(
    region: Region, hud: Linkset
) -> None:
    ann = region.avatar("Ann")
    ask(hud, ann)
    ann.teleport_away()
    region.land.experience_allowed = False
    ann.come_back()
    assert (hud.in_region, ann.attachments) == (False, [])


def test_a_request_is_lost_when_the_avatar_takes_the_object_elsewhere(
    region: Region, hud: Linkset
) -> None:
    ann = region.avatar("Ann")
    ask(hud, ann)
    other = region.avatar("Bob", experience="silent")
    ask(hud, other)
    ann.teleport_away()
    ann.come_back()
    region.run(400)
    assert "no" not in log(hud)


def test_somebody_who_is_away_sees_and_hears_nothing(region: Region, make: Make) -> None:
    ann = region.avatar("Ann")
    thing = make(
        f'touch_start(integer n) {{ llRegionSayTo("{ann.key}", 0, "x"); name = llKey2Name('
        f'"{ann.key}"); llDialog("{ann.key}", "?", [], 1); }}',
        top='string name = "?";',
    )
    ann.teleport_away()
    region.owner.touch(thing)
    assert (ann.lines, ann.dialogs, thing.script("script")["name"]) == ([], [], "")


def test_a_wearer_gives_simple_permissions_without_being_asked(region: Region, make: Make) -> None:
    thing = make(
        "attach(key who) { llRequestPermissions(who, PERMISSION_ATTACH); }"
        "run_time_permissions(integer p) { got = p; }",
        top="integer got;",
    )
    worn = region.owner.wear(thing.take())
    assert worn.script("script")["got"] == LSL.PERMISSION_ATTACH
    assert region.owner.asked == []


def test_only_the_wearer_can_touch_a_hud(region: Region, hud: Linkset) -> None:
    worn = region.avatar("Ann").wear(hud)
    with pytest.raises(AssertionError, match="only"):
        region.owner.touch(worn)


def test_temporary_objects_are_gone_after_a_region_restart(region: Region) -> None:
    thing = region.object(
        "rezzer",
        scripts=[
            script(
                "touch_start(integer n)"
                '{ llRezObjectWithParams("child", [REZ_FLAGS, REZ_FLAG_TEMP]); }'
            )
        ],
    )
    thing.root.contain(Linkset("child"))
    region.run()
    region.owner.touch(thing)
    assert len(region.objects) == 2
    region.restart()
    assert region.objects == [thing]
