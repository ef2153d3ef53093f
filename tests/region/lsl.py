"""Compile and check LSL: lummao's compiler, taught today's functions, refusing old ones."""

from __future__ import annotations

import functools
import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lummao

from . import memory
from .definitions import CONSTANTS, FUNCTIONS

_MESSAGE = re.compile(r"\s*(ERROR|WARN)::\s*\(\s*(\d+),\s*(\d+)\): \[(E\d+)\] (.*)", re.DOTALL)
_WORD = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|[A-Za-z_]\w*", re.DOTALL)
_PLACE = re.compile(r"at \((\d+), (\d+)\)")
_UNDECLARED = re.compile(r"`(\w+)' is undeclared")
# In lummao an inner variable overwrites the outer one of the same name: never let it pass.
_SHADOWS = "E20001"
# An illegal initialiser of a global is only noticed after the whole lint pass, and when there is
# an error all messages are handed over: so this line brings out every warning.
_PROBE = "integer lint_probe = llGetUnixTime();\n"
_STUB_RETURNS = {
    "void": "", "integer": "return 0;", "float": "return 0.0;", "string": 'return "";',
    "key": 'return "";', "vector": "return ZERO_VECTOR;", "rotation": "return ZERO_ROTATION;",
    "list": "return [];",
}  # fmt: skip


@dataclass(frozen=True, order=True)
class Finding:
    """Something the compiler says about a line of a script."""

    line: int
    column: int
    code: str
    message: str

    @property
    def is_error(self) -> bool:
        return not self.code.startswith("E2") or self.code == _SHADOWS

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.code} {self.message}"


class DoesNotCompile(Exception):
    """A script with errors."""

    def __init__(self, name: str, errors: list[Finding]) -> None:
        super().__init__("\n".join(f"{name}:{error}" for error in errors))
        self.errors = errors


@dataclass(frozen=True)
class Compiled:
    """A script ready to run: `make()` is one fresh instance of it."""

    make: type[lummao.BaseLSLScript]
    warnings: tuple[Finding, ...]
    static_bytes: int
    """Its memory at the start, estimated."""
    stubs: frozenset[str]
    """Functions that lummao lacks, to be put in at run time."""


def lint(source: str) -> list[Finding]:
    """Every error and warning of a script, in order."""
    prelude, _ = _prelude(source)
    found = list(_messages(f"{prelude}\n{source}", before=1))
    if not found:
        found = list(_messages(f"{_PROBE}{prelude}\n{source}", before=2))
    undeclared = {(f.line, f.column) for f in found if f.code == "E10006"}
    own = (f for f in _own_findings(source) if (f.line, f.column) not in undeclared)
    return sorted({*found, *own})


def read_script(where: str | Path) -> tuple[str, str]:
    """(name, source) of a path, or of a text that is itself a script."""
    if isinstance(where, Path) or ("\n" not in where and where.endswith(".lsl")):
        path = Path(where)
        return path.stem, path.read_text("utf-8")
    return "script", where


@functools.cache
def compiled(source: str, name: str = "script") -> Compiled:
    """The script as a Python class, or `DoesNotCompile`.  Kept for the life of the process."""
    found = lint(source)
    errors = [finding for finding in found if finding.is_error]
    if errors:
        raise DoesNotCompile(name, errors)
    prelude, stubs = _prelude(source)
    whole = f"{prelude}\n{source}"
    python = lummao.convert_script(whole).decode("utf-8")
    filename = f"<{name}.lsl as Python, {abs(hash(source)):x}>"
    # So that a traceback shows the lines of the translation.
    linecache.cache[filename] = (len(python), None, python.splitlines(True), filename)
    namespace: dict[str, object] = {}
    exec(compile(python, filename, "exec"), namespace)
    made = namespace["Script"]
    assert isinstance(made, type)
    size = memory.static_bytes(whole, besides=prelude)
    return Compiled(made, tuple(found), size, stubs)


def words(source: str) -> Iterator[tuple[int, int, str]]:
    """(line, column, identifier) of a script, without comments and strings."""
    for match in _WORD.finditer(source):
        word = match[0]
        if word[0] not in '"/':
            line_start = source.rfind("\n", 0, match.start()) + 1
            yield source.count("\n", 0, match.start()) + 1, match.start() - line_start + 1, word


@functools.cache
def _lacking() -> tuple[frozenset[str], frozenset[str]]:
    """The functions and constants of today that lummao's compiler does not know."""
    names = [n for n, c in CONSTANTS.items() if c.type != "vector"] + [*FUNCTIONS]
    uses = "\n".join(
        f"{n}();" if n in FUNCTIONS else f"{n};" for n in [*names, "lummao_reports_this_one"]
    )
    unknown = {
        m[1]
        for f in _messages(f"default {{ state_entry() {{\n{uses}\n}} }}", 0)
        if (m := _UNDECLARED.search(f.message))
    }
    return frozenset(unknown & FUNCTIONS.keys()), frozenset(unknown & CONSTANTS.keys())


def _prelude(source: str) -> tuple[str, frozenset[str]]:
    """One line that declares what a script uses and lummao lacks; and the functions among it."""
    used = {word for _, _, word in words(source)}
    functions, constants = (lacking & used for lacking in _lacking())
    parts = [f"{(c := CONSTANTS[n]).type} {n} = {c.literal};" for n in sorted(constants)]
    for name in sorted(functions):
        known = FUNCTIONS[name]
        returns = "" if known.returns == "void" else known.returns + " "
        takes = ", ".join(f"{kind} a{i}" for i, kind in enumerate(known.takes))
        parts.append(f"{returns}{name}({takes}) {{ {_STUB_RETURNS[known.returns]} }}")
    return " ".join(parts), frozenset(functions)


def _messages(text: str, before: int) -> Iterator[Finding]:
    """What lummao says about a text of which the first `before` lines are not the script's."""
    try:
        lummao.convert_script(text)
    except lummao.CompileError as error:
        for said in error.err_msgs:
            match = _MESSAGE.match(said)
            if match is None:
                yield Finding(1, 1, "E10000", str(said))
            elif (line := int(match[2]) - before) > 0:
                text = _PLACE.sub(lambda m: f"at ({int(m[1]) - before}, {m[2]})", match[5])
                yield Finding(line, int(match[3]), match[4], text)


def _own_findings(source: str) -> Iterator[Finding]:
    for line, column, word in words(source):
        function = FUNCTIONS.get(word)
        if function and function.private:
            yield Finding(line, column, "E10902", f"`{word}' is not for residents' scripts.")
        elif function and function.deprecated is not None:
            instead = f"; use {function.deprecated}" if function.deprecated else ""
            yield Finding(line, column, "E10901", f"`{word}' is deprecated{instead}.")
        constant = CONSTANTS.get(word)
        if constant and constant.deprecated is not None:
            instead = f"; use {constant.deprecated}" if constant.deprecated else ""
            yield Finding(line, column, "E10901", f"`{word}' is deprecated{instead}.")
        if word.startswith("ll") and word[2:3].isupper() and not function:
            yield Finding(line, column, "E10903", f"`{word}' is no function of today's LSL.")
