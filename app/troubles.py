"""What is wrong with the prims of a table in-world: kept in short, said in any language."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from app.games.texts import Theme

MISSING, DOUBLE = "-", "+"
NAMES: Final = {MISSING: "prims_missing", DOUBLE: "prims_double"}
MOST: Final = 1000
"""Characters that are kept, and said."""


def between(found: Sequence[str], wanted: Collection[str]) -> str:
    """What is missing or double among the prims found: `-name +name`; '' if nothing is."""
    missing = sorted(MISSING + prim for prim in set(wanted) - set(found))
    double = sorted(DOUBLE + prim for prim in wanted if found.count(prim) > 1)
    troubles = " ".join((*missing, *double))
    return troubles if len(troubles) <= MOST else troubles[:MOST].rpartition(" ")[0]


def said(troubles: str, theme: Theme) -> str:
    """The same in sentences."""
    if troubles[:1] not in NAMES:  # a sentence, as they were kept once
        return troubles
    kinds = {
        name: " ".join(prim[1:] for prim in troubles.split(" ") if prim.startswith(kind))
        for kind, name in NAMES.items()
    }
    told = [theme.say("notice", name, prims=prims) for name, prims in kinds.items() if prims]
    return " ".join(told)[:MOST]
