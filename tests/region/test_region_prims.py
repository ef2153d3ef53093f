"""Prims, linksets, inventories and linkset data (facts 6 and 7)."""

from __future__ import annotations

from typing import Any

import pytest

from . import LSL, NULL_KEY, Linkset, NotEmulated, Prim, Region
from .conftest import Make, script


def result(region: Region, thing: Linkset, expression: str, kind: str = "list") -> Any:
    """What an expression gives in a script of the root."""
    text = script(f"state_entry() {{ found = {expression}; }}", f"{kind} found;")
    runner = thing.root.script(text, "probe")
    region.run(30)
    assert runner
    return runner["found"]


def test_links_are_numbered_from_the_root_and_a_lone_prim_is_0(region: Region) -> None:
    pair, lone = region.object("root", ["a", "b"]), region.object("lone")
    assert result(region, pair, "[llGetLinkNumber(), llGetNumberOfPrims(), llGetLinkName(3)]") == [
        1, 3, "b",
    ]  # fmt: skip
    assert result(region, lone, "[llGetLinkNumber(), llGetNumberOfPrims(), llGetLinkName(2)]") == [
        0, 1, str(NULL_KEY),
    ]  # fmt: skip


def test_a_linkset_has_at_most_256_prims() -> None:
    with pytest.raises(ValueError, match="256"):
        Linkset("root", map(str, range(256)))


def test_names_and_descriptions_are_printable_ascii(region: Region, make: Make) -> None:
    thing = make('state_entry() { llSetObjectName("Täble|1"); llSetObjectDesc("é"); }')
    assert (thing.name, thing.root.desc) == ("T?ble?1", "?")


def test_one_call_changes_many_prims_and_faces(region: Region) -> None:
    thing = region.object("root", ["a", Prim("b", faces=2)])
    thing.root.script(
        script(
            "state_entry() { llSetLinkPrimitiveParamsFast(2, [PRIM_COLOR, ALL_SIDES, <1,0,0>, 0.5,"
            ' PRIM_TEXT, "hi", <1,1,1>, 1, PRIM_LINK_TARGET, 3, PRIM_GLOW, 1, 0.2, PRIM_NAME, "c",'
            ' PRIM_DESC, "d", PRIM_SIZE, <1,2,3>, PRIM_POS_LOCAL, <0,0,1>,'
            " PRIM_ROT_LOCAL, <0,0,1,0>, PRIM_FULLBRIGHT, 0, TRUE,"
            " PRIM_TEXTURE, 1, TEXTURE_BLANK, <1,1,0>, <0.5,0,0>, 0.0]); }"
        )
    )
    region.run()
    a, b = thing.prim("a"), thing.prim("c")
    assert set(a.color.values()) == {((1.0, 0.0, 0.0), 0.5)}
    assert (len(a.color), a.shown) == (6, "hi")
    assert (b.glow, b.fullbright, b.desc) == ({0: 0.0, 1: pytest.approx(0.2)}, {0: 1, 1: 0}, "d")
    assert (b.size, b.pos_local, b.rot_local) == ((1, 2, 3), (0, 0, 1), (0, 0, 1, 0))
    assert b.texture[1] == (LSL.TEXTURE_BLANK, (1, 1, 0), (0.5, 0, 0), 0)
    assert region.debug == []


def test_parameters_can_be_read_back(region: Region) -> None:
    thing = region.object("root", [Prim("a", faces=2)])
    found = result(
        region, thing,
        "llGetLinkPrimitiveParams(2, [PRIM_NAME, PRIM_COLOR, ALL_SIDES, PRIM_LINK_TARGET, 1,"
        " PRIM_NAME, PRIM_POSITION, PRIM_TEXT])",
    )  # fmt: skip
    assert found == [
        "a", (1, 1, 1), 1.0, (1, 1, 1), 1.0, "root", (128, 128, 25), "", (1, 1, 1), 0.0,
    ]  # fmt: skip


def test_a_value_of_the_wrong_type_is_shouted_about_and_ends_the_list(
    region: Region, make: Make
) -> None:
    thing = make(
        'state_entry() { llSetLinkPrimitiveParamsFast(1, [PRIM_NAME, "one", PRIM_NAME, 2,'
        ' PRIM_NAME, "three"]); }'
    )
    assert thing.name == "one"
    assert "rule #2" in region.debug[0].text


def test_a_rule_that_is_not_emulated_says_so(region: Region) -> None:
    text = script("state_entry() { llSetLinkPrimitiveParamsFast(1, [PRIM_TYPE, 0]); }")
    region.object("x", scripts=[text])
    with pytest.raises(NotEmulated, match="primitive parameter 9"):
        region.run()


