"""The yardstick: a bare FastAPI that answers with the JSON it was sent."""

from typing import Any

from fastapi import FastAPI

app = FastAPI()


@app.post("/echo")
async def echo(body: dict[str, Any]) -> dict[str, Any]:
    return body
