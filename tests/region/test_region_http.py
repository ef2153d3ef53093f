"""HTTP out and in (facts 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from . import LSL, Linkset, Region, ScriptError
from .conftest import Make, script

Served = list[tuple[str, str, dict[str, str], str]]

CALLER = script(
    "touch_start(integer n) { q = llHTTPRequest(URL, PARAMS, BODY); if (q == NULL_KEY) ++refused; }"
    "http_response(key id, integer status, list meta, string body)"
    "{ if (id == q) got += [status, body, llGetListLength(meta)]; }",
    'string URL = "http://server.test/x"; list PARAMS; string BODY; key q; list got;'
    " integer refused;",
)


class Server:
    """Answers what it is told to answer."""

    def __init__(self) -> None:
        self.served: Served = []
        self.status, self.body, self.type = 200, "ok", "text/plain; charset=utf-8"

    def __call__(self, *request: Any) -> tuple[int, dict[str, str], str]:
        self.served.append(request)
        return self.status, {"content-type": self.type}, self.body


@pytest.fixture
def server(region: Region) -> Server:
    made = Server()
    region.connect(made)
    return made


@pytest.fixture
def call(region: Region, server: Server) -> Callable[..., list[Any]]:
    """One request with these parameters; what the script was told within 100 s."""
    thing = region.object("Caller")
    thing.root.script(CALLER, "caller")

    def call(*params: Any, url: str = "http://server.test/x", body: str = "") -> list[Any]:
        runner = thing.script("caller")
        runner["PARAMS"], runner["URL"], runner["BODY"], runner["got"] = list(params), url, body, []
        region.owner.touch(thing)
        region.run(100)
        return list(runner["got"])

    return call


Call = Callable[..., list[Any]]


def test_a_request_carries_what_the_simulator_knows(
    region: Region, server: Server, call: Call
) -> None:
    assert call(LSL.HTTP_METHOD, "POST", LSL.HTTP_MIMETYPE, "application/json", body="ä") == [
        200, "ok", 0,
    ]  # fmt: skip
    method, url, headers, body = server.served[0]
    assert (method, url, body) == ("POST", "http://server.test/x", "ä")
    thing = region.find("Caller")
    assert headers["Content-Type"] == "application/json"
    assert headers["User-Agent"].startswith("Second-Life-LSL/")
    assert {k: v for k, v in headers.items() if k.startswith("X-")} == {
        "X-SecondLife-Shard": "Production",
        "X-SecondLife-Object-Name": "Caller",
        "X-SecondLife-Object-Key": thing.key,
        "X-SecondLife-Region": "Test Region (255744, 253952)",
        "X-SecondLife-Local-Position": "(128.000000, 128.000000, 25.000000)",
        "X-SecondLife-Local-Rotation": "(0.000000, 0.000000, 0.000000, 1.000000)",
        "X-SecondLife-Local-Velocity": "(0.000000, 0.000000, 0.000000)",
        "X-SecondLife-Owner-Name": "Olive Owner",
        "X-SecondLife-Owner-Key": region.owner.key,
    }


def test_an_answer_is_cut_at_2048_bytes_unless_more_is_asked_for(
    server: Server, call: Call
) -> None:
    server.body = "é" * 10_000
    assert call() == [200, "é" * 1024, 2]
    assert call(LSL.HTTP_BODY_MAXLENGTH, 99_999) == [200, "é" * 8192, 2]


def test_an_answer_of_another_type_than_accepted_becomes_415(server: Server, call: Call) -> None:
    server.type = "application/problem+json"
    assert call()[0] == 415
    assert call(LSL.HTTP_ACCEPT, "application/problem+json")[0] == 200


def test_an_answer_that_does_not_come_is_499_after_a_minute(region: Region, call: Call) -> None:
    region.web.lose_answer()
    assert call()[0] == 499
    assert region.requests[0].answer.status == 200


def test_a_lost_request_never_reaches_the_server(
    region: Region, server: Server, call: Call
) -> None:
    region.web.lose_request("/x")
    assert (call()[0], server.served) == (499, [])


def test_a_late_answer_is_thrown_away_after_60_seconds(region: Region, call: Call) -> None:
    region.web.delay(59)
    assert call()[0] == 200
    region.web.delay(61)
    assert call() == [499, "", 0]


def test_an_outage_and_a_failing_gateway_are_told_by_status(region: Region, call: Call) -> None:
    region.web.fail(502)
    region.web.down()
    assert [call()[0], call()[0]] == [502, 499]
    region.web.up()
    assert call()[0] == 200


def test_up_to_8_custom_headers_arrive(server: Server, call: Call) -> None:
    call(*[x for i in range(8) for x in (LSL.HTTP_CUSTOM_HEADER, f"X-Peril-{i}", str(i))])
    assert server.served[0][2]["X-Peril-7"] == "7"


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ([LSL.HTTP_METHOD, "PATCH"], 405),
        ([LSL.HTTP_CUSTOM_HEADER, "Content-Type", "x"], 473),
        ([LSL.HTTP_CUSTOM_HEADER, "X-SecondLife-Owner-Key", "x"], 473),
        ([LSL.HTTP_USER_AGENT, "a b"], 472),
        ([LSL.HTTP_METHOD], 472),
        ([x for i in range(9) for x in (LSL.HTTP_CUSTOM_HEADER, f"X-{i}", "")], 474),
    ],
)
def test_a_faulty_call_stops_the_script_or_is_told_if_it_asks_for_it(
    call: Call, params: list[Any], status: int
) -> None:
    extended = [LSL.HTTP_EXTENDED_ERROR, 1, *params]
    assert call(*extended)[0] == status
    with pytest.raises(ScriptError, match="llHTTPRequest"):
        call(*params)


def test_a_space_in_the_url_is_a_run_time_error(call: Call) -> None:
    with pytest.raises(ScriptError, match="URL"):
        call(url="http://server.test/a b")


def test_an_object_may_send_25_requests_in_20_seconds_and_then_must_be_quiet_for_40(
    region: Region, server: Server, make: Make
) -> None:
    thing = make(
        'state_entry() { llSetTimerEvent(0.5); } timer() { if (llHTTPRequest("http://a.test/",'
        ' [], "") == NULL_KEY) { ++refused; llSetTimerEvent(PAUSE); } }',
        top="integer refused; float PAUSE = 30.0;",
    )
    region.run(13.1)
    assert (len(server.served), thing.script("script")["refused"]) == (25, 1)
    region.run(95)
    assert (len(server.served), thing.script("script")["refused"]) == (25, 4)
    assert len(region.debug) == 4
    thing.script("script")["PAUSE"] = 41.0
    region.run(80)
    assert thing.script("script")["refused"] == 5
    assert len(server.served) == 26


def test_five_answers_of_500_in_a_minute_block_the_script_but_404_does_not(
    region: Region, server: Server, make: Make
) -> None:
    thing = make(
        'state_entry() { llSetTimerEvent(2.0); } timer() { if (llHTTPRequest("http://a.test/",'
        ' [], "") == NULL_KEY) ++refused; }',
        top="integer refused;",
    )
    server.status = 404
    region.run(20)
    assert thing.script("script")["refused"] == 0
    server.status = 503
    region.run(30)
    assert len([s for s in region.requests if s.status == 503]) == 5
    assert thing.script("script")["refused"] > 5


def test_every_script_of_the_prim_hears_the_answer(region: Region, server: Server) -> None:
    thing = region.object("x", ["child"], scripts=[CALLER])
    hears = script("http_response(key k, integer s, list m, string b) { ++n; }", "integer n;")
    same, other = thing.root.script(hears, "same"), thing.prim("child").script(hears, "other")
    assert same
    assert other
    region.owner.touch(thing)
    region.run(2)
    assert (same["n"], other["n"]) == (1, 0)


def test_answers_on_their_way_are_lost_when_the_region_restarts(
    region: Region, server: Server
) -> None:
    thing = region.object("x", scripts=[CALLER])
    region.web.delay(5)
    region.run()
    region.owner.touch(thing)
    region.restart()
    region.run(100)
    assert thing.script("script")["got"] == []


# ---- HTTP in

CALLEE = script(
    "state_entry() { llRequestURL(); } touch_start(integer n) { llReleaseURL(url); }"
    "changed(integer c) { if (c & (CHANGED_REGION_START | CHANGED_TELEPORT)) llRequestURL(); }"
    'on_rez(integer p) { url = ""; llRequestURL(); }'
    "http_request(key id, string method, string body) {"
    " if (method == URL_REQUEST_GRANTED) { url = body; return; }"
    ' if (method == URL_REQUEST_DENIED) { url = "denied"; return; }'
    ' if (body == "sleep") { llSleep(20.0); } if (body == "silence") return;'
    " llSetContentType(id, CONTENT_TYPE_JSON); llHTTPResponse(id, 201, llList2CSV([method, body,"
    ' llGetHTTPHeader(id, "x-path-info"), llGetHTTPHeader(id, "x-query-string"),'
    ' llGetHTTPHeader(id, "x-peril"), llStringLength(body)])); llHTTPResponse(id, 202, "twice"); }',
    "string url;",
)


@pytest.fixture
def callee(region: Region) -> Linkset:
    made = region.object("Callee", scripts=[CALLEE])
    region.run(1)
    return made


def url_of(thing: Linkset) -> str:
    return str(thing.script("script")["url"])


def test_a_granted_url_takes_requests_and_one_answer_each(region: Region, callee: Linkset) -> None:
    assert url_of(callee).startswith("http://simhost.test:12046/cap/")
    got = region.http_in(url_of(callee) + "/a/b?c=d", "POST", "hello", {"X-Peril": "1"})
    assert (got.status, got.body) == (201, "POST, hello, /a/b, c=d, , 5")
    assert got.headers["Content-Type"] == "application/json"
    assert got.headers["X-SecondLife-Object-Key"] == callee.key
    assert got.headers["X-SecondLife-Owner-Key"] == region.owner.key


def test_a_secure_url_has_another_port(region: Region) -> None:
    thing = region.object("x", scripts=[CALLEE.replace("llRequestURL", "llRequestSecureURL")])
    region.run(1)
    assert url_of(thing).startswith("https://simhost.test:12043/cap/")


def test_an_incoming_body_is_cut_at_2048_bytes_and_a_get_has_none(
    region: Region, callee: Linkset
) -> None:
    assert region.http_in(url_of(callee), "PUT", "x" * 3000).body.endswith(" 2048")
    assert region.http_in(url_of(callee), "GET", "xyz").body == "GET, , , , , 0"


def test_a_query_needs_a_slash_before_it(region: Region, callee: Linkset) -> None:
    assert region.http_in(url_of(callee) + "?a=b").status == 500


def test_a_script_that_does_not_answer_in_25_seconds_gives_502(
    region: Region, callee: Linkset
) -> None:
    assert region.http_in(url_of(callee), body="sleep").status == 201
    start = region.now
    assert region.http_in(url_of(callee), body="silence").status == 502
    assert region.now - start == pytest.approx(25)


@pytest.mark.parametrize("end", ["reset", "release", "take", "restart"])
def test_a_url_ends_with(region: Region, callee: Linkset, end: str) -> None:
    url = url_of(callee)
    match end:
        case "reset":
            callee.reset()
        case "release":
            region.owner.touch(callee)
        case "take":
            callee.take()
        case "restart":
            region.restart()
    region.run(1)
    assert region.http_in(url).status == 404
    if end in ("reset", "restart"):
        assert region.http_in(url_of(callee)).status == 201


def test_a_region_that_is_down_cannot_be_reached(region: Region, callee: Linkset) -> None:
    region.down = True
    with pytest.raises(ConnectionRefusedError):
        region.http_in(url_of(callee))


def test_urls_are_denied_when_the_pool_is_empty(region: Region) -> None:
    region.land.urls = 1
    for _ in range(2):
        region.object("x", scripts=[CALLEE])
    region.run(1)
    assert sorted(url_of(thing)[:6] for thing in region.objects) == ["denied", "http:/"]


def test_asking_again_leaks_the_old_url(region: Region, callee: Linkset) -> None:
    callee.script("script").post("changed", LSL.CHANGED_TELEPORT)
    region.run(1)
    assert len(region.caps.of(callee.script("script"))) == 2


def test_asking_for_urls_is_held_back_after_five(region: Region, make: Make) -> None:
    thing = make(
        "state_entry() { integer i; for (i = 0; i < 8; ++i)"
        " if (llRequestURL() == NULL_KEY) ++refused; }",
        top="integer refused;",
    )
    assert thing.script("script")["refused"] == 3
