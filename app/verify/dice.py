"""The draws of a match, made again from the seed that was shown.

The `number`-th draw of a match, one of `among` possibilities, is

    HMAC-SHA256(seed, match "\\n" number "\\n" choices "\\n" fresh "\\n" block)

read as eight 32-bit numbers, big-endian; the first below the largest multiple of `among` counts,
modulo `among`; if none is, block 1, 2, … is tried.  `choices` is the running SHA-256 over what
players did, `fresh` the id of the command that made the draw.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any

from app.verify.words import Said, wrong

_WORD = 1 << 32


def seed_bytes(seed: Any) -> bytes:
    """The seed in bytes; Wrong if it is not one."""
    if not isinstance(seed, str) or not re.fullmatch("[0-9a-f]{64}", seed):
        wrong("The seed is not 64 hexadecimal digits.")
    return bytes.fromhex(seed)


def commitment(seed: bytes) -> str:
    return hashlib.sha256(seed).hexdigest()


def chosen(choices: str, actor: str, command: Said) -> str:
    """The running hash with one more command, in JSON without spaces, its fields as in the log."""
    written = json.dumps(command, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{choices}\n{actor}\n{written}".encode()).hexdigest()


def draw(seed: bytes, message: str, among: int) -> int:
    """One of 0…among-1."""
    limit = _WORD - _WORD % among
    block = 0
    while True:
        digest = hmac.digest(seed, f"{message}\n{block}".encode(), "sha256")
        for at in range(0, len(digest), 4):
            value = int.from_bytes(digest[at : at + 4], "big")
            if value < limit:
                return value % among
        block += 1


def check(seed: bytes, match_id: str, number: int, entropy: str, drawn: Said) -> None:
    """A draw of the log against the seed.  Wrong if it fell otherwise."""
    among = drawn["among"]
    if drawn["number"] != number:
        wrong(f"It is called draw {drawn['number']}, but it is draw {number} of the match.")
    if type(among) is not int or not 1 <= among < _WORD:
        wrong(f"Draw {number} is of no possible number of possibilities.")
    index = draw(seed, f"{match_id}\n{number}\n{entropy}", among)
    if type(drawn["index"]) is not int or drawn["index"] != index:
        wrong(
            f"Draw {number} of {among} possibilities gives {index} (counted from 0), "
            f"but the log says {drawn['index']}."
        )
