"""Chat, dialogs and texts (facts 5)."""

from __future__ import annotations

import pytest

from . import Linkset, Region
from .conftest import Make, script

EAR = script(
    'state_entry() { llListen(5, "", "", ""); llListen(0, "", "", ""); }'
    "listen(integer c, string name, key id, string text) { heard += [text]; }",
    "list heard;",
)


def ear(region: Region, metres: float, name: str = "ear") -> Linkset:
    """Something that listens, so far from the others."""
    made = region.object(name, scripts=[EAR], pos=(128 + metres, 128, 25))
    region.run()
    return made


def heard(thing: Linkset) -> list[str]:
    return thing.script("script")["heard"]


def says(region: Region, call: str) -> Linkset:
    thing = region.object("mouth", scripts=[script(f"state_entry() {{ {call} }}")])
    region.run()
    return thing


@pytest.mark.parametrize(
    ("call", "reach"),
    [("llWhisper", 10), ("llSay", 20), ("llShout", 100), ("llRegionSay", 10_000)],
)
def test_chat_is_heard_as_far_as_it_reaches(region: Region, call: str, reach: int) -> None:
    near, far = ear(region, reach), ear(region, reach + 1)
    says(region, f'{call}(5, "hi");')
    assert (heard(near), heard(far)) == (["hi"], [] if reach < 10_000 else ["hi"])


def test_an_object_does_not_hear_itself_but_its_other_prims_do(region: Region) -> None:
    thing = region.object("x", ["child"], scripts=[EAR])
    thing.prim("child").script(EAR, "child ear")
    region.run()
    thing.root.script(script('state_entry() { llSay(5, "hi"); }'), "mouth")
    region.run()
    assert (heard(thing), thing.script("child ear")["heard"]) == ([], ["hi"])


def test_region_say_cannot_use_the_public_channel(region: Region) -> None:
    thing = ear(region, 1)
    says(region, 'llRegionSay(0, "hi");')
    assert heard(thing) == []
    assert len(region.debug) == 1


def test_chat_is_cut_at_1024_bytes_in_whole_characters(region: Region) -> None:
    thing = ear(region, 1)
    says(region, 'string s = "aéé"; while (llStringLength(s) < 2000) s += s; llSay(5, s);')
    assert len(heard(thing)[0].encode()) in (1023, 1024)


def test_people_hear_public_chat_within_range(region: Region) -> None:
    near, far = region.avatar("Near"), region.avatar("Far", pos=(160, 128, 25))
    says(region, 'llSay(0, "hello");')
    assert [str(line) for line in near.heard] == ["hello"]
    assert far.heard == []
    assert [str(line) for line in region.public_chat] == ["hello"]


def test_region_say_to_an_avatar_is_a_private_line(region: Region) -> None:
    ann, bob = region.avatar("Ann", pos=(1, 1, 25)), region.avatar("Bob")
    thing = ear(region, 1)
    says(region, f'llRegionSayTo("{ann.key}", 0, "psst");')
    assert [(line.text, line.by, line.how) for line in ann.lines] == [("psst", "mouth", "private")]
    assert (bob.lines, heard(thing), region.public_chat) == ([], [], [])


def test_region_say_to_on_another_channel_is_heard_by_what_the_avatar_wears(
    region: Region,
) -> None:
    ann, bob = region.avatar("Ann", pos=(1, 1, 25)), region.avatar("Bob")
    hud, other = (who.wear(Linkset("HUD", scripts=[EAR])) for who in (ann, bob))
    says(region, f'llRegionSayTo("{ann.key}", 5, "psst");')
    assert (heard(hud), heard(other), ann.lines) == (["psst"], [], [])


def test_region_say_to_an_object_is_heard_by_that_object_alone(region: Region) -> None:
    one, two = ear(region, 90), ear(region, 1)
    says(region, f'llRegionSayTo("{one.key}", 5, "psst");')
    assert (heard(one), heard(two)) == (["psst"], [])


