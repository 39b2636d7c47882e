"""A person's interviews, in both roles, as a calendar under a secret address: /calendar/<token>.ics, for programs.

/accounts/calendar shows, renews and closes the address. Only the SHA-256 of the secret is stored. A feed contains no
applicant's name where the lab reviews blind first.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, current_app, make_response, redirect, render_template, request, url_for
from sqlalchemy import select

from portal import audit
from portal.accounts.rate_limits import allowance
from portal.accounts.service import new_token, opened_by, token_digest
from portal.applications.interviews.news import calendar_text, entry_for
from portal.applications.interviews.queries import interviews_of, labs_without_names
from portal.applications.locks import lock_person
from portal.config import settings_of
from portal.db import db
from portal.models import CalendarFeed
from portal.web.access import actor, audience
from portal.web.limits import network_of_request
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import User

LOOKS_BACK = timedelta(days=90)
NOTED_EVERY = timedelta(hours=1)
# Programs ask every few minutes; somebody who guesses asks more often.
READINGS = allowance("calendar", "120 per hour")
WRONG = allowance("calendar-wrong", "30 per minute", per_network=True)
TOO_MANY = 429

blueprint = Blueprint("calendar", __name__, url_prefix="/accounts/calendar")
audience(blueprint, None)


def renew_feed(session: Session, person: User, *, now: datetime) -> str:
    """Give somebody a new secret for their calendar, to be shown once; the old one no longer works."""
    lock_person(session, person)
    token = new_token()
    feed = feed_of(session, person)
    if feed is None:
        feed = CalendarFeed(user_id=person.id, token_hash=token_digest(token), created_at=now)
        session.add(feed)
    feed.token_hash, feed.created_at, feed.last_used_at = token_digest(token), now, None
    session.flush()
    _audit(session, "renew", person, now)
    return token


def revoke_feed(session: Session, person: User, *, now: datetime) -> bool:
    """Close the calendar's address; False where there was none."""
    lock_person(session, person)
    feed = feed_of(session, person)
    if feed is None:
        return False
    session.delete(feed)
    session.flush()
    _audit(session, "revoke", person, now)
    return True


def feed_of(session: Session, person: User) -> CalendarFeed | None:
    """The calendar address of a person, without its secret."""
    return session.scalar(select(CalendarFeed).where(CalendarFeed.user_id == person.id))


def feed_by_token(session: Session, token: str, *, now: datetime) -> CalendarFeed | None:
    """The calendar address with this secret, if its owner may still sign in.

    Side effect: updates the time of its last use, at most once per hour.
    """
    feed = opened_by(session, CalendarFeed, token)
    if feed is None or not feed.user.active:
        return None
    if feed.last_used_at is None or now - feed.last_used_at >= NOTED_EVERY:
        feed.last_used_at = now
    return feed


def feed_text(session: Session, person: User, name: str, *, now: datetime) -> str:
    """A person's calendar, called `name`, as an iCalendar file. The text stays the same until something in it
    changes.
    """
    slots = interviews_of(session, person, now - LOOKS_BACK)
    nameless = labs_without_names(session, [slot.lab_id for slot in slots])
    entries = [
        replace(
            entry_for(
                session,
                slot,
                slot.choice,
                person,
                slot.picked_at or slot.created_at,
                named=slot.lab_id not in nameless,
            ),
            attendee=None,
        )
        for slot in slots
        if slot.choice is not None
    ]
    return calendar_text(entries, name=name)


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
    text = feed_text(db.session(), calendar_feed.user, settings_of(current_app).name, now=now)
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
    page = render_template("security/calendar.html", feed=feed_of(db.session(), actor()), shown_once=shown_once)
    response = make_response(page)
    response.headers["Cache-Control"] = "private, no-store"
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def _audit(session: Session, act: str, person: User, now: datetime) -> None:
    audit.record(
        session, actor=person, act=f"calendar.{act}", object_type="calendar", object_key=str(person.id), now=now
    )
