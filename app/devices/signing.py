"""Signatures between a table in-world and its server, as `llHMAC` makes them.

A request ends with `&ts=SECONDS&nonce=KEY&sig=SIGNATURE`; signed is `VERB "\\n"` and the body up
to `&sig=`.  A push ends with the record `Z¦SECONDS¦NUMBER¦SIGNATURE`; signed is `"push\\n"`, the
body before that record, `"\\n" SECONDS "¦" NUMBER`.  The key is the device's secret in hex, the
signature Base64 of HMAC-SHA256.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections import OrderedDict
from functools import lru_cache
from urllib.parse import unquote_plus

WINDOW_S = 300
"""So far the clocks of region and server may differ."""
NONCES = 2_000
"""Remembered of a device; the region lets an object send 750 requests in two windows."""
NONCE_CHARS = 64
SEPARATOR = "&sig="
STAMP_BYTES = 96
"""What the record of a signed push takes at most."""


@lru_cache(20_000)
def _keyed(secret: str) -> hmac.HMAC:
    return hmac.new(secret.encode(), digestmod=hashlib.sha256)


def sign(secret: str, text: str) -> str:
    # `hmac.digest` gives the GIL away, then waits for the thread that commits: 54 µs, profiled.
    made = _keyed(secret).copy()
    made.update(text.encode())
    return base64.b64encode(made.digest()).decode()


def is_signed(secrets: tuple[str, ...], verb: str, body: str) -> str:
    """The one of `secrets` that signed this request; '' if none did."""
    signed, _, given = body.rpartition(SEPARATOR)
    shown = unquote_plus(given).encode()
    found = ""
    for secret in secrets:
        if secret and hmac.compare_digest(sign(secret, f"{verb}\n{signed}").encode(), shown):
            found = secret
    return found


def stamped(secret: str, body: str, now_s: int, number: int) -> str:
    """A push with its signature."""
    stamp = f"{now_s}¦{number}"
    signature = sign(secret, f"push\n{body}\n{stamp}")
    return f"{body}\nZ¦{stamp}¦{signature}"


class Nonces:
    """Remembers what a device has used, as long as it could be sent again."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, int] = OrderedDict()

    def fresh(self, nonce: str, at_s: int, now_s: int) -> bool:
        """Whether the time is near and the nonce new; from then on it is used."""
        if not nonce or len(nonce) > NONCE_CHARS or abs(now_s - at_s) > WINDOW_S:
            return False
        if nonce in self._seen:
            return False
        while self._seen and (
            len(self._seen) >= NONCES or next(iter(self._seen.values())) < now_s - WINDOW_S
        ):
            self._seen.popitem(last=False)
        self._seen[nonce] = at_s
        return True
