"""Turns the requests of an administrator who impersonates somebody into that person's requests.

During an impersonation `current_user`, and with it `portal.web.access.actor`, is the impersonated person: every page
applies that person's permissions, and the administrators' pages are closed. Nothing is written: forms are refused, and
whatever a page would write by being opened is rolled back. Who is really signed in stays in the session and in
`Impersonating.admin_id`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from flask import Blueprint, g, redirect, request, session, url_for
from flask_security import current_user

from portal.db import db
from portal.models import Impersonation, User
from portal.web.access import SAFE_METHODS, Refused, is_of_api
from portal.web.assets import STATIC
from portal.web.impersonation import service
from portal.web.impersonation.rules import ENDED, SIGNED_OUT, why_over
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue

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
@blueprint.post("/seeing/end")  # the address before impersonations were called so
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
    service.lock(db.session(), impersonation.id)
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
        service.end(db.session(), impersonation, how, now=datetime.now(UTC))
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
    service.count_page(db.session(), impersonation.impersonation_id, page, refused=status in REFUSED)
    db.session.commit()


def init_impersonation(app: Flask) -> None:
    """Ask before each request of `app`, after forms' tokens were checked, whether it is an impersonation."""
    app.before_request(_impersonate)
    app.jinja_env.globals["impersonating"] = impersonating
