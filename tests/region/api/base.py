"""What every area of the API has at hand."""

from __future__ import annotations

from lummao import Key

from ..definitions import LSL
from ..prims import Linkset, Prim
from ..region import Region
from ..script import Runner


class Base:
    """The functions as one script sees them."""

    def __init__(self, script: Runner) -> None:
        self.script = script

    @property
    def region(self) -> Region:
        return self.script.region

    @property
    def prim(self) -> Prim:
        return self.script.prim

    @property
    def linkset(self) -> Linkset:
        return self.script.prim.linkset

    def error(self, text: str) -> None:
        """The simulator complains; the script goes on."""
        self.region.chat.shout_error(self.prim, f"{self.script.name}: {text}")

    def links(self, link: int) -> list[Prim]:
        """The prims that a link number stands for."""
        prims, me = self.linkset.prims, self.prim
        match link:
            case LSL.LINK_SET:
                return list(prims)
            case LSL.LINK_ALL_OTHERS:
                return [prim for prim in prims if prim is not me]
            case LSL.LINK_ALL_CHILDREN:
                return prims[1:]
            case LSL.LINK_THIS:
                return [me]
        if link == 0:
            return [prims[0]]
        return prims[link - 1 : link] if link > 0 else []

    def one(self, link: int) -> Prim | None:
        """The prim, or the first of the prims, of a link number."""
        return next(iter(self.links(link)), None)

    def object_by_key(self, key: str) -> Linkset | None:
        prim = self.region.prim_by_key(key)
        return prim.linkset if prim else None

    @property
    def owner_key(self) -> Key:
        return self.linkset.owner.key
