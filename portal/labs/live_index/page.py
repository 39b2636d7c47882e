"""What pages that need the index show while it is being built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import g, make_response, render_template, request

from portal.db import db
from portal.labs.live_index.labs import IndexPreparing
from portal.web.errors import ErrorPage, wants_json

if TYPE_CHECKING:
    from flask import Flask, Response
    from flask.typing import ResponseReturnValue

COME_BACK = 10  # seconds
PREPARING = ErrorPage(
    "Matches are being prepared",
    "The portal is reading all labs to find what fits whom. That takes a few minutes at most; everything else works.",
    "This page looks again by itself every 10 seconds. Nothing you wrote before is lost.",
)
SENT = ErrorPage(
    PREPARING.heading,
    PREPARING.happened,
    "Go back: what you typed is still in the form. Send it again in a minute.",
)


def preparing(_error: IndexPreparing) -> ResponseReturnValue:
    """A 503 with the time after which to retry; pages read by GET reload themselves."""
    db.session.rollback()
    looked = request.method in {"GET", "HEAD"}
    page = PREPARING if looked else SENT
    if wants_json():
        response = make_response({"error": {"status": 503, "reason": page.happened, "advice": page.advice}}, 503)
    else:
        response = make_response(render_template("errors/error.html", page=page, status=503, reason=None), 503)
        if looked:
            response.headers["Refresh"] = str(COME_BACK)
    g.is_preparing = True
    return response


def when_to_come_back(response: Response) -> Response:
    """Add the number of seconds after which to retry."""
    if g.get("is_preparing"):
        response.headers["Retry-After"] = str(COME_BACK)
    return response


def init_preparing_page(app: Flask) -> None:
    """Answer with this page wherever the index is needed but not ready.

    Register it before the request limits: after-request hooks run in reverse order, so this
    Retry-After replaces theirs.
    """
    app.register_error_handler(IndexPreparing, preparing)
    app.after_request(when_to_come_back)
