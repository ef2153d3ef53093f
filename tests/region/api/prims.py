"""Prims and linksets: names, looks by single functions, linking, messages, media, sounds."""

from __future__ import annotations

from typing import Any

from lummao import Key, Quaternion, Vector

from ..definitions import LSL, NULL_KEY
from ..prims import MAX_DESCRIPTION, MAX_NAME, MAX_PRIMS, Linkset, Prim, in_ascii, vector
from .params import ParamsApi, shown_text

MEDIA_URL_BYTES = 1024


class PrimsApi(ParamsApi):
    # ---- the linkset

    def llMessageLinked(self, link: int, number: int, text: str, key: Key) -> None:
        self.region.link_messages.append((self.script.name, link, number, text, key))
        for prim in self.links(link):
            for runner in list(prim.runners.values()):
                runner.post("link_message", self.prim.link, number, text, Key(key))

    def llGetLinkNumber(self) -> int:
        return self.prim.link

    def llGetNumberOfPrims(self) -> int:
        return len(self.linkset.prims) + len(self.linkset.sitters)

    def llGetObjectPrimCount(self, key: Key) -> int:
        there = self.object_by_key(key)
        return len(there.prims) if there else 0

    def llGetLinkName(self, link: int) -> str:
        prim = self.one(link)
        return prim.name if prim else str(NULL_KEY)

    def llGetLinkKey(self, link: int) -> Key:
        prim = self.one(link)
        return prim.key if prim else NULL_KEY

    def llGetLinkNumberOfSides(self, link: int) -> int:
        prim = self.one(link)
        return prim.faces if prim else 0

    def llGetNumberOfSides(self) -> int:
        return self.prim.faces

    def _may_link(self) -> bool:
        if self.script.perms & LSL.PERMISSION_CHANGE_LINKS:
            return True
        self.error("Script trying to link but PERMISSION_CHANGE_LINKS permission not set!")
        return False

    def llCreateLink(self, target: Key, parent: int) -> None:
        other = self.object_by_key(target)
        if not self._may_link() or other is None or other is self.linkset:
            return
        if other.owner is not self.linkset.owner or self.linkset.attached_to:
            self.error("the object cannot be linked")
            return
        root, joins = (self.linkset, other) if parent else (other, self.linkset)
        if len(root.prims) + len(joins.prims) > MAX_PRIMS:
            self.error(f"a linkset has at most {MAX_PRIMS} prims")
            return
        for prim in joins.prims:
            where = prim.pos
            prim.linkset = root
            prim.pos_local = vector(a - b for a, b in zip(where, root.pos, strict=True))
        # The newest child is link 2.
        root.prims[1:1] = joins.prims
        root.data.pairs = {**joins.data.pairs, **root.data.pairs}
        self.region.objects.remove(joins)
        self.region.link_changed(root)

    def llBreakLink(self, link: int) -> None:
        prim = self.one(link)
        if not self._may_link() or prim is None or len(self.linkset.prims) < 2:
            return
        self._separate(self.linkset, prim)

    def llBreakAllLinks(self) -> None:
        linkset = self.linkset
        if self._may_link():
            while len(linkset.prims) > 1:
                self._separate(linkset, linkset.prims[-1])

    def _separate(self, linkset: Linkset, prim: Prim) -> None:
        where = prim.pos
        linkset.prims.remove(prim)
        if prim.linkset.prims and prim.pos_local == vector((0, 0, 0)):
            linkset.pos = linkset.prims[0].pos
        alone = Linkset(prim.name)
        alone.prims, prim.linkset, prim.pos_local = [prim], alone, vector((0, 0, 0))
        alone.pos, alone.owner, alone.creator = where, linkset.owner, linkset.creator
        alone.region = self.region
        self.region.objects.append(alone)
        self.region.link_changed(linkset)
        self.region.link_changed(alone)

    # ---- names and places

    def llGetObjectName(self) -> str:
        return self.prim.name

    def llSetObjectName(self, name: str) -> None:
        self.prim.name = in_ascii(name, MAX_NAME)

    def llGetObjectDesc(self) -> str:
        return self.prim.desc

    def llSetObjectDesc(self, text: str) -> None:
        self.prim.desc = in_ascii(text, MAX_DESCRIPTION)

    def llGetPos(self) -> Vector:
        return self.prim.pos

    def llGetLocalPos(self) -> Vector:
        return self.linkset.pos if self.prim is self.linkset.root else self.prim.pos_local

    def llGetRootPosition(self) -> Vector:
        return self.linkset.pos

    def llGetRot(self) -> Quaternion:
        return self.linkset.rot

    def llGetLocalRot(self) -> Quaternion:
        return self.linkset.rot if self.prim is self.linkset.root else self.prim.rot_local

    llGetRootRotation = llGetRot

    def llGetScale(self) -> Vector:
        return self.prim.size

    def _set_one(self, link: int, *rule: Any) -> None:
        self.llSetLinkPrimitiveParamsFast(link, list(rule))

    def llSetPos(self, pos: Vector) -> None:
        self._set_one(LSL.LINK_THIS, LSL.PRIM_POSITION, pos)

    def llSetRegionPos(self, pos: Vector) -> int:
        self.linkset.pos = pos
        return 1

    def llSetRot(self, rot: Quaternion) -> None:
        self._set_one(LSL.LINK_THIS, LSL.PRIM_ROTATION, rot)

    def llSetLocalRot(self, rot: Quaternion) -> None:
        self._set_one(LSL.LINK_THIS, LSL.PRIM_ROT_LOCAL, rot)

    def llSetScale(self, size: Vector) -> None:
        self._set_one(LSL.LINK_THIS, LSL.PRIM_SIZE, size)

    # ---- looks

    def llSetText(self, text: str, color: Vector, alpha: float) -> None:
        self.prim.changes += 1
        self.prim.text = (shown_text(text), color, alpha)

    def llSetLinkTexture(self, link: int, texture: str, face: int) -> None:
        for prim in self.links(link):
            for each in range(prim.faces) if face == LSL.ALL_SIDES else [face]:
                if each in prim.texture and self._is_picture(texture):
                    prim.changes += 1
                    prim.texture[each] = (texture, *prim.texture[each][1:])

    def llSetTexture(self, texture: str, face: int) -> None:
        self.llSetLinkTexture(LSL.LINK_THIS, texture, face)

    def llSetLinkColor(self, link: int, color: Vector, face: int) -> None:
        self._color(link, face, color, None)

    def llSetColor(self, color: Vector, face: int) -> None:
        self._color(LSL.LINK_THIS, face, color, None)

    def llSetLinkAlpha(self, link: int, alpha: float, face: int) -> None:
        self._color(link, face, None, alpha)

    def llSetAlpha(self, alpha: float, face: int) -> None:
        self._color(LSL.LINK_THIS, face, None, alpha)

    def _color(self, link: int, face: int, color: Vector | None, alpha: float | None) -> None:
        for prim in self.links(link):
            for each in range(prim.faces) if face == LSL.ALL_SIDES else [face]:
                if each in prim.color:
                    prim.changes += 1
                    old_color, old_alpha = prim.color[each]
                    new_alpha = old_alpha if alpha is None else alpha
                    prim.color[each] = (old_color if color is None else color, new_alpha)

    def llGetTexture(self, face: int) -> str:
        return self.prim.texture[max(face, 0)][0]

    def llGetColor(self, face: int) -> Vector:
        return self.prim.color[max(face, 0)][0]

    def llGetAlpha(self, face: int) -> float:
        return self.prim.color[max(face, 0)][1]

    def llLinkParticleSystem(self, link: int, rules: list[Any]) -> None:
        for prim in self.links(link):
            prim.particles = list(rules)

    def llParticleSystem(self, rules: list[Any]) -> None:
        self.prim.particles = list(rules)

    def llSetClickAction(self, action: int) -> None:
        self.prim.other["CLICK_ACTION"] = action

    def llSetTouchText(self, text: str) -> None:
        self.prim.other["TOUCH_TEXT"] = text[:9]

    def llSetSitText(self, text: str) -> None:
        self.prim.other["SIT_TEXT"] = text[:9]

    # ---- sounds

    def _sound(self, sound: str, volume: float) -> None:
        self.region.sounds.append((self.prim.name, sound, volume))

    def llPlaySound(self, sound: str, volume: float) -> None:
        self._sound(sound, volume)

    llTriggerSound = llLoopSound = llPlaySound

    def llLinkPlaySound(self, link: int, sound: str, volume: float, flags: int) -> None:
        for prim in self.links(link):
            self.region.sounds.append((prim.name, sound, volume))

    def llStopSound(self) -> None:
        self._sound("", 0.0)

    def llPreloadSound(self, sound: str) -> None:
        pass

    # ---- media

    def llSetLinkMedia(self, link: int, face: int, params: list[Any]) -> int:
        pairs = dict(zip(params[::2], params[1::2], strict=True))
        for code in (LSL.PRIM_MEDIA_HOME_URL, LSL.PRIM_MEDIA_CURRENT_URL):
            if len(str(pairs.get(code, "")).encode()) > MEDIA_URL_BYTES:
                return int(LSL.STATUS_BOUNDS_ERROR)
        prims = self.links(link)
        if not prims:
            return int(LSL.STATUS_NOT_FOUND)
        for prim in prims:
            if not 0 <= face < prim.faces:
                return int(LSL.STATUS_BOUNDS_ERROR)
            prim.media.setdefault(face, {}).update(pairs)
        self.linkset.post("changed", int(LSL.CHANGED_MEDIA))
        return int(LSL.STATUS_OK)

    def llSetPrimMediaParams(self, face: int, params: list[Any]) -> int:
        return self.llSetLinkMedia(LSL.LINK_THIS, face, params)

    def llClearLinkMedia(self, link: int, face: int) -> int:
        for prim in self.links(link):
            prim.media.pop(face, None)
        return int(LSL.STATUS_OK)

    def llClearPrimMedia(self, face: int) -> int:
        return self.llClearLinkMedia(LSL.LINK_THIS, face)

    def llGetLinkMedia(self, link: int, face: int, params: list[Any]) -> list[Any]:
        prim = self.one(link)
        there = prim.media.get(face, {}) if prim else {}
        return [there.get(code, "") for code in params] if there else []
