"""Tables in-world as the load generator plays them: matches of ten, and signed requests."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import httpx

from app.devices.signing import sign
from bench import load
from bench.server import TOKEN

OWNER = "0e000000-0000-4000-8000-000000000009"
KEYS = [f"00000000-0000-4000-8000-{n:012d}" for n in range(10)]
FORM = "application/x-www-form-urlencoded"
NEWLINE = "\n"
OPTIONS = {"options": {"turn_s": 3600, "draw_shown_s": 0, "title_after_s": 60}}


def client(port: int) -> httpx.Client:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30)


def match_of_ten(api: httpx.Client, players: int = 10, start: bool = True) -> tuple[str, str]:
    """A new table with ten players, one of them picking: its id, and his key."""
    made = api.post("/api/v1/tables", json={**OPTIONS, "owner": {"key": OWNER, "name": "Olive"}})
    made.raise_for_status()
    path = f"/api/v1/tables/{made.json()['id']}"

    def send(key: str, command: str) -> None:
        body = {"avatar": {"key": key, "name": f"P{key[-2:]}"}, "command": {"type": command}}
        api.post(f"{path}/commands", json=body).raise_for_status()

    for key in KEYS[:players]:
        send(key, "join")
    if not start:
        return made.json()["id"], KEYS[players]
    for key in KEYS[1:players]:
        send(key, "ready")
    send(KEYS[0], "start")
    waiting: list[str] = []
    until = time.monotonic() + 15
    while not waiting and time.monotonic() < until:
        waiting = api.get(path).json()["state"]["waiting_for"]
    return made.json()["id"], waiting[0]


class Linkset:
    """A registered table in-world; two actions in turn lead from a state to the next and back."""

    def __init__(self, api: httpx.Client, number: int, start: bool, players: int = 10) -> None:
        self.api, self.number = api, number
        self.thing = f"0a000000-0000-4000-8000-{number:012d}"
        self.device = self.secret = ""
        self.seq = self.nonce = 0
        table_id, self.who = match_of_ten(api, players if start else players - 1, start)
        hello = {"o": self.thing, "owner": OWNER, "name": "Olive", "table": table_id}
        self._ask("hello", hello)
        # What both actions are: learnt once, by doing them.
        self.actions: list[tuple[str, dict[str, str]]] = []
        if start:
            token = self._token(self._act("touch", {}), KEYS[0])
            for label in ("7", "✖ 7"):
                press = {"t": token, "b": label}
                self.actions.append(("press", press))
                token = self._token(self._act("press", press), self.who)
        else:
            token = self._token(self._act("touch", {}), self.who)
            self._act("press", {"t": token, "b": "Leave Game"})
            self.actions = [("touch", {}), ("press", {"t": token, "b": "Leave Game"})]

    def requests(self, count: int) -> Iterator[bytes]:
        """The next `count` requests, signed now; `took` says how many of them were sent."""
        seq, made = self.seq, []
        for n in range(count):
            verb, action = self.actions[n % 2]
            body = self._body(verb, self._form(seq + n, action))
            made.append(load.request(f"/lsl/v1/{verb}", body, FORM))
        return iter(made)

    def took(self, count: int) -> None:
        self.seq += count

    def _form(self, seq: int, action: dict[str, str]) -> dict[str, str]:
        who = {"d": self.device, "o": self.thing, "owner": OWNER, "since": str(seq), "u": ""}
        self.nonce += 1
        return {**who, "a": self.who, "n": "Player", "id": f"p-{self.nonce}", **action}

    def _body(self, verb: str, form: dict[str, str]) -> bytes:
        body = urlencode(form)
        if self.secret:
            key = f"0b000000-0000-4000-8000-{self.nonce:012d}"
            body += f"&ts={int(time.time())}&nonce={key}"
            body += f"&sig={quote(sign(self.secret, verb + NEWLINE + body), safe='')}"
        return body.encode()

    def _act(self, verb: str, action: dict[str, str]) -> list[list[str]]:
        return self._ask(verb, self._form(self.seq, action))

    def _ask(self, verb: str, form: dict[str, str]) -> list[list[str]]:
        body = self._body(verb, form)
        answer = self.api.post(f"/lsl/v1/{verb}", content=body, headers={"Content-Type": FORM})
        answer.raise_for_status()
        records = [line.split("¦") for line in answer.text.split(NEWLINE)]
        for fields in records:
            if fields[0] == "I":
                self.device, self.secret = fields[1], fields[2]
        self.seq = int(records[0][2])
        return records

    def _token(self, records: list[list[str]], who: str) -> str:
        return next((r[3] for r in records if r[0] == "D" and r[2] in (who, self.who)), "")


def rest(api: httpx.Client) -> Iterator[bytes]:
    """Two commands in turn by the REST route, for ever."""
    table_id, who = match_of_ten(api)
    avatar = f'{{"key":"{who}","name":"Player"}}'
    bodies = [
        f'{{"avatar":{avatar},"command":{{"type":"{kind}","number":7}}}}'.encode()
        for kind in ("mark", "unmark")
    ]
    path = f"/api/v1/tables/{table_id}/commands"
    return itertools.cycle([load.request(path, body, token=TOKEN) for body in bodies])