def test_a_texture_must_be_a_key_or_lie_in_the_scripts_prim(region: Region, make: Make) -> None:
    from . import Texture

    thing = make(
        'touch_start(integer n) { llSetLinkPrimitiveParamsFast(1, [PRIM_TEXTURE, 0, "face",'
        " <1,1,0>, <0,0,0>, 0.0]); }"
    )
    region.owner.touch(thing)
    assert "no texture 'face'" in region.debug[0].text
    thing.root.add(Texture("face"))
    region.owner.touch(thing)
    assert thing.root.texture[0][0] == "face"


def test_link_messages_go_to_all_scripts_of_the_target(region: Region) -> None:
    hears = script(
        "link_message(integer from, integer n, string t, key k) { got += [from, n, t, k]; }",
        "list got;",
    )
    thing = region.object("root", ["a", "b"], scripts=[hears])
    for name in "ab":
        thing.prim(name).script(hears, f"ears of {name}")
    thing.prim("a").script(
        script(
            'state_entry() { llMessageLinked(LINK_SET, 1, "x", "k");'
            ' llMessageLinked(LINK_ALL_CHILDREN, 2, "", ""); llMessageLinked(LINK_THIS, 3, "", "");'
            ' llMessageLinked(LINK_ROOT, 4, "", ""); llMessageLinked(LINK_ALL_OTHERS, 5, "", ""); }'
        ),
        "mouth",
    )
    region.run()
    got = {runner.name: runner["got"][1::4] for runner in thing.runners if runner.name != "mouth"}
    assert got == {"script": [1, 4, 5], "ears of a": [1, 2, 3], "ears of b": [1, 2, 5]}
    assert thing.script("script")["got"][:4] == [2, 1, "x", "k"]


LINKER = script(
    "touch_start(integer n) { llRequestPermissions(llGetOwner(), PERMISSION_CHANGE_LINKS); }"
    "run_time_permissions(integer p)"
    '{ if (p & PERMISSION_CHANGE_LINKS) %s; else llOwnerSay("no"); }'
    "changed(integer c) { if (c & CHANGED_LINK) ++links; }",
    "integer links;",
)


def test_linking_needs_permission_and_renumbers_the_prims(region: Region) -> None:
    other = region.object("new", ["newer"])
    thing = region.object("root", ["old"], scripts=[LINKER % f'llCreateLink("{other.key}", TRUE)'])
    region.run()
    region.owner.touch(thing)
    region.owner.refuse()
    assert [line.text for line in region.owner.lines] == ["no"]
    region.owner.touch(thing)
    region.owner.grant()
    region.run(2)
    assert [prim.name for prim in thing.prims] == ["root", "new", "newer", "old"]
    assert thing.script("script")["links"] == 1
    assert region.objects == [thing]


def test_unlinking_leaves_linkset_data_with_the_root(region: Region) -> None:
    thing = region.object("root", ["a", "b"], scripts=[LINKER % "llBreakLink(2)"])
    thing.data.write("k", "v")
    region.run()
    region.owner.touch(thing)
    region.owner.grant()
    region.run(2)
    assert [prim.name for prim in thing.prims] == ["root", "b"]
    assert (region.find("a").data.pairs, thing.data.read("k")) == ({}, "v")


def test_particles_belong_to_the_prim_and_survive_a_reset(region: Region) -> None:
    text = "state_entry() { if (once++) return; llLinkParticleSystem(2, [PSYS_SRC_PATTERN, 8]); }"
    thing = region.object("root", ["a"], scripts=[script(text, "integer once;")])
    region.run()
    thing.script("script")["once"] = 1
    assert thing.prim("a").particles == [LSL.PSYS_SRC_PATTERN, 8]
    assert thing.root.particles == []


# ---- inventory


def test_notecard_lines_come_later_and_end_with_eof(region: Region, make: Make) -> None:
    thing = make(
        'touch_start(integer n) { llGetNotecardLine("card", line); }'
        'dataserver(key q, string d) { got += [d]; if (d != EOF) llGetNotecardLine("card", ++line);'
        " }",
        top="integer line; list got;",
    )
    thing.root.notecard("card", "one\n\nthree")
    region.owner.touch(thing)
    assert thing.script("script")["got"] == []
    region.run(2)
    assert thing.script("script")["got"] == ["one", "", "three", LSL.EOF]


