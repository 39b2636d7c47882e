"""Viewing the portal as somebody else, without being able to change anything: who may, since when and until when, and
requests during it, which are rolled back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from flask import Blueprint, g, redirect, request, session, url_for
from flask_security import current_user
from sqlalchemy import select

from portal import audit, mail
from portal.db import db, lock_row
from portal.jobs.registry import clockwork
from portal.models import Impersonation, User
from portal.models.user import ADMIN
from portal.web.access import SAFE_METHODS, Refused, is_of_api
from portal.web.assets import STATIC
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session


LONGEST = timedelta(minutes=30)
ENDED, SIGNED_OUT, TIME_UP, ANOTHER = "ended", "signed out", "the time was up", "another view began"
NOT_ALLOWED = "it was not allowed any more"


def why_not_impersonate(person: User, *, actor: User) -> str | None:
    """Only administrators impersonate, and only people who decide nothing about other accounts."""
    if not actor.is_acting_admin:
        return "Only administrators view the portal as somebody else."
    if person.id == actor.id:
        return "You view the portal as yourself already."
    if person.has_role(ADMIN):
        return "Nobody views the portal as another administrator."
    if not person.active:
        return "This account is closed, so nobody views the portal with it."
    return None


def why_over(impersonation: Impersonation | None, actor: User | None, now: datetime) -> str | None:
    """Why an impersonation has ended or must end now, or None while it goes on. `actor` is who is signed in."""
    if impersonation is None or impersonation.ended_at is not None:
        return ENDED
    if actor is None or impersonation.admin_id != actor.id:
        return SIGNED_OUT
    if now >= impersonation.ends_at:
        return TIME_UP
    return NOT_ALLOWED if why_not_impersonate(impersonation.person, actor=actor) is not None else None


def begin(session: Session, person: User, *, reason: str, actor: User, now: datetime) -> Impersonation:
    """Begin to view the portal as `person`; the caller has checked `why_not_impersonate`.

    A second click returns the impersonation that the first one began. Side effects: ends another impersonation by the
    same administrator; an audit entry; news for the person.
    """
    # One at a time for each administrator, even if two tabs begin at once.
    by_actor = Impersonation.admin_id == actor.id
    lock_row(session, User.active, actor.id)
    open_impersonations = select(Impersonation).where(by_actor, Impersonation.ended_at.is_(None))
    for earlier in session.scalars(open_impersonations.execution_options(populate_existing=True)).all():
        if (earlier.person_id, earlier.reason) == (person.id, reason) and now < earlier.ends_at:
            return earlier
        end_impersonation(session, earlier, TIME_UP if now >= earlier.ends_at else ANOTHER, now=now)
    impersonation = Impersonation(
        admin=actor,
        person=person,
        reason=reason,
        began_at=now,
        ends_at=now + LONGEST,
        how_ended="",
        pages={},
        refused=0,
    )
    session.add(impersonation)
    session.flush()
    _record(session, impersonation, "begin", now, {"impersonation": impersonation.id, "reason": reason})
    mail.tell(
        session,
        person,
        "impersonation",
        {"by": actor.display_name, "reason": reason, "until": impersonation.ends_at.isoformat()},
        now=now,
        path="/accounts/news",
        dedupe=f"impersonation:{impersonation.id}",
    )
    return impersonation


def end_impersonation(session: Session, impersonation: Impersonation, how: str, *, now: datetime) -> None:
    """End an impersonation; does nothing if it has ended. Side effects: an audit entry that says what was opened."""
    if impersonation.ended_at is not None:
        return
    impersonation.ended_at, impersonation.how_ended = min(now, impersonation.ends_at), how
    session.flush()
    summary = {
        "impersonation": impersonation.id,
        "how": how,
        "seconds": round((impersonation.ended_at - impersonation.began_at).total_seconds()),
        "pages": dict(impersonation.pages),
        "opened": sum(impersonation.pages.values()),
        "refused": impersonation.refused,
    }
    _record(session, impersonation, "end", now, summary)


def lock(session: Session, impersonation_id: int) -> None:
    """Have requests of one impersonation run one at a time: locks its row until the transaction ends."""
    lock_row(session, Impersonation.refused, impersonation_id)


def count_page(session: Session, impersonation_id: int, page: str, *, refused: bool) -> None:
    """Count one response: the page that was opened, or an attempt that was refused."""
    lock(session, impersonation_id)
    impersonation = session.get(Impersonation, impersonation_id, populate_existing=True)
    if impersonation is None or impersonation.ended_at is not None:
        return
    if refused:
        impersonation.refused += 1
    else:
        impersonation.pages = {**impersonation.pages, page: impersonation.pages.get(page, 0) + 1}


@clockwork("overdue impersonations", every=timedelta(minutes=5))
def end_overdue(session: Session, now: datetime) -> None:
    """End the impersonations whose time is up and that nobody ended."""
    overdue = select(Impersonation).where(Impersonation.ended_at.is_(None), Impersonation.ends_at <= now)
    for impersonation in session.scalars(overdue).all():
        end_impersonation(session, impersonation, TIME_UP, now=now)


def _record(session: Session, impersonation: Impersonation, act: str, now: datetime, after: dict[str, object]) -> None:
    audit.record(
        session,
        actor=impersonation.admin,
        act=f"impersonation.{act}",
        object_type="account",
        object_key=impersonation.person.email,
        now=now,
        after=after,
    )


KEY = "impersonation"
END = "impersonation.end"
SIGN_OUT = "security.logout"
# What signs a person in or changes how they sign in, what shows secrets, and the export of everything.
CLOSED_BLUEPRINTS = frozenset({"security", "tokens", "calendar", "secret", "joining"})
CLOSED_ENDPOINTS = frozenset({"applications.export", "applications.erase"})
REFUSED = {403, 405}

blueprint = Blueprint("impersonation", __name__)


@dataclass(frozen=True, slots=True)
class Impersonating:
    """The impersonation of this request: its id, the administrator, the impersonated person, and its end."""

    impersonation_id: int
    admin_id: int
    name: str
    email: str
    ends_at: datetime


def impersonating() -> Impersonating | None:
    """The impersonation of this request, or None where people are themselves."""
    current: Impersonating | None = g.get("impersonating")
    return current


def impersonate_from_now_on(impersonation: Impersonation) -> None:
    """Make the next requests of this session those of the impersonated person."""
    session[KEY] = impersonation.id


@blueprint.post("/impersonation/end")
def end() -> ResponseReturnValue:
    """Stop viewing. This runs only if nothing was left to end: otherwise `_impersonate` has answered the request."""
    return redirect(url_for("labs.home"))


def _impersonate() -> ResponseReturnValue | None:
    """Put the impersonated person in place before anything asks who is signed in."""
    impersonation_id = session.get(KEY)
    if impersonation_id is None or request.endpoint in STATIC or is_of_api():
        return None
    impersonation = db.session.get(Impersonation, impersonation_id) if isinstance(impersonation_id, int) else None
    signed_in = cast("User", current_user._get_current_object()) if current_user.is_authenticated else None  # noqa: SLF001
    how = why_over(impersonation, signed_in, datetime.now(UTC))
    if request.endpoint in {END, SIGN_OUT} and how is None:
        how = ENDED if request.endpoint == END else SIGNED_OUT
    if how is not None or impersonation is None:
        return _end(impersonation, signed_in, how or ENDED)
    lock(db.session(), impersonation.id)
    person = impersonation.person
    g.impersonating = Impersonating(
        impersonation.id, impersonation.admin_id, person.display_name, person.email, impersonation.ends_at
    )
    # Flask-Login keeps the signed-in person of a request here.
    g._login_user = person  # noqa: SLF001
    _refuse_what_is_closed(person)
    return None


def _end(impersonation: Impersonation | None, signed_in: User | None, how: str) -> ResponseReturnValue | None:
    """End the impersonation of this session and redirect, so that a form filled in during it is not sent under the
    administrator's own account. Signing out continues to its own page.
    """
    session.pop(KEY, None)
    if impersonation is not None and (signed_in is None or impersonation.admin_id == signed_in.id):
        end_impersonation(db.session(), impersonation, how, now=datetime.now(UTC))
    if request.endpoint == SIGN_OUT:
        return None
    if signed_in is None or impersonation is None:
        return redirect(url_for("security.login"))
    flash_message(
        "You view the portal as yourself again." if how == ENDED else f"You view the portal as yourself again: {how}."
    )
    return redirect(url_for("admin.person", person_id=impersonation.person_id))


def _refuse_what_is_closed(person: User) -> None:
    name = person.display_name
    if request.method not in SAFE_METHODS:
        raise Refused(f"You are viewing the portal as {name}, read-only. Nothing was changed. Stop viewing to act.")
    if request.blueprint == "admin":
        raise Refused(
            f"You are viewing the portal as {name}, to whom administrators’ pages are closed. Stop viewing first."
        )
    if request.blueprint in CLOSED_BLUEPRINTS or request.endpoint in CLOSED_ENDPOINTS:
        raise Refused(f"This page is for {name} alone. Viewing the portal as them does not include it.")


def record_after_rollback(record: Callable[[User], None]) -> None:
    """Have `record` log something as done by the administrator once this request is rolled back, if it succeeds."""
    g.setdefault("records_of_impersonation", []).append(record)


def roll_back_and_count(impersonation: Impersonating, status: int) -> None:
    """Roll back everything that this request wrote, and count the page instead, with what the administrator downloaded.

    Commits.
    """
    db.session.rollback()
    for record in g.get("records_of_impersonation", ()) if status < HTTPStatus.BAD_REQUEST else ():
        record(db.session.get_one(User, impersonation.admin_id))
    page = str(request.url_rule) if request.url_rule is not None else "no such page"
    count_page(db.session(), impersonation.impersonation_id, page, refused=status in REFUSED)
    db.session.commit()


def init_impersonation(app: Flask) -> None:
    """Ask before each request of `app`, after forms' tokens were checked, whether it is an impersonation."""
    app.before_request(_impersonate)
    app.jinja_env.globals["impersonating"] = impersonating
