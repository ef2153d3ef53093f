"""HTTP out: what llHTTPRequest sends, how it is held back, and what may go wrong on the way."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from lummao import Key

from .definitions import LSL
from .prims import Linkset, new_key

if TYPE_CHECKING:
    from .region import Region
    from .script import Runner
    from .throttle import Throttle

TIMEOUT_S = 60.0
BODY_LIMIT_DEFAULT, BODY_LIMIT_MOST = 2048, 16_384
HEADERS_MOST, HEADERS_BYTES = 8, 4096
METHODS = ("GET", "POST", "PUT", "DELETE")
# Linden Lab publishes no list; these are the ones OpenSimulator refuses.
ILLEGAL = re.compile(
    r"accept|accept-charset|content-type|from|host|referer|te|trailer|upgrade|user-agent|via"
    r"|x-secondlife-.*|proxy-.*|sec-.*",
    re.IGNORECASE,
)
ACCEPT = (
    "text/*, application/xhtml+xml, application/atom+xml, application/json, application/xml,"
    " application/llsd+xml, application/x-javascript, application/javascript,"
    " application/x-www-form-urlencoded, application/rss+xml"
)
TYPES = {t.strip() for t in ACCEPT.split(",")}


@dataclass
class Answer:
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""


@dataclass(eq=False)
class Request:
    """One call of a script, and what came of it."""

    id: Key
    runner: Runner
    method: str
    url: str
    headers: dict[str, str]
    body: str
    body_limit: int
    sent_s: float
    answer: Answer | None = None
    """What the server said, if it was reached."""
    status: int | None = None
    """What the script was told; None while nothing was."""
    over: bool = False


class Outside(Protocol):
    """Everything beyond the region: see `outside`."""

    def send(self, request: Request, done: Callable[[Answer | Exception], None]) -> None:
        """Begin a request; `done` is called once, now or during a later `pump`."""

    def pump(self) -> bool:
        """Let the outside work as far as it comes at this time.  True if it did anything."""

    def next_due(self) -> float | None:
        """When the outside wants to go on by itself, in seconds of the region's clock."""


@dataclass
class Fault:
    """Trouble for the next `times` requests whose URL contains `match`."""

    kind: Literal["lose request", "lose answer", "delay", "status", "refuse"]
    match: str = ""
    times: int = 1
    delay_s: float = 0.0
    status: int = 503
    body: str = ""


HttpFunction = Callable[[str, str, dict[str, str], str], tuple[int, dict[str, str], str]]


class Stub:
    """An outside made of one function: (method, url, headers, body) → (status, headers, body)."""

    def __init__(self, answer: HttpFunction) -> None:
        self.answer = answer

    def send(self, request: Request, done: Callable[[Answer | Exception], None]) -> None:
        try:
            done(Answer(*self.answer(request.method, request.url, request.headers, request.body)))
        except ConnectionError as error:
            done(error)

    def pump(self) -> bool:
        return False

    def next_due(self) -> float | None:
        return None


def nobody(method: str, url: str, headers: dict[str, str], body: str) -> Any:
    raise ConnectionRefusedError(f"nobody answers at {url}")


