"""Reads what of a request nobody has read before the answer is sent.

A server that closes a connection on which data waits makes the system reset it. Behind a reverse proxy, an upload that
was refused, or sent by somebody who is signed out, then sometimes arrived as the proxy's “502 Bad Gateway” instead of
our page.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from flask import Flask

CHUNK = 64 * 1024
MOST_READ = 64 * 1024 * 1024  # bytes; of more, the connection may be reset


def init_unread_bodies(app: Flask) -> None:
    """Read the rest of each request to `app`, where the server marks its end."""
    app.wsgi_app = _reading_to_the_end(app.wsgi_app)  # type: ignore[method-assign,assignment]


def _reading_to_the_end(wsgi_app: WSGIApplication) -> WSGIApplication:
    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body: IO[bytes] = environ["wsgi.input"]
        response = wsgi_app(environ, start_response)
        # Other servers wait for more when a request is read beyond its end.
        if environ.get("wsgi.input_terminated"):
            _read_the_rest(body)
        return response

    return answer


def _read_the_rest(body: IO[bytes]) -> None:
    unread = MOST_READ
    # An error means that the client has gone; sending the answer finds that out by itself.
    with suppress(OSError):
        while unread > 0 and (chunk := body.read(min(CHUNK, unread))):
            unread -= len(chunk)
