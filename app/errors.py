"""The errors of the edges: each has a status, a code and one sentence a person understands."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from app.games import texts
from app.games.core import Refusal
from app.games.texts import Theme

NOTICES: Final = texts.lobby().lines("notice")
"""What tables in-world are told as well stands there, in all languages."""


class PerilError(Exception):
    """An error that is told to whoever asked.  `status` is the HTTP status.

    `line` is a sentence, or where `fields` are to fill it in a template of `str.format`: so it can
    be said in another language.
    """

    status = 409

    def __init__(
        self, code: str, line: str, /, *, status: int | None = None, **fields: Any
    ) -> None:
        super().__init__(code, line)
        self.code = code
        self.line = line
        self.fields = fields
        self.status = status or self.status

    @property
    def message(self) -> str:
        return self.said(str)

    @property
    def notice(self) -> str:
        """Its name among what tables in-world say of themselves, if they do."""
        return self.code

    def said(self, words: Callable[[str], str]) -> str:
        """The sentence, with `words` for another language's line."""
        line = words(self.line)
        return line.format_map(self.fields) if self.fields else line

    def __str__(self) -> str:
        return self.message


class Refused(PerilError):
    """The rules say no, in the words of a theme."""

    status = 409

    def __init__(self, refusal: Refusal, theme: Theme) -> None:
        super().__init__(refusal.code, theme.refusal(refusal))


class NotFound(PerilError):
    """There is no `what` of this name."""

    status = 404

    def __init__(self, what: str, name: str) -> None:
        super().__init__("not_found", f"There is no {what} “{{name}}” here.", name=name[:40])
        self.what = what

    @property
    def notice(self) -> str:
        return "no_" + self.what.replace(" ", "_")


class Unauthorized(PerilError):
    status = 401

    def __init__(self, line: str = "That needs a token: Authorization: Bearer …") -> None:
        super().__init__("unauthorized", line)


class Forbidden(PerilError):
    status = 403

    def __init__(self, line: str = "This token does not reach so far.") -> None:
        super().__init__("forbidden", line)


class Malformed(PerilError):
    status = 422

    def __init__(self, line: str, **fields: Any) -> None:
        super().__init__("malformed", line, **fields)


class TooLarge(PerilError):
    status = 413

    def __init__(self, limit_bytes: int) -> None:
        super().__init__("too_large", "At most {bytes} bytes are taken.", bytes=limit_bytes)


class TooSlow(PerilError):
    status = 408

    def __init__(self, limit_s: float) -> None:
        line = "A request must be here whole within {limit_s:g} seconds."
        super().__init__("too_slow", line, limit_s=limit_s)


class Busy(PerilError):
    """Nothing was changed; the same command id may be sent again.  Never a 5xx: five of those in
    a minute block an LSL script."""

    status = 429

    def __init__(self) -> None:
        super().__init__("busy", NOTICES["busy"])


class TooMany(PerilError):
    """More requests than one may send.  Nothing was changed; the same one may be sent again."""

    status = 429

    def __init__(self, whose: str, wait_s: float) -> None:
        line = f"Too many requests {whose}. Try again in {{retry_after_s}} s."
        super().__init__("too_many", line, retry_after_s=max(math.ceil(wait_s), 1))
