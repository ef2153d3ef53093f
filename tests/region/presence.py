"""Who and what is in the region: rezzing, attaching, leaving, coming back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lummao import Key

from .definitions import LSL, NULL_KEY
from .prims import Asset, Item, Linkset, Prim, Script, vector
from .script import LslRunner

if TYPE_CHECKING:
    from .avatars import Avatar
    from .region import Region


class Presence:
    def __init__(self, region: Region) -> None:
        self.region = region

    # ---- objects

    def enter(
        self,
        linkset: Linkset,
        *,
        owner: Avatar,
        param: int = 0,
        start_string: str = "",
        rezzer: Key = NULL_KEY,
        rezzed: bool = True,
    ) -> None:
        """An object that was nowhere appears, with the scripts in the state in which they were."""
        before = linkset.owner
        linkset.region, linkset.owner = self.region, owner
        linkset.creator = linkset.creator or owner
        linkset.start_param, linkset.rezzer = param, rezzer
        linkset.root.start_string = start_string
        self.region.objects.append(linkset)
        for prim in linkset.prims:
            for item in prim.inventory.values():
                if isinstance(item, Script):
                    self.start_script(prim, item)
        if before is not None and before is not owner:
            self._owner_changed(linkset)
        if rezzed:
            linkset.post("on_rez", param)

    def start_script(self, prim: Prim, item: Script) -> None:
        kind = item.runner or LslRunner
        saved = prim.saved.pop(item.name, None)
        prim.runners[item.name] = kind(self.region, prim, item, saved)

    def added(self, prim: Prim, item: Item) -> None:
        if isinstance(item, Script):
            self.start_script(prim, item)
        for runner in prim.runners.values():
            if runner.name != item.name:
                runner.post("changed", int(LSL.CHANGED_INVENTORY))

    def remove(self, linkset: Linkset) -> None:
        """It is no longer in the region."""
        if linkset in self.region.objects:
            self.region.objects.remove(linkset)
        for runner in list(linkset.runners):
            runner.end()
        if linkset.attached_to:
            linkset.attached_to.attachments.remove(linkset)
            linkset.attached_to = None

    def change_owner(self, linkset: Linkset, avatar: Avatar) -> None:
        linkset.owner = avatar
        self._owner_changed(linkset)

    def _owner_changed(self, linkset: Linkset) -> None:
        for runner in linkset.runners:
            runner.perms_from, runner.perms = NULL_KEY, 0
            runner.post("changed", int(LSL.CHANGED_OWNER))

    def rez_from(
        self,
        prim: Prim,
        asset: Asset,
        pos: Iterable[float],
        *,
        param: int,
        start_string: str = "",
        temporary: bool = False,
    ) -> Linkset:
        """A script's rezzing."""
        made = asset.linkset.clone()
        made.prims[0].name = asset.name if made.name != asset.name else made.name
        made.pos, made.temporary = vector(pos), temporary
        self.enter(
            made, owner=prim.linkset.owner, param=param, start_string=start_string,
            rezzer=prim.linkset.key,
        )  # fmt: skip
        if not asset.copyable:
            del prim.inventory[asset.name]
        return made

    # ---- attachments

    def attach_temp(self, linkset: Linkset, avatar: Avatar, point: int) -> bool:
        """llAttachToAvatarTemp of an object on the ground."""
        if linkset.attached_to or not linkset.transferable:
            return False
        full = avatar.slots_available <= 0
        if linkset.owner is not avatar:
            self.change_owner(linkset, avatar)
        if full:
            return False
        linkset.temp_attached = True
        self._attach(linkset, avatar, point)
        return True

    def attach_from_inventory(self, avatar: Avatar, linkset: Linkset, point: int) -> Linkset:
        self.enter(linkset, owner=avatar)
        self._attach(linkset, avatar, point)
        return linkset

    def _attach(self, linkset: Linkset, avatar: Avatar, point: int) -> None:
        linkset.attached_to, linkset.attach_point = avatar, point
        avatar.attachments.append(linkset)
        linkset.post("attach", avatar.key)

    def detach(self, linkset: Linkset, *, by_script: bool) -> None:
        """Off again: destroyed if temporary, else back into the wearer's inventory."""
        wearer = linkset.attached_to
        assert wearer, f"{linkset} is not attached"
        if not linkset.temp_attached:
            linkset.post("attach", NULL_KEY)
            self.region.settle()
            wearer.inventory.append(Asset(linkset.name, linkset=linkset.clone()))
        self.remove(linkset)

    # ---- avatars

    def leave(self, avatar: Avatar) -> None:
        avatar.here = False
        avatar.shown.clear()
        for worn in avatar.attachments:
            self.region.objects.remove(worn)
            for runner in worn.runners:
                runner.elsewhere = True
                self.region.caps.release_all(runner)
                self.region.web.forget(runner)
                runner.experience_queries.clear()

    def come_back(
        self, avatar: Avatar, pos: Iterable[float] | None = None, *, crossing: bool = False
    ) -> None:
        avatar.here = True
        avatar.pos = vector(pos) if pos else avatar.pos
        change = int(LSL.CHANGED_REGION) | (0 if crossing else int(LSL.CHANGED_TELEPORT))
        for worn in list(avatar.attachments):
            self.region.objects.append(worn)
            for runner in worn.runners:
                runner.elsewhere = False
            if worn.temp_attached and not self.region.land.experience_allowed:
                self.remove(worn)
            worn.post("changed", change)

    def logout(self, avatar: Avatar) -> list[tuple[Asset, int]]:
        kept = []
        for worn in list(avatar.attachments):
            if not worn.temp_attached:
                kept.append((Asset(worn.name, linkset=worn.clone()), worn.attach_point))
            self.remove(worn)
        avatar.here = avatar.online = False
        avatar.shown.clear()
        avatar.asked.clear()
        return kept
