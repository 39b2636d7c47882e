"""What pages that need the index show while it is being built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import g, make_response, render_template, request

from portal.db import db
from portal.labs.live_index.labs import IndexPreparing
from portal.web.access import SAFE_METHODS
from portal.web.errors import ErrorPage, wants_json

if TYPE_CHECKING:
    from flask import Flask, Response
    from flask.typing import ResponseReturnValue

SECONDS_TO_RETRY = 10  # seconds
PREPARING = ErrorPage(
    "Matches are being prepared",
    "The portal is reading all labs to find what fits whom. That takes a few minutes at most; everything else works.",
    "This page reloads itself every 10 seconds. Nothing that you wrote is lost.",
)
SENT = ErrorPage(
    PREPARING.heading,
    PREPARING.happened,
    "Go back: what you typed is still in the form. Send it again in a minute.",
)


def preparing(_error: IndexPreparing) -> ResponseReturnValue:
    """Answer with a 503 that says when to retry; pages read by GET reload themselves. Rolls the session back."""
    db.session.rollback()
    is_read = request.method in SAFE_METHODS
    page = PREPARING if is_read else SENT
    if wants_json():
        response = make_response({"error": {"status": 503, "reason": page.happened, "advice": page.advice}}, 503)
    else:
        response = make_response(render_template("errors/error.html", page=page, status=503, reason=None), 503)
        if is_read:
            response.headers["Refresh"] = str(SECONDS_TO_RETRY)
    g.is_preparing = True
    return response


def add_retry_after(response: Response) -> Response:
    """Add the number of seconds after which to retry."""
    if g.get("is_preparing"):
        response.headers["Retry-After"] = str(SECONDS_TO_RETRY)
    return response


def init_preparing_page(app: Flask) -> None:
    """Answer with this page wherever the index is needed but not ready.

    Register it before the request limits: after-request hooks run in reverse order, so this
    Retry-After replaces theirs.
    """
    app.register_error_handler(IndexPreparing, preparing)
    app.after_request(add_retry_after)
