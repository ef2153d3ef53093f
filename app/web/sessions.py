"""What a browser that was let in brings with it: a cookie, and forms that only its pages have."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from fastapi import Request
from fastapi.responses import Response

from app import codes, consoles
from app.errors import PerilError
from app.table.service import Tables

FIELDS: Final = 64

OLD_FORM: Final = PerilError(
    "old_form", "That form is an old one. Please do it again here.", status=403
)

Form = dict[str, str]


class Sessions:
    """The sessions of a console, whose cookie is sent to its pages alone."""

    def __init__(self, tables: Tables, console: consoles.Console) -> None:
        self._tables = tables
        self._console = console

    def shown(self, request: Request) -> str:
        """What the browser shows; it may be worth nothing."""
        return request.cookies.get(self._console, "")

    async def whose(self, request: Request) -> str | None:
        """Who was let in, as `consoles.whose` has it; None if nobody."""
        shown = self.shown(request)
        return await consoles.whose(self._tables, self._console, shown) if shown else None

    async def form(self, request: Request, fields: int = FIELDS) -> Form:
        """A form of this session's pages.  `old_form` if it is from elsewhere."""
        form = await read_form(request, fields)
        due = form_token(self.shown(request)).encode()
        given = form.get("form", "").encode(errors="replace")
        if not from_here(request, self._tables.public_url) or not hmac.compare_digest(given, due):
            raise OLD_FORM
        return form

    def opened(self, request: Request, response: Response, session: str) -> Response:
        """Let the browser in from now on."""
        response.set_cookie(
            self._console,
            session,
            max_age=codes.LIVES_S[self._console],
            path=f"/{self._console}",
            secure=by_https(request, self._tables.public_url),
            httponly=True,
            samesite="strict",
        )
        return response

    async def closed(self, request: Request, response: Response) -> Response:
        """End the session, here and in the browser."""
        await consoles.leave(self._tables, self._console, self.shown(request))
        response.delete_cookie(
            self._console, path=f"/{self._console}", httponly=True, samesite="strict"
        )
        return response


def form_token(session: str) -> str:
    """What the forms of a session carry; another site cannot know it."""
    return hashlib.sha256(f"form:{session}".encode(errors="replace")).hexdigest()


async def read_form(request: Request, fields: int = FIELDS) -> Form:
    """The fields of a form; none if it is no form, or has more of them than ours have."""
    try:
        body = (await request.body()).decode()
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=fields))
    except ValueError:
        return {}


def by_https(request: Request, public_url: str) -> bool:
    """Whether browsers come by HTTPS, which a proxy in front may end."""
    return public_url.startswith("https:") or request.url.scheme == "https"


def from_here(request: Request, public_url: str) -> bool:
    """Whether a page of this server sent it, as far as the browser says anything of that."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    if origin in (None, "null"):  # a page that tells nobody its address tells no origin either
        return True
    hosts = (request.headers.get("host"), urlsplit(public_url).netloc)
    return urlsplit(str(origin)).netloc in hosts
