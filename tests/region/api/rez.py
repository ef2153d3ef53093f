"""Rezzing, dying, attaching."""

from __future__ import annotations

from collections import deque
from math import dist
from typing import Any

from lummao import Key, Quaternion, Vector

from ..definitions import LSL, NULL_KEY
from ..prims import Asset, Linkset
from ..script import NotEmulated, ScriptGone
from .base import Base

REZ_M = 10.0
STRING_BYTES = 1024


class RezApi(Base):
    def _rez(self, item: str, pos: Vector, param: int, text: str = "", flags: int = 0) -> Key:
        asset = self.prim.inventory.get(item)
        if not isinstance(asset, Asset):
            self.error(f"Could not find object {item!r}.")
            return NULL_KEY
        land = self.region.land
        allowed = land.rez_allowed or land.owner is self.linkset.owner
        if not allowed or self.region.prim_count + len(asset.linkset.prims) > land.capacity:
            return NULL_KEY
        if dist(pos, self.prim.pos) > REZ_M:
            return NULL_KEY
        temporary = bool(flags & LSL.REZ_FLAG_TEMP)
        made = self.region.presence.rez_from(
            self.prim, asset, pos, param=param, start_string=text, temporary=temporary
        )
        for runner in list(self.prim.runners.values()):
            runner.post("object_rez", made.key)
        return made.key

    def llRezObject(self, item: str, pos: Vector, vel: Vector, rot: Quaternion, param: int) -> None:
        self._rez(item, pos, param)

    llRezAtRoot = llRezObject

    def llRezObjectWithParams(self, item: str, options: list[Any]) -> Key:
        rest, given = deque(options), {}
        sizes = {LSL.REZ_POS: 3, LSL.REZ_ROT: 2, LSL.REZ_VEL: 3, LSL.REZ_ACCEL: 2,
                 LSL.REZ_OMEGA: 2, LSL.REZ_LOCK_AXES: 1, LSL.REZ_PARAM: 1, LSL.REZ_FLAGS: 1,
                 LSL.REZ_PARAM_STRING: 1}  # fmt: skip
        while rest:
            code = rest.popleft()
            if code not in sizes:
                raise NotEmulated(f"llRezObjectWithParams: option {code!r}")
            if len(rest) < sizes[code]:
                self.error("llRezObjectWithParams: an option without its values")
                return NULL_KEY
            given[code] = [rest.popleft() for _ in range(sizes[code])]
        pos = self.prim.pos
        if LSL.REZ_POS in given:
            where, relative, _at_root = given[LSL.REZ_POS]
            pos = (
                Vector(tuple(a + b for a, b in zip(pos, where, strict=True)))
                if relative
                else (where)
            )
        text = given.get(LSL.REZ_PARAM_STRING, [""])[0]
        if len(text.encode()) > STRING_BYTES:
            self.error(f"REZ_PARAM_STRING has more than {STRING_BYTES} bytes")
            return NULL_KEY
        param, flags = given.get(LSL.REZ_PARAM, [0])[0], given.get(LSL.REZ_FLAGS, [0])[0]
        return self._rez(item, pos, param, text, flags)

    def llGetStartParameter(self) -> int:
        return self.linkset.start_param

    def llGetStartString(self) -> str:
        return self.prim.start_string

    def llDie(self) -> None:
        if not self.linkset.attached_to:
            self.region.remove(self.linkset)
            raise ScriptGone

    def llDerezObject(self, key: Key, flags: int) -> int:
        there = self.object_by_key(key)
        if there is None or there.rezzer != self.linkset.key or there.attached_to:
            return 0
        if flags == LSL.DEREZ_MAKE_TEMP:
            there.temporary = True
            return 1
        if flags == LSL.DEREZ_TO_INVENTORY:
            there.owner.inventory.append(Asset(there.name, linkset=there.clone()))
        self.region.remove(there)
        return 1

    # ---- attachments

    def llGetAttached(self) -> int:
        return self.linkset.attach_point if self.linkset.attached_to else 0

    def llAttachToAvatarTemp(self, point: int) -> None:
        avatar = self.region.avatar_here(self.script.perms_from)
        if not self.script.perms & LSL.PERMISSION_ATTACH:
            self.error("Script trying to attach but PERMISSION_ATTACH permission not set!")
        elif avatar and not self.linkset.attached_to:
            if not self.linkset.transferable:
                self.error("No permission to transfer: cannot attach.")
                return
            self.region.presence.attach_temp(self.linkset, avatar, point)

    def llDetachFromAvatar(self) -> None:
        linkset: Linkset = self.linkset
        if not linkset.attached_to or self.prim is not linkset.root:
            return
        if not self.script.perms & LSL.PERMISSION_ATTACH:
            self.error("Script trying to detach but PERMISSION_ATTACH permission not set!")
            return
        self.region.presence.detach(linkset, by_script=True)
        raise ScriptGone
