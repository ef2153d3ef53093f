"""A stand-in for the FURWARE text engine: it answers its link messages and records what shows.

    engine = furware.install(table.root)
    engine.text("Board")     # the rows of a set as they stand there

Display prims are named `FURWARE text mesh:<set>:<row>:<column>:<faces>`, one character a face.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .api import Api
from .definitions import LSL, NULL_KEY
from .prims import Prim, Script
from .script import Event, Runner

if TYPE_CHECKING:
    from .region import Region

MESH = re.compile(r"FURWARE text mesh:([^:;]{1,16}):(\d+):(\d+):(\d+)")
TAG = re.compile(r"<!([^>]*)>")
REFRESH_S = 0.05
BOXES_PER_SET = 16
# Besides Latin-1: what the font textures have.
EXTRA = set("⚀⚁⚂⚃⚄⚅♀♂⚠✔✘☺☹☐☑█░▒▓─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬←↑→↓↔↕♠♣♥♦•…–—‘’“”€™◄►▲▼●○■□★☆♪♫ŒœŠšŽžŸ")


@dataclass
class Box:
    """A rectangle of a set; the root box of a set has the set's name."""

    name: str
    set: str
    x: int
    y: int
    width: int
    height: int
    parent: Box | None = None
    text: str = ""
    conf: str = ""
    redraws: int = 0
    texts: list[str] = field(default_factory=list)
    """Every text it was given, oldest first."""


def mesh_names(set_name: str, rows: int, columns: int, faces: int = 8) -> list[str]:
    """Names of the prims of a set of `rows` rows with `columns` prims each."""
    return [
        f"FURWARE text mesh:{set_name}:{row}:{column}:{faces}"
        for row in range(rows)
        for column in range(columns)
    ]


def install(prim: Prim, name: str = "FURWARE text") -> Engine:
    """Put the engine into a prim of an object that is in a region."""
    item = Script(name, runner=lambda region, where, it, _: Engine(region, where, it.name))
    prim.add(item)
    engine = prim.runners[item.name]
    assert isinstance(engine, Engine)
    return engine


