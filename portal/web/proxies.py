"""Requests that come through a reverse proxy: whose they are, and warnings where the portal or the proxy is not set up
for it.
"""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import current_app, request
from werkzeug.middleware.proxy_fix import ProxyFix

from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.config import Settings

logger = logging.getLogger(__name__)

NOT_TOLD = (
    "A request came through a reverse proxy (it has X-Forwarded-For), but PORTAL_PROXIES is 0: all visitors count as "
    "one network and share its rate limits, such as 200 registrations an hour. Set PORTAL_PROXIES to the number of "
    "proxies."
)
NO_ADDRESS = (
    "A request has fewer addresses in X-Forwarded-For than PORTAL_PROXIES counts proxies: all visitors may count as "
    "one network and share its rate limits. Have each proxy add the address that it was asked from, or mend "
    "PORTAL_PROXIES."
)
NOT_SECURE = (
    "A request came without X-Forwarded-Proto: https, but PORTAL_BASE_URL is an https address. Have the reverse proxy "
    "send the header."
)
OTHER_HOST = (
    "A form from a page of %s was refused because it came as for %s. Have the reverse proxy pass on the Host header of "
    "the browser, with its port."
)
ASKED_DIRECTLY = {"health.alive", "health.ready", "health.working"}  # by what watches the portal, past the proxy


def init_proxies(app: Flask, settings: Settings) -> None:
    """Take addresses and the scheme from as many proxies as there are; log once what seems wrong about them."""
    hops = settings.proxies
    if hops:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    lock, logged = Lock(), set[str]()

    def warn_once() -> None:
        if request.endpoint in ASKED_DIRECTLY and "X-Forwarded-For" not in request.headers:
            return
        for warning in _what_seems_wrong(settings):
            with lock:
                is_new = warning not in logged
                logged.add(warning)
            if is_new:
                logger.warning(warning)

    app.before_request(warn_once)


def _what_seems_wrong(settings: Settings) -> Iterator[str]:
    addresses = [part for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if addresses and not settings.proxies:
        yield NOT_TOLD
    if len(addresses) < settings.proxies:
        yield NO_ADDRESS
    if settings.proxies and settings.secure_cookies and not request.is_secure:
        yield NOT_SECURE


def came_as_for_another_host() -> bool:
    """Whether a form of one of our pages reached us under another host than that of PORTAL_BASE_URL, so that it looks
    like one of another site. Side effect: logs the reason.
    """
    host = urlsplit(settings_of(current_app).base_url).netloc.lower()
    # Without https, hosts are not compared.
    is_ours = request.is_secure and urlsplit(request.referrer or "").netloc == host
    if not is_ours or request.host == host:
        return False
    logger.error(OTHER_HOST, host, request.host)
    return True
