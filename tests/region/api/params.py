"""llSetLinkPrimitiveParamsFast and llGetLinkPrimitiveParams: rule lists over prims and faces."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from lummao import Quaternion, Vector

from ..definitions import CONSTANTS, LSL
from ..prims import MAX_DESCRIPTION, MAX_NAME, Prim, in_ascii
from ..script import NotEmulated
from .base import Base

TEXT_BYTES = 254
TYPES: dict[str, tuple[type, ...]] = {
    "i": (int,), "f": (int, float), "s": (str,), "v": (Vector,), "r": (Quaternion,),
}  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """One PRIM_ rule: `types` has a letter per value, `faced` ones come after a face number."""

    name: str
    types: str
    faced: bool = False


def _rules() -> dict[int, Rule]:
    plain = {
        "POSITION": "v", "POS_LOCAL": "v", "ROTATION": "r", "ROT_LOCAL": "r", "SIZE": "v",
        "NAME": "s", "DESC": "s", "TEXT": "svf", "MATERIAL": "i", "PHYSICS": "i",
        "TEMP_ON_REZ": "i", "PHANTOM": "i", "POINT_LIGHT": "ivfff", "FLEXIBLE": "iiffffv",
        "SLICE": "v", "PHYSICS_SHAPE_TYPE": "i", "OMEGA": "vff", "ALLOW_UNSIT": "i",
        "SCRIPTED_SIT_ONLY": "i", "SIT_TARGET": "ivr", "CLICK_ACTION": "i",
    }  # fmt: skip
    faced = {
        "TEXTURE": "svvf", "COLOR": "vf", "FULLBRIGHT": "i", "GLOW": "f", "BUMP_SHINY": "ii",
        "TEXGEN": "i", "ALPHA_MODE": "ii", "NORMAL": "svvf", "SPECULAR": "svvfvii",
        "RENDER_MATERIAL": "s",
    }  # fmt: skip
    made = {CONSTANTS[f"PRIM_{n}"].value: Rule(n, types) for n, types in plain.items()}
    made |= {CONSTANTS[f"PRIM_{n}"].value: Rule(n, types, True) for n, types in faced.items()}
    return made


RULES = _rules()
KEPT_PER_FACE = {
    "TEXTURE": "texture", "COLOR": "color", "FULLBRIGHT": "fullbright", "GLOW": "glow",
}  # fmt: skip
KEPT = {
    "POS_LOCAL": "pos_local", "ROT_LOCAL": "rot_local", "SIZE": "size", "NAME": "name",
    "DESC": "desc", "TEXT": "text",
}  # fmt: skip


class ParamsApi(Base):
    def llSetLinkPrimitiveParamsFast(self, link: int, rules: list[Any]) -> None:
        rest, prims, number = deque(rules), self.links(link), 0
        while rest:
            number += 1
            code = rest.popleft()
            if code == LSL.PRIM_LINK_TARGET:
                prims = self.links(rest.popleft()) if rest else []
                continue
            rule = self._rule(code)
            wanted = ("i" if rule.faced else "") + rule.types
            values = [rest.popleft() for _ in wanted if rest]
            fits = [isinstance(v, TYPES[t]) for v, t in zip(values, wanted, strict=False)]
            if len(values) < len(wanted) or not all(fits):
                self.error(f"rule #{number}, PRIM_{rule.name}, cannot have {values}")
                return
            values = [float(v) if t == "f" else v for v, t in zip(values, wanted, strict=True)]
            for prim in prims:
                prim.changes += 1
                if rule.faced:
                    self._set_faces(prim, rule, values[0], values[1:])
                else:
                    self._set(prim, rule, values)

    def _rule(self, code: Any) -> Rule:
        if isinstance(code, int) and code in RULES:
            return RULES[code]
        raise NotEmulated(f"primitive parameter {code!r}")

    def _set_faces(self, prim: Prim, rule: Rule, face: int, values: list[Any]) -> None:
        faces = range(prim.faces) if face == LSL.ALL_SIDES else [face]
        if rule.types[0] == "s" and not self._is_picture(values[0]):
            self.error(f"PRIM_{rule.name}: there is no texture {values[0]!r}")
            return
        value = values[0] if len(values) == 1 else tuple(values)
        store = getattr(prim, KEPT_PER_FACE.get(rule.name, ""), None)
        if store is None:
            store = prim.other.setdefault(rule.name, {})
        store.update({f: value for f in faces if 0 <= f < prim.faces})

    def _is_picture(self, name: str) -> bool:
        """A texture is named by its key, or by its name in the script's own prim."""
        if not name or name in self.prim.inventory:
            return True
        try:
            return bool(UUID(name))
        except ValueError:
            return False

    def _set(self, prim: Prim, rule: Rule, values: list[Any]) -> None:
        value: Any = values[0] if len(values) == 1 else tuple(values)
        match rule.name:
            case "NAME":
                value = in_ascii(value, MAX_NAME)
            case "DESC":
                value = in_ascii(value, MAX_DESCRIPTION)
            case "TEXT":
                value = (shown_text(values[0]), *values[1:])
        is_root = prim is prim.linkset.root
        if rule.name in ("POSITION", "POS_LOCAL"):
            if is_root:
                prim.linkset.pos = value
            else:
                prim.pos_local = value
        elif rule.name in ("ROTATION", "ROT_LOCAL"):
            if is_root:
                prim.linkset.rot = value
            else:
                prim.rot_local = value
        elif rule.name in KEPT:
            setattr(prim, KEPT[rule.name], value)
        else:
            prim.other[rule.name] = value

    # ---- reading

    def llGetLinkPrimitiveParams(self, link: int, rules: list[Any]) -> list[Any]:
        rest, prims, found = deque(rules), self.links(link), []
        while rest:
            code = rest.popleft()
            if code == LSL.PRIM_LINK_TARGET:
                prims = self.links(rest.popleft())
                continue
            rule = self._rule(code)
            face = rest.popleft() if rule.faced else 0
            for prim in prims:
                found += self._get_faces(prim, rule, face) if rule.faced else self._get(prim, rule)
        return found

    def llGetPrimitiveParams(self, rules: list[Any]) -> list[Any]:
        return self.llGetLinkPrimitiveParams(LSL.LINK_THIS, rules)

    def _get_faces(self, prim: Prim, rule: Rule, face: int) -> list[Any]:
        store = getattr(prim, KEPT_PER_FACE.get(rule.name, ""), None)
        if store is None:
            raise NotEmulated(f"reading PRIM_{rule.name}")
        faces = range(prim.faces) if face == LSL.ALL_SIDES else [face]
        found: list[Any] = []
        for each in faces:
            if each in store:
                found += (
                    store[each]
                    if isinstance(store[each], tuple) and not isinstance(store[each], Vector)
                    else [store[each]]
                )
        return found

    def _get(self, prim: Prim, rule: Rule) -> list[Any]:
        is_root = prim is prim.linkset.root
        match rule.name:
            case "POSITION":
                return [prim.pos]
            case "POS_LOCAL":
                return [prim.linkset.pos if is_root else prim.pos_local]
            case "ROTATION" | "ROT_LOCAL":
                return [prim.linkset.rot if is_root else prim.rot_local]
            case "TEXT":
                return list(prim.text)
            case name if name in KEPT:
                return [getattr(prim, KEPT[name])]
            case name if name in prim.other:
                value = prim.other[name]
                return list(value) if type(value) is tuple else [value]
        raise NotEmulated(f"reading PRIM_{rule.name} before it was set")


def shown_text(text: str) -> str:
    """As floating text is kept: cut to 254 bytes, without blank lines at the end."""
    return text.encode()[:TEXT_BYTES].decode(errors="ignore").rstrip("\n ")
