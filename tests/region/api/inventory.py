"""What lies in the prim, and the scripts in it."""

from __future__ import annotations

import re
from typing import Any

from lummao import Key

from ..definitions import LSL, NULL_KEY
from ..prims import Item, Notecard, new_key
from ..script import ScriptError, ScriptReset
from .base import Base

LINE_BYTES = 1024
NOTECARD_S = 0.1
MAX_FOUND = 64


class InventoryApi(Base):
    def _items(self, kind: int) -> list[Item]:
        items = sorted(self.prim.inventory.values(), key=lambda item: item.name)
        return [item for item in items if kind in (LSL.INVENTORY_ALL, item.type)]

    def llGetInventoryNumber(self, kind: int) -> int:
        return len(self._items(kind))

    def llGetInventoryName(self, kind: int, number: int) -> str:
        items = self._items(kind)
        return items[number].name if 0 <= number < len(items) else ""

    def llGetInventoryType(self, name: str) -> int:
        item = self.prim.inventory.get(name)
        return item.type if item else int(LSL.INVENTORY_NONE)

    def llGetInventoryKey(self, name: str) -> Key:
        item = self.prim.inventory.get(name)
        return item.key if item else NULL_KEY

    def llGetInventoryDesc(self, name: str) -> str:
        item = self.prim.inventory.get(name)
        return item.description if item else ""

    def llGetInventoryCreator(self, name: str) -> Key:
        return self.linkset.creator.key if name in self.prim.inventory else NULL_KEY

    def llGetInventoryPermMask(self, name: str, category: int) -> int:
        item = self.prim.inventory.get(name)
        if item is None:
            return 0
        no_copy = 0 if item.copyable else int(LSL.PERM_COPY)
        return int(LSL.PERM_ALL) & ~no_copy

    def llRemoveInventory(self, name: str) -> None:
        item = self.prim.inventory.pop(name, None)
        if item is None:
            self.error(f"no item named {name!r}")
            return
        runner = self.prim.runners.pop(name, None)
        if runner:
            runner.end()
        for other in self.prim.runners.values():
            other.post("changed", int(LSL.CHANGED_INVENTORY))

    def llGiveInventory(self, target: Key, name: str) -> None:
        item = self.prim.inventory.get(name)
        avatar, there = self.region.known_avatar(target), self.object_by_key(target)
        if item is None:
            self.error(f"llGiveInventory: no item named {name!r}")
        elif avatar:
            avatar.inventory.append(item)
        elif there:
            there.root.add(item)

    # ---- notecards

    def _notecard(self, name: str) -> Notecard | None:
        item = self.prim.inventory.get(name)
        if item is None:
            by_key = (i for i in self.prim.inventory.values() if i.key == name)
            item = next(by_key, None)
        if isinstance(item, Notecard):
            return item
        self.error(f"Couldn't find notecard {name!r}")
        return None

    def _later(self, answer: str) -> Key:
        """Tell every script of the prim after a moment."""
        query, runners = new_key(), list(self.prim.runners.values())

        def tell() -> None:
            for runner in runners:
                runner.post("dataserver", query, answer)

        self.region.after(NOTECARD_S, tell)
        return query

    def llGetNotecardLine(self, name: str, line: int) -> Key:
        card = self._notecard(name)
        if card is None:
            return NULL_KEY
        self.region.cached_notecards.add(card.key)
        return self._later(_line(card, line))

    def llGetNumberOfNotecardLines(self, name: str) -> Key:
        card = self._notecard(name)
        if card is None:
            return NULL_KEY
        self.region.cached_notecards.add(card.key)
        return self._later(str(len(_lines(card))))

    def llGetNotecardLineSync(self, name: str, line: int) -> str:
        """NAK unless the simulator has read the notecard before, for an asynchronous call."""
        card = self._notecard(name)
        if card is None or card.key not in self.region.cached_notecards:
            return str(LSL.NAK)
        return _line(card, line)

    def llFindNotecardTextSync(
        self, name: str, pattern: str, start: int, count: int, options: list[Any]
    ) -> list[Any]:
        card = self._notecard(name)
        if card is None or card.key not in self.region.cached_notecards:
            return [str(LSL.NAK)]
        hits: list[Any] = []
        for number, line in enumerate(_lines(card)):
            for match in re.finditer(pattern, line):
                hits += [number, match.start(), match.end() - match.start()]
        most = min(count, MAX_FOUND) if count > 0 else MAX_FOUND
        return hits[3 * start : 3 * (start + most)]

    # ---- scripts

    def llGetScriptName(self) -> str:
        return self.script.name

    def llResetScript(self) -> None:
        raise ScriptReset

    def _other(self, name: str) -> Any:
        runner = self.prim.runners.get(name)
        if runner is None:
            self.error(f"no script named {name!r}")
        return runner

    def llResetOtherScript(self, name: str) -> None:
        runner = self._other(name)
        if runner is self.script:
            raise ScriptReset
        if runner:
            runner.reset()

    def llGetScriptState(self, name: str) -> int:
        runner = self._other(name)
        return int(bool(runner and runner.running and not runner.crashed))

    def llSetScriptState(self, name: str, on: int) -> None:
        runner = self._other(name)
        if runner is self.script and not on:
            raise ScriptError("a script that stops itself is not emulated")
        if runner:
            runner.running = bool(on)

    def llGetFreeMemory(self) -> int:
        return max(0, self.script.memory_limit - self.script.used_bytes())

    def llGetUsedMemory(self) -> int:
        return self.script.used_bytes()

    def llGetMemoryLimit(self) -> int:
        return self.script.memory_limit

    def llSetMemoryLimit(self, limit: int) -> int:
        if not self.script.used_bytes() < limit <= 65_536:
            return 0
        self.script.memory_limit = limit
        return 1


def _lines(card: Notecard) -> list[str]:
    return card.text.split("\n")


def _line(card: Notecard, number: int) -> str:
    lines = _lines(card)
    if not 0 <= number < len(lines):
        return str(LSL.EOF)
    return lines[number].encode()[:LINE_BYTES].decode(errors="ignore")