def test_a_listen_filters_by_name_speaker_and_text(region: Region) -> None:
    ann, bob = region.avatar("Ann"), region.avatar("Bob")
    text = script(
        f'state_entry() {{ llListen(1, "", "{ann.key}", ""); llListen(2, "Bob Resident", "", "");'
        ' llListen(3, "", NULL_KEY, "yes"); }'
        "listen(integer c, string name, key id, string text) { heard += [c, name, text]; }",
        "list heard;",
    )
    thing = region.object("x", scripts=[text])
    region.run()
    for who in (ann, bob):
        for channel in (1, 2, 3):
            for word in ("yes", "no"):
                who.type(channel, word)
    got = heard(thing)
    assert list(zip(got[::3], got[1::3], got[2::3], strict=True)) == [
        (1, "Ann Resident", "yes"), (1, "Ann Resident", "no"), (3, "Ann Resident", "yes"),
        (2, "Bob Resident", "yes"), (2, "Bob Resident", "no"), (3, "Bob Resident", "yes"),
    ]  # fmt: skip


def test_a_script_has_at_most_65_listens(region: Region, make: Make) -> None:
    make('state_entry() { integer i; for (i = 0; i < 65; ++i) llListen(i, "", "", ""); }')
    region.strict = False
    make('state_entry() { integer i; for (i = 0; i < 66; ++i) llListen(i, "", "", ""); }')
    assert [str(error) for _, error in region.errors] == ["Too Many Listens"]


def test_people_can_type_on_negative_channels(region: Region, make: Make) -> None:
    thing = make(
        'state_entry() { llListen(-7, "", "", ""); }'
        "listen(integer c, string n, key k, string t) { heard += [t]; }",
        top="list heard;",
    )
    region.owner.type(-7, "mine")
    assert heard(thing) == ["mine"]


def test_public_chat_is_held_back_at_200_in_10_seconds(region: Region, make: Make) -> None:
    thing = make(
        "state_entry() { llSetTimerEvent(1.0); }"
        "timer() { integer i; for (i = 0; i < 50; ++i) llSay(0, (string)i); }"
    )
    region.run(6.5)
    assert len(region.public_chat) == 200
    region.run(5)
    assert len(region.public_chat) > 200
    assert thing.in_region


def test_owner_say_and_instant_messages_reach_one_alone(region: Region) -> None:
    ann = region.avatar("Ann")
    says(region, f'llOwnerSay("mine"); llInstantMessage("{ann.key}", "yours");')
    region.run(3)
    assert [line.text for line in region.owner.lines] == ["mine"]
    assert [(line.text, line.how) for line in ann.lines] == [("yours", "im")]


ASKS = script(
    'state_entry() { llListen(-9, "", "", ""); }'
    'touch_start(integer n) { llDialog(llDetectedKey(0), "Well?", ["A", "B", "C", "D"], -9); }'
    "listen(integer c, string name, key id, string text) { heard += [name, text]; }",
    "list heard;",
)


@pytest.fixture
def asking(region: Region) -> Linkset:
    made = region.object("asker", scripts=[ASKS])
    region.run()
    return made


def test_a_pressed_button_is_chat_of_the_avatar(region: Region, asking: Linkset) -> None:
    ann = region.avatar("Ann", pos=(1, 1, 25))
    ann.touch(asking)
    assert ann.dialog
    assert (ann.dialog.text, ann.dialog.rows) == ("Well?", [["D"], ["A", "B", "C"]])
    ann.press("B")
    region.run(2)
    assert heard(asking) == ["Ann Resident", "B"]
    assert ann.dialog is None


def test_a_button_that_is_not_there_cannot_be_pressed(region: Region, asking: Linkset) -> None:
    region.owner.touch(asking)
    with pytest.raises(AssertionError, match="'X' is not among"):
        region.owner.press("X")


def test_a_newer_dialog_of_an_object_replaces_the_older(region: Region, asking: Linkset) -> None:
    ann, other = region.avatar("Ann"), region.object("other", scripts=[ASKS])
    ann.touch(asking)
    region.run(2)
    ann.touch(asking)
    ann.touch(other)
    assert [d.linkset for d in ann.shown.values()] == [asking, other]
    assert ann.shown[asking] is ann.dialogs[1]


