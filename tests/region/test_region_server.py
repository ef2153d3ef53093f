"""A server beside the region: on the region's clock, and behind real sockets."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request

from . import Linkset, Region
from .conftest import script
from .live import LiveServer
from .virtual import AsgiServer, RegionTransport

# Registers its URL with the server, and paints what it is told.
TABLE = script(
    "state_entry() { llRequestURL(); }"
    'touch_start(integer n) { q = llHTTPRequest(SERVER + "/slow", [HTTP_METHOD, "POST"], "");'
    ' llDialog(llDetectedKey(0), "?", [], 1); }'
    "http_request(key id, string method, string body) {"
    ' if (method == URL_REQUEST_GRANTED) llHTTPRequest(SERVER + "/hello",'
    ' [HTTP_METHOD, "POST", HTTP_MIMETYPE, "text/plain"], body);'
    ' else { llSetText(body, <1.0,1.0,1.0>, 1.0); llHTTPResponse(id, 200, "shown"); } }'
    "http_response(key id, integer status, list meta, string body)"
    "{ said += [status, body]; at = llGetTime(); }",
    'string SERVER = "http://server.test"; list said; key q; float at;',
)


def app_of(push: httpx.AsyncBaseTransport | None = None) -> FastAPI:
    """A server that calls back while it serves, thinks, sleeps and works in threads."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(ticking())
        yield
        task.cancel()

    app = FastAPI(lifespan=lifespan)
    app.state.urls, app.state.ticks, app.state.pushed = [], 0, []

    async def ticking() -> None:
        while True:
            await asyncio.sleep(10)
            app.state.ticks += 1

    async def paint(text: str) -> int:
        async with httpx.AsyncClient(transport=push) as client:
            answer = await client.post(app.state.urls[-1], content=text)
            app.state.pushed.append(answer.text)
            return answer.status_code

    @app.post("/hello")
    async def hello(request: Request) -> dict[str, Any]:
        app.state.urls.append((await request.body()).decode())
        # The caller is only believed once its URL answers.
        return {"status": await paint("welcome")}

    @app.post("/slow")
    async def slow() -> str:
        await asyncio.to_thread(time.sleep, 0.02)
        if push:
            await asyncio.sleep(7)
        return "slept"

    @app.post("/paint/{text}")
    async def painting(text: str) -> int:
        return await paint(text)

    @app.get("/threaded")
    def threaded() -> str:
        time.sleep(0.02)
        return "done"

    return app


@pytest.fixture
def served(region: Region) -> Iterator[tuple[AsgiServer, Linkset]]:
    with AsgiServer(region, app_of(RegionTransport(region))) as server:
        yield server, region.object("table", scripts=[TABLE])


def test_a_call_back_is_served_while_the_scripts_own_request_waits(
    region: Region, served: tuple[AsgiServer, Linkset]
) -> None:
    server, table = served
    region.run(2)
    assert table.root.shown == "welcome"
    assert table.script("script")["said"] == [200, '{"status":200}']
    assert server.app.state.pushed == ["shown"]


def test_a_call_back_waits_for_a_script_that_sleeps(
    region: Region, served: tuple[AsgiServer, Linkset]
) -> None:
    server, table = served
    region.run(2)
    region.owner.touch(table)
    start = region.now
    assert server.request("POST", "/paint/later").json() == 200
    assert region.now - start == pytest.approx(1.0)
    assert table.root.shown == "later"


def test_the_servers_sleeps_take_the_regions_time(
    region: Region, served: tuple[AsgiServer, Linkset]
) -> None:
    server, table = served
    began = time.monotonic()
    region.run(2)
    region.owner.touch(table)
    region.run(7.0)
    assert table.script("script")["said"][2:] == []
    region.run(0.1)
    assert table.script("script")["said"][2:] == [200, '"slept"']
    region.run(600)
    assert server.app.state.ticks == 60
    assert time.monotonic() - began < 60  # of 609 s there


def test_work_in_threads_takes_none_of_the_regions_time(
    region: Region, served: tuple[AsgiServer, Linkset]
) -> None:
    server, _ = served
    assert server.request("GET", "/threaded").json() == "done"
    assert region.now == 0


def test_a_url_of_a_region_that_is_down_is_a_connection_error(
    region: Region, served: tuple[AsgiServer, Linkset]
) -> None:
    server, _ = served
    region.run(2)
    url = server.app.state.urls[-1]
    region.down = True

    async def push() -> None:
        async with httpx.AsyncClient(transport=RegionTransport(region)) as client:
            await client.post(url)

    with pytest.raises(httpx.ConnectError):
        server.do(push())


@pytest.fixture
def uvicorn_url() -> Iterator[tuple[str, FastAPI]]:
    app = app_of()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}", app
    server.should_exit = True
    thread.join(10)


def test_a_live_server_and_the_region_call_each_other(
    region: Region, uvicorn_url: tuple[str, FastAPI]
) -> None:
    url, app = uvicorn_url
    with LiveServer(region) as live:
        table = region.object("table")
        table.root.script(TABLE, values={"SERVER": url})
        region.run(2)
        assert table.root.shown == "welcome"
        assert table.script("script")["said"] == [200, '{"status":200}']

        outside = threading.Thread(target=lambda: httpx.post(f"{url}/paint/more"))
        outside.start()
        live.follow(lambda: table.root.shown == "more")
        live.follow(lambda: not outside.is_alive())
    assert app.state.pushed == ["shown", "shown"]
