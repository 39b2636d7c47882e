"""/me/application/<cycle>/interview: pick a time, change it, give it back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, current_app, make_response, redirect, render_template, request, url_for
from sqlalchemy import select

from portal import audit
from portal.accounts.rate_limits import allowance
from portal.accounts.service import new_token, opened_by, token_digest
from portal.applications.interviews.news import Entry, calendar_text, entry_for
from portal.applications.interviews.queries import interviews_of, labs_without_names
from portal.applications.locks import lock_person
from portal.applications.states import LABELS
from portal.config import settings_of
from portal.db import db
from portal.models import Application, CalendarFeed, Choice, Cycle, Lab, LabProfessor, User
from portal.moments import format_in_zone
from portal.web.access import actor, audience
from portal.web.limits import network_of_request
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session


LOOKS_BACK = timedelta(days=90)
NOTED_EVERY = timedelta(hours=1)
AWAITED = ("pending", "in_review", "interview", "interviewed")
"""What an applicant is shown of a choice while the lab owes a reply."""
# Programs ask every few minutes; somebody who guesses asks more often.
READINGS = allowance("calendar", "120 per hour")
WRONG = allowance("calendar-wrong", "30 per minute", per_network=True)
TOO_MANY = 429
blueprint = Blueprint("calendar", __name__, url_prefix="/accounts/calendar")
assert set(AWAITED) <= set(LABELS["choice"])  # noqa: S101  (a misspelt state would hide dates in silence)


@dataclass(frozen=True, slots=True)
class FeedSite:
    """The portal: its address, the host that the ids of entries end with, and its name."""

    base_url: str
    host: str
    name: str


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


def feed_text(session: Session, person: User, site: FeedSite, *, now: datetime) -> str:
    """A person's calendar as an iCalendar file. The text stays the same until something in it changes."""
    entries = [
        *_interviews(session, person, now),
        *_awaited_replies(session, person, site, now),
        *_due_answers(session, person, site, now),
        *_lab_dates(session, person, site, now),
    ]
    return calendar_text(sorted(entries, key=lambda entry: (entry.starts_at, entry.uid)), name=site.name)


def _interviews(session: Session, person: User, now: datetime) -> Iterator[Entry]:
    slots = interviews_of(session, person, now - LOOKS_BACK)
    nameless = labs_without_names(session, [slot.lab_id for slot in slots])
    for slot in slots:
        if slot.choice is not None:
            named, noted_at = slot.lab_id not in nameless, slot.picked_at or slot.created_at
            entry = entry_for(session, slot, slot.choice, person, noted_at, named=named)
            yield replace(entry, attendee=None)


def _awaited_replies(session: Session, person: User, site: FeedSite, now: datetime) -> Iterator[Entry]:
    """The dates by which labs owe an applicant a reply, as long as the applicant was shown none."""
    rows = session.execute(
        select(Application.id, Application.cycle_id, Choice.reply_by_at)
        .join(Choice, Choice.application_id == Application.id)
        .where(
            Application.applicant_id == person.id,
            Application.state == "eligible",
            Choice.shown_state.in_(AWAITED),
            Choice.reply_by_at >= now - LOOKS_BACK,
        )
        .distinct()
    ).all()
    for application_id, cycle_id, due_at in rows:
        if due_at is not None:
            cycle, uid = session.get_one(Cycle, cycle_id), f"replies-{application_id}-{due_at:%Y%m%d%H%M}"
            yield _date(site, uid, f"Replies from labs due, {cycle.name}", due_at, cycle)


def _due_answers(session: Session, person: User, site: FeedSite, now: datetime) -> Iterator[Entry]:
    """The dates by which an applicant has to answer a released offer. The entry does not mention an offer."""
    choices = session.scalars(
        select(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Application.applicant_id == person.id,
            Application.state == "eligible",
            Choice.shown_state == "offered",
            Choice.released_at.is_not(None),
            Choice.offer_reply_by_at >= now - LOOKS_BACK,
        )
    ).all()
    for choice in choices:
        due_at, cycle = choice.offer_reply_by_at, choice.application.cycle
        if due_at is not None:
            yield _date(
                site, f"answer-{choice.id}-{due_at:%Y%m%d%H%M}", f"Your answer is due, {cycle.name}", due_at, cycle
            )


def _lab_dates(session: Session, person: User, site: FeedSite, now: datetime) -> Iterator[Entry]:
    """The dates by which the labs that somebody reads for owe replies, and by which their offers are answered."""
    lab_ids = select(LabProfessor.lab_id).where(LabProfessor.user_id == person.id)
    open_choices = (
        select(Choice.lab_id, Application.cycle_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Choice.lab_id.in_(lab_ids), Application.state == "eligible")
    )
    owed = open_choices.add_columns(Choice.reply_by_at).where(
        Choice.replied_at.is_(None),
        Choice.state.in_((*AWAITED, "shortlisted", "ranked", "waitlisted")),
        Choice.reply_by_at >= now - LOOKS_BACK,
    )
    answers = open_choices.add_columns(Choice.offer_reply_by_at).where(
        Choice.state == "offered", Choice.shown_state == "offered", Choice.offer_reply_by_at >= now - LOOKS_BACK
    )
    for name, event, rows in (
        ("owed", "replies are due", owed),
        ("answer", "an answer is due", answers),
    ):
        for lab_id, cycle_id, due_at in session.execute(rows.distinct()).all():
            lab, cycle = session.get_one(Lab, lab_id), session.get_one(Cycle, cycle_id)
            uid = f"lab-{name}-{lab_id}-{cycle_id}-{due_at:%Y%m%d%H%M}"
            yield _date(site, uid, f"{lab.name}: {event}, {cycle.name}", due_at, cycle)


def _date(site: FeedSite, uid: str, summary: str, due_at: datetime, cycle: Cycle) -> Entry:
    return Entry(
        uid=f"{uid}@{site.host}",
        summary=summary,
        starts_at=due_at,
        stamped_at=cycle.created_at,
        description=f"By {format_in_zone(due_at, cycle.zone)}",
        url=site.base_url,
    )


def _audit(session: Session, act: str, person: User, now: datetime) -> None:
    audit.record(
        session, actor=person, act=f"calendar.{act}", object_type="calendar", object_key=str(person.id), now=now
    )


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
