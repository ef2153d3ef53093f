"""An emulated region of Second Life that runs real LSL: see README.md."""

from .avatars import Avatar, Experience
from .chat import Dialog, Line
from .definitions import LSL, NULL_KEY
from .lsl import DoesNotCompile, compiled, lint
from .prims import Asset, Linkset, Notecard, Prim, Script, Texture
from .region import Land, Region
from .script import NotEmulated, Runner, ScriptError
from .web import Answer, Request

__all__ = [
    "LSL", "NULL_KEY", "Answer", "Asset", "Avatar", "Dialog", "DoesNotCompile", "Experience",
    "Land", "Line", "Linkset", "NotEmulated", "Notecard", "Prim", "Region", "Request", "Runner",
    "Script", "ScriptError", "Texture", "compiled", "lint",
]  # fmt: skip
