"""HTTP, out and in."""

from __future__ import annotations

import json
import re
from collections import deque
from typing import Any

from lummao import Key

from ..definitions import LSL, NULL_KEY
from ..prims import new_key
from ..script import ScriptError
from ..web import (
    ACCEPT,
    BODY_LIMIT_DEFAULT,
    BODY_LIMIT_MOST,
    HEADERS_BYTES,
    HEADERS_MOST,
    ILLEGAL,
    METHODS,
)
from .base import Base

AGENT = "Second-Life-LSL/2026-01-06.20757451310 (https://secondlife.com)"
TITLES = {
    405: "Method not allowed", 420: "Throttled", 470: "HTTP disabled", 471: "Bad URL",
    472: "Bad parameter", 473: "Illegal header", 474: "Too many headers",
}  # fmt: skip
CONTENT_TYPES = {
    0: "text/plain; charset=utf-8", 1: "text/plain; charset=utf-8", 2: "application/xml",
    3: "application/xhtml+xml", 4: "application/atom+xml", 5: "application/json",
    6: "application/llsd+xml", 7: "application/x-www-form-urlencoded", 8: "application/rss+xml",
}  # fmt: skip
URL_REQUESTS, URL_REQUESTS_S = 5, 1.0


class _Refused(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class HttpApi(Base):
    def llHTTPRequest(self, url: str, params: list[Any], body: str) -> Key:
        options: dict[int, Any] = {}
        custom: dict[str, str] = {}
        extended = False
        try:
            try:
                _read_options(params, options, custom)
            finally:
                extended = bool(options.get(LSL.HTTP_EXTENDED_ERROR))
            self._check(url, options, custom)
        except _Refused as refused:
            return self._refuse(refused, extended)
        if not self.region.web.may_send(self.script):
            if options.get(LSL.HTTP_VERBOSE_THROTTLE, 1):
                self.error("Too many HTTP requests too fast.")
            return self._refuse(_Refused(420, "throttled"), extended, said=True)
        agent = options.get(LSL.HTTP_USER_AGENT, "")
        headers = {
            "User-Agent": f"{AGENT} {agent}".strip(),
            "Accept": options.get(LSL.HTTP_ACCEPT, ACCEPT),
            "Accept-Charset": "utf-8;q=1.0, *;q=0.5",
            "Content-Type": options.get(LSL.HTTP_MIMETYPE, "text/plain;charset=utf-8"),
            "Cache-Control": "no-cache, max-age=0",
        }
        if options.get(LSL.HTTP_PRAGMA_NO_CACHE, 1):
            headers["Pragma"] = "no-cache"
        headers |= custom | self.region.web.headers(self.script)
        limit = min(options.get(LSL.HTTP_BODY_MAXLENGTH, BODY_LIMIT_DEFAULT), BODY_LIMIT_MOST)
        method = options.get(LSL.HTTP_METHOD, "GET")
        return self.region.web.send(self.script, method, url, headers, body, limit)

    def _check(self, url: str, options: dict[int, Any], custom: dict[str, str]) -> None:
        method = options.get(LSL.HTTP_METHOD, "GET")
        if not self.region.land.http_allowed:
            raise _Refused(470, "HTTP is disabled in this region")
        if method not in METHODS:
            raise _Refused(405, f"method {method}")
        if not re.match(r"https?://", url) or re.search(r"[\s\x00-\x1f]", url):
            raise _Refused(471, f"URL {url!r}")
        if " " in options.get(LSL.HTTP_USER_AGENT, ""):
            raise _Refused(472, "a user agent with a space")
        if len(custom) > HEADERS_MOST:
            raise _Refused(474, f"more than {HEADERS_MOST} custom headers")
        if sum(len(k) + len(v) for k, v in custom.items()) > HEADERS_BYTES:
            raise _Refused(474, f"custom headers of more than {HEADERS_BYTES} characters")
        for name in custom:
            if ILLEGAL.fullmatch(name):
                raise _Refused(473, f"header {name}")

    def _refuse(self, refused: _Refused, extended: bool, said: bool = False) -> Key:
        """An error of the call: told to the script if it wants that, else a run-time error."""
        if extended:
            key, runners = new_key(), list(self.prim.runners.values())
            body = json.dumps(
                {
                    "type": "https://wiki.secondlife.com/wiki/LSL_http_error",
                    "title": TITLES[refused.status],
                    "detail": refused.detail,
                    "status": refused.status,
                }
            )

            def tell() -> None:
                for runner in runners:
                    runner.post("http_response", key, refused.status, [], body)

            self.region.after(0.0, tell)
            return key
        if not said:
            raise ScriptError(f"llHTTPRequest: {refused.detail}")
        return NULL_KEY

    # ---- in

    def _ask_for_url(self, secure: bool) -> Key:
        script: Any = self.script
        asked = script.__dict__.setdefault(
            "url_throttle", self.region.throttle(URL_REQUESTS, URL_REQUESTS_S)
        )
        if not asked.allow():
            self.error("Too many URL requests too fast.")
            return NULL_KEY
        return self.region.caps.request(self.script, secure)

    def llRequestURL(self) -> Key:
        return self._ask_for_url(secure=False)

    def llRequestSecureURL(self) -> Key:
        return self._ask_for_url(secure=True)

    def llReleaseURL(self, url: str) -> None:
        if self.region.caps.urls.get(url) is self.script:
            self.region.caps.release(url)

    def llGetFreeURLs(self) -> int:
        return self.region.caps.free(self.script)

    def llHTTPResponse(self, request: Key, status: int, body: str) -> None:
        self.region.caps.answer(self.script, request, status, body)

    def llGetHTTPHeader(self, request: Key, name: str) -> str:
        return self.region.caps.header(request, name)

    def llSetContentType(self, request: Key, kind: int) -> None:
        incoming = self.region.caps.pending.get(request)
        if incoming:
            incoming.content_type = CONTENT_TYPES.get(kind, CONTENT_TYPES[0])


def _read_options(params: list[Any], options: dict[int, Any], custom: dict[str, str]) -> None:
    """Read the flags with their values, and the custom headers, as far as they can be read."""
    rest = deque(params)
    try:
        while rest:
            flag = rest.popleft()
            if flag == LSL.HTTP_CUSTOM_HEADER:
                name, value = rest.popleft(), rest.popleft()
                custom[name] = str(value)
                if rest and isinstance(rest[0], str):
                    raise _Refused(472, "each custom header needs its own flag")
            elif isinstance(flag, int) and 0 <= flag <= LSL.HTTP_EXTENDED_ERROR:
                options[flag] = rest.popleft()
            else:
                raise _Refused(472, f"parameter {flag!r}")
    except IndexError:
        raise _Refused(472, "a parameter without its value") from None
