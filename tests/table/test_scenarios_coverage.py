"""Every known situation is tested, here or through the real scripts, or comes later; never both."""

import ast
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
SCENARIOS = HERE / "peril-scenarios.json"

LATER: dict[str, str] = {}
"""What is not tested yet, and why."""


def ids_of_tests() -> set[str]:
    """Ids in the names and docstrings of the scenario tests and of the region's."""
    found: set[str] = set()
    around = HERE.parent
    places = [
        HERE.glob("test_scenarios_*.py"),
        around.glob("region/*.py"),
        around.glob("devices/*.py"),
    ]
    for path in (path for place in places for path in place):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                words = f"{node.name} {ast.get_docstring(node) or ''}"
                found |= {f"PB-{n}" for n in re.findall(r"pb[_-](\d{3})", words, re.I)}
    return found


def test_every_situation_is_tested_or_comes_later() -> None:
    wanted = {scenario["id"] for scenario in json.loads(SCENARIOS.read_text("utf-8"))}
    done = ids_of_tests()
    assert len(wanted) == 178
    assert wanted - done - set(LATER) == set()
    assert done & set(LATER) == set()
    assert (done | set(LATER)) - wanted == set()