class Engine(Runner):
    def __init__(self, region: Region, prim: Prim, name: str) -> None:
        self.boxes: dict[str, Box] = {}
        self.conf: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self.redraws: Counter[str] = Counter()
        """How often each box was drawn, over all restarts."""
        self.commands: list[tuple[str, str]] = []
        """(command, text) of all that came in."""
        self._dirty: list[Box] = []
        self._notify: int | None = None
        super().__init__(region, prim, name)
        self.api = Api(self)
        self.start()

    def start(self) -> None:
        self.queue.append(Event("state_entry"))

    def handler(self, event: str) -> Callable[..., Any] | None:
        handlers: dict[str, Callable[..., Any]] = {
            "state_entry": self._begin,
            "link_message": self._message,
            "timer": self._refresh,
            "changed": self._changed,
        }
        return handlers.get(event)

    # ---- looking at it

    def text(self, set_name: str) -> list[str]:
        """The rows of a set as one sees them, boxes that were made later on top."""
        root = self.boxes[set_name]
        rows = [[" "] * root.width for _ in range(root.height)]
        for box in self.boxes.values():
            if box.set != set_name:
                continue
            for y, line in enumerate(self._lines(box)):
                for x, character in enumerate(line):
                    rows[box.y + y][box.x + x] = character
        return ["".join(row).rstrip() for row in rows]

    def style(self, box_name: str) -> dict[str, str]:
        """The style that holds for a box, templates put in."""
        box = self.boxes[box_name]
        own = self.conf.get("root" if box.parent is None else "nonroot", "")
        found: dict[str, str] = {}
        self._read_style(";".join([self.conf.get("", ""), own, box.conf]), found)
        return found

    def _read_style(self, text: str, found: dict[str, str]) -> None:
        for part in filter(None, map(str.strip, text.split(";"))):
            name, _, value = part.partition("=")
            if name == "style":
                self._read_style(self.variables.get(value, ""), found)
            else:
                found[name.strip()] = value.strip()

    def _lines(self, box: Box) -> list[str]:
        style = self.style(box.name)
        text = box.text if style.get("tags") == "off" else TAG.sub("", box.text)
        shown = "".join(c if c == "\n" or c in EXTRA or 32 <= ord(c) < 256 else "?" for c in text)
        lines: list[str] = []
        for line in shown.split("\n"):
            lines += _wrapped(line, box.width, style.get("w", "word"))
        align = {"center": str.center, "right": str.rjust}.get(style.get("a", "left"), str.ljust)
        return [align(line, box.width)[: box.width] for line in (lines + [""] * box.height)][
            : box.height
        ]

    # ---- what it does

    def _begin(self) -> None:
        self.boxes, self.conf, self.variables = {}, {}, {}
        self._dirty, self._notify = [], None
        cells: dict[str, dict[tuple[int, int], int]] = defaultdict(dict)
        for prim in self.prim.linkset.prims:
            if match := MESH.fullmatch(prim.name):
                cells[match[1]][int(match[2]), int(match[3])] = int(match[4])
        for name, prims in cells.items():
            rows = 1 + max(row for row, _ in prims)
            widths = {sum(f for (row, _), f in prims.items() if row == r) for r in range(rows)}
            if len(widths) != 1 or len(set(prims.values())) != 1:
                self.api.error(f"the rows of set {name} are not equal")
                continue
            self.boxes[name] = Box(name, name, 0, 0, widths.pop(), rows)
        self._prims = len(self.prim.linkset.prims)
        self.api.llMessageLinked(LSL.LINK_SET, 0, "", NULL_KEY.__class__("fw_ready"))

    def _changed(self, what: int) -> None:
        if what & LSL.CHANGED_LINK and len(self.prim.linkset.prims) != self._prims:
            self.reset()

    def _message(self, sender: int, _number: int, text: str, key: str) -> None:
        command, *parts = (part.strip() for part in str(key).split(":"))
        if not command.startswith("fw_") or command in ("fw_ready", "fw_done", "fw_touchreply"):
            return
        self.commands.append((str(key), text))
        do = getattr(self, f"_{command}", None)
        if do is None:
            self.api.error(f"the stand-in does not know {command}")
        else:
            do(sender, text, parts)

    def _selected(self, parts: Iterable[str]) -> list[Box]:
        """Boxes by name, all for nothing, `A;B`, `A;` and `;B` in the order of creation."""
        names, found = list(self.boxes), []
        for part in list(parts) or [""]:
            if part == "":
                found += names
            elif ";" in part:
                first, last = part.split(";")
                start = names.index(first) if first in names else 0
                end = names.index(last) if last in names else len(names) - 1
                found += names[start : end + 1]
            elif part in names:
                found.append(part)
        return [self.boxes[name] for name in found]

    def _touched(self, boxes: Iterable[Box]) -> None:
        for box in boxes:
            if box not in self._dirty:
                self._dirty.append(box)
        self.set_timer(REFRESH_S)

    def _fw_data(self, _: int, text: str, parts: list[str]) -> None:
        boxes = self._selected(parts)
        for box in boxes:
            box.text = text
            box.texts.append(text)
        self._touched(boxes)

    def _fw_conf(self, _: int, text: str, parts: list[str]) -> None:
        boxes = self._selected(parts)
        for box in boxes:
            box.conf = text
        self._touched(boxes)

    def _fw_defaultconf(self, _: int, text: str, parts: list[str]) -> None:
        self.conf[parts[0] if parts else ""] = text
        self._touched(self.boxes.values())

    def _fw_var(self, _: int, text: str, parts: list[str]) -> None:
        if text:
            self.variables[parts[0]] = text
        else:
            self.variables.pop(parts[0], None)

    def _fw_addbox(self, _: int, text: str, parts: list[str]) -> None:
        name, parent_name, place, *style = parts
        parent = self.boxes.get(parent_name)
        x, y, width, height = (int(n) for n in place.split(","))
        if parent is None or name in self.boxes or not name:
            self.api.error(f"fw_addbox: {name!r} in {parent_name!r} is not possible")
            return
        root = self.boxes[parent.set]
        x, y = parent.x + x, parent.y + y
        inside = x >= 0 and y >= 0 and x + width <= root.width and y + height <= root.height
        if not inside or sum(b.set == parent.set for b in self.boxes.values()) >= BOXES_PER_SET:
            self.api.error(f"fw_addbox: {name!r} does not fit into {parent.set!r}")
            return
        box = Box(name, parent.set, x, y, width, height, parent, text, ":".join(style), 0, [text])
        self.boxes[name] = box
        self._touched([box])

    def _fw_delbox(self, _: int, _text: str, parts: list[str]) -> None:
        for name in parts:
            box = self.boxes.get(name)
            if box and box.parent:
                del self.boxes[name]
                self._touched([box.parent])

    def _fw_touchquery(self, sender: int, text: str, parts: list[str]) -> None:
        link, face = int(parts[0]), int(parts[1])
        prim = self.api.one(link)
        match = MESH.fullmatch(prim.name) if prim else None
        reply = "::::::" + text
        if match and match[1] in self.boxes:
            x, y = int(match[3]) * int(match[4]) + face, int(match[2])
            root = self.boxes[match[1]]
            box = [
                b for b in self.boxes.values()
                if b.set == root.name and 0 <= x - b.x < b.width and 0 <= y - b.y < b.height
            ][-1]  # fmt: skip
            reply = f"{box.name}:{x - box.x}:{y - box.y}:{root.name}:{x}:{y}:{text}"
        self.api.llMessageLinked(sender, 0, reply, NULL_KEY.__class__("fw_touchreply"))

    def _fw_notify(self, _: int, text: str, _parts: list[str]) -> None:
        self._notify = int(LSL.LINK_SET) if text == "on" else None

    def _fw_memory(self, *_: Any) -> None:
        self.api.llOwnerSay("free memory: 20000")

    def _fw_reset(self, *_: Any) -> None:
        self.reset()

    def _refresh(self) -> None:
        self.set_timer(0.0)
        drawn, self._dirty = self._dirty, []
        for box in drawn:
            box.redraws += 1
            self.redraws[box.name] += 1
        if drawn and self._notify is not None:
            self.api.llMessageLinked(self._notify, 0, "", NULL_KEY.__class__("fw_done"))


def _wrapped(line: str, width: int, wrap: str) -> list[str]:
    if wrap == "none" or len(line) <= width:
        return [line]
    lines = []
    while len(line) > width:
        end = line.rfind(" ", 0, width + 1) if wrap == "word" else width
        end = end if end > 0 else width
        lines.append(line[:end])
        line = line[end:].lstrip(" ") if wrap == "word" else line[end:]
    return [*lines, line]
