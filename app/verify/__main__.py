"""`python -m app.verify MATCH`: a file with the log of a match, or its address."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import urlopen

from app.verify.check import NotALog, verify

MOST_BYTES = 64 << 20
PATIENCE_S = 30


def main(arguments: Sequence[str]) -> int:
    """Print what the check came to; 0 if all was checked and nothing lies."""
    if len(arguments) != 1:
        print("Name one match: a file with its log, or its address.", file=sys.stderr)
        return 2
    try:
        report = verify(_read(arguments[0]))
    except (NotALog, ValueError) as error:
        what = error if isinstance(error, NotALog) else "It cannot be read as JSON."
        print(f"{arguments[0]}: {what}", file=sys.stderr)
        return 1
    except (URLError, OSError) as error:
        why = getattr(error, "reason", None) or error.strerror or error
        print(f"{arguments[0]} cannot be read ({why}).", file=sys.stderr)
        return 1
    print("\n".join(report.sentences))
    return 0 if report.over and report.lie is None and not report.forgotten else 1


def _read(where: str) -> Any:
    if not where.startswith(("http://", "https://")):
        return json.loads(Path(where).read_bytes())
    with urlopen(log_address(where), timeout=PATIENCE_S) as answer:
        body = answer.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise NotALog("That is longer than the log of any match.")
    return json.loads(body)


def log_address(address: str) -> str:
    """Where the log is; the address of a match's page is good too."""
    parts = urlsplit(address)
    before, page, match = parts.path.rpartition("/m/")
    if page:
        parts = parts._replace(path=f"{before}/api/v1/matches/{match}", fragment="")
    return urlunsplit(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
