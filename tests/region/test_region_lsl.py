"""The language: what compiles, what does not, and how functions of today's LSL come out."""

from __future__ import annotations

from typing import Any

import pytest

from . import DoesNotCompile, NotEmulated, Region, ScriptError, compiled, lint
from .api import LUMMAO, emulated
from .conftest import Make, script
from .definitions import FUNCTIONS


def value(region: Region, expression: str, kind: str = "string") -> Any:
    """What an expression gives in a script."""
    text = script(f"state_entry() {{ found = {expression}; }}", f"{kind} found;")
    runner = region.object("calculator").root.script(text)
    region.run(30)
    return runner["found"]


def test_an_error_is_told_with_its_line() -> None:
    with pytest.raises(DoesNotCompile, match=r"3:\d+: E10006 `foo' is undeclared"):
        compiled("default\n{ state_entry() {\n foo(); } }")


@pytest.mark.parametrize(
    "call",
    ["llSetPrimitiveParams([])", "llSetLinkPrimitiveParams(1, [])", 'llSound("a", 1.0, 0, 0)'],
)
def test_a_deprecated_function_fails_the_build(call: str) -> None:
    with pytest.raises(DoesNotCompile, match=r"2:.* is deprecated"):
        compiled(f"default {{ state_entry() {{\n {call}; }} }}")


def test_a_function_that_lsl_does_not_have_fails_the_build() -> None:
    with pytest.raises(DoesNotCompile, match="undeclared"):
        compiled(script("state_entry() { llSendPigeon(); }"))


def test_a_function_that_is_not_for_residents_fails_the_build() -> None:
    with pytest.raises(DoesNotCompile, match="not for residents"):
        compiled(script("state_entry() { llGodLikeRezObject(NULL_KEY, <1.0, 1.0, 1.0>); }"))


def test_a_deprecated_name_in_a_comment_or_text_is_no_error() -> None:
    assert lint(script('// llSound\nstate_entry() { llOwnerSay("llSound"); }')) == []


def test_an_inner_variable_of_the_same_name_fails_the_build() -> None:
    with pytest.raises(DoesNotCompile, match=r"2:.*shadows previous declaration at \(1, "):
        compiled("default { state_entry() { integer i = 1; llSleep(i);\n{ integer i; }}}")


def test_an_unused_variable_is_a_warning() -> None:
    found = lint(script("state_entry() {\n integer i; }"))
    assert [(f.line, f.code, f.is_error) for f in found] == [(5, "E20009", False)]


def test_constants_of_today_can_stand_in_a_global_list(region: Region) -> None:
    text = script("state_entry() { n = llList2Integer(L, 0); }", "list L = [REZ_PARAM_STRING];\n"
                  "integer n = 0;")  # fmt: skip
    runner = region.object("x").root.script(text)
    region.run()
    assert runner["n"] == 13


def test_lines_are_true_although_functions_are_put_in_before_them() -> None:
    text = 'string s;\ndefault { state_entry() {\n s = llHMAC("a", "b", "sha1");\n wrong(); } }'
    assert [f.line for f in lint(text) if f.is_error] == [4]


def test_what_is_not_emulated_says_its_name(region: Region) -> None:
    region.object("x", scripts=[script("state_entry() { llMoveToTarget(<1.0,1.0,1.0>, 1.0); }")])
    with pytest.raises(NotEmulated, match="llMoveToTarget is not emulated"):
        region.run()


def test_every_emulated_function_is_one_of_todays_lsl() -> None:
    assert emulated() - FUNCTIONS.keys() == set()
    assert {name for name in LUMMAO if FUNCTIONS[name].delay_s} == set()


def test_an_hmac_is_base64(region: Region) -> None:
    found = value(region, 'llHMAC("secret key", "Hello, Avatar!", "sha1")')
    assert found == "ffCDntkagRO5mIEtd2tYzM2Bg8I="


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ('llComputeHash("abc", "md5")', "900150983cd24fb0d6963f7d28e17f72"),
        ('llMD5String("abc", 0)', "a0e1b1bf1b7e0bd2c9d9bb3fa4dba4bd"),
        ('llReplaceSubString("aaaa", "a", "b", 2)', "bbaa"),
        ('llReplaceSubString("aaaa", "a", "b", -2)', "aabb"),
        ('llReplaceSubString("aaaa", "a", "b", 0)', "bbbb"),
        ('llEscapeURL("a b/é")', "a%20b%2F%C3%A9"),
        ('llJsonGetValue("[[1,2],{\\"a\\":\\"x\\"}]", [1, "a"])', "x"),
        ('llJsonSetValue("{\\"a\\":1}", ["b"], "c")', '{"a":1,"b":"c"}'),
        ('llDumpList2String(llList2ListSlice([1,2,3,4,5,6], 0, -1, 3, 1), ",")', "2,5"),
        ('llDumpList2String(llListSortStrided([2,"b",1,"a"], 2, 0, TRUE), ",")', "1,a,2,b"),
        ("(string)llListFindStrided([1,2,2,1], [2], 0, -1, 2)", "2"),
        ("(string)llListFindListNext([1,2,1,2], [1,2], -1)", "2"),
        ("(string)(0x7FFFFFFF + 1)", "-2147483648"),
        ("(string)0.1", "0.100000"),
        ("(string)llGetListLength(llParseString2List(\"a1b\", "
         '["x","x","x","x","x","x","x","x","1"], []))', "1"),
    ],
)  # fmt: skip
def test_functions_without_a_world_do_as_documented(
    region: Region, expression: str, wanted: str
) -> None:
    if "llMD5String" in expression:
        wanted = value(region, 'llComputeHash("abc:0", "md5")')
    assert value(region, expression) == wanted


def test_counting_up_in_a_loop_counts(region: Region) -> None:
    """On Python 3.13 lummao computes `i++` wrongly and says nothing."""
    text = script(
        "state_entry() { integer i; while (i++ < 5) got += [i--, --i, ++i, i++]; }", "list got;"
    )
    runner = region.object("x").root.script(text)
    region.run()
    assert runner
    assert runner["got"] == [n for i in range(1, 6) for n in (i, i - 2, i - 1, i - 1)]


def test_json_missing_and_null_are_the_constants(region: Region) -> None:
    assert value(region, 'llJsonGetValue("{\\"a\\":null}", ["a"])') == "\ufdd5"
    assert value(region, 'llJsonGetValue("{}", ["a"])') == "\ufdd0"
    assert value(region, 'llJsonValueType("[true]", [0])') == "\ufdd6"


def test_memory_grows_with_lists_and_ends_in_a_collision(region: Region) -> None:
    text = script(
        "state_entry() { llSetTimerEvent(1.0); }"
        "timer() { integer i; for (i = 0; i < 200; ++i) l += [i]; used = llGetUsedMemory(); }",
        "list l; integer used;",
    )
    runner = region.object("x").root.script(text)
    region.run(1.5)
    first = runner["used"]
    region.run(1)
    assert 3000 < first < runner["used"] < first + 10_000
    with pytest.raises(ScriptError, match="Stack-Heap Collision"):
        region.run(60)


def test_a_crashed_script_hears_nothing_until_it_is_reset(region: Region, make: Make) -> None:
    region.strict = False
    thing = make(
        'touch_start(integer n) { count += n; llOwnerSay((string)llHMAC("", "", "rot13")); }',
        top="integer count;",
    )
    thing.script("script")
    region.owner.touch(thing)
    region.owner.touch(thing)
    assert thing.script("script")["count"] == 1
    assert len(region.errors) == len(region.debug) == 1
    thing.reset()
    assert thing.script("script")["count"] == 0
