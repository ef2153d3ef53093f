"""Linkset data: a small store that belongs to the object, not to a script."""

from __future__ import annotations

from .definitions import LSL

LIMIT_BYTES = 131_072
PROTECTION_BYTES = 32


class LinksetData:
    """Key and value pairs with their pass phrases ('' for an open pair)."""

    def __init__(self) -> None:
        self.pairs: dict[str, tuple[str, str]] = {}

    def copy(self) -> LinksetData:
        made = LinksetData()
        made.pairs = dict(self.pairs)
        return made

    @property
    def used_bytes(self) -> int:
        return sum(_bytes(key, *pair) for key, pair in self.pairs.items())

    def write(self, key: str, value: str, phrase: str = "") -> int:
        """A LINKSETDATA_ code; writing '' deletes."""
        if not key:
            return int(LSL.LINKSETDATA_ENOKEY)
        if value == "":
            return self.delete(key, phrase)
        there = self.pairs.get(key)
        if there and there[1] and there[1] != phrase:
            return int(LSL.LINKSETDATA_EPROTECTED)
        made = (value, phrase)
        if there == made:
            return int(LSL.LINKSETDATA_NOUPDATE)
        before = _bytes(key, *there) if there else 0
        if self.used_bytes - before + _bytes(key, *made) > LIMIT_BYTES:
            return int(LSL.LINKSETDATA_EMEMORY)
        self.pairs[key] = made
        return int(LSL.LINKSETDATA_OK)

    def read(self, key: str, phrase: str = "") -> str:
        value, needed = self.pairs.get(key, ("", ""))
        return value if needed in ("", phrase) else ""

    def delete(self, key: str, phrase: str = "") -> int:
        there = self.pairs.get(key)
        if there is None:
            return int(LSL.LINKSETDATA_NOTFOUND)
        if there[1] and there[1] != phrase:
            return int(LSL.LINKSETDATA_EPROTECTED)
        del self.pairs[key]
        return int(LSL.LINKSETDATA_OK)

    def names(self) -> list[str]:
        return sorted(self.pairs)


def _bytes(key: str, value: str, phrase: str) -> int:
    return len((key + value).encode()) + (PROTECTION_BYTES if phrase else 0)
