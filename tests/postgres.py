"""A PostgreSQL for the tests: the one that is there, or one started on a free port."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg

THERE = os.environ.get("PERIL_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")


@cache
def find_postgres() -> str | None:
    """Address of a server where databases may be made; None if there is none and none can be."""
    if _answers(THERE):
        return THERE
    binaries = _binaries()
    return _started(binaries) if binaries else None


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def _binaries() -> Path | None:
    found = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    path = Path(found) if found else installed[-1] if installed else None
    return path.parent if path else None


def _started(binaries: Path) -> str | None:
    """PostgreSQL refuses to run as root, so there it runs as nobody."""
    folder = Path(tempfile.mkdtemp(prefix="peril-postgres-"))
    user = "nobody" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quick = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    try:
        for command in (
            [binaries / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust"],
            [binaries / "pg_ctl", "-D", folder / "data", "-w", "-o", quick, "-l", folder / "log",
             "start"],
        ):  # fmt: skip
            subprocess.run(command, user=user, cwd=folder, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None

    def stop() -> None:
        command = [binaries / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"]
        subprocess.run(command, user=user, cwd=folder, check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return f"postgresql://postgres@127.0.0.1:{port}/postgres"


@contextmanager
def new_database(server: str, template: str = "template1") -> Iterator[str]:
    """Address of a database of its own, gone afterwards."""
    name = f"peril_test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield server.rpartition("/")[0] + "/" + name
    finally:
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
