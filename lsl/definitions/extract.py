"""Make definitions.json out of Linden Lab's lsl_definitions.yaml (needs PyYAML).

    python lsl/definitions/extract.py path/to/lsl_definitions.yaml

Source: https://github.com/secondlife/lsl-definitions (MIT, LICENSE beside this file).
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
# As the source writes characters in strings: \n, \x15, \u{FDD0}.
ESCAPE = re.compile(r"\\n|\\x([0-9a-fA-F]{2})|\\u\{([0-9a-fA-F]+)\}")


def arguments(entry: dict[str, Any]) -> list[str]:
    return [one["type"] for argument in entry.get("arguments") or [] for one in argument.values()]


def function(entry: dict[str, Any]) -> dict[str, Any]:
    """Forced delay in seconds, as a script compiled for Mono has it."""
    out: dict[str, Any] = {"returns": entry["return"], "takes": arguments(entry)}
    if delay := entry.get("mono-sleep", entry.get("sleep", 0.0)):
        out["delay_s"] = delay
    if "deprecated" in entry:
        out["deprecated"] = use_instead(entry["deprecated"])
    if "private" in entry or "god-mode" in entry:
        out["private"] = True
    return out


def use_instead(deprecated: Any) -> str:
    """What to use instead, by its LSL name; '' if nothing."""
    use = deprecated.get("use", "") if isinstance(deprecated, dict) else ""
    return use.replace("ll.", "ll")


def constant(entry: dict[str, Any]) -> list[Any]:
    kind, value = entry["type"], entry["value"]
    if kind == "integer":
        number = int(str(value), 0) & 0xFFFFFFFF
        value = number - (1 << 32) if number > 0x7FFFFFFF else number
    elif kind == "float":
        value = float(value)
    elif kind == "string":
        value = ESCAPE.sub(lambda m: chr(int(m[1] or m[2], 16)) if m[0] != r"\n" else "\n", value)
    out = [kind, value]
    if "deprecated" in entry:
        out.append(use_instead(entry["deprecated"]))
    return out


def extract(source: Path) -> dict[str, Any]:
    import yaml  # noqa: PLC0415 - only for making a new edition

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load(source.read_text("utf-8"), Loader=loader)
    return {
        "source": "https://github.com/secondlife/lsl-definitions, 2026-07, MIT licence",
        "functions": {n: function(f) for n, f in sorted(data["functions"].items())},
        "constants": {n: constant(c) for n, c in sorted(data["constants"].items())},
        "events": {n: arguments(e) for n, e in sorted(data["events"].items())},
    }


def dumps(found: dict[str, Any]) -> str:
    """One line an entry, so that a new edition can be read as a difference."""
    parts = []
    for name, value in found.items():
        if isinstance(value, dict):
            lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            parts.append(f"{json.dumps(name)}: {{\n{lines}\n}}")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    (HERE / "definitions.json").write_text(dumps(extract(Path(sys.argv[1]))), "utf-8")
