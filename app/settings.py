"""Settings, read once from the environment (`PERIL_…`) or given by the command line.

The defaults are right for a laptop: one folder, loopback, no other service.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """How this process runs.  Sizes in bytes and times in seconds, as their names say."""

    model_config = SettingsConfigDict(env_prefix="PERIL_", extra="ignore")

    data_dir: Path = Path("data")
    """Where the embedded database lies."""
    database_url: str = ""
    """A PostgreSQL database to be used instead, `postgresql://user:password@host/name`."""
    redis_url: str = ""
    """Through which the processes on such a database tell each other at once, `redis://host:6379/0`."""
    host: str = "127.0.0.1"
    port: int = Field(default=8700, ge=1, le=65535)
    operator_token: str = ""
    """Lets its bearer create tables and act as any owner.  Needed off loopback."""
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    body_limit_bytes: int = 16_384
    """Larger request bodies are refused with 413; the form of a theme may be 16 times as large."""
    body_limit_s: float = 10.0
    """Request bodies that take longer to come in are refused with 408."""
    long_poll_limit_s: float = 25.0
    stream_limit: int = 1000
    """Open streams and long polls at one time; more are refused with 429."""
    tables_limit: int = 10_000

    limits: bool | None = None
    """Whether the limits below hold; by default as soon as others can reach the server.  A burst
    is how many requests may come at once before the pace counts; more are refused with 429."""
    address_requests_per_s: float = Field(default=100, gt=0)
    address_burst: int = Field(default=500, ge=1)
    streams_per_address: int = Field(default=100, ge=1)
    """Of `stream_limit`; a whole venue may share an address."""
    token_requests_per_s: float = Field(default=200, gt=0)
    token_burst: int = Field(default=1000, ge=1)
    guesses_per_s: float = Field(default=0.1, gt=0)
    """Unknown tokens from one address."""
    guess_burst: int = Field(default=20, ge=1)
    avatar_commands_per_s: float = Field(default=10, gt=0)
    """Commands, touches and presses of one avatar at one table."""
    avatar_burst: int = Field(default=100, ge=1)
    device_requests_per_s: float = Field(default=5, gt=0)
    device_burst: int = Field(default=60, ge=1)
    proxies: str = ""
    """Addresses or networks of reverse proxies, with commas, whose X-Forwarded-For says where a
    request comes from.  A server behind one is reached by others even if it is on loopback."""

    callback_hosts: str = ".secondlife.io,.lindenlab.com"
    """Hosts, by their endings, to which pushes may go.  On loopback also this machine."""
    callback_ports: str = "12043,12046"
    """Ports of the URLs that regions hand out."""
    callback_private: bool = False
    """Whether those hosts may have addresses that are not public, as in a grid at home."""
    push_timeout_s: float = 10.0
    pushes_at_once: int = 64

    pictures: bool | None = None
    """Whether profile pictures are looked for on residents' public pages; by default as soon as
    others can reach the server."""

    @field_validator("proxies")
    @classmethod
    def _networks(cls, proxies: str) -> str:
        for proxy in filter(None, proxies.split(",")):
            ip_network(proxy.strip())
        return proxies

    public_url: str = Field(default="", pattern=r"^(https?://[^\s/]+(/\S*[^\s/])?)?$")
    """What links to the server's pages begin with; "": its host and port."""

    @property
    def channel(self) -> str:
        """What the processes on one database have in common in Redis."""
        return f"peril:{self.database_url.rpartition('/')[2]}"

    @property
    def database(self) -> Path:
        return self.data_dir / "peril.db"

    @property
    def on_loopback(self) -> bool:
        """Only this machine can reach the server."""
        return is_loopback(self.host) and not self.proxies

    @property
    def with_pictures(self) -> bool:
        return not self.on_loopback if self.pictures is None else self.pictures

    @property
    def address(self) -> str:
        """Where this server answers on its own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def problem(self) -> str:
        """What makes these settings unsafe, as a sentence; '' if nothing does."""
        if self.on_loopback:
            return ""
        if not _is_secret(self.operator_token):
            return (
                "Beyond this machine the server needs an operator token of its own: set"
                " PERIL_OPERATOR_TOKEN to at least 16 random characters"
                ' (for instance: python -c "import secrets; print(secrets.token_urlsafe(32))").'
            )
        return ""


def _is_secret(text: str) -> bool:
    """Long enough, and not the same few characters again and again."""
    return len(text) >= 16 and len(set(text)) >= 6


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine and no other."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
