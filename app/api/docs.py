"""The OpenAPI document, and a page for people made of it that loads nothing from elsewhere."""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse
from jinja2 import Environment
from markupsafe import Markup, escape

from app.api import play, schemas

ERROR = {
    "description": "Refused: 401 and 403 the token, 404 unknown, 405 the method, 408 too slow,"
    " 409 the rules, 413 too large, 422 malformed, 429 busy. The message is a sentence.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorOut"}}},
}
TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token of the operator (everything), of a table's owner (that table), of a"
    " harness (plays any avatar but owners and their staff) or for reading. Without one, on"
    " loopback, any avatar but those may be played. More requests than are taken get 429 with"
    " Retry-After.",
}
CSP = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"


def document(app: FastAPI, prefix: str) -> dict[str, Any]:
    """The OpenAPI document: what FastAPI finds, the hot path below `prefix`, one form of errors."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        hot = {prefix + path: methods for path, methods in play.PATHS.items()}
        schema["paths"] = hot | schema["paths"]
        parts = schema.setdefault("components", {})
        parts["securitySchemes"] = {"token": TOKEN}
        schema["security"] = [{}, {"token": []}]
        for unused in ("HTTPValidationError", "ValidationError"):
            parts["schemas"].pop(unused, None)
        parts["schemas"] |= schemas.components()
        for operation in (o for path in schema["paths"].values() for o in path.values()):
            good = {k: v for k, v in operation["responses"].items() if k.startswith("2")}
            mine = {k: {**ERROR, **v} for k, v in operation["responses"].items() if k[0] == "5"}
            operation["responses"] = good | {"4XX": ERROR} | mine
        app.openapi_schema = schema
    return app.openapi_schema


def router(app: FastAPI) -> APIRouter:
    """The page at `/docs`."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/docs")
    async def docs() -> HTMLResponse:
        api = app.openapi()
        types = api["components"]["schemas"]
        refs = types["CommandIn"]["properties"]["command"]["discriminator"]["mapping"]
        page = _page.render(
            api=api,
            address=app.openapi_url,
            commands={name: types[ref.rpartition("/")[2]] for name, ref in refs.items()},
            taken=_taken,
            given=_given,
        )
        return HTMLResponse(page, headers={"Content-Security-Policy": CSP})

    return routes


def _taken(api: dict[str, Any], operation: dict[str, Any]) -> str:
    """Examples of what a route takes, as JSON; '' if there are none."""
    return _examples(api, operation.get("requestBody", {}))


def _given(api: dict[str, Any], operation: dict[str, Any]) -> str:
    """Examples of what a route answers if all is well."""
    return "".join(_examples(api, r) for k, r in operation["responses"].items() if k[0] == "2")


def _examples(api: dict[str, Any], part: dict[str, Any]) -> str:
    content = part.get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    schema = api["components"]["schemas"].get(name, {})
    found = [e["value"] for e in content.get("examples", {}).values()]
    found += [schema["example"]] if "example" in schema else []
    return "\n".join(json.dumps(e, ensure_ascii=False) for e in found)


def _prose(text: str) -> Markup:
    """The little Markdown that descriptions use, as HTML."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*(\w+)\*", r"<em>\1</em>", coded))


_html = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
_html.filters["prose"] = _prose
_page = _html.from_string("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · {{ api.info.title }}</title>
<link rel="icon" href="/static/art/hearts_3.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/css/base.css">
</head>
<body class="text-page">
<header class="top"><a class="brand" href="/"><span>Peril</span> <b>Table</b></a></header>
<main class="prose rules" id="content">
<h1>API</h1>
{% for paragraph in api.info.description.strip().split("\n\n") %}
<p class="lead">{{ paragraph | prose }}</p>
{% endfor %}
<p>For machines: <a href="{{ address }}">{{ address }}</a>, version {{ api.info.version }}.</p>
{% for path, methods in api.paths.items() %}
{% for method, operation in methods.items() %}
<section>
<h2>{{ operation.summary }}</h2>
<p><code>{{ method.upper() }} {{ path }}</code></p>
<p>{{ operation.description | prose }}</p>
<ul>
{% for parameter in operation.parameters if parameter.in == "query" %}
<li><code>{{ parameter.name }}</code> {{ parameter.description }}</li>
{% endfor %}
</ul>
{% for examples in (taken(api, operation), given(api, operation)) if examples %}
<div class="sideways"><pre>{{ examples }}</pre></div>
{% endfor %}
</section>
{% endfor %}
{% endfor %}
<section>
<h2>Commands</h2>
<ul>
{% for name, command in commands.items() %}
<li><code>{{ name }}</code> {{ command.description | prose }}
{% for field in command.properties if field != "type" %}<code>{{ field }}</code> {% endfor %}</li>
{% endfor %}
</ul>
</section>
</main>
</body>
</html>
""")
