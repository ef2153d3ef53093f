"""What this process counts for Prometheus.

No label is a player, a table or a key: each has a handful of values, known here.  The children are
made once, since looking one up by its labels costs more than counting.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

SHARED = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
"""Where several workers count together; whoever of them is asked tells the sum."""

REGISTRY = CollectorRegistry()
if not SHARED:
    ProcessCollector(registry=REGISTRY)
    PlatformCollector(registry=REGISTRY)

STAGES = ("lobby", "playing", "over")
WAITS = ("stream", "long_poll")
RESULTS = ("accepted", "refused", "busy", "failed")
ROUTES = ("api", "lsl", "static", "system", "page")
SYSTEM = ("/healthz", "/readyz", "/metrics")

_commands_total = Counter(
    "peril_commands", "Commands, by what came of them", ["result"], registry=REGISTRY
)
_commands = {result: _commands_total.labels(result).inc for result in RESULTS}
_command_seconds = Histogram(
    "peril_command_seconds",
    "From the moment a table takes a command to its answer",
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
    registry=REGISTRY,
)
CONFLICTS = Counter(
    "peril_conflicts",
    "Steps decided again because another writer was first",
    registry=REGISTRY,
)
_pushes_total = Counter(
    "peril_pushes", "Pushes to tables in-world, by what came of them", ["result"], registry=REGISTRY
)
PUSHES = {result: _pushes_total.labels(result) for result in ("taken", "refused", "lost")}
_deadlines_total = Counter("peril_deadlines_fired", "Deadlines that were fired", registry=REGISTRY)
_deadline_late_seconds = Histogram(
    "peril_deadline_late_seconds",
    "How long after its time a deadline took effect",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60),
    registry=REGISTRY,
)
_requests_total = Counter(
    "peril_requests", "Requests, by the kind of route and status", ["route", "status"],
    registry=REGISTRY,
)  # fmt: skip
_requests = {
    (route, hundreds): _requests_total.labels(route, f"{hundreds}xx").inc
    for route in ROUTES
    for hundreds in range(1, 6)
}

_limited_total = Counter(
    "peril_limited", "Requests refused because they were too many", ["limit"], registry=REGISTRY
)


def _gauge(name: str, meaning: str, label: str = "", mode: str = "livesum") -> Gauge:
    labels = [label] if label else []
    return Gauge(name, meaning, labels, registry=REGISTRY, multiprocess_mode=mode)  # type: ignore[arg-type]


_tables = _gauge("peril_tables", "Tables in memory", "stage")
_deadlines = _gauge("peril_deadlines_running", "Deadlines that run, of tables in memory")
_waiting = _gauge("peril_waiting", "Who waits for news", "kind")
_redis_up = _gauge(
    "peril_redis_up", "Whether all workers hear each other through Redis", mode="livemin"
)


def limited(limit: str) -> None:
    """A request was refused because there were too many."""
    _limited_total.labels(limit).inc()


def now(
    stages: Mapping[str, int], deadlines: int, waiting: Mapping[Any, int], redis_up: bool
) -> None:
    """How things stand in this process."""
    for stage in STAGES:
        _tables.labels(stage).set(stages.get(stage, 0))
    _deadlines.set(deadlines)
    for kind, count in waiting.items():
        _waiting.labels(kind).set(count)
    _redis_up.set(redis_up)


def exposed() -> bytes:
    """All of it, as Prometheus reads it."""
    if not SHARED:
        return generate_latest(REGISTRY)
    for file in Path(SHARED).glob("gauge_live*.db"):
        pid = int(file.stem.rpartition("_")[2])
        if not Path(f"/proc/{pid}").exists() and Path("/proc").exists():
            mark_process_dead(pid)  # type: ignore[no-untyped-call]
    everybody = CollectorRegistry()
    MultiProcessCollector(everybody)  # type: ignore[no-untyped-call]
    return generate_latest(everybody)


def command(result: str, since_s: float) -> None:
    """A command was answered; `since_s`: when it came, by `perf_counter`."""
    _commands[result]()
    _command_seconds.observe(perf_counter() - since_s)


def deadline(late_s: float) -> None:
    """A deadline took effect."""
    _deadlines_total.inc()
    _deadline_late_seconds.observe(max(late_s, 0.0))


def request(path: str, status: int) -> None:
    """A request was answered."""
    _requests[_route(path), status // 100]()


def _route(path: str) -> str:
    first = path[1:].partition("/")[0]
    if first in ("api", "lsl", "static"):
        return first
    return "system" if path in SYSTEM else "page"
