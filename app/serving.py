"""Runs the server: its socket, its process or processes."""

from __future__ import annotations

import contextlib
import errno
import gc
import resource
import socket
import sys
from functools import partial

import typer

from app.errors import PerilError
from app.settings import Settings


def run(settings: Settings, listening: socket.socket, words: str) -> None:
    """Serve until stopped; `words` are printed as soon as nothing can go wrong any more."""
    # All that is loaded stays; to look through it at every step was a fifth of the start, measured.
    gc.disable()
    import uvicorn

    from app.api.http import BoundedHttp
    from app.main import create_app

    made = create_app(settings)
    typer.echo(words)

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            made.state.life.stage = "draining"
            made.state.watchers.close()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        made,
        http=partial(BoundedHttp, limit_s=settings.body_limit_s),  # type: ignore[arg-type]
        log_level=settings.log_level if settings.log_level != "info" else "warning",
        access_log=False,
        timeout_graceful_shutdown=5,
        server_header=False,
        forwarded_allow_ips=f"127.0.0.1,::1,{settings.proxies}",
    )
    tune()
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])


def tune() -> None:
    """Set up this process for serving, when everything is loaded."""
    # Tables keep many small frozen values, none of them in cycles: to look through all of them
    # again and again would only hold everybody up.
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 50)
    # The thread that commits gets its turn sooner than by default: everybody waits for it.
    sys.setswitchinterval(0.0005)
    # A thousand who watch and the files of the store are more than the 1,024 that are usual.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def listen(settings: Settings) -> socket.socket:
    """The socket to serve on; taken before anything else, so that a taken port says so first."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(2048)
    except (OSError, UnicodeError) as error:
        listening.close()
        port, other = settings.port, settings.port % 65535 + 1
        match getattr(error, "errno", None):
            case errno.EADDRINUSE:
                problem = f"Port {port} is taken by another program. Try --port {other}."
            case errno.EACCES:
                problem = f"Port {port} is not for this user. Try a port from 1024 on: --port 8700."
            case _:
                problem = f"One cannot listen on {settings.host} ({error}). Try another --host."
        raise PerilError("cannot_listen", problem) from error
    return listening


def handed_over(fd: int) -> socket.socket:
    """The socket of a supervisor: who connects between two processes waits there, unrefused."""
    try:
        handed = socket.socket(fileno=fd)
    except OSError as error:
        raise PerilError("cannot_listen", f"{fd} is no socket ({error.strerror}).") from error
    internet = handed.family in (socket.AF_INET, socket.AF_INET6)
    if not internet or not handed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        handed.detach()
        raise PerilError("cannot_listen", f"{fd} is no TCP socket that listens.")
    return handed
