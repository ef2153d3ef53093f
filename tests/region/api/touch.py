"""What a script may ask about who caused an event."""

from __future__ import annotations

from typing import Any

from lummao import DetectedDetails

from .base import Base

NOBODY = DetectedDetails(TouchFace=-1, TouchST=(-1.0, -1.0, 0.0), TouchUV=(-1.0, -1.0, 0.0))
FIELDS = (
    "Key", "Owner", "Group", "Name", "Pos", "Vel", "Rot", "LinkNumber", "Type", "TouchFace",
    "TouchST", "TouchUV", "TouchPos", "TouchNormal", "TouchBinormal", "Grab",
)  # fmt: skip


class TouchApi(Base):
    def _detected(self, number: int) -> DetectedDetails:
        there = self.script.detected
        return there[number] if 0 <= number < len(there) else NOBODY


def _asking(field: str) -> Any:
    def ask(self: TouchApi, number: int) -> Any:
        return getattr(self._detected(number), field)

    return ask


for _field in FIELDS:
    setattr(TouchApi, f"llDetected{_field}", _asking(_field))
