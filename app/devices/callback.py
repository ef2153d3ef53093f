"""Where pushes may go: by the URL that a table gave, and by the address that its host has.

A host is resolved once, checked, and called at just that address, so that a name which changes
between the check and the call gains nothing.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from app.settings import Settings, is_loopback

URL_CHARS = 255
HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:]+")
USUAL_PORTS = {"http": 80, "https": 443}

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host, port → its addresses.  OSError if it has none."""


class Forbidden(Exception):
    """The host has an address to which nothing is sent."""


def may_call(url: str, settings: Settings) -> bool:
    """May pushes go there?  By scheme, port and the ending of the host."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.scheme not in USUAL_PORTS or "@" in parts.netloc or len(url) > URL_CHARS:
        return False
    if not HOST.fullmatch(host):
        return False
    if settings.on_loopback and (is_loopback(host) or host.endswith(".test")):
        return True
    endings = [e.strip(" .") for e in settings.callback_hosts.split(",")]
    ports = {p.strip() for p in settings.callback_ports.split(",")}
    known = any(e and f".{host}".endswith(f".{e}") for e in endings)
    return known and str(port or USUAL_PORTS[parts.scheme]) in ports


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as the machine's resolver has them."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


async def address(url: str, look_up: Resolve) -> str:
    """The address to call for a URL.  Forbidden if one that its host has is not public."""
    parts = urlsplit(url)
    port = parts.port or USUAL_PORTS[parts.scheme]
    found = await look_up(parts.hostname or "", port)
    for one in found:
        ip = ip_address(one)
        ip = getattr(ip, "ipv4_mapped", None) or ip
        if not ip.is_global or ip.is_multicast:
            raise Forbidden(one)
    return found[0]


def pinned(url: str, ip: str) -> tuple[str, str]:
    """The URL with its host replaced by an address, and the host (with port) for the header."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    shown = f"[{ip}]" if ":" in ip else ip
    return parts._replace(netloc=f"{shown}{port}").geturl(), parts.netloc
