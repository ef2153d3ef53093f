"""The errors of the edges: each has a status, a code and one sentence a person understands."""

from __future__ import annotations

import math
from typing import Any

from app.games.core import Refusal
from app.games.texts import Theme


class PerilError(Exception):
    """An error that is told to whoever asked.  `status` is the HTTP status."""

    status = 409

    def __init__(self, code: str, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.extra = extra
        self.status = extra.get("status", self.status)


class Refused(PerilError):
    """The rules say no."""

    status = 409

    def __init__(self, refusal: Refusal, theme: Theme, **extra: Any) -> None:
        super().__init__(refusal.code, theme.refusal(refusal), **extra)


class NotFound(PerilError):
    status = 404

    def __init__(self, what: str, name: str) -> None:
        super().__init__("not_found", f"There is no {what} “{name[:40]}” here.")


class Unauthorized(PerilError):
    status = 401

    def __init__(self, message: str = "That needs a token: Authorization: Bearer …") -> None:
        super().__init__("unauthorized", message)


class Forbidden(PerilError):
    status = 403

    def __init__(self, message: str = "This token does not reach so far.") -> None:
        super().__init__("forbidden", message)


class Malformed(PerilError):
    status = 422

    def __init__(self, message: str) -> None:
        super().__init__("malformed", message)


class TooLarge(PerilError):
    status = 413

    def __init__(self, limit_bytes: int) -> None:
        super().__init__("too_large", f"At most {limit_bytes} bytes are taken.")


class TooSlow(PerilError):
    status = 408

    def __init__(self, limit_s: float) -> None:
        super().__init__("too_slow", f"A request must be here whole within {limit_s:g} seconds.")


class Busy(PerilError):
    """Nothing was changed; the same command id may be sent again.  Never a 5xx: five of those in
    a minute block an LSL script."""

    status = 429

    def __init__(self) -> None:
        super().__init__("busy", "The table is busy. Try again in a moment.")


class TooMany(PerilError):
    """More requests than one may send.  Nothing was changed; the same one may be sent again."""

    status = 429

    def __init__(self, whose: str, wait_s: float) -> None:
        seconds = max(math.ceil(wait_s), 1)
        when = "a second" if seconds == 1 else f"{seconds} seconds"
        super().__init__(
            "too_many",
            f"Too many requests {whose}. Try again in {when}.",
            retry_after_s=seconds,
        )
