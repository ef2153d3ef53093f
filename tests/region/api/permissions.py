"""Permissions and experiences."""

from __future__ import annotations

from typing import Any

from lummao import Key

from ..avatars import Asked, Avatar, Experience
from ..definitions import LSL, NULL_KEY
from .base import Base

SILENCE_S = 300.0
ANSWER_S = 0.5
EXPERIENCE_PERMISSIONS = (
    LSL.PERMISSION_TAKE_CONTROLS | LSL.PERMISSION_TRIGGER_ANIMATION | LSL.PERMISSION_ATTACH
    | LSL.PERMISSION_TRACK_CAMERA | LSL.PERMISSION_CONTROL_CAMERA | LSL.PERMISSION_TELEPORT
)  # fmt: skip
# A wearer gives these without being asked.
WORN = (
    LSL.PERMISSION_TAKE_CONTROLS | LSL.PERMISSION_TRIGGER_ANIMATION | LSL.PERMISSION_ATTACH
    | LSL.PERMISSION_TRACK_CAMERA | LSL.PERMISSION_CONTROL_CAMERA
)  # fmt: skip
MESSAGES = {
    0: "no error", 1: "exceeded throttle", 2: "experiences are disabled", 3: "invalid parameters",
    4: "operation not permitted", 5: "script not associated with an experience", 6: "not found",
    7: "invalid experience", 8: "experience is disabled", 9: "experience is suspended",
    10: "unknown error", 11: "experience data quota exceeded", 12: "key-value store is disabled",
    13: "key-value store communication failed", 14: "key doesn't exist", 15: "retry update",
    16: "experience content rating too high",
    17: "not allowed to run on this land", 18: "experience permissions request timed out",
}  # fmt: skip


class PermissionsApi(Base):
    def llRequestPermissions(self, target: Key, perms: int) -> None:
        script, avatar = self.script, self.region.avatar_here(target)
        if avatar is None or perms == 0:
            script.perms_from, script.perms = NULL_KEY, 0
            script.post("run_time_permissions", 0)
        elif self.linkset.attached_to is avatar and not perms & ~int(WORN):
            script.perms_from, script.perms = target, perms
            script.post("run_time_permissions", perms)
        else:
            avatar.asked.append(Asked(script, perms))

    def llGetPermissions(self) -> int:
        return self.script.perms

    def llGetPermissionsKey(self) -> Key:
        return self.script.perms_from

    # ---- experiences

    @property
    def _experience(self) -> Experience | None:
        found: Experience | None = getattr(self.script, "experience", None)
        return found

    def llRequestExperiencePermissions(self, target: Key, _unused: str) -> None:
        experience, avatar = self._experience, self.region.avatar_here(target)
        self.script.perms_from, self.script.perms = NULL_KEY, 0
        reason = 0
        if experience is None:
            reason = int(LSL.XP_ERROR_NO_EXPERIENCE)
        elif not experience.enabled:
            reason = int(LSL.XP_ERROR_EXPERIENCE_DISABLED)
        elif not self.region.land.experience_allowed:
            reason = int(LSL.XP_ERROR_NOT_PERMITTED_LAND)
        elif avatar is None:
            reason = int(LSL.XP_ERROR_NOT_FOUND)
        elif experience.key in avatar.blocked:
            reason = int(LSL.XP_ERROR_NOT_PERMITTED)
        query = Key(target)
        if reason or avatar is None or experience is None:
            self.region.after(ANSWER_S, lambda: self._denied(query, reason))
        elif experience.key in avatar.consented or avatar.experience == "grant":
            self._after(query, ANSWER_S, lambda: self._granted(avatar, experience))
        elif avatar.experience == "deny":
            self._after(query, ANSWER_S, lambda: self._denied(query, 4))
        else:
            self._after(query, SILENCE_S, lambda: self._denied(query, 18))

    def _after(self, query: Key, seconds: float, do: Any) -> None:
        script = self.script
        script.experience_queries.add(query)

        def go_on() -> None:
            # Lost if the object went to another region in between.
            if query in script.experience_queries and not script.gone:
                script.experience_queries.discard(query)
                do()

        self.region.after(seconds, go_on)

    def _granted(self, avatar: Avatar, experience: Experience) -> None:
        avatar.consented.add(experience.key)
        self.script.perms_from, self.script.perms = avatar.key, int(EXPERIENCE_PERMISSIONS)
        self.script.post("experience_permissions", avatar.key)

    def _denied(self, target: Key, reason: int) -> None:
        self.script.post("experience_permissions_denied", target, reason)

    def llAgentInExperience(self, target: Key) -> int:
        experience, avatar = self._experience, self.region.avatar_here(target)
        if experience is None or avatar is None or not self.region.land.experience_allowed:
            return 0
        return int(experience.key in avatar.consented - avatar.blocked)

    def llGetExperienceDetails(self, key: Key) -> list[Any]:
        found = self._experience
        if found is None or key not in (NULL_KEY, "", found.key):
            return []
        state = 0 if self.region.land.experience_allowed else int(LSL.XP_ERROR_NOT_PERMITTED_LAND)
        state = state if found.enabled else int(LSL.XP_ERROR_EXPERIENCE_DISABLED)
        return [found.name, found.owner.key, found.key, state, MESSAGES[state], NULL_KEY]

    def llGetExperienceErrorMessage(self, number: int) -> str:
        return MESSAGES.get(number, MESSAGES[10])
