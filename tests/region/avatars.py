"""People: what they see, what they do, and how they answer when a script asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lummao import DetectedDetails, Key, Quaternion, Vector

from .chat import SAY_M, Dialog, Line
from .definitions import LSL, NULL_KEY
from .prims import Asset, Linkset, Prim, new_key, vector
from .script import Runner

if TYPE_CHECKING:
    from .region import Region

HUD_POINTS = range(31, 39)
ATTACHMENT_LIMIT = 38
TEXT_BOX_LIMIT = 250


@dataclass(eq=False)
class Experience:
    """A set of scripts to which residents give their consent once."""

    name: str
    owner: Avatar
    key: Key = field(default_factory=new_key)
    description: str = ""
    enabled: bool = True


@dataclass(eq=False)
class Asked:
    """A permission request in somebody's viewer."""

    runner: Runner
    perms: int


class Avatar:
    """Somebody.  `name` is the legacy name; one word gets `Resident` behind it."""

    def __init__(
        self,
        region: Region,
        name: str,
        *,
        display_name: str | None = None,
        pos: Iterable[float] = (127, 128, 25),
        experience: Literal["grant", "deny", "silent"] = "grant",
        key: str | None = None,
        language: str = "en-us",
    ) -> None:
        self.region = region
        self.language = language
        first, _, last = name.partition(" ")
        self.name = f"{first} {last or 'Resident'}"
        self.display_name = first if display_name is None and not last else display_name or name
        self.key = Key(key) if key else new_key()
        self.pos: Vector = vector(pos)
        self.rot = Quaternion((0.0, 0.0, 0.0, 1.0))
        self.here, self.online = True, True
        self.dialogs: list[Dialog] = []
        """Every dialog ever shown, oldest first."""
        self.shown: dict[Linkset, Dialog] = {}
        """What is open in the viewer: one for each object."""
        self.lines: list[Line] = []
        """Lines meant for this one: llRegionSayTo, llOwnerSay, instant messages, offered links."""
        self.heard: list[Line] = []
        """Public chat within earshot."""
        self.asked: list[Asked] = []
        self.experience = experience
        self.consented: set[Key] = set()
        self.blocked: set[Key] = set()
        self.attachments: list[Linkset] = []
        self.slots_free: int | None = None
        """Set it to 0 for somebody whose attachment slots are full."""
        self.inventory: list[object] = []
        self._worn: list[tuple[Asset, int]] = []

    def __repr__(self) -> str:
        return f"<avatar {self.name}>"

    @property
    def username(self) -> str:
        return self.name.lower().removesuffix(" resident").replace(" ", ".")

    @property
    def slots_available(self) -> int:
        if self.slots_free is not None:
            return self.slots_free
        return ATTACHMENT_LIMIT - len(self.attachments)

    # ---- hands

    def touch(
        self,
        what: Linkset | Prim,
        prim: str | int | None = None,
        face: int = 0,
        st: tuple[float, float] = (0.5, 0.5),
    ) -> None:
        """Click a face of an object's prim (its root, if none is named)."""
        where = what if isinstance(what, Prim) else what.prim(prim or 1)
        linkset = where.linkset
        assert linkset.in_region, f"{linkset} is not in the region"
        worn_by = linkset.attached_to
        assert worn_by in (None, self), f"only {worn_by} can touch what {worn_by} wears"
        if face in where.media:
            return
        detected = self.detected(where, face, st)
        touches = ("touch_start", "touch", "touch_end")
        runners = [r for r in where.runners.values() if any(map(r.has, touches))]
        for runner in runners or list(linkset.root.runners.values()):
            for event in touches:
                runner.post(event, 1, detected=(detected,))
        self.region.run()

    def detected(
        self, prim: Prim, face: int = -1, st: tuple[float, float] = (-1, -1)
    ) -> DetectedDetails:
        spot = vector((*st, 0.0))
        return DetectedDetails(
            Key=self.key, Owner=self.key, Name=self.name, Type=int(LSL.AGENT), Pos=self.pos,
            Group=NULL_KEY, LinkNumber=prim.link, TouchFace=face, TouchST=spot, TouchUV=spot,
            TouchPos=prim.pos,
        )  # fmt: skip

    # ---- dialogs

    @property
    def dialog(self) -> Dialog | None:
        """The newest dialog that is open."""
        return next((d for d in reversed(self.dialogs) if self.shown.get(d.linkset) is d), None)

    def press(self, label: str, dialog: Dialog | None = None) -> None:
        """Press a button of the newest open dialog, or of an old one that is kept somewhere."""
        where = dialog or self.dialog
        assert where, f"{self.name} sees no dialog"
        assert label in where.buttons, f"{label!r} is not among {where.buttons}"
        self._close(where)
        self.region.chat.answer(where, label)
        self.region.run()

    def answer_textbox(self, text: str, dialog: Dialog | None = None) -> None:
        where = dialog or self.dialog
        assert where, f"{self.name} sees no text box"
        assert where.is_text_box, f"{self.name} sees a dialog with {where.buttons}"
        self._close(where)
        self.region.chat.answer(where, text[:TEXT_BOX_LIMIT])
        self.region.run()

    def ignore(self) -> None:
        """Close the newest dialog; the script hears nothing."""
        if self.dialog:
            self._close(self.dialog)

    def _close(self, dialog: Dialog) -> None:
        if self.shown.get(dialog.linkset) is dialog:
            del self.shown[dialog.linkset]

    def type(self, channel: int, text: str, reach_m: float = SAY_M) -> None:
        """`/5 text` in the chat bar."""
        self.region.chat.avatar_says(self, channel, text, reach_m)
        self.region.run()

    def say(self, text: str) -> None:
        self.type(0, text)

    # ---- permissions

    def grant(self) -> None:
        """Yes to the newest permission request."""
        asked = self.asked.pop()
        asked.runner.perms_from, asked.runner.perms = self.key, asked.perms
        asked.runner.post("run_time_permissions", asked.perms)
        self.region.run()

    def refuse(self) -> None:
        asked = self.asked.pop()
        asked.runner.post("run_time_permissions", 0)
        self.region.run()

    # ---- attachments

    def wear(self, what: Asset | Linkset, point: int | None = None) -> Linkset:
        """Attach something from the inventory."""
        linkset = what.linkset.clone() if isinstance(what, Asset) else what.clone()
        where = int(LSL.ATTACH_HUD_CENTER_1) if point is None else point
        worn = self.region.presence.attach_from_inventory(self, linkset, where)
        self.region.run()
        return worn

    def detach(self, linkset: Linkset) -> None:
        """Take something off; a temporary attachment is gone then."""
        self.region.presence.detach(linkset, by_script=False)
        self.region.run()

    # ---- coming and going

    def teleport(self, pos: Iterable[float]) -> None:
        """Within the region."""
        self.pos = vector(pos)
        for worn in self.attachments:
            worn.post("changed", int(LSL.CHANGED_TELEPORT))
        self.region.run()

    def walk(self, pos: Iterable[float]) -> None:
        self.pos = vector(pos)

    def teleport_away(self) -> None:
        """To another region: what is worn goes along, and stands still for us."""
        self.region.presence.leave(self)

    def come_back(self, pos: Iterable[float] | None = None, *, crossing: bool = False) -> None:
        """From another region: by teleport, or on foot over the border."""
        self.region.presence.come_back(self, pos, crossing=crossing)
        self.region.run()

    def logout(self) -> None:
        """Temporary attachments are gone, others come back at the next login."""
        self._worn = self.region.presence.logout(self)

    def login(self) -> None:
        self.here = self.online = True
        for asset, point in self._worn:
            self.region.presence.attach_from_inventory(self, asset.linkset, point)
        self._worn = []
        self.region.run()
