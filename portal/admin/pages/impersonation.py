"""Beginning an impersonation; `portal.web.impersonation.requests` handles the requests that follow."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, url_for

from portal.admin.forms import ReasonForm
from portal.admin.pages.saving import INVALID
from portal.db import db
from portal.models import User
from portal.web.access import actor, ensure, or_404, with_recent_password
from portal.web.impersonation.requests import impersonate_from_now_on
from portal.web.impersonation.rules import LONGEST, why_not_impersonate
from portal.web.impersonation.service import begin

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


@with_recent_password
def impersonate(person_id: int) -> ResponseReturnValue:
    """Ask for a reason, and for the password unless it was entered recently; then begin."""
    session = db.session()
    person = or_404(session.get(User, person_id))
    ensure(why_not_impersonate(person, actor=actor()))
    form = ReasonForm()
    if form.validate_on_submit():
        impersonate_from_now_on(begin(session, person, reason=form.reason.data, actor=actor(), now=datetime.now(UTC)))
        return redirect(url_for("accounts.landing"))
    minutes = int(LONGEST.total_seconds()) // 60
    page = render_template("admin/impersonate.html", person=person, form=form, minutes=minutes)
    return page, INVALID if form.errors else 200
