"""A command by the LSL and by the REST route, against a bare FastAPI echo of the same rounds."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import tempfile
from collections.abc import Callable, Iterator

from bench import linkset, load, server

CONNECTIONS = (64, 16, 1)
MOST_PER_S = 12_000
"""Requests prepared for a second; no server here takes more."""


def measure(rounds: int, seconds: float, only_lsl: bool = False) -> Iterator[str]:
    yield (
        "| connections | route | echo/s | table/s | ratio | echo p50 ms | p50 |"
        " echo p99 ms | p99 | p99 ratio |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    with (
        tempfile.TemporaryDirectory() as folder,
        server.echo() as echo,
        server.table(folder) as table,
        linkset.client(table.port) as api,
    ):
        many = max(CONNECTIONS)
        picking = [linkset.Linkset(api, n, start=True) for n in range(many)]
        joining = [linkset.Linkset(api, many + n, start=False) for n in range(many)]
        rest = [] if only_lsl else [linkset.rest(api) for _ in range(many)]
        same = b'{"avatar":{"key":"00000000-0000-4000-8000-000000000000","name":"P"},'
        same += b'"command":{"type":"unmark","number":7}}'
        echoes = [itertools.cycle([load.request("/echo", same)])] * many

        def signed(tables: list[linkset.Linkset], count: int, keep: bool) -> load.Result:
            each = int(MOST_PER_S * seconds / count) + 2
            senders = [t.requests(each) for t in tables[:count]]
            result = asyncio.run(load.run(table.port, senders, seconds, keep))
            for one, sent in zip(tables, result.sent, strict=False):
                one.took(sent)
            return result

        def cycled(port: int, what: list[Iterator[bytes]], count: int, keep: bool) -> load.Result:
            return asyncio.run(load.run(port, what[:count], seconds, keep))

        routes: dict[str, Callable[[int, bool], load.Result]] = {
            "LSL: mark, unmark": lambda count, keep: signed(picking, count, keep),
            "LSL: join, leave": lambda count, keep: signed(joining, count, keep),
        }
        if not only_lsl:
            routes["REST: mark, unmark"] = lambda n, keep: cycled(table.port, rest, n, keep)
        for keep, count in itertools.product((True, False), CONNECTIONS):
            bare, ours = [], {name: [] for name in routes}
            for _ in range(rounds):
                bare.append(cycled(echo.port, echoes, count, keep))
                for name, run in routes.items():
                    ours[name].append(run(count, keep))
                    assert not ours[name][-1].failed, f"{name}: some were refused"
            for name, results in ours.items():
                yield _line(f"{count}{'' if keep else ', each new'}", name, bare, results)


def _line(count: str, name: str, bare: list[load.Result], ours: list[load.Result]) -> str:
    pairs = list(zip(bare, ours, strict=True))

    def median(of: Callable[[load.Result, load.Result], float]) -> float:
        return statistics.median(of(b, o) for b, o in pairs)

    def ms(share: float) -> tuple[float, float, float]:
        return (
            median(lambda b, _: b.percentile(share) * 1e3),
            median(lambda _, o: o.percentile(share) * 1e3),
            median(lambda b, o: o.percentile(share) / b.percentile(share)),
        )

    half, most = ms(0.5), ms(0.99)
    return (
        f"| {count} | {name} | {median(lambda b, _: b.rate):.0f}"
        f" | {median(lambda _, o: o.rate):.0f} | {median(lambda b, o: o.rate / b.rate):.2f}"
        f" | {half[0]:.2f} | {half[1]:.2f} | {most[0]:.1f} | {most[1]:.1f} | {most[2]:.1f} |"
    )
