"""`make region`: play through the real scripts in a browser, without Second Life."""

from __future__ import annotations

import argparse
import sys
import time

from .shown import playing


def main() -> int:
    parser = argparse.ArgumentParser(prog="make region", description=__doc__)
    parser.add_argument("--port", type=int, default=8701, help="of the page")
    parser.add_argument("--server-port", type=int, default=0, help="of the server (any free one)")
    given = parser.parse_args()
    try:
        with playing(given.port, given.server_port) as (address, stage):
            print(f"\n  Your table in the region is open:  {address}")
            print(f"  Its server:  {stage.server}\n\n  Ctrl+C closes it.\n", flush=True)
            while stage.problem is None:
                time.sleep(0.2)
            print(f"The region stopped: {stage.problem}", file=sys.stderr)
            return 1
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        print(f"One cannot listen there ({error.strerror}). Try another --port.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
