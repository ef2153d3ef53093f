"""An answer as the short way of requests gives it; see `api.straight`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from starlette.types import Scope


class Reply(NamedTuple):
    """What is answered; `kind`: its content type."""

    status: int
    body: bytes
    kind: bytes


Take = Callable[[Scope, bytes], Awaitable[Reply]]
"""Does what a request with this body asks for.  PerilError if it cannot be done."""
