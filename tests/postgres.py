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
    binaries = find_binaries()
    if binaries is None:
        return None
    own = Started(binaries)
    try:
        own.start()
    except (OSError, subprocess.CalledProcessError):
        own.remove()
        return None
    atexit.register(own.remove)
    return own.url


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def find_binaries() -> Path | None:
    """Where `initdb` and `pg_ctl` are."""
    found = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    path = Path(found) if found else installed[-1] if installed else None
    return path.parent if path else None


class Started:
    """A server of our own on a free port.  PostgreSQL refuses to run as root: there as nobody."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._folder = Path(tempfile.mkdtemp(prefix="peril-postgres-"))
        self._user = "nobody" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self._folder, self._user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> Started:
        data = str(self._folder / "data")
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust")
        self._control("start")
        return self

    def restart(self) -> None:
        """At once, as after a power cut; nothing that was stored is lost."""
        self._control("stop", "-m", "immediate")
        self._control("start")

    def remove(self) -> None:
        self._control("stop", "-m", "immediate", check=False)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _control(self, *what: str, check: bool = True) -> None:
        quick = f"-p {self.port} -k {self._folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        where = ("-D", str(self._folder / "data"), "-l", str(self._folder / "log"))
        self._run("pg_ctl", *where, "-w", "-o", quick, *what, check=check)

    def _run(self, program: str, *words: str, check: bool = True) -> None:
        command = [str(self._binaries / program), *words]
        subprocess.run(
            command,
            user=self._user,
            cwd=self._folder,
            check=check,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


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
