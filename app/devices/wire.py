"""The words LSL speaks: records in lines, fields between separators, packed to a byte budget.

An answer (or push) is text: one record per line, its fields separated by `¦`, the first field a
letter that says what it is; S or M comes first.  Texts have their line breaks as `¶`, so what
people wrote can never look like structure.  The constants are generated into the scripts.

    S¦from¦to¦poll_s         what is new from state `from` to `to`; ask again in poll_s seconds
    M¦from¦to¦next           there is more of it: ask for the rest from record `next` on, 1 is first
    F¦prim¦picture¦r,g,b¦transparency¦glow¦text¦r,g,b¦effect   a frame; what is default is left out
    X¦set¦r,g,b¦row¦row…     a text set
    H¦avatar¦kind¦picture¦r,g,b¦glow¦text    HUD of a human (h) or floater of a bot (f)
    A¦avatar,avatar…         all that have a HUD or floater; others go
    G                        all HUDs and floaters go and come anew
    L¦number¦text            said in public; numbers grow, so that each line is said once
    P¦number¦avatar¦text     said to one alone; number 0: said in answer to him
    D¦seq¦avatar¦token¦text¦button¦button…   a dialog
    B¦seq¦avatar¦token¦text  a text box
    I¦device¦secret¦table    who the device is from now on
    V¦prim¦address           what a prim named media:… shows; in the answer to a hello
    K                        look what the land allows, and tell it with the verb land
    W¦text¦text¦text         what is said while no server is reached; see WORDS
    Z¦seconds¦number¦signature               ends a push; see `signing`
    U                        the URL is dead: ask for another one

`from` 0 is the whole board, for one who knows nothing; -n is the whole board too, for one who has
painted state n and nothing else: n is forgotten here, or does not stand as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from app.display import TEXT_SETS, WHITE, Board, Color, Frame
from app.games.core import Key
from app.games.texts import Theme
from app.table.hot import Dialog
from app.table.news import News

FIELD = "¦"
RECORD = "\n"
BREAK = "¶"

BODY_BYTES = 2000
"""What an answer or push may have: LSL gets 2,048 bytes of it."""

LINES = 100
"""Line n of state seq has the number seq * LINES + n."""

WORDS = ("unreached", "silent", "refused")
"""What the scripts say by themselves: that no server is reached, that it does not answer yet, that
it does not take this table.  In `[notice]`."""

LSL_CONSTANTS: Mapping[str, str | int] = {
    "FIELD": FIELD,
    "BREAK": BREAK,
    "LINES": LINES,
    "MSG_NEWS": 7301,
    "MSG_TOLD": 7302,
    "MSG_ACT": 7303,
    "MSG_WHO": 7304,
    "MSG_ANSWER": 7305,
    "MSG_FACTS": 7306,
    "MSG_ASK": 7307,
}
"""Generated into the scripts between their markers; MSG_… are numbers of link messages."""

_TO_SAFE = str.maketrans({FIELD: "|", BREAK: "§", "\r": None, "\n": BREAK})


@lru_cache(4096)  # most of what is sent was sent before
def safe(text: str) -> str:
    """A text as one field: no separators, line breaks as ¶, no other control signs."""
    plain = text.translate(_TO_SAFE)
    return "".join(c for c in plain if c.isprintable() or c in "\u200d\ufe0f")


def words(theme: Theme) -> str:
    """The record W in the language of a theme."""
    return record("W", *(safe(theme.say("notice", name)) for name in WORDS))


def record(*fields: str) -> str:
    """One line; empty fields at its end are left out."""
    return FIELD.join(fields).rstrip(FIELD)


def color(value: Color) -> str:
    """A colour, left out where it is white."""
    return "" if value == WHITE else _rgb(value)


def _rgb(value: Color) -> str:
    return ",".join(f"{c:g}" for c in value)


def frame(prim: str, value: Frame) -> str:
    """The record of a frame."""
    if prim in TEXT_SETS or value.rows:
        rows = (safe(row.rstrip()) for row in value.rows)
        return FIELD.join(("X", prim, _rgb(value.color), *rows))
    return record(
        "F",
        prim,
        value.picture,
        color(value.color),
        "" if value.alpha == 1.0 else f"{1.0 - value.alpha:g}",
        "" if value.glow == 0.0 else f"{value.glow:g}",
        safe(value.text),
        color(value.text_color),
        value.effect,
    )


def hud(avatar: str, is_bot: bool, value: Frame) -> str:
    """The record of a HUD or floater."""
    return record(
        "H",
        avatar,
        "f" if is_bot else "h",
        value.picture,
        _rgb(value.color),
        "" if value.glow == 0.0 else f"{value.glow:g}",
        safe(value.text),
    )


def dialog(seq: int, avatar: str, value: Dialog) -> str:
    """The record of a dialog; seq 0 for one that answers its avatar."""
    labels = (safe(b.label) for b in value.made.buttons)
    kind = "B" if value.made.typed else "D"
    return FIELD.join((kind, str(seq), avatar, value.token, safe(value.made.text), *labels))


def ask(seq: int, avatar: str, token: str, text: str) -> str:
    """The record of a text box."""
    return FIELD.join(("B", str(seq), avatar, token, safe(text)))


def whisper(number: int, avatar: str, text: str) -> str:
    return record("P", str(number), avatar, safe(text))


def textured(value: Frame, textures: Mapping[str, str]) -> Frame:
    """The frame with the theme's textures for its pictures; a table has the others itself."""
    return msgspec.structs.replace(
        value,
        picture=textures.get(value.picture, value.picture),
        effect=textures.get(value.effect, value.effect),
    )


