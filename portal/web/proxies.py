"""Requests that come through a reverse proxy: whose they are, and a warning where the portal was not told of it."""

from __future__ import annotations

import logging
from threading import Event
from typing import TYPE_CHECKING

from flask import request
from werkzeug.middleware.proxy_fix import ProxyFix

if TYPE_CHECKING:
    from flask import Flask

logger = logging.getLogger(__name__)

NOT_TOLD = (
    "A request came through a reverse proxy (it has X-Forwarded-For), but PORTAL_PROXIES is 0: all visitors count as "
    "one network and share its rate limits, such as 200 registrations an hour. Set PORTAL_PROXIES to the number of "
    "proxies."
)


def init_proxies(app: Flask, hops: int) -> None:
    """Take addresses and the scheme from as many proxies as `hops`; if 0, log the first request through one."""
    if hops:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
        return
    is_logged = Event()

    def warn_once() -> None:
        if not is_logged.is_set() and "X-Forwarded-For" in request.headers:
            is_logged.set()
            logger.warning(NOT_TOLD)

    app.before_request(warn_once)
