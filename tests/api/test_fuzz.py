"""Random requests to every route there is: never a 5xx, and every error in the one form."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .service import ADA, API, BOB, OPERATOR, OWNER, Service, Table, bearer, refused

DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text("utf-8"))
ROUTES = [(m.upper(), p) for p, methods in DOCUMENT["paths"].items() for m in methods]
SCHEMAS = DOCUMENT["components"]["schemas"]
STREAM = f"{API}/tables/{{table_id}}/stream"
"""Never ends; what it refuses is tried out elsewhere."""

fuzz = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

NASTY = st.sampled_from(
    ["\x00", "\ud800", "x" * 3000, "', --", "../..", "%s{0}", "𝕏\u202e\u200b", "-1", "NaN", "bot:1"]
)
TEXT = st.one_of(st.text(max_size=40), NASTY)
NUMBER = st.one_of(st.integers(), st.floats(), st.sampled_from([2**31, 2**63, 2**64, -(2**63)]))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBER, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
KEYS = st.sampled_from([ADA["key"], BOB["key"], OWNER["key"], "bot:1"])


def shaped(schema: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that fit a schema, more or less: one in ten is something else altogether."""
    if "$ref" in schema:
        return shaped(SCHEMAS[schema["$ref"].rpartition("/")[2]], depth + 1)
    fitting = _fitting(schema, depth)
    return st.integers(0, 9).flatmap(lambda n: ANYTHING if n == 0 and depth else fitting)


def _fitting(schema: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.one_of([shaped(option, depth) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "[0-9a-f]{8}" in schema.get("pattern", ""):
        return KEYS
    numbers = {"integer": st.one_of(st.integers(-2, 40), NUMBER), "number": NUMBER}
    match schema.get("type"):
        case "object" if "properties" in schema:
            needed = set(schema.get("required", ()))
            parts = {name: shaped(p, depth + 1) for name, p in schema["properties"].items()}
            return st.fixed_dictionaries(
                {n: p for n, p in parts.items() if n in needed},
                optional={n: p for n, p in parts.items() if n not in needed},
            )
        case "object":
            return st.dictionaries(TEXT, ANYTHING, max_size=3)
        case "array":
            return st.lists(shaped(schema.get("items", {}), depth + 1), max_size=4)
        case "string":
            return TEXT
        case kind:
            return numbers.get(kind, ANYTHING)


def body_of(method: str, path: str) -> st.SearchStrategy[bytes]:
    """A body for a route: JSON of its schema, any JSON, or no JSON at all."""
    content = DOCUMENT["paths"][path][method.lower()].get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    values = st.one_of(shaped(schema), shaped(schema), ANYTHING) if schema else ANYTHING
    sent = values.map(lambda value: json.dumps(value).encode())
    return st.one_of(sent, sent, sent, st.binary(max_size=60))


def query_of(method: str, path: str) -> st.SearchStrategy[dict[str, Any]]:
    parameters = DOCUMENT["paths"][path][method.lower()].get("parameters", [])
    number = st.one_of(st.integers(-2, 100), NUMBER)
    return st.fixed_dictionaries(
        {},
        optional={
            p["name"]: st.just(0) if p["name"] == "wait_s" else st.one_of(number, KEYS, TEXT)
            for p in parameters
            if p["in"] == "query"
        },
    )


CONTENT_TYPES = ["application/json"] * 6 + ["text/plain", "", "a/b; c=\\", "multipart/form-data"]


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda part: part.replace(API, ""))
@fuzz
@given(data=st.data())
async def test_no_request_makes_a_5xx_and_every_refusal_has_one_form(
    service: Service, table: Table, method: str, path: str, data: st.DataObject
) -> None:
    tokens = [OPERATOR, OPERATOR, table.owner_token, "", "nonsense"]
    ids = [st.just(table.id)] * 3 if "/tables/" in path else [st.just(f"{table.id}-1"), KEYS]
    if path == STREAM:
        ids = []
    id = data.draw(st.one_of(*ids, TEXT), "id")
    url = re.sub("{.*}", lambda _: quote(id, safe="", errors="replace"), path)
    query = data.draw(query_of(method, path), "query")
    kind = data.draw(st.sampled_from(CONTENT_TYPES), "content type")
    response = await service.client.request(
        method,
        url,
        params={k: str(v).encode("utf-8", "replace").decode() for k, v in query.items()},
        content=data.draw(body_of(method, path), "body"),
        headers={"Content-Type": kind} | bearer(data.draw(st.sampled_from(tokens), "token")),
    )
    assert response.status_code < 500, response.text
    if response.status_code >= 400 and response.request.url.path.startswith(API):
        refused(response, response.status_code, response.json()["error"]["code"])
