"""Objects: linksets of prims, and what lies in the prims' inventories."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lummao import Key, Quaternion, Vector

from .data import LinksetData
from .definitions import LSL, NULL_KEY
from .lsl import compiled, read_script

if TYPE_CHECKING:
    from .avatars import Avatar, Experience
    from .region import Region
    from .script import Runner, Saved

MAX_PRIMS = 256
MAX_NAME, MAX_DESCRIPTION = 63, 127
PLYWOOD = "89556747-24cb-43ed-920b-47caed15465f"
WHITE = Vector((1.0, 1.0, 1.0))
NO_ROTATION = Quaternion((0.0, 0.0, 0.0, 1.0))


def new_key() -> Key:
    return Key(str(uuid.uuid4()))


def vector(numbers: Iterable[float]) -> Vector:
    return Vector(tuple(float(n) for n in numbers))


def in_ascii(text: str, limit: int) -> str:
    """As names and descriptions are kept: printable ASCII without `|`."""
    return "".join(c if " " <= c <= "~" and c != "|" else "?" for c in text)[:limit]


@dataclass
class Item:
    """Something in a prim's inventory."""

    name: str
    key: Key = field(default_factory=new_key, kw_only=True)
    copyable: bool = field(default=True, kw_only=True)
    description: str = field(default="", kw_only=True)

    @property
    def type(self) -> int:
        return int(getattr(LSL, f"INVENTORY_{self.KIND}"))

    KIND = "NONE"


@dataclass
class Script(Item):
    source: str = ""
    experience: Experience | None = None
    """Set if it was compiled with "use experience"."""
    running: bool = True
    values: dict[str, Any] = field(default_factory=dict)
    """Given to globals before it starts, in place of those in the source."""
    runner: Callable[..., Runner] | None = None
    """What runs it, if it is not LSL."""
    KIND = "SCRIPT"


@dataclass
class Notecard(Item):
    text: str = ""
    KIND = "NOTECARD"


@dataclass
class Texture(Item):
    KIND = "TEXTURE"


@dataclass
class Sound(Item):
    KIND = "SOUND"


@dataclass
class Asset(Item):
    """An object as it lies in an inventory: rezzing makes a copy of `linkset`."""

    linkset: Linkset = None  # type: ignore[assignment]
    KIND = "OBJECT"


class Prim:
    """One prim.  What shows lies in plain attributes; per-face values in dicts by face number."""

    def __init__(self, name: str, *, faces: int = 6, pos: Iterable[float] = (0, 0, 0)) -> None:
        self.key = new_key()
        self.name, self.desc, self.faces = in_ascii(name, MAX_NAME), "", faces
        self.pos_local, self.rot_local = vector(pos), NO_ROTATION
        self.size = vector((0.5, 0.5, 0.5))
        everywhere = range(faces)
        blank = (PLYWOOD, vector((1, 1, 0)), vector((0, 0, 0)), 0.0)
        self.texture: dict[int, tuple[str, Vector, Vector, float]] = dict.fromkeys(
            everywhere, blank
        )
        self.color: dict[int, tuple[Vector, float]] = dict.fromkeys(everywhere, (WHITE, 1.0))
        self.fullbright: dict[int, int] = dict.fromkeys(everywhere, 0)
        self.glow: dict[int, float] = dict.fromkeys(everywhere, 0.0)
        self.text: tuple[str, Vector, float] = ("", WHITE, 0.0)
        self.media: dict[int, dict[int, Any]] = {}
        self.particles: list[Any] = []
        self.other: dict[str, Any] = {}
        """Further parameters, by the name of their PRIM_ constant."""
        self.inventory: dict[str, Item] = {}
        self.runners: dict[str, Runner] = {}
        self.saved: dict[str, Saved] = {}
        self.linkset: Linkset = None  # type: ignore[assignment]
        self.start_string = ""
        self.changes = 0
        """How many parameters were ever set by scripts."""

    def __repr__(self) -> str:
        return f"<prim {self.name}>"

    # ---- filling it

    def add(self, item: Item) -> Item:
        """Put something in; a name that is taken gets a number, as in a viewer."""
        name, count = item.name, 0
        while item.name in self.inventory:
            count += 1
            item.name = f"{name} {count}"
        self.inventory[item.name] = item
        if isinstance(item, Script) and item.runner is None:
            compiled(item.source, item.name)
        if self.linkset and self.linkset.region:
            self.linkset.region.added(self, item)
        return item

    def script(
        self,
        where: str | Path,
        name: str | None = None,
        *,
        experience: Experience | None = None,
        values: dict[str, Any] | None = None,
    ) -> Any:
        """Put in a script: a path, or its text.  `values` are given to globals before it starts.

        Returns the running script, or None while the object is not in a region.
        """
        own_name, source = read_script(where)
        item = Script(name or own_name, source, experience, values=values or {})
        self.add(item)
        return self.runners.get(item.name)

    def notecard(self, name: str, text: str) -> Item:
        """Put in a notecard, in place of one of the same name."""
        self.inventory.pop(name, None)
        return self.add(Notecard(name, text=text))

    def contain(self, linkset: Linkset, name: str | None = None) -> Item:
        """Put a copy of an object in."""
        return self.add(Asset(name or linkset.name, linkset=linkset.clone()))

    # ---- where it is

    @property
    def link(self) -> int:
        """0 for a lone prim on which nobody sits, else its place in the linkset."""
        prims = self.linkset.prims
        return 0 if len(prims) == 1 and not self.linkset.sitters else prims.index(self) + 1

    @property
    def pos(self) -> Vector:
        base = self.linkset.pos
        return vector(a + b for a, b in zip(base, self.pos_local, strict=True))

    @property
    def shown(self) -> str:
        """The floating text, if it can be seen."""
        return self.text[0] if self.text[2] > 0 else ""

    def clone(self) -> Prim:
        made = Prim(self.name, faces=self.faces)
        for name in ("desc", "pos_local", "rot_local", "size", "text", "particles"):
            setattr(made, name, getattr(self, name))
        for name in ("texture", "color", "fullbright", "glow", "media", "other", "inventory"):
            setattr(made, name, dict(getattr(self, name)))
        made.saved = dict(self.saved)
        for name, runner in self.runners.items():
            if hasattr(runner, "save"):
                made.saved[name] = runner.save()
        return made


