"""/calendar/<token>.ics: a person's calendar, for programs; /accounts/calendar: its address, renewed and closed."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, current_app, make_response, redirect, render_template, request, url_for

from portal.accounts.rate_limits import allowance
from portal.accounts.secret_links import token_digest
from portal.applications.interviews.feed import FeedSite, feed_by_token, feed_of, feed_text, renew_feed, revoke_feed
from portal.db import db
from portal.web.access import actor, audience
from portal.web.extensions import settings_of
from portal.web.limits import network_of_request
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

# Programs ask every few minutes; somebody who guesses asks more often.
READINGS = allowance("calendar", "120 per hour")
WRONG = allowance("calendar-wrong", "30 per minute", per_network=True)
TOO_MANY = 429

blueprint = Blueprint("calendar", __name__, url_prefix="/accounts/calendar")
audience(blueprint, None)


def feed(token: str) -> Response:
    """The calendar itself. No cookie is read or set."""
    network = network_of_request()
    if not WRONG.left(network):
        abort(TOO_MANY)
    now = datetime.now(UTC)
    calendar_feed = feed_by_token(db.session(), token, now=now)
    if calendar_feed is None:
        WRONG.use(network)
        abort(404)
    if not READINGS.use(token_digest(token)):
        abort(TOO_MANY)
    settings = settings_of(current_app)
    site = FeedSite(settings.base_url, urlsplit(settings.base_url).hostname or "portal", settings.name)
    text = feed_text(db.session(), calendar_feed.user, site, now=now)
    response = Response(text, content_type="text/calendar; charset=utf-8")
    response.set_etag(sha256(text.encode()).hexdigest())
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers.set("Content-Disposition", "inline", filename="calendar.ics")
    response.make_conditional(request)
    return response


@blueprint.get("/")
def address() -> ResponseReturnValue:
    """Whether there is an address, and since when."""
    return _page()


@blueprint.post("/renew")
def renew() -> ResponseReturnValue:
    """Make a new address and show it, this once."""
    token = renew_feed(db.session(), actor(), now=datetime.now(UTC))
    base_url = settings_of(current_app).base_url
    return _page(f"{base_url}{url_for('secret.calendar', token=token).removeprefix(request.script_root)}")


@blueprint.post("/revoke")
def revoke() -> ResponseReturnValue:
    """Close the address."""
    if revoke_feed(db.session(), actor(), now=datetime.now(UTC)):
        flash_message("Your calendar’s address is closed. Programs that read it get nothing any more.")
    return redirect(url_for("calendar.address"))


def _page(shown_once: str = "") -> Response:
    page = render_template(
        "security/calendar.html", feed=feed_of(db.session(), actor()), shown_once=shown_once, minutes=60
    )
    response = make_response(page)
    response.headers["Cache-Control"] = "private, no-store"
    response.headers["Referrer-Policy"] = "same-origin"
    return response
