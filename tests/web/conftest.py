"""A real server on a port of its own, and a real browser."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, expect, sync_playwright

from app.main import create_app
from app.settings import Settings

OPERATOR = "operator-token-of-this-test"

# A busy machine is slow, and nothing is waited for longer than it takes.
expect.set_options(timeout=15_000)


@contextmanager
def serving(folder: Path, port: int = 0, **parts: Any) -> Iterator[str]:
    """Address of the service on a folder; `parts` as `create_app` takes them.

    `port`: where one stood before that is to come back.
    """
    settings = Settings(data_dir=folder, operator_token=OPERATOR, log_level="error")
    listening = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(
        create_app(settings, **parts),
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not running.started and time.monotonic() < until:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    running.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()