class Linkset:
    """An object: `prims[0]` is the root.  It runs once it is in a region."""

    def __init__(
        self,
        root: str | Prim,
        prims: Iterable[str | Prim] = (),
        *,
        scripts: Iterable[str | Path] = (),
    ) -> None:
        """`prims` are the children in link order, from link 2; `scripts` go into the root."""
        self.prims = [root if isinstance(root, Prim) else Prim(root)]
        for child in prims:
            self.prims.append(child if isinstance(child, Prim) else Prim(child))
        if len(self.prims) > MAX_PRIMS:
            raise ValueError(f"a linkset has at most {MAX_PRIMS} prims")
        for prim in self.prims:
            prim.linkset = self
        self.region: Region | None = None
        self.owner: Avatar = None  # type: ignore[assignment]
        self.creator: Avatar = None  # type: ignore[assignment]
        self._pos, self.rot = vector((128, 128, 25)), NO_ROTATION
        self.data = LinksetData()
        self.attached_to: Avatar | None = None
        self.attach_point = 0
        self.temp_attached = False
        self.temporary = False
        self.transferable = True
        self.rezzer = NULL_KEY
        self.start_param = 0
        self.sitters: list[Avatar] = []
        for where in scripts:
            self.root.script(where)

    def __repr__(self) -> str:
        return f"<object {self.name}>"

    @property
    def root(self) -> Prim:
        return self.prims[0]

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def key(self) -> Key:
        return self.root.key

    @property
    def pos(self) -> Vector:
        return self.attached_to.pos if self.attached_to else self._pos

    @pos.setter
    def pos(self, where: Iterable[float]) -> None:
        self._pos = vector(where)

    @property
    def in_region(self) -> bool:
        return self.region is not None and self in self.region.objects

    @property
    def runners(self) -> Iterator[Runner]:
        for prim in self.prims:
            yield from prim.runners.values()

    def prim(self, which: str | int) -> Prim:
        """A prim by its name or link number."""
        if isinstance(which, int):
            return self.prims[max(which, 1) - 1]
        for prim in self.prims:
            if prim.name == which:
                return prim
        raise KeyError(f"{self.name} has no prim {which!r}")

    def script(self, name: str) -> Runner:
        """A running script by its name, wherever in the linkset it is."""
        for runner in self.runners:
            if runner.name == name:
                return runner
        raise KeyError(f"{self.name} has no running script {name!r}")

    def post(self, event: str, *args: Any) -> None:
        """An event for every script of the linkset."""
        for runner in list(self.runners):
            runner.post(event, *args)

    def reset(self) -> None:
        """ "Reset scripts" in the viewer's menu."""
        for runner in list(self.runners):
            runner.reset()
        if self.region:
            self.region.run()

    def clone(self) -> Linkset:
        """A copy that is in no region, with the scripts' states and the linkset data."""
        made = Linkset(self.name)
        made.prims = [prim.clone() for prim in self.prims]
        for prim in made.prims:
            prim.linkset = made
        made.data = self.data.copy()
        for name in ("owner", "creator", "_pos", "rot", "transferable"):
            setattr(made, name, getattr(self, name))
        return made

    # ---- what people do with it

    def copy(self) -> Linkset:
        """A second one beside it, as by shift-drag."""
        assert self.region
        x, y, z = self.pos
        return self.region.rez(self.clone(), pos=(x + 1, y, z), owner=self.owner)

    def take(self) -> Asset:
        """Take it into the owner's inventory: `region.rez(asset)` brings it back."""
        assert self.region
        asset = Asset(self.name, linkset=self.clone())
        self.region.remove(self)
        return asset
