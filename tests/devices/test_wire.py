"""The words LSL speaks: records, separators, parts, budgets."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.devices import wire
from app.devices.routes import read_form, since_part
from app.display import Frame
from app.errors import Malformed
from app.games import dialogs, lobby
from app.games.core import Actor, Key
from app.table.hot import Dialog
from tests.table.house import House

HOSTILE = "a¦b¶c\nd\r\x00\x07\u2028\u202e\u200b\x85\x1f"
texts = st.text(st.characters(codec="utf-8"), max_size=80) | st.text("¦¶\n\r\0a", max_size=20)
lines = st.lists(st.text("ab¦¶é🎲", min_size=1, max_size=60), max_size=40)
ANN = "a0000000-0000-4000-8000-000000000001"


# ---- records --------------------------------------------------------------------------------


@given(texts)
def test_a_text_never_looks_like_structure(text: str) -> None:
    safe = wire.safe(text)
    assert wire.FIELD not in safe
    assert "\n" not in safe
    assert "\r" not in safe
    assert safe.count(wire.BREAK) == text.count("\n")
    assert all(c.isprintable() or c in "\u200d\ufe0f" for c in safe)


@given(texts, texts)
def test_a_record_has_exactly_the_fields_it_was_made_of(name: str, text: str) -> None:
    shown = Frame(picture="start", text=text, color=(1.0, 0.5, 0.0))
    fields = wire.frame("root", shown).split(wire.FIELD)
    assert fields[:4] == ["F", "root", "start", "1,0.5,0"]
    assert len(fields) <= 9
    said = wire.whisper(4, ANN, name).split(wire.FIELD)
    assert said == ["P", "4", ANN, wire.safe(name)] or not wire.safe(name)
    made = dialogs.Dialog("lobby", text, (dialogs.Button(name or "x"),))
    fields = wire.dialog(7, ANN, Dialog(made, "t-1", Key(ANN))).split(wire.FIELD)
    assert fields[0] == "D"
    assert len(fields) == 6
    assert fields[3].startswith("lobby~0~t-1~")


def test_control_signs_and_separators_of_a_name_are_gone() -> None:
    assert wire.safe(HOSTILE) == "a|b§c¶d"
    assert wire.safe("👩\u200d🚀 ❤\ufe0f") == "👩\u200d🚀 ❤\ufe0f"


def test_what_is_the_default_is_left_out() -> None:
    assert wire.frame("life:0:0", Frame(picture="hearts_3")) == "F¦life:0:0¦hearts_3"
    assert wire.frame("life:0:0", Frame(alpha=0.0)) == "F¦life:0:0¦¦¦1"
    glowing = Frame(picture="robot", color=(1.0, 1.0, 0.0), glow=0.2)
    assert wire.frame("profile:1:0", glowing) == "F¦profile:1:0¦robot¦1,1,0¦¦0.2"
    party = Frame(text="A\nB", effect="confetti")
    assert wire.frame("root", party) == "F¦root¦¦¦¦¦A¶B¦¦confetti"


def test_rows_of_a_text_set_keep_their_places() -> None:
    frame = Frame(rows=("one   ", "      ", "three "))
    assert wire.frame("Status", frame) == "X¦Status¦1,1,1¦one¦¦three"


def test_a_text_box_is_another_record_than_a_dialog() -> None:
    made = dialogs.Dialog("seconds", "How many?", (), typed=lambda _: None)  # type: ignore[arg-type]
    assert wire.dialog(0, ANN, Dialog(made, "t-1", Key(ANN))).startswith("B¦0¦" + ANN)


# ---- parts ----------------------------------------------------------------------------------


@given(lines, lines, st.integers(200, 5000))
def test_parts_put_together_are_the_whole(
    direct: list[str], records: list[str], budget: int
) -> None:
    direct = direct[:1] if len("\n".join(direct).encode()) > budget - 60 else direct
    got: list[str] = []
    start, parts = 0, 0
    while True:
        part = wire.pack("S¦0¦9¦30", direct, records, (0, 9), budget, start)
        parts += 1
        head, *rest = part.text.split("\n")
        assert len(part.text.encode()) <= max(budget, 260)
        assert head == ("S¦0¦9¦30" if part.rest == 0 else f"M¦0¦9¦{part.rest}")
        got += rest
        if part.rest == 0:
            break
        assert part.rest > start
        start = part.rest
    assert got == [*direct, *records]
    assert parts <= len(records) + 2


def test_a_record_waits_for_the_next_part_when_direct_ones_take_the_room() -> None:
    first = wire.pack("S¦0¦9¦30", ["d" * 150], ["r" * 100], (0, 9), 200)
    assert first.text == "M¦0¦9¦1\n" + "d" * 150
    assert wire.pack("S¦0¦9¦30", [], ["r" * 100], (0, 9), 200, first.rest) == wire.Part(
        "S¦0¦9¦30\n" + "r" * 100, 0
    )


def test_a_record_larger_than_any_part_is_left_out() -> None:
    """PB-217: an answer never grows beyond what the script takes."""
    part = wire.pack("S¦0¦9¦30", [], ["a", "b" * 300, "c"], (0, 9), 200)
    assert part == wire.Part("S¦0¦9¦30\na\nc", 0)


@pytest.mark.parametrize("start", [99, 10**8])
def test_a_start_behind_the_end_is_the_end(start: int) -> None:
    assert wire.pack("S¦0¦9¦30", ["d"], ["a", "b"], (0, 9), 200, start).text == "S¦0¦9¦30"


# ---- forms ------------------------------------------------------------------------------------


def escaped(text: str) -> str:
    """As LSL does it: all but letters and digits."""
    return "".join(c if c.isascii() and c.isalnum() else quote(c, safe="") for c in text).replace(
        "-", "%2D"
    )


@given(st.dictionaries(texts, texts, max_size=32))
def test_a_form_is_read_as_it_was_written(fields: dict[str, str]) -> None:
    body = "&".join(f"{escaped(k)}={escaped(v)}" for k, v in fields.items())
    assert read_form(body) == {k: v.replace("\0", "") for k, v in fields.items()}


@given(st.text(st.sampled_from("a-%2Dd&=+"), max_size=20))
def test_a_form_is_read_as_any_other_reader_does(body: str) -> None:
    try:
        pairs = parse_qsl(body, keep_blank_values=True, strict_parsing=bool(body))
    except ValueError:
        with pytest.raises(Malformed):
            read_form(body)
    else:
        assert read_form(body) == dict(pairs)


# ---- a full board ---------------------------------------------------------------------------


async def _full(house: House) -> None:
    names = ["🎲" * 16 + f"{n}" for n in range(5)] + [f"{HOSTILE}Wörld-{n}-" * 6 for n in range(5)]
    await house.join(*house.avatars(*names))


async def _parts(house: House, budget: int) -> list[str]:
    table, texts, start = house.table, [], 0
    while True:
        part = since_part(table, 0, 0, [], start, table.now, 30, budget)
        texts.append(part.text)
        if not part.rest:
            return texts
        start = part.rest


@pytest.mark.parametrize("budget", [wire.BODY_BYTES, 1200])
async def test_a_full_board_with_long_names_keeps_within_the_budget(
    house: House, budget: int
) -> None:
    await _full(house)
    texts = await _parts(house, budget)
    assert len(texts) <= 6
    assert all(len(text.encode()) <= budget for text in texts)
    records = [line for text in texts for line in text.split("\n")[1:]]
    kinds = {line.split(wire.FIELD)[0] for line in records}
    assert kinds <= set("FXHALPDBIKUG")
    frames = [line.split(wire.FIELD) for line in records if line[0] in "FX"]
    assert {fields[1] for fields in frames} == set(house.board)
    assert sum(line.startswith("H") for line in records) == 10


async def test_the_rest_is_the_rest_of_the_same_state(house: House) -> None:
    await _full(house)
    table = house.table
    upto = table.now
    first = since_part(table, 0, 0, [], 0, upto, 30, wire.BODY_BYTES)
    whole = "\n".join((await _parts(house, 10**6))[0].split("\n")[1:])
    await house.command(house.owner, lobby.Lock())
    texts, part = [first.text], first
    while part.rest:
        part = since_part(table, 0, 0, [], part.rest, upto, 30, wire.BODY_BYTES)
        texts.append(part.text)
    assert "\n".join(line for text in texts for line in text.split("\n")[1:]) == whole


async def test_the_rest_of_a_board_for_one_who_is_too_far_behind_has_the_lines_too(
    house: House,
) -> None:
    await _full(house)
    table = house.table
    since = table.now.seq
    for n in range(70):  # more than is remembered
        what = lobby.Lock() if n % 2 == 0 else lobby.Unlock()
        await house.tables.submit(house.id, Actor(house.owner.key, "", True), what)
    upto = table.now
    whole = since_part(table, since, 0, [], 0, upto, 30, 10**6).text.split("\n")[1:]
    got: list[str] = []
    asked, start = since, 0
    while True:
        part = since_part(table, asked, 0, [], start, upto, 30, wire.BODY_BYTES)
        head, *records = part.text.split("\n")
        got += records
        if not part.rest:
            break
        _, asked_, _, next_ = head.split(wire.FIELD)
        asked, start = int(asked_), int(next_)
    assert got == whole


# ---- shared words ---------------------------------------------------------------------------


def test_shared_words_are_written_between_the_marks_and_only_those_used() -> None:
    script = f"// x\n{wire.WORDS_BEGIN}\nold\n{wire.WORDS_END}\nllSay(0, FIELD); f(MSG_NEWS);\n"
    made = wire.with_words(script)
    assert 'string  FIELD    = "¦";' in made
    assert "integer MSG_NEWS = 7301;" in made
    assert "MSG_TOLD" not in made
    assert "old" not in made
    assert wire.with_words(made) == made
    assert wire.with_words("no marks") == "no marks"
