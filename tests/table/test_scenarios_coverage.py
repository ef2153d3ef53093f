"""Every known situation is tested here, or waits for the in-world scripts; never both."""

import ast
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
SCENARIOS = HERE / "peril-scenarios.json"

WAITS_FOR_LSL: dict[str, str] = {
    "PB-009": "a rezzed copy pairs as a table of its own",
    "PB-146": "prims are found by name after re-linking",
    "PB-148": "a second bridge with one table's id is refused by the pairing",
    "PB-154": "profile pictures are asked for in-world; the default stays on failure",
    "PB-156": "profile pictures are asked for in-world, by avatar and not by place",
    "PB-157": "prim parameters as the scripts set them",
    "PB-159": "distances between prims of the linkset",
    "PB-164": "which script of the linkset paints",
    "PB-179": "size of the attached HUD",
    "PB-181": "the object's own description",
    "PB-182": "channels computed in different prims",
    "PB-186": "land without the Experience",
    "PB-187": "how the table finds out about the Experience",
    "PB-211": "whom floaters obey",
    "PB-212": "script memory",
    "PB-217": "answers packed to what llHTTPRequest takes",
    "PB-219": "strict compilers",
    "PB-221": "the object's owner changes in-world and pairs again",
}


def ids_of_tests() -> set[str]:
    """Ids in the names and docstrings of the scenario tests."""
    found: set[str] = set()
    for path in HERE.glob("test_scenarios_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                words = f"{node.name} {ast.get_docstring(node) or ''}"
                found |= {f"PB-{n}" for n in re.findall(r"pb[_-](\d{3})", words, re.I)}
    return found


def test_every_situation_is_tested_or_waits_for_the_scripts_in_world() -> None:
    wanted = {scenario["id"] for scenario in json.loads(SCENARIOS.read_text("utf-8"))}
    done = ids_of_tests()
    assert len(wanted) == 178
    assert wanted - done - set(WAITS_FOR_LSL) == set()
    assert done & set(WAITS_FOR_LSL) == set()
    assert (done | set(WAITS_FOR_LSL)) - wanted == set()
