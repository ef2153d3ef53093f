"""The front page: tables that are listed, matches that ended, the best; and how it stays fresh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import OPERATOR, serving

BEARER = {"Authorization": f"Bearer {OPERATOR}"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("data")) as base:
        yield base


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    complaints: list[str] = []
    context = browser.new_context()
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(server)
    yield page
    context.close()
    assert complaints == []


def make(base: str, name: str, **more: Any) -> dict[str, Any]:
    body = {"name": name, **more}
    answer = httpx.post(f"{base}/api/v1/tables", json=body, headers=BEARER)
    return dict(answer.raise_for_status().json())


def listed(base: str, table: dict[str, Any], yes: bool) -> httpx.Response:
    bearer = {"Authorization": f"Bearer {table['owner_token']}"}
    where = f"{base}/api/v1/tables/{table['id']}"
    return httpx.patch(where, json={"listed": yes}, headers=bearer)


def test_an_owner_lists_his_table_and_takes_it_back(server: str) -> None:
    """A new one is found by nobody; without a token nobody lists it."""
    table = make(server, "Hidden <Attic>")
    assert table["listed"] is False
    assert table["id"] not in httpx.get(server).text
    assert listed(server, table, True).json()["listed"] is True
    assert "Hidden &lt;Attic&gt;" in httpx.get(server).text
    listed(server, table, False)
    assert "Attic" not in httpx.get(server).text
    where = f"{server}/api/v1/tables/{table['id']}"
    assert httpx.patch(where, json={"listed": True}).status_code == 401


def test_without_tables_and_matches_the_page_says_how_they_come(server: str) -> None:
    text = httpx.get(server).text
    assert "No table is listed here now." in text
    assert "No match has ended yet that counts." in text
    assert "Nobody is ranked yet" in text


def test_the_page_shows_a_table_as_soon_as_it_is_listed(page: Page, server: str) -> None:
    """Nothing is loaded anew for it but the parts that changed."""
    expect(page.locator("#fresh")).to_have_text("live")
    page.evaluate("window.same = true")
    table = make(server, "The Rooftop", listed=True)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(".tables a")).to_contain_text("The Rooftop")
    assert page.evaluate("window.same")
    listed(server, table, False)


def test_offline_the_page_says_of_when_it_is_and_comes_back(page: Page) -> None:
    page.context.set_offline(True)
    expect(page.locator("#fresh")).to_contain_text("offline, as of ")
    expect(page.locator("body")).to_have_class("text-page stale")
    page.context.set_offline(False)
    expect(page.locator("#fresh")).to_have_text("live")
    expect(page.locator("body")).to_have_class("text-page")
