"""The parcel, and other things of which a script seldom asks."""

from __future__ import annotations

from typing import Any

from lummao import Key, Vector

from ..definitions import LSL, NULL_KEY
from ..prims import new_key
from ..script import NotEmulated
from .base import Base

ANSWER_S = 0.3
GOVERNOR = Key("3d6181b0-6a4b-97ef-18d8-722652995cf1")


class ParcelApi(Base):
    def llGetParcelFlags(self, _pos: Vector) -> int:
        land, flags = self.region.land, 0
        if land.scripts_allowed:
            flags |= LSL.PARCEL_FLAG_ALLOW_SCRIPTS
        if land.rez_allowed:
            flags |= LSL.PARCEL_FLAG_ALLOW_CREATE_OBJECTS | LSL.PARCEL_FLAG_ALLOW_ALL_OBJECT_ENTRY
        return int(flags)

    def llGetLandOwnerAt(self, _pos: Vector) -> Key:
        owner = self.region.land.owner
        return owner.key if owner else GOVERNOR

    def llOverMyLand(self, key: Key) -> int:
        here = self.region.avatar_here(key) is not None
        return int(here and self.llGetLandOwnerAt(self.prim.pos) == self.owner_key)

    def llGetParcelMaxPrims(self, _pos: Vector, _whole_sim: int) -> int:
        return self.region.land.capacity

    def llGetParcelPrimCount(self, _pos: Vector, category: int, _whole_sim: int) -> int:
        if category != LSL.PARCEL_COUNT_TOTAL:
            raise NotEmulated(f"llGetParcelPrimCount of category {category}")
        return self.region.prim_count

    def llGetParcelDetails(self, pos: Vector, params: list[int]) -> list[Any]:
        known = {
            LSL.PARCEL_DETAILS_NAME: self.region.land.name,
            LSL.PARCEL_DETAILS_DESC: "",
            LSL.PARCEL_DETAILS_OWNER: self.llGetLandOwnerAt(pos),
            LSL.PARCEL_DETAILS_GROUP: NULL_KEY,
            LSL.PARCEL_DETAILS_PRIM_CAPACITY: self.region.land.capacity,
            LSL.PARCEL_DETAILS_PRIM_USED: self.region.prim_count,
        }
        for param in params:
            if param not in known:
                raise NotEmulated(f"llGetParcelDetails: parameter {param}")
        return [known[param] for param in params]

    # ---- asking about people by name, or whether they are there

    def _later(self, answer: str) -> Key:
        query, runners = new_key(), list(self.prim.runners.values())

        def tell() -> None:
            for runner in runners:
                runner.post("dataserver", query, answer)

        self.region.after(ANSWER_S, tell)
        return query

    def llRequestUserKey(self, name: str) -> Key:
        wanted = name.lower().replace(".", " ").removesuffix(" resident")
        for avatar in self.region.avatars:
            if avatar.username.replace(".", " ") == wanted:
                return self._later(str(avatar.key))
        return self._later(str(NULL_KEY))

    def llRequestAgentData(self, key: Key, what: int) -> Key:
        avatar = self.region.known_avatar(key)
        if what != LSL.DATA_ONLINE:
            raise NotEmulated(f"llRequestAgentData of kind {what}")
        return self._later(str(int(avatar is not None and avatar.online)))

    # ---- what is only written down, or does nothing that could be seen here

    def llGiveInventoryList(self, target: Key, folder: str, names: list[str]) -> None:
        avatar = self.region.known_avatar(target)
        if avatar:
            items = [self.prim.inventory[n] for n in names if n in self.prim.inventory]
            avatar.inventory += items

    def llTargetOmega(self, axis: Vector, rate: float, gain: float) -> None:
        self.prim.other["OMEGA"] = (axis, rate, gain)

    def llSetTextureAnim(self, *params: Any) -> None:
        self.prim.other["TEXTURE_ANIM"] = params

    def llSetLinkTextureAnim(self, link: int, *params: Any) -> None:
        for prim in self.links(link):
            prim.other["TEXTURE_ANIM"] = params

    def llPassTouches(self, on: int) -> None:
        if on == LSL.PASS_ALWAYS:
            raise NotEmulated("llPassTouches(PASS_ALWAYS)")

    def llAllowInventoryDrop(self, on: int) -> None:
        self.prim.other["ALLOW_DROP"] = on

    def llGetObjectPermMask(self, _category: int) -> int:
        no_transfer = 0 if self.linkset.transferable else int(LSL.PERM_TRANSFER)
        return int(LSL.PERM_ALL) & ~no_transfer