def test_a_notecard_read_at_once_is_nak_until_the_simulator_knows_it(
    region: Region, make: Make
) -> None:
    thing = make(
        'touch_start(integer n) { got += [llGetNotecardLineSync("card", 0)];'
        ' llGetNumberOfNotecardLines("card"); } dataserver(key q, string d) { got += [d]; }',
        top="list got;",
    )
    thing.root.notecard("card", "é" * 600)
    region.owner.touch(thing)
    region.run(1)
    region.owner.touch(thing)
    assert thing.script("script")["got"] == [LSL.NAK, "1", "é" * 512]


def test_the_inventory_is_sorted_and_its_changes_are_told(region: Region, make: Make) -> None:
    thing = make("changed(integer c) { if (c & CHANGED_INVENTORY) ++n; }", top="integer n;")
    thing.root.notecard("b", "")
    thing.root.notecard("a", "")
    region.run()
    assert thing.script("script")["n"] == 2
    found = result(
        region, thing,
        "[llGetInventoryNumber(INVENTORY_NOTECARD), llGetInventoryName(INVENTORY_NOTECARD, 0),"
        ' llGetInventoryType("b"), llGetInventoryType("c"), llGetInventoryName(INVENTORY_ALL, 9)]',
    )  # fmt: skip
    assert found == [2, "a", 7, -1, ""]


def test_what_a_script_gives_lands_in_the_avatars_inventory(region: Region, make: Make) -> None:
    thing = make('touch_start(integer n) { llGiveInventory(llDetectedKey(0), "rules"); }')
    card = thing.root.notecard("rules", "Be nice.")
    ann = region.avatar("Ann")
    ann.touch(thing)
    assert ann.inventory == [card]


def test_a_script_can_reset_and_stop_another(region: Region, make: Make) -> None:
    thing = make(
        'touch_start(integer n) { if (llGetScriptState("other")) llSetScriptState("other", FALSE);'
        ' else llResetOtherScript("other"); }'
    )
    other = thing.root.script(script("timer() { ++n; } state_entry() { llSetTimerEvent(1.0); }",
                                     "integer n;"), "other")  # fmt: skip
    assert other
    region.run(3.5)
    region.owner.touch(thing)
    region.run(5)
    assert other["n"] == 3
    region.owner.touch(thing)
    assert other["n"] == 0


# ---- linkset data


def test_linkset_data_survives_a_reset_and_is_shared_by_all_scripts(region: Region) -> None:
    hears = script("linkset_data(integer a, string k, string v) { got += [a, k, v]; }", "list got;")
    thing = region.object("root", ["a"], scripts=[script(
        'state_entry() { codes += [llLinksetDataWrite("k", "v"), llLinksetDataWrite("k", "v"),'
        ' llLinksetDataWrite("", "v"), llLinksetDataDelete("no")]; } touch_start(integer n)'
        ' { llLinksetDataWriteProtected("p", "secret", "pass"); codes = [llLinksetDataRead("p"),'
        ' llLinksetDataReadProtected("p", "pass"), llLinksetDataWrite("p", "mine"),'
        ' llLinksetDataDeleteProtected("p", "wrong")] + llLinksetDataListKeys(0, 0); }',
        "list codes;",
    )])  # fmt: skip
    other = thing.prim("a").script(hears, "other")
    region.run()
    assert other
    assert thing.script("script")["codes"] == [0, 5, 2, 4]
    thing.reset()
    assert thing.script("script")["codes"] == [5, 5, 2, 4]
    region.owner.touch(thing)
    assert thing.script("script")["codes"] == ["", "secret", 3, 3, "k", "p"]
    assert other["got"] == [1, "p", ""]


def test_linkset_data_holds_131072_bytes_and_protection_costs_32(region: Region) -> None:
    thing = region.object("root")
    assert result(region, thing, "llLinksetDataAvailable()", "integer") == 131_072
    assert thing.data.write("k", "x" * 131_040, "pass") == LSL.LINKSETDATA_EMEMORY
    assert thing.data.write("k", "x" * 131_039, "pass") == LSL.LINKSETDATA_OK
    assert thing.data.used_bytes == 131_072
    assert thing.data.write("a", "b") == LSL.LINKSETDATA_EMEMORY


def test_a_copy_of_an_object_carries_the_data_and_the_scripts_state(
    region: Region, make: Make
) -> None:
    thing = make("touch_start(integer n) { count += n; }", top="integer count;")
    thing.data.write("k", "v")
    region.owner.touch(thing)
    copy = thing.copy()
    region.owner.touch(copy)
    assert (thing.script("script")["count"], copy.script("script")["count"]) == (1, 2)
    assert copy.data.read("k") == "v"
    assert copy.key != thing.key
