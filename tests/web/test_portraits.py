"""Profile pictures through the whole service: from a join to the board, and to a browser."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings

ADA = {"key": "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b", "name": "Ada"}
PICTURE = "7d8ae121-e171-12ae-f5b6-7cc3c0395c7b"
JPEG = b"\xff\xd8\xff\xe0 a picture"
OPERATOR = {"Authorization": "Bearer operator-token-of-this-test"}


def second_life(request: httpx.Request) -> httpx.Response:
    """Ada has a profile with a picture; nobody else is known."""
    if str(request.url) == f"https://world.secondlife.com/resident/{ADA['key']}":
        return httpx.Response(200, html=f'<meta name="imageid" content="{PICTURE}">')
    if request.url.host == "picture-service.secondlife.com":
        return httpx.Response(200, content=JPEG)
    return httpx.Response(404)


def joined(http: TestClient) -> str:
    """A table at which Ada sits: its id."""
    made = http.post("/api/v1/tables", json={"name": "Rooftop"}, headers=OPERATOR).json()
    command = {"avatar": ADA, "command": {"type": "join"}}
    http.post(
        f"/api/v1/tables/{made['id']}/commands", json=command, headers=OPERATOR
    ).raise_for_status()
    return str(made["id"])


def settings(folder: Path, **more: bool) -> Settings:
    token = OPERATOR["Authorization"].removeprefix("Bearer ")
    return Settings(data_dir=folder, operator_token=token, **more)


def test_who_joins_is_soon_seen_by_his_picture_on_boards_and_pages(tmp_path: Path) -> None:
    transport = httpx.MockTransport(second_life)
    app = create_app(settings(tmp_path, pictures=True), picture_transport=transport)
    with TestClient(app) as http:
        frames = f"/api/v1/tables/{joined(http)}/frames"
        until = time.monotonic() + 5
        while (shown := http.get(frames).json()["frames"]["profile:0:0"]["picture"]) != PICTURE:
            assert time.monotonic() < until, shown
            time.sleep(0.02)
        page = http.get(frames.replace("/api/v1/tables", "/t").removesuffix("/frames")).text
        assert f'href="/pictures/{PICTURE}.jpg"' in page
        got = http.get(f"/pictures/{PICTURE}.jpg")
        assert (got.content, got.headers["content-type"]) == (JPEG, "image/jpeg")
        assert got.headers["x-content-type-options"] == "nosniff"
        unknown = http.get(f"/pictures/{PICTURE[::-1]}.jpg", follow_redirects=False)
        assert unknown.headers["location"] == "/static/art/silhouette.svg"


def test_where_pictures_are_off_nobody_is_asked_and_all_have_silhouettes(tmp_path: Path) -> None:
    def nobody(request: httpx.Request) -> httpx.Response:
        pytest.fail(f"{request.url} was asked")

    app = create_app(settings(tmp_path), picture_transport=httpx.MockTransport(nobody))
    with TestClient(app) as http:
        table = joined(http)
        board = http.get(f"/api/v1/tables/{table}/frames").json()["frames"]
        assert board["profile:0:0"]["picture"] == "silhouette"
        answer = http.get(f"/pictures/{PICTURE}.jpg", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (
            302,
            "/static/art/silhouette.svg",
        )


@pytest.mark.parametrize(
    ("given", "on"),
    [
        ({}, False),
        ({"host": "0.0.0.0"}, True),
        ({"proxies": "127.0.0.1"}, True),
        ({"pictures": True}, True),
        ({"host": "0.0.0.0", "pictures": False}, False),
    ],
)
def test_pictures_are_on_as_soon_as_others_reach_the_server(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, object], on: bool
) -> None:
    monkeypatch.delenv("PERIL_PICTURES")
    assert Settings(**given).with_pictures is on
