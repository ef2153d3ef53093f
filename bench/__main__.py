"""`python -m bench`: one table of ratios against a bare FastAPI echo in the same run.

Both servers are one uvicorn worker on this machine.  A round loads the echo and then the table with
the same requests; figures are medians over the rounds.  Everything ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import httpx

from bench import load, rules

CONNECTIONS = (1, 16, 64)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def server(command: list[str], port: int, path: str, env: dict[str, str]) -> Iterator[None]:
    """A server process that answers on `path`, ended afterwards."""
    process = subprocess.Popen(command, env={**os.environ, **env})
    try:
        for _ in range(200):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"http://127.0.0.1:{port}{path}")
                break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(10)


def prepare(port: int, token: str, count: int) -> list[list[bytes]]:
    """`count` tables of ten players in the picking phase; for each, two commands in turn."""
    api = httpx.Client(
        base_url=f"http://127.0.0.1:{port}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=30,
    )
    out = []
    for _ in range(count):
        made = api.post(
            "/tables", json={"options": {"turn_s": 3600, "draw_shown_s": 0, "title_after_s": 60}}
        ).json()
        path = f"/tables/{made['id']}"
        keys = [f"00000000-0000-4000-8000-{n:012d}" for n in range(10)]

        def send(key: str, command: dict[str, object], path: str = path) -> None:
            body = {"avatar": {"key": key, "name": f"P{key[-2:]}"}, "command": command}
            api.post(f"{path}/commands", json=body).raise_for_status()

        for key in keys:
            send(key, {"type": "join"})
        for key in keys[1:]:
            send(key, {"type": "ready"})
        send(keys[0], {"type": "start"})
        state = {"waiting_for": []}
        while not state["waiting_for"]:
            state = api.get(path).json()["state"]
        avatar = f'{{"key":"{state["waiting_for"][0]}","name":"P"}}'
        bodies = [
            f'{{"avatar":{avatar},"command":{{"type":"{kind}","number":7}}}}'.encode()
            for kind in ("mark", "unmark")
        ]
        out.append([load.request(f"/api/v1{path}/commands", b, token) for b in bodies])
    return out


def measure(rounds: int, seconds: float) -> list[str]:
    """The lines of the table of the REST route."""
    echo_port, table_port, token = free_port(), free_port(), secrets.token_urlsafe(24)
    python = sys.executable
    echo = [python, "-m", "uvicorn", "bench.echo:app", "--port", str(echo_port), "--no-access-log"]
    echo += ["--log-level", "warning"]
    table = [python, "-m", "app.cli", "serve", "--port", str(table_port)]
    lines = []
    with (
        tempfile.TemporaryDirectory() as folder,
        server(echo, echo_port, "/docs", {}),
        server(
            table,
            table_port,
            "/healthz",
            {"PERIL_DATA_DIR": folder, "PERIL_OPERATOR_TOKEN": token},
        ),
    ):
        commands = prepare(table_port, token, max(CONNECTIONS))
        same = b'{"avatar":{"key":"00000000-0000-4000-8000-000000000000","name":"P"},'
        same += b'"command":{"type":"unmark","number":7}}'
        echoes = [[load.request("/echo", same)]] * max(CONNECTIONS)
        for connections in CONNECTIONS:
            pairs = []
            for _ in range(rounds):
                bare = asyncio.run(load.run(echo_port, echoes[:connections], seconds))
                ours = asyncio.run(load.run(table_port, commands[:connections], seconds))
                assert not ours.failed, f"{ours.failed} commands were refused"
                pairs.append((bare, ours))
            lines.append(_line(connections, pairs))
    return lines


def _line(connections: int, pairs: list[tuple[load.Result, load.Result]]) -> str:
    def median(of: object) -> float:
        return statistics.median(of(b, o) for b, o in pairs)  # type: ignore[operator]

    return (
        f"| {connections:>3} | {median(lambda b, _: b.rate):>7.0f}"
        f" | {median(lambda _, o: o.rate):>7.0f} | {median(lambda b, o: o.rate / b.rate):>5.2f}"
        f" | {median(lambda b, _: b.percentile(0.5)) * 1e3:>6.2f}"
        f" | {median(lambda _, o: o.percentile(0.5)) * 1e3:>6.2f}"
        f" | {median(lambda b, _: b.percentile(0.99)) * 1e3:>6.2f}"
        f" | {median(lambda _, o: o.percentile(0.99)) * 1e3:>6.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each load")
    options = parser.parse_args()
    print("One Peril command by the REST route with its durable append, against a bare echo\n")
    print("| connections | echo/s | table/s | ratio | echo p50 ms | p50 | echo p99 ms | p99 |")
    print("|---|---|---|---|---|---|---|---|")
    for line in measure(options.rounds, options.seconds):
        print(line, flush=True)
    change, whole = rules.bytes_of_frames()
    print(f"\ndecide + evolve of a pick, 10 players: {rules.decide_and_evolve_us():.1f} µs")
    print(f"JSON of the frames that a pick changes: {change} bytes; of a whole board: {whole}")


if __name__ == "__main__":
    main()