class Web:
    def __init__(self, region: Region, outside: Outside) -> None:
        self.region, self.outside = region, outside
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.latency_s = 0.05
        """From the script to the server."""
        self._per_object: dict[Linkset, Throttle] = defaultdict(
            lambda: region.throttle(25, 20, sticky=True)
        )
        self._per_owner: dict[Key, Throttle] = defaultdict(
            lambda: region.throttle(1000, 20, sticky=True)
        )

    # ---- what can go wrong

    def lose_request(self, match: str = "", times: int = 1) -> None:
        """The server never gets it; the script is told 499 after a minute."""
        self.faults.append(Fault("lose request", match, times))

    def lose_answer(self, match: str = "", times: int = 1) -> None:
        """The server does its work, and the script is told 499 after a minute."""
        self.faults.append(Fault("lose answer", match, times))

    def delay(self, seconds: float, match: str = "", times: int = 1) -> None:
        """The answer comes that much later."""
        self.faults.append(Fault("delay", match, times, delay_s=seconds))

    def fail(self, status: int, match: str = "", times: int = 1, body: str = "") -> None:
        """Something before the server answers in its place."""
        self.faults.append(Fault("status", match, times, status=status, body=body))

    def down(self) -> None:
        """No connection to the server, until `up()`."""
        self.faults.append(Fault("refuse", times=1_000_000_000))

    def up(self) -> None:
        self.faults = [fault for fault in self.faults if fault.kind != "refuse"]

    def _fault(self, url: str) -> Fault | None:
        for fault in self.faults:
            if fault.match in url:
                fault.times -= 1
                if fault.times <= 0:
                    self.faults.remove(fault)
                return fault
        return None

    # ---- sending

    def may_send(self, runner: Runner) -> bool:
        """Whether the throttles let one more request pass.  Each call counts."""
        linkset = runner.prim.linkset
        return (
            not runner.server_errors.full
            and self._per_object[linkset].allow()
            and self._per_owner[linkset.owner.key].allow()
        )

    def send(
        self, runner: Runner, method: str, url: str, headers: dict[str, str], body: str, limit: int
    ) -> Key:
        request = Request(
            new_key(), runner, method, url, headers, body, limit, self.region.now
        )  # fmt: skip
        self.requests.append(request)
        fault = self._fault(url)
        self.region.after(TIMEOUT_S, lambda: self._tell(request, Answer(499)))
        if fault and fault.kind == "lose request":
            return request.id

        def perform() -> None:
            if fault and fault.kind == "refuse":
                self._tell(request, Answer(499))
            elif fault and fault.kind == "status":
                self._tell(request, Answer(fault.status, {}, fault.body))
            else:
                self.outside.send(request, lambda answer: self._answered(request, answer, fault))

        self.region.after(self.latency_s, perform)
        return request.id

    def _answered(self, request: Request, answer: Answer | Exception, fault: Fault | None) -> None:
        if isinstance(answer, Exception):
            answer = Answer(499)
        request.answer = answer
        if fault and fault.kind == "lose answer":
            return
        if fault and fault.kind == "delay":
            self.region.after(fault.delay_s, lambda: self._tell(request, answer))
        else:
            self._tell(request, answer)

    def _tell(self, request: Request, answer: Answer) -> None:
        """Tell every script of the prim, unless it was told before."""
        if request.over:
            return
        request.over = True
        status, body, metadata = answer.status, answer.body, []
        kind = {k.lower(): v for k, v in answer.headers.items()}.get("content-type", "text/plain")
        if status < 400 and not _accepted(kind.split(";")[0].strip().lower(), request):
            status, body = 415, "Unsupported or unknown Content-Type in response."
        data = body.encode()
        if len(data) > request.body_limit:
            metadata = [int(LSL.HTTP_BODY_TRUNCATED), request.body_limit]
            body = data[: request.body_limit].decode(errors="replace")
        if status >= 500:
            request.runner.server_errors.count()
        request.status = status
        for runner in list(request.runner.prim.runners.values()):
            runner.post("http_response", request.id, status, list(metadata), body)

    def forget(self, runner: Runner | None = None) -> None:
        """Answers that are still on their way get lost: all, or those for one script."""
        for request in self.requests:
            if runner in (None, request.runner):
                request.over = True

    def headers(self, runner: Runner) -> dict[str, str]:
        """What the simulator writes about the object."""
        linkset = runner.prim.linkset
        owner = linkset.owner
        x, y = self.region.corner
        pos = ", ".join(f"{n:.6f}" for n in linkset.pos)
        rot = ", ".join(f"{n:.6f}" for n in linkset.rot)
        return {
            "X-SecondLife-Shard": "Production",
            "X-SecondLife-Object-Name": runner.prim.name,
            "X-SecondLife-Object-Key": str(runner.prim.key),
            "X-SecondLife-Region": f"{self.region.name} ({x}, {y})",
            "X-SecondLife-Local-Position": f"({pos})",
            "X-SecondLife-Local-Rotation": f"({rot})",
            "X-SecondLife-Local-Velocity": "(0.000000, 0.000000, 0.000000)",
            "X-SecondLife-Owner-Name": owner.name,
            "X-SecondLife-Owner-Key": str(owner.key),
        }


def _accepted(kind: str, request: Request) -> bool:
    wanted = {t.split(";")[0].strip() for t in request.headers.get("Accept", ACCEPT).split(",")}
    return bool({kind, kind.split("/", maxsplit=1)[0] + "/*", "*/*"} & wanted)
