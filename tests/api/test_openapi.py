"""The OpenAPI document is committed, whole and sound; the page made of it needs no other host."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from app import cli
from app.api import schemas
from app.games import COMMANDS

from .service import API, Service, ok

COMMITTED = Path(__file__).parents[2] / "openapi.json"
OPERATIONS = [
    (path, method, operation)
    for path, methods in json.loads(COMMITTED.read_text("utf-8"))["paths"].items()
    for method, operation in methods.items()
]
each_route = pytest.mark.parametrize(
    ("path", "method", "operation"), OPERATIONS, ids=[f"{m} {p}" for p, m, _ in OPERATIONS]
)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return dict(json.loads(COMMITTED.read_text("utf-8")))


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a document."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from walk(part)


def test_the_committed_document_is_what_peril_prints() -> None:
    printed = CliRunner().invoke(cli.app, ["openapi"])
    assert printed.exit_code == 0, printed.output
    assert printed.stdout == COMMITTED.read_text("utf-8"), "it is old: make openapi"


async def test_the_service_hands_out_the_same_document(
    service: Service, document: dict[str, Any]
) -> None:
    assert ok(await service.client.get(f"{API}/openapi.json")).json() == document


async def test_every_route_of_the_api_is_in_it(service: Service, document: dict[str, Any]) -> None:
    assert set(document["paths"]) - {"/healthz", "/readyz"} == {
        f"{API}{path}"
        for path in (
            "/tables", "/tables/{table_id}", "/tables/{table_id}/options",
            "/tables/{table_id}/text-sets", "/tables/{table_id}/contact",
            "/tables/{table_id}/theme",
            "/tables/{table_id}/commands", "/tables/{table_id}/touches",
            "/tables/{table_id}/presses", "/tables/{table_id}/frames",
            "/tables/{table_id}/stream", "/tables/{table_id}/events",
            "/tables/{table_id}/ranking", "/tables/{table_id}/matches",
            "/matches", "/matches/{match_id}", "/matches/{match_id}/replay",
            "/rankings", "/players/{key}", "/notice",
            "/tokens", "/tokens/{token_id}", "/pairing-codes",
            "/tables/{table_id}/device", "/tables/{table_id}/device/rotate",
        )
    }  # fmt: skip


@each_route
def test_every_route_says_what_it_does_and_what_it_answers(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    assert 5 < len(operation["summary"]) < 50
    assert operation["description"].endswith((".", ").")), operation["description"]
    assert operation["tags"]
    good = [r for status, r in operation["responses"].items() if status.startswith("2")]
    assert len(good) == 1
    for kind, content in good[0]["content"].items():
        assert kind == "text/event-stream" or content["schema"].keys() & {"$ref", "items"}


@each_route
def test_every_route_tells_of_errors_in_the_one_form_there_is(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    bad = [r for status, r in operation["responses"].items() if not status.startswith("2")]
    assert bad
    for response in bad:
        schema = response["content"]["application/json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/ErrorOut"}


@each_route
def test_what_a_route_takes_is_shown_by_an_example(
    path: str, method: str, operation: dict[str, Any], document: dict[str, Any]
) -> None:
    if "requestBody" not in operation:
        return
    content = operation["requestBody"]["content"]["application/json"]
    schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
    examples = [e["value"] for e in content.get("examples", {}).values()]
    examples += [schema["example"]] if "example" in schema else []
    assert examples
    for example in examples:
        assert example.keys() <= schema["properties"].keys()
        assert example.keys() >= set(schema.get("required", ()))


@pytest.mark.parametrize("name", schemas.EXAMPLES)
def test_an_answer_is_shown_by_an_example_that_is_one(name: str) -> None:
    sent = msgspec.json.encode(schemas.EXAMPLES[name])
    assert msgspec.json.decode(sent, type=getattr(schemas, name))


def test_every_command_is_described_with_its_type(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    command = schemas["CommandIn"]["properties"]["command"]
    assert len(command["anyOf"]) == len(COMMANDS)
    for kind in COMMANDS:
        tag = kind.__struct_config__.tag
        assert command["discriminator"]["mapping"][tag] == f"#/components/schemas/{kind.__name__}"
        assert schemas[kind.__name__]["properties"]["type"] == {"enum": [tag]}
        assert schemas[kind.__name__]["description"]


def test_every_reference_leads_somewhere_and_every_schema_is_used(
    document: dict[str, Any],
) -> None:
    named = {part["$ref"] for part in walk(document) if isinstance(part.get("$ref"), str)}
    there = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert named == there


def test_the_document_has_the_shape_that_openapi_asks_for(document: dict[str, Any]) -> None:
    assert re.fullmatch(r"3\.1\.\d", document["openapi"])
    assert document["info"]["title"]
    assert document["info"]["version"]
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(names) == len(set(names))
    for path, _, operation in OPERATIONS:
        parameters = operation.get("parameters", [])
        assert len({(p["in"], p["name"]) for p in parameters}) == len(parameters)
        in_path = {p["name"] for p in parameters if p["in"] == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path))
        assert all(p["required"] for p in parameters if p["in"] == "path")
        assert all("schema" in p for p in parameters)
        assert all(re.fullmatch(r"[1-5](\d\d|XX)", status) for status in operation["responses"])
        assert all("description" in r for r in operation["responses"].values())


def test_the_document_knows_nothing_of_the_machine_it_was_made_on(
    document: dict[str, Any],
) -> None:
    text = json.dumps(document)
    assert "servers" not in document
    assert str(Path(__file__).parents[2]) not in text
    assert not re.search(r"https?://|/home/|/tmp/|localhost|\d+\.\d+\.\d+\.\d+", text)


async def test_the_page_of_the_api_loads_nothing_from_foreign_hosts(service: Service) -> None:
    response = ok(await service.client.get(f"{API}/docs"))
    assert "default-src 'self'" in response.headers["content-security-policy"]
    assert "//" not in re.sub(r"<!--.*?-->", "", response.text)
    links = re.findall(r'(?:src|href)="([^"]+)"', response.text)
    assert links
    for link in links:
        ok(await service.client.get(link))


async def test_the_page_of_the_api_shows_every_route_and_every_command(service: Service) -> None:
    text = ok(await service.client.get(f"{API}/docs")).text
    for path, method, _ in OPERATIONS:
        assert f"{method.upper()} {path}" in text
    for kind in COMMANDS:
        assert f"<code>{kind.__struct_config__.tag}</code>" in text
