"""Time, chance, the region, avatars and objects in it."""

from __future__ import annotations

import random
import uuid
from datetime import datetime, timedelta, timezone
from typing import Any

from lummao import Key, Vector

from ..definitions import LSL, NULL_KEY
from ..prims import Linkset, new_key, vector
from ..script import NotEmulated, Sleep
from .base import Base

PACIFIC = timezone(timedelta(hours=-8))
NAME_S = 0.3


class RegionApi(Base):
    # ---- time and chance

    async def llSleep(self, seconds: float) -> None:
        await Sleep(max(seconds, 0.0))

    def llSetTimerEvent(self, seconds: float) -> None:
        self.script.set_timer(seconds)

    def llGetTime(self) -> float:
        return self.region.script_now - self.script.time_zero

    def llResetTime(self) -> None:
        self.script.time_zero = self.region.script_now

    def llGetAndResetTime(self) -> float:
        passed = self.llGetTime()
        self.llResetTime()
        return passed

    def llGetUnixTime(self) -> int:
        return int(self.region.clock())

    def llGetTimestamp(self) -> str:
        when = datetime.fromtimestamp(self.region.clock(), timezone.utc)  # noqa: UP017
        return when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def llGetDate(self) -> str:
        return self.llGetTimestamp()[:10]

    def llGetWallclock(self) -> float:
        when = datetime.fromtimestamp(self.region.clock(), PACIFIC)
        return float(when.hour * 3600 + when.minute * 60 + when.second)

    def llFrand(self, size: float) -> float:
        return self.region.rng.random() * size

    def llGenerateKey(self) -> Key:
        return Key(str(uuid.UUID(int=self.region.rng.getrandbits(128), version=4)))

    def llListRandomize(self, items: list[Any], stride: int) -> list[Any]:
        stride = max(stride, 1)
        if len(items) % stride:
            return list(items)
        blocks = [items[i : i + stride] for i in range(0, len(items), stride)]
        rng: random.Random = self.region.rng
        rng.shuffle(blocks)
        return [item for block in blocks for item in block]

    # ---- the region

    def llGetRegionName(self) -> str:
        return self.region.name

    def llGetRegionCorner(self) -> Vector:
        return vector((*self.region.corner, 0))

    def llGetSimulatorHostname(self) -> str:
        return self.region.caps.host

    def llGetRegionTimeDilation(self) -> float:
        return self.region.dilation

    def llGetEnv(self, name: str) -> str:
        known = {
            "agent_limit": "40", "chat_range": "20", "whisper_range": "10", "shout_range": "100",
            "estate_id": "1", "estate_name": "mainland", "frame_number": str(
                int(self.region.now * 45)), "grid": "Second Life", "region_idle": "0",
            "region_max_prims": "22500", "region_object_bonus": "1.0",
            "region_product_name": "Mainland / Full Region", "region_rating": "PG",
            "region_start_time": str(int(self.region.epoch + self.region.started_s)),
            "sim_channel": "Second Life Server", "sim_version": "2026-01-06.20757451310",
            "simulator_hostname": self.region.caps.host,
        }  # fmt: skip
        return known.get(name, "")

    # ---- this object

    def llGetKey(self) -> Key:
        return self.prim.key

    def llGetOwner(self) -> Key:
        return self.owner_key

    def llGetCreator(self) -> Key:
        return self.linkset.creator.key

    def llGetOwnerKey(self, key: Key) -> Key:
        there = self.object_by_key(key)
        return there.owner.key if there else key

    def llSameGroup(self, key: Key) -> int:
        return 0

    # ---- avatars

    def llKey2Name(self, key: Key) -> str:
        avatar = self.region.avatar_here(key)
        if avatar:
            return avatar.name
        prim = self.region.prim_by_key(key)
        return prim.name if prim else ""

    def llName2Key(self, name: str) -> Key:
        for avatar in self.region.present:
            if name.lower() in (avatar.name.lower(), avatar.username):
                return avatar.key
        return NULL_KEY

    def llGetDisplayName(self, key: Key) -> str:
        avatar = self.region.avatar_here(key)
        return avatar.display_name if avatar else ""

    def llGetUsername(self, key: Key) -> str:
        avatar = self.region.avatar_here(key)
        return avatar.username if avatar else ""

    def _ask_name(self, key: Key, what: str) -> Key:
        """Told to the prim's scripts; nothing happens if nobody has that key."""
        query, avatar = new_key(), self.region.known_avatar(key)
        runners = list(self.prim.runners.values())

        def tell() -> None:
            for runner in runners:
                runner.post("dataserver", query, getattr(avatar, what))

        if avatar:
            self.region.after(NAME_S, tell)
        return query

    def llRequestDisplayName(self, key: Key) -> Key:
        return self._ask_name(key, "display_name")

    def llRequestUsername(self, key: Key) -> Key:
        return self._ask_name(key, "username")

    def llGetAgentSize(self, key: Key) -> Vector:
        size = (0.45, 0.6, 1.9) if self.region.avatar_here(key) else (0, 0, 0)
        return vector(size)

    def llGetAgentInfo(self, key: Key) -> int:
        return 0

    def llGetAgentLanguage(self, key: Key) -> str:
        avatar = self.region.avatar_here(key)
        return avatar.language if avatar else ""

    def llGetAgentList(self, scope: int, options: list[Any]) -> list[Key]:
        return [avatar.key for avatar in self.region.present]

    def llGetAttachedList(self, key: Key) -> list[Any]:
        avatar = self.region.avatar_here(key)
        if avatar is None:
            return ["NOT ON REGION"]
        # HUDs are nobody else's business.
        return [worn.key for worn in avatar.attachments if not 31 <= worn.attach_point <= 38]

    # ---- any object or avatar

    def llGetObjectDetails(self, key: Key, params: list[int]) -> list[Any]:
        avatar = self.region.avatar_here(key)
        if avatar:
            known = {
                LSL.OBJECT_NAME: avatar.name, LSL.OBJECT_DESC: "", LSL.OBJECT_POS: avatar.pos,
                LSL.OBJECT_ROT: avatar.rot, LSL.OBJECT_OWNER: avatar.key,
                LSL.OBJECT_GROUP: NULL_KEY, LSL.OBJECT_CREATOR: NULL_KEY,
                LSL.OBJECT_ROOT: avatar.key, LSL.OBJECT_ATTACHED_POINT: 0,
                LSL.OBJECT_ATTACHED_SLOTS_AVAILABLE: avatar.slots_available,
                LSL.OBJECT_PRIM_COUNT: 0,
            }  # fmt: skip
        else:
            prim = self.region.prim_by_key(key)
            if prim is None:
                return []
            there: Linkset = prim.linkset
            known = {
                LSL.OBJECT_NAME: prim.name, LSL.OBJECT_DESC: prim.desc, LSL.OBJECT_POS: prim.pos,
                LSL.OBJECT_ROT: there.rot, LSL.OBJECT_OWNER: there.owner.key,
                LSL.OBJECT_GROUP: NULL_KEY, LSL.OBJECT_CREATOR: there.creator.key,
                LSL.OBJECT_ROOT: there.key, LSL.OBJECT_PRIM_COUNT: len(there.prims),
                LSL.OBJECT_ATTACHED_POINT: there.attach_point if there.attached_to else 0,
                LSL.OBJECT_TEMP_ATTACHED: int(there.temp_attached),
                LSL.OBJECT_TEMP_ON_REZ: int(there.temporary),
                LSL.OBJECT_REZZER_KEY: there.rezzer,
            }  # fmt: skip
        for param in params:
            if param not in known:
                raise NotEmulated(f"llGetObjectDetails: parameter {param}")
        return [known[param] for param in params]
