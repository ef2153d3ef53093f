"""Plays one match of Peril Dice with four avatars over the REST API, as a test harness would.

Run `peril serve`, then `python examples/harness.py http://127.0.0.1:8700 --token TOKEN`.
"""

import argparse
import os
import uuid

import httpx

PLAYERS = {str(uuid.uuid4()): name for name in ("Ada", "Bob", "Cleo", "Dan")}
QUICK = {"draw_shown_s": 0, "roll_shown_s": 0, "outcome_shown_s": 0, "elimination_shown_s": 0}


class Table:
    """A table of its own for this run; creating it needs the operator's token."""

    def __init__(self, base_url: str, operator_token: str) -> None:
        self.http = httpx.Client(base_url=f"{base_url}/api/v1", timeout=30)
        made = self._sent("POST", "/tables", operator_token, json={"options": QUICK})
        self.url = f"/tables/{made['id']}"
        self.seq = made["seq"]  # the number of the last state we know
        self.token = made["owner_token"]  # acts as any avatar at this table

    def command(self, key: str, **command: object) -> dict:
        avatar = {"key": key, "name": PLAYERS[key]}
        body = {"id": str(uuid.uuid4()), "avatar": avatar, "command": command}
        return self._sent("POST", f"{self.url}/commands", self.token, json=body)

    def state(self) -> dict:
        return self._sent("GET", self.url, self.token)["state"]

    def lines(self, wait_s: int) -> list[str]:
        """What was said since we last asked; waits so long for something to change."""
        news = self._sent("GET", f"{self.url}/frames?since={self.seq}&wait_s={wait_s}", self.token)
        self.seq = news["seq"]
        return news["lines"]

    def _sent(self, method: str, path: str, token: str, **what: object) -> dict:
        headers = {"Authorization": f"Bearer {token}"}
        answer = self.http.request(method, path, headers=headers, **what)
        if answer.is_error:
            raise SystemExit(f"{path}: {answer.json()['error']['message']}")
        return answer.json()


def act(table: Table, state: dict) -> None:
    """Do what the table waits for: stake the lowest free numbers, or roll."""
    for key in state["waiting_for"]:
        if state["moment"] == "rolling":
            table.command(key, type="roll")
        else:
            taken = {number for seat in state["seats"] for number in seat["picks"]}
            free = [n for n in range(1, state["sides"] + 1) if n not in taken]
            table.command(key, type="pick", numbers=free[: state["picks_each"]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base_url", nargs="?", default="http://127.0.0.1:8700")
    parser.add_argument("--token", default=os.environ.get("PERIL_OPERATOR_TOKEN", ""))
    given = parser.parse_args()
    table = Table(given.base_url, given.token)
    for key in PLAYERS:
        table.command(key, type="join")
        table.command(key, type="ready")
    table.command(next(iter(PLAYERS)), type="start")
    state = {"winner": ""}
    while not state["winner"]:
        state = table.state()
        act(table, state)
        for line in table.lines(wait_s=0 if state["winner"] else 20):
            print(line)
    print(f"Winner: {PLAYERS[state['winner']]}")


if __name__ == "__main__":
    main()
