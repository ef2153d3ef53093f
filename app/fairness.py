"""Dice that can be checked afterwards: a seed fixed beforehand, and what the players add to it.

Each match has a secret seed whose SHA-256, the commitment, everybody sees before the first draw.
The `number`-th draw of a match, one of `among` possibilities, is

    HMAC-SHA256(seed, match "\\n" number "\\n" choices "\\n" fresh "\\n" block)

read as eight 32-bit numbers, big-endian; the first below the largest multiple of `among` counts,
modulo `among`; if none is, block 1, 2, … is tried.  `choices` is the running SHA-256 over all that
players have done in this match so far, this command included; `fresh` the id of the command,
which the presser's table made when the button was pressed ("" where a deadline acts).  After the
match the seed is shown, and `app.verify` draws everything again.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import TypeVar

from app.games.lobby import Drawn

T = TypeVar("T")

NO_CHOICES = ""
_WORDS = 8
_WORD = 1 << 32


def new_seed() -> str:
    """256 random bits in hex."""
    return secrets.token_hex(32)


def commitment(seed: str) -> str:
    """What is shown of a seed before it is used: the SHA-256 of its bytes, in hex."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def chosen(choices: str, actor: str, command: str) -> str:
    """The running hash with one more command (its JSON as it stands in the log)."""
    return hashlib.sha256(f"{choices}\n{actor}\n{command}".encode()).hexdigest()


def draw(seed: bytes, message: str, among: int) -> int:
    """One of 0…among-1, each as likely as the other."""
    limit = _WORD - _WORD % among
    block = 0
    while True:
        digest = hmac.digest(seed, f"{message}\n{block}".encode(), "sha256")
        for at in range(0, 4 * _WORDS, 4):
            value = int.from_bytes(digest[at : at + 4], "big")
            if value < limit:
                return value % among
        block += 1


class FairDice:
    """`app.games.core.Dice` for one command; `drawn` is the record of what it gave.

    `before`: how many draws the match has had already.
    """

    def __init__(self, seed: str, match_id: str, before: int, choices: str, fresh: str) -> None:
        self._seed = seed
        self._match_id = match_id
        self._before = before
        self._input = f"{choices}\n{fresh}"
        self.drawn: list[Drawn] = []

    def roll(self, sides: int, why: str) -> int:
        return self._draw(sides, why) + 1

    def choose(self, options: Sequence[T], why: str) -> T:
        return options[self._draw(len(options), why)]

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        left = list(options)
        return [left.pop(self._draw(len(left), why)) for _ in range(count)]

    def _draw(self, among: int, why: str) -> int:
        number = self._before + len(self.drawn) + 1
        message = f"{self._match_id}\n{number}\n{self._input}"
        index = draw(bytes.fromhex(self._seed), message, among)
        self.drawn.append(Drawn(number, why, among, index))
        return index
