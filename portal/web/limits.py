"""Requests from outside: through reverse proxies, within rate limits, and read to their end.

A server that closes a connection on which data waits makes the system reset it. Behind a reverse proxy, an upload that
was refused, or sent by somebody who is signed out, then sometimes arrived as the proxy's “502 Bad Gateway” instead of
our page.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Event
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from flask import request
from flask_limiter import Limiter
from limits.storage import MemoryStorage, RedisStorage
from werkzeug.middleware.proxy_fix import ProxyFix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import IO

    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from flask import Flask

    from portal.config import Settings


logger = logging.getLogger(__name__)

NOT_TOLD = (
    "A request came through a reverse proxy (it has X-Forwarded-For), but PORTAL_PROXIES is 0: all visitors count as "
    "one network and share its rate limits, such as 200 registrations an hour. Set PORTAL_PROXIES to the number of "
    "proxies."
)


def init_proxies(app: Flask, settings: Settings) -> None:
    """Take addresses and the scheme from as many proxies as there are; log once if there is one nobody told of."""
    hops = settings.proxies
    if hops:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
        return
    is_logged = Event()

    def warn_once() -> None:
        if "X-Forwarded-For" in request.headers and not is_logged.is_set():
            is_logged.set()
            logger.warning(NOT_TOLD)

    app.before_request(warn_once)


P = ParamSpec("P")
T = TypeVar("T")

IPV6_NETWORK = 64  # bits of the smallest block that one customer gets
LONGEST_WAIT = 2.0  # seconds to wait for Redis
RETRY_REDIS_AFTER = 30.0  # seconds without Redis after it did not answer


class GuardedMemoryStorage(MemoryStorage):
    """Counts of one process. Clearing a key takes its lock, so that it does not vanish while another thread counts."""

    STORAGE_SCHEME = ["memory"]  # noqa: RUF012 - as the class above has it

    def clear(self, key: str) -> None:
        """Forget the tries of a key."""
        with self.locks[key]:
            super().clear(key)


class RedisOrMemoryStorage(RedisStorage):
    """Counts shared by all processes in Redis; while it does not answer, each process counts by itself."""

    STORAGE_SCHEME = ["redis", "rediss", "redis+unix"]  # noqa: RUF012 - as the class above has it

    def __init__(self, uri: str, **options: float | str | bool) -> None:
        self._spare = GuardedMemoryStorage()
        self._away_until = 0.0
        timeouts: dict[str, float | str | bool] = {"socket_timeout": LONGEST_WAIT}
        if not uri.startswith("redis+unix"):
            timeouts["socket_connect_timeout"] = LONGEST_WAIT
        super().__init__(uri, **{**timeouts, **options})  # type: ignore[arg-type]  # passed on to the client

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count a try if one is left."""
        return self._counted(super().acquire_entry, self._spare.acquire_entry, key, limit, expiry, amount)

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Since when tries are counted, and how many there were."""
        return self._counted(super().get_moving_window, self._spare.get_moving_window, key, limit, expiry)

    def clear(self, key: str) -> None:
        """Forget the tries of a key."""
        self._spare.clear(key)
        self._counted(super().clear, self._spare.clear, key)

    def _counted(self, shared: Callable[P, T], local: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
        if time.monotonic() >= self._away_until:
            try:
                return shared(*arguments, **named)
            except self.base_exceptions:
                self._away_until = time.monotonic() + RETRY_REDIS_AFTER
                logger.exception("Redis does not answer; this process counts tries by itself")
        return local(*arguments, **named)


def network_of_request() -> str:
    """The client's network: an IPv4 address, or the /64 of an IPv6 address, which is what one customer gets."""
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ip_network((address, IPV6_NETWORK), strict=False))
    return str(address)


limiter = Limiter(key_func=network_of_request, headers_enabled=True, strategy="moving-window")

CHUNK = 64 * 1024
MOST_READ = 64 * 1024 * 1024  # bytes; of more, the connection may be reset


def init_unread_bodies(app: Flask) -> None:
    """Read the rest of each request to `app`, where the server marks its end."""
    wsgi_app = app.wsgi_app

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body: IO[bytes] = environ["wsgi.input"]
        response = wsgi_app(environ, start_response)
        # Other servers wait for more when a request is read beyond its end.
        if environ.get("wsgi.input_terminated"):
            _read_the_rest(body)
        return response

    app.wsgi_app = answer  # type: ignore[method-assign]


def _read_the_rest(body: IO[bytes]) -> None:
    unread = MOST_READ
    # An error means that the client has gone; sending the answer finds that out by itself.
    with suppress(OSError):
        while unread > 0 and (chunk := body.read(min(CHUNK, unread))):
            unread -= len(chunk)