def board(frames: Board, textures: Mapping[str, str]) -> list[str]:
    return [frame(prim, textured(value, textures)) for prim, value in sorted(frames.items())]


class Part(msgspec.Struct, frozen=True, gc=False):
    """What fits: the text, and the record, counted from 1, with which the rest begins.

    `rest` 0: nothing is left.
    """

    text: str
    rest: int


def pack(
    header: str,
    direct: Sequence[str],
    records: Sequence[str],
    more: tuple[int, int],
    budget_bytes: int,
    start: int = 0,
) -> Part:
    """`header`, `direct`, then as many of `records` as fit, from number `start` on (0: all).

    If some are left, the header is `M¦from¦to¦next` instead, where `more` is (from, to).  `direct`
    goes along with the first part only.  A record that fits nowhere is left out.
    """
    room = budget_bytes - max(_size(header), _size(_more(more, len(records))))
    fixed = [] if start else list(direct)
    left = room - sum(map(_size, fixed))
    shown = []
    position = max(start - 1, 0)
    while position < len(records):
        size = _size(records[position])
        if size <= left:
            shown.append(records[position])
            left -= size
        elif size <= room:
            break
        position += 1
    rest = position + 1 if position < len(records) else 0
    head = _more(more, rest) if rest else header
    return Part(RECORD.join((head, *fixed, *shown)), rest)


def _more(more: tuple[int, int], position: int) -> str:
    return record("M", str(more[0]), str(more[1]), str(position))


def _size(line: str) -> int:
    return len(line.encode()) + 1


def said(news: News) -> list[str]:
    """The records of the lines, numbered."""
    places: Counter[int] = Counter()
    out = []
    for line in news.said:
        places[line.seq] += 1
        number = line.seq * LINES + places[line.seq]
        if line.who:
            out.append(whisper(number, line.who, line.text))
        else:
            out.append(record("L", str(number), safe(line.text)))
    return out


def news_records(
    news: News,
    seats: Mapping[Key, bool],
    hud_renewed: bool,
    textures: Mapping[str, str],
) -> list[str]:
    """The records of the news; `seats`: of all that have a HUD or floater now, whether it is a bot.

    Dialogs and lines come last, when everything is painted.
    """
    out = ["G"] if hud_renewed else []
    out += board(news.frames, textures)
    gone = False
    for key, seat in news.seats.items():
        if seat.hud_changed or hud_renewed:
            if seat.hud is not None:
                out.append(hud(key, seats.get(key, False), textured(seat.hud, textures)))
            gone |= seat.hud is None
    if news.kind == "whole" or gone:
        out.append(record("A", ",".join(seats)))
    out += said(news)
    for key, seat in news.seats.items():
        if seat.dialog is not None:
            out.append(dialog(news.seq, key, seat.dialog))
    return out


WORDS_BEGIN = "// ---- words shared with the server: written by `peril lsl`, not by hand ----"
WORDS_END = "// ---- end of the shared words ----"


def with_words(script: str) -> str:
    """An LSL script with the shared constants that it uses between its two markers.

    A script without the markers stays as it is.
    """
    if WORDS_BEGIN not in script:
        return script
    before, _, rest = script.partition(WORDS_BEGIN)
    _, _, after = rest.partition(WORDS_END)
    used = {
        name: value for name, value in LSL_CONSTANTS.items() if re.search(rf"\b{name}\b", after)
    }
    lines = [_lsl(name, value, max(map(len, used))) for name, value in used.items()]
    return "\n".join((before + WORDS_BEGIN, *lines, WORDS_END)) + after


def _lsl(name: str, value: str | int, width: int) -> str:
    if isinstance(value, int):
        return f"integer {name:<{width}} = {value};"
    return f'string  {name:<{width}} = "{value}";'
