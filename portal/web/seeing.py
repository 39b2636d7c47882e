"""Seeing the portal as somebody else: the one place where a request of an administrator becomes another person's.

While a look goes on, `current_user`, and with it `portal.web.access.actor`, is the person who is seen as: every page
asks its own rules about them, and the administrators' pages are closed like to them. Nothing is written: forms are
refused, and whatever a page would have written by being opened is rolled back. Who is really signed in is in the
session as before, and in `Seeing.admin_id`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from flask import Blueprint, g, redirect, request, session, url_for
from flask_security import current_user

from portal.db import db
from portal.models import Look, User
from portal.web.access import Refused
from portal.web.looks import ENDED, SIGNED_OUT, count_page, end_look, hold_look, why_over
from portal.web.messages import say

if TYPE_CHECKING:
    from flask import Flask
    from flask.typing import ResponseReturnValue

KEY = "look"
SAFE = {"GET", "HEAD", "OPTIONS"}
END = "seeing.end"
SIGN_OUT = "security.logout"
# What signs in or changes how one does, what shows secrets, and what takes everything along.
CLOSED_ROOMS = frozenset({"security", "tokens", "calendar", "secret", "joining"})
CLOSED_PAGES = frozenset({"applications.export", "applications.erase"})
REFUSED = {403, 405}

blueprint = Blueprint("seeing", __name__)


@dataclass(frozen=True, slots=True)
class Seeing:
    """A look that goes on in this request: its number, whose eyes, until when."""

    number: int
    admin_id: int
    name: str
    email: str
    ends_at: datetime


def seeing() -> Seeing | None:
    """The look of this request, or None where people are themselves."""
    found: Seeing | None = g.get("seeing")
    return found


def start_seeing(look: Look) -> None:
    """Let the requests of this session that follow be those of the person of `look`."""
    session[KEY] = look.id


@blueprint.post("/seeing/end")
def end() -> ResponseReturnValue:
    """End the look, and go back to the person's page. `_look` has ended it already; nobody else has anything to end."""
    return redirect(url_for("labs.home"))


def _look() -> ResponseReturnValue | None:
    """Before anything else asks who is signed in."""
    number = session.get(KEY)
    if number is None or _is_static():
        return None
    look = db.session.get(Look, number) if isinstance(number, int) else None
    real = cast("User", current_user._get_current_object()) if current_user.is_authenticated else None  # noqa: SLF001
    how = why_over(look, real, datetime.now(UTC))
    if request.endpoint in {END, SIGN_OUT} and how is None:
        how = ENDED if request.endpoint == END else SIGNED_OUT
    if how is not None or look is None:
        return _end(look, real, how or ENDED)
    hold_look(db.session(), look.id)
    person = look.person
    g.seeing = Seeing(look.id, look.admin_id, person.display_name, person.email, look.ends_at)
    # Flask-Login keeps there whom it found signed in, for this request alone.
    g._login_user = person  # noqa: SLF001
    _refuse_what_is_closed(person)
    return None


def _end(look: Look | None, real: User | None, how: str) -> ResponseReturnValue | None:
    """Be oneself again. A form that was filled in as somebody else is not sent as oneself."""
    session.pop(KEY, None)
    if look is not None and (real is None or look.admin_id == real.id):
        end_look(db.session(), look, how, now=datetime.now(UTC))
    if request.endpoint == SIGN_OUT:
        return None
    if real is None or look is None:
        return redirect(url_for("security.login"))
    say("You see the portal as yourself again." if how == ENDED else f"You see the portal as yourself again: {how}.")
    return redirect(url_for("admin.person", number=look.person_id))


def _refuse_what_is_closed(person: User) -> None:
    name = person.display_name
    if request.method not in SAFE:
        raise Refused(f"You see the portal as {name} and can only look. Nothing was changed. Stop viewing to act.")
    if request.blueprint == "admin":
        raise Refused(f"You see the portal as {name}, so the administrators’ pages are closed. Stop viewing first.")
    if request.blueprint in CLOSED_ROOMS or request.endpoint in CLOSED_PAGES:
        raise Refused(f"This page is for {name} alone. You see the portal as they do, except for what signs them in.")


def _is_static() -> bool:
    return request.endpoint is not None and request.endpoint.endswith("static")


def finish_look(status: int) -> None:
    """Undo whatever was written in this request, and count it instead. Commits."""
    now = seeing()
    if now is None:
        return
    db.session.rollback()
    page = str(request.url_rule) if request.url_rule is not None else "no such page"
    count_page(db.session(), now.number, page, refused=status in REFUSED)
    db.session.commit()


def init_seeing(app: Flask) -> None:
    """Look who is seen as before each request of `app`, after forms' tokens were checked."""
    app.before_request(_look)
    app.jinja_env.globals["seeing"] = seeing
