"""What scripts call: the ll functions that need a world, by area, and lummao's for the rest."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from lummao import Key, Quaternion, Vector
from lummao.vendor.lslopt import lslfuncs

from ..definitions import FUNCTIONS
from ..script import NotEmulated, Sleep
from . import pure
from .chat import ChatApi
from .data import DataApi
from .http import HttpApi
from .inventory import InventoryApi
from .parcel import ParcelApi
from .permissions import PermissionsApi
from .prims import PrimsApi
from .region import RegionApi
from .rez import RezApi
from .touch import TouchApi

# Functions of strings, lists and numbers, which lummao does as the simulator does.
_NAMES = """
llAbs llAcos llAngleBetween llAsin llAtan2 llAxes2Rot llAxisAngle2Rot llBase64ToInteger
llBase64ToString llCSV2List llCeil llChar llCos llDeleteSubList llDeleteSubString
llDumpList2String llEscapeURL llEuler2Rot llFabs llFloor llGetListEntryType llGetListLength
llGetSubString llHash llInsertString llIntegerToBase64 llJson2List llLinear2sRGB llList2CSV
llList2Float llList2Integer llList2Json llList2Key llList2List llList2ListStrided llList2Rot
llList2String llList2Vector llListFindList llListInsertList llListReplaceList llListSort
llListStatistics llLog llLog10 llMD5String llModPow llOrd llPow llRot2Angle llRot2Axis
llRot2Euler llRot2Fwd llRot2Left llRot2Up llRotBetween llRound llSHA1String llSHA256String llSin
llSqrt llStringLength llStringToBase64 llStringTrim llSubStringIndex llTan llToLower llToUpper
llUnescapeURL llVecDist llVecMag llVecNorm llXorBase64 llsRGB2Linear
"""
LUMMAO = frozenset(_NAMES.split())

Builtin = Callable[..., Awaitable[Any]]


class Api(
    ChatApi, DataApi, HttpApi, InventoryApi, ParcelApi, PermissionsApi, PrimsApi, RegionApi,
    RezApi, TouchApi,
):  # fmt: skip
    """All of it, for one script."""


def emulated() -> set[str]:
    """The names of all functions that scripts may use here."""
    return {*LUMMAO, *pure.FUNCTIONS, *(name for name in dir(Api) if name.startswith("ll"))}


class Builtins:
    """`builtins.llSay(0, "x")` is what a translated script awaits.

    Adds forced delays, gives results their LSL type, and refuses what is not emulated.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    def __getattr__(self, name: str) -> Builtin:
        if not name.startswith("ll"):
            raise AttributeError(name)
        made = self._make(name)
        setattr(self, name, made)
        return made

    def _make(self, name: str) -> Builtin:
        known = FUNCTIONS.get(name)
        do = getattr(self._api, name, None) or pure.FUNCTIONS.get(name)
        if do is None and name in LUMMAO:
            do = getattr(lslfuncs, name)
        if do is None or known is None:
            message = f"{name} is not emulated; add it to tests/region/api"

            async def refuse(*_: Any) -> Any:
                raise NotEmulated(message)

            return refuse
        typed = RESULTS[known.returns]
        waits = inspect.iscoroutinefunction(do)
        delay_s = known.delay_s

        async def call(*args: Any) -> Any:
            result = do(*args)
            if waits:
                result = await result
            if delay_s:
                await Sleep(delay_s)
            return typed(result)

        return call


def _integer(value: Any) -> int:
    return int(lslfuncs.S32(int(value)))


def _text(value: Any) -> str:
    # Not a Key: lummao looks at the exact type.
    return value if type(value) is str else "".join(value)


RESULTS: dict[str, Callable[[Any], Any]] = {
    "void": lambda _: None,
    "integer": _integer,
    "float": lambda value: lslfuncs.F32(float(value)),
    "string": _text,
    "key": lambda value: value if type(value) is Key else Key(value),
    "vector": lambda value: Vector(tuple(float(n) for n in value)),
    "rotation": lambda value: Quaternion(tuple(float(n) for n in value)),
    "list": list,
}
