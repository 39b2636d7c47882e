"""Rate limits on what is costly or can be guessed."""

from __future__ import annotations

import logging
import time
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from flask import current_app, request
from flask_limiter import Limiter
from limits.storage import MemoryStorage, RedisStorage

from portal.config_addresses import IPV6_NETWORK
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from limits import RateLimitItem

P = ParamSpec("P")
T = TypeVar("T")
logger = logging.getLogger(__name__)

LONGEST_WAIT = 2.0  # seconds to wait for Redis
TIMES_WHERE_SHARED = 10
"""How many times as high the limits for a network are where many people share it (PORTAL_SHARED_NETWORKS)."""
RETRY_REDIS_AFTER = 30.0  # seconds without Redis after it did not answer


class GuardedMemoryStorage(MemoryStorage):
    """Counts of one process, for URLs that begin with memory:.

    Clearing a key takes its lock, so that it does not vanish while another thread counts or drops its old tries.
    """

    STORAGE_SCHEME = ["memory"]  # noqa: RUF012 - as the class above has it

    def clear(self, key: str) -> None:
        """Forget the tries of a key."""
        with self.locks[key]:
            super().clear(key)


class RedisOrMemoryStorage(RedisStorage):
    """Counts shared by all processes in Redis, for URLs that begin with redis.

    While Redis does not answer, each process counts by itself: nobody is locked out, and guessing stays limited.
    """

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


def limit_of_network(limit: RateLimitItem, network: str) -> RateLimitItem:
    """The limit for a network, as `network_of_request` calls it: a higher one where many people share it."""
    if not _is_shared(network):
        return limit
    return type(limit)(limit.amount * TIMES_WHERE_SHARED, limit.multiples, limit.namespace)


def _is_shared(network: str) -> bool:
    shared = settings_of(current_app).shared_networks
    if not shared:
        return False
    try:
        own = ip_network(network)
    except ValueError:  # whose address is unknown
        return False
    return any(own.version == other.version and own.subnet_of(other) for other in shared)  # type: ignore[arg-type]  # of one version


limiter = Limiter(key_func=network_of_request, headers_enabled=True, strategy="moving-window")