def test_an_old_dialog_can_still_be_pressed_hours_later(region: Region, asking: Linkset) -> None:
    ann = region.avatar("Ann")
    ann.touch(asking)
    old = ann.dialog
    region.run(7200)
    ann.touch(asking)
    ann.press("A", old)
    region.run(2)
    assert heard(asking) == ["Ann Resident", "A"]
    assert ann.dialog is not old


def test_an_answer_is_heard_by_other_objects_only_nearby(region: Region, asking: Linkset) -> None:
    listener = ASKS.replace("heard += [name, text]", "heard += [text]")
    near = region.object("near", scripts=[listener], pos=(140, 128, 25))
    far = region.object("far", scripts=[listener], pos=(190, 128, 25))
    region.owner.touch(asking)
    region.owner.press("C")
    assert (heard(near), heard(far)) == (["C"], [])


def test_closing_a_dialog_gives_no_event(region: Region, asking: Linkset) -> None:
    region.owner.touch(asking)
    region.owner.ignore()
    region.run(60)
    assert (region.owner.dialog, heard(asking)) == (None, [])


@pytest.mark.parametrize(
    "bad",
    [
        '"", ["a"]', '"aaaaaaaa" + L + L, ["a"]', '"x", L0', '"x", ["1234567890123456789012345"]',
        '"x", ["ééééééééééééé"]', '"x", ["a", 1]', '"x", [""]', '"x", ["!!llTextBox!!"]',
    ],
)  # fmt: skip
def test_a_faulty_dialog_is_not_shown_at_all(region: Region, make: Make, bad: str) -> None:
    top = f'string L = "{"x" * 252}"; list L0 = [{", ".join(f"{chr(34)}{i}{chr(34)}" for i in range(13))}];'  # noqa: E501
    make(f"state_entry() {{ llDialog(llGetOwner(), {bad}, 5); }}", top=top)
    assert region.owner.dialogs == []
    assert len(region.debug) == 1


def test_a_dialog_text_may_have_511_bytes_and_no_buttons_are_ok(region: Region, make: Make) -> None:
    make(f'state_entry() {{ llDialog(llGetOwner(), "{"x" * 511}", [], 5); }}')
    assert region.owner.dialogs[0].buttons == ["OK"]


def test_what_is_written_into_a_text_box_is_cut_at_250(region: Region, make: Make) -> None:
    thing = make(
        'state_entry() { llListen(5, "", "", ""); llTextBox(llGetOwner(), "Name?", 5); }'
        "listen(integer c, string n, key k, string t) { heard += [t]; }",
        top="list heard;",
    )
    region.owner.answer_textbox("x" * 300)
    region.run(2)
    assert heard(thing) == ["x" * 250]


def test_floating_text_is_cut_at_254_bytes_and_loses_its_last_blank_lines(
    region: Region, make: Make
) -> None:
    thing = make(
        f'state_entry() {{ llSetText("{"é" * 200}", <1.0,1.0,1.0>, 1.0); }}'
        ' touch_start(integer n) { llSetText("a\\n\\n \\n", <1.0,1.0,1.0>, 1.0); }'
    )
    assert thing.root.shown == "é" * 127
    region.owner.touch(thing)
    assert thing.root.shown == "a"


def test_a_display_name_is_told_later_and_nothing_for_a_stranger(
    region: Region, make: Make
) -> None:
    ann = region.avatar("Ann", display_name="Änne ✿")
    thing = make(
        "state_entry() { a = llRequestDisplayName(ANN); llRequestUsername(ANN);"
        " llRequestDisplayName(llGenerateKey()); now = llGetDisplayName(ANN); }"
        ' dataserver(key q, string d) { if (q == a) d = "display " + d; heard += [d]; }',
        top=f'key ANN = "{ann.key}"; key a; list heard; string now;',
    )
    region.run(60)
    assert sorted(heard(thing)) == ["ann", "display Änne ✿"]
    assert thing.script("script")["now"] == "Änne ✿"
