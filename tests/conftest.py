"""What tests may need from the machine, and how they say so when it is missing."""

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable

import pytest

from tests.postgres import find_postgres
from tests.redis_server import find_redis, find_redis_server


def find_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    names = [named] if named else ["chromium", "chromium-browser", "google-chrome"]
    return next(filter(None, map(shutil.which, names)), None)


# Whatever a test does, nobody asks Second Life for a picture.
os.environ["PERIL_PICTURES"] = "false"

# Each optional thing: how to find it, and what to say when it is not there.
OPTIONAL: dict[str, tuple[Callable[[], str | None], str]] = {
    "chromium": (find_chromium, "no browser in PATH (CHROMIUM=/path/to/one names it)"),
    "redis": (find_redis, "no server there and no redis-server (PERIL_TEST_REDIS names one)"),
    "redis-server": (find_redis_server, "no such program in PATH"),
    "postgresql": (find_postgres, "no server there and no initdb (PERIL_TEST_POSTGRES names one)"),
}


@pytest.fixture(scope="session")
def need() -> Callable[[str], str]:
    """`need("chromium")` gives the thing, or skips the test; with PERIL_SKIP_NOTHING=1 it fails."""

    def need(name: str) -> str:
        find, why_not = OPTIONAL[name]
        found = find()
        if found is not None:
            return found
        reason = f"needs {name}: {why_not}"
        if os.environ.get("PERIL_SKIP_NOTHING") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)

    return need


@pytest.fixture(scope="session")
def chromium_path(need: Callable[[str], str]) -> str:
    return need("chromium")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # Read off the reports, since with xdist the skipping happened in other processes.
    missed: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple | list) else ""
        if found := re.search(r"needs ([\w-]+): ", reason):
            missed[found[1]] += 1
    if missed:
        parts = (f"{n} ({count} test{'s'[: count > 1]})" for n, count in sorted(missed.items()))
        terminalreporter.write_line("skipped for want of: " + ", ".join(parts))
