"""What this process counts for Prometheus.

No label is a player, a table or a key: each has a handful of values, known here.  The children are
made once, since looking one up by its labels costs more than counting.
"""

from __future__ import annotations

from time import perf_counter

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)

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
