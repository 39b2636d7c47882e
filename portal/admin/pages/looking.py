"""Beginning to see the portal as somebody else; what follows is in `portal.web.seeing`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, url_for
from flask_security import auth_required

from portal.admin.forms import ReasonForm
from portal.admin.pages.saving import INVALID
from portal.db import db
from portal.models import User
from portal.web.access import actor, ensure, found
from portal.web.looks import LONGEST, begin_look, why_not_look
from portal.web.seeing import start_seeing

if TYPE_CHECKING:
    from datetime import timedelta

    from flask.typing import ResponseReturnValue


def _fresh() -> timedelta:
    within: timedelta = current_app.config["SECURITY_FRESHNESS"]
    return within


@auth_required("session", within=_fresh)
def see_as(number: int) -> ResponseReturnValue:
    """Ask for the reason, and begin; with the password at hand."""
    session = db.session()
    person = found(session.get(User, number))
    ensure(why_not_look(person, actor=actor()))
    form = ReasonForm()
    if form.validate_on_submit():
        look = begin_look(session, person, reason=form.reason.data, actor=actor(), now=datetime.now(UTC))
        start_seeing(look)
        return redirect(url_for("accounts.landing"))
    minutes = int(LONGEST.total_seconds()) // 60
    page = render_template("admin/see_as.html", person=person, form=form, minutes=minutes)
    return page, INVALID if form.errors else 200
