"""Inputs made of good ones: cut, doubled, spliced, and with what parsers trip over put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

LARGEST_BYTES = 16_384
"""The service takes no larger body."""

NASTY = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xf0\x9f\x8e\xb2", b"\xe2\x80\xae", b"\xe2\x80\x8b",
    b"\r\n", b"\\u0000", b"\\ud800", b"%00", b"%ff", b"%ed%a0%80", b"%", b"%zz", b"&", b"=", b";",
    b"+", b"~", b"|", b",", b":", b"\"", b"\\", b"{", b"}", b"[", b"]", b"null", b"true", b"NaN",
    b"-1", b"1e999", b"9" * 20, b"9" * 400, b"-9223372036854775809", b"\xd9\xa3", b"\xc2\xb2",
    b"<img onerror=1>", b"' --", b"../", b"A" * 300, b"[" * 300, b'{"a":' * 300,
)  # fmt: skip


def inputs(seeds: Sequence[bytes], count: int, random: Random) -> Iterator[bytes]:
    """The seeds themselves, then mutations of them, `count` in all."""
    yield from seeds[:count]
    for _ in range(count - len(seeds)):
        data = random.choice(seeds)
        for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
            data = _mutated(data, random, seeds)
        yield data[:LARGEST_BYTES]


def _mutated(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    start, end = sorted((random.randint(0, len(data)), random.randint(0, len(data))))
    match random.randrange(8):
        case 0:  # something else than what stood there
            return data[:start] + random.randbytes(random.randint(1, 4)) + data[start + 1 :]
        case 1:  # one bit
            at = random.randrange(len(data)) if data else 0
            flipped = bytes([data[at] ^ 1 << random.randrange(8)]) if data else b"\x01"
            return data[:at] + flipped + data[at + 1 :]
        case 2:
            return data[:start] + random.choice(NASTY) + data[start:]
        case 3:
            return data[:start] + random.choice(NASTY) + data[end:]
        case 4:
            return data[:start] + data[end:]
        case 5:
            return data[:end] + data[start:end] * random.choice((1, 2, 40)) + data[end:]
        case 6:
            other = random.choice(seeds)
            return data[:start] + other[random.randint(0, len(other)) :]
        case _:
            return data[: random.randint(0, len(data))]
