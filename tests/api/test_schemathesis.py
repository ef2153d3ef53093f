"""Schemathesis over the committed document: a real server answers only what is described."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks

from .service import ADA, BOB, OPERATOR, Running, bearer, running

DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text("utf-8"))
OPERATIONS = [found.ok() for found in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()]
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
MODES = [GenerationMode.POSITIVE, GenerationMode.POSITIVE, GenerationMode.NEGATIVE]
EXAMPLES = 15


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that lets nobody wait for long."""
    folder = tmp_path_factory.mktemp("schemathesis")
    with running("serve", folder, PERIL_LONG_POLL_LIMIT_S="0.01") as server:
        yield server
    assert "unexpected_error" not in server.said


@pytest.fixture(scope="module")
def known(server: Running) -> dict[str, str]:
    """What the paths name and is there: a table with two players."""
    table = server.table()
    for player in (ADA, BOB):
        server.command(table["id"], player, "join")
    return {"table_id": table["id"], "match_id": table["match"], "key": ADA["key"]}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_every_answer_is_one_that_the_document_describes(
    server: Running, known: dict[str, str], operation: Any, data: st.DataObject
) -> None:
    case = data.draw(operation.as_strategy(generation_mode=data.draw(st.sampled_from(MODES))))
    # A stream of a table that is there would never end.
    if not operation.path.endswith("/stream") and data.draw(st.integers(0, 3)):
        there = {k: v for k, v in known.items() if k in (case.path_parameters or {})}
        case.path_parameters = {**(case.path_parameters or {}), **there}
    token = data.draw(st.sampled_from([OPERATOR, OPERATOR, "", "nonsense"]))
    answer = case.call(base_url=server.url, headers=bearer(token), timeout=10)
    case.validate_response(answer, checks=CHECKS)


def test_every_route_of_the_document_is_tried_out() -> None:
    described = {f"{m.upper()} {p}" for p, methods in DOCUMENT["paths"].items() for m in methods}
    assert {operation.label for operation in OPERATIONS} == described
