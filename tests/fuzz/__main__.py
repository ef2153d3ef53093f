"""`make fuzz`: random inputs to every target, the same ones for the same seed."""

from __future__ import annotations

import argparse
import sys
import time
from random import Random

from .mutation import inputs
from .targets import TARGETS

INPUTS = 200_000


class Wrong(Exception):
    """An input that was read wrongly; `data` is it."""

    def __init__(self, target: str, data: bytes) -> None:
        super().__init__(f"{target}: {data!r}")
        self.data = data


def fuzz(name: str, count: int, seed: int) -> None:
    """Try `count` inputs at a target.  Wrong, with its cause, at the first that is read wrongly."""
    with TARGETS[name]() as target:
        for data in inputs(target.seeds, count, Random(f"{name} {seed}")):
            try:
                target.check(data)
            except Exception as error:
                raise Wrong(name, data) from error


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    names = given.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    for name in names:
        began = time.monotonic()
        try:
            fuzz(name, given.inputs, given.seed)
        except Wrong as wrong:
            print(f"{wrong}\n{type(wrong.__cause__).__name__}: {wrong.__cause__}", file=sys.stderr)
            return 1
        print(f"{name:10} {given.inputs:8,} inputs  {time.monotonic() - began:6.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
