"""`python -m bench [WHAT …]`: measures the service, with a bare FastAPI echo as its yardstick.

Each server is one uvicorn worker on this machine; figures are medians over the rounds.
Everything is bounded and ends by itself.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator

from bench import grown, many, minutes, routes, rules, server, spectators


def start(rounds: int) -> Iterator[str]:
    taken_s = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder, server.table(folder) as service:
            taken_s.append(service.started_s)
    yield f"process start to first answer, new store: {statistics.median(taken_s):.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each load")
    parser.add_argument(
        "what",
        nargs="*",
        help="only these: routes (lsl: without REST), grown (PostgreSQL, Redis), rules,"
        " idle, deadlines, spectators, minutes, start",
    )
    options = parser.parse_args()
    parts: dict[str, Callable[[], Iterator[str]]] = {
        "routes": lambda: routes.measure(options.rounds, options.seconds),
        "lsl": lambda: routes.measure(options.rounds, options.seconds, only_lsl=True),
        "grown": lambda: grown.measure(options.rounds, options.seconds),
        "rules": rules.measure,
        "idle": many.idle,
        "deadlines": many.deadlines,
        "spectators": spectators.measure,
        "minutes": minutes.measure,
        "start": lambda: start(options.rounds),
    }
    unknown = set(options.what) - parts.keys()
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    for name in options.what or [p for p in parts if p != "lsl"]:
        print(f"\n# {name}")
        for line in parts[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
