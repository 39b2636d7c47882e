"""/me/application/<cycle>/begin: take over what one wrote in another cycle."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, request, url_for

from portal.applications.cycles import application_of, cycle_by_slug
from portal.applications.drafting.beginning import begin_with, in_words
from portal.applications.moves.service import MoveRefused
from portal.db import db
from portal.web.access import actor, or_404
from portal.web.messages import flash_message
from portal.web.templating import counted

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def begin_with_another(cycle: str) -> ResponseReturnValue:
    """Begin the application in a cycle with the one in the cycle that the form names."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    row = or_404(cycle_by_slug(session, cycle))
    other = or_404(application_of(session, user, or_404(cycle_by_slug(session, request.form.get("other", "")))))
    try:
        taken = begin_with(session, user, other, row, now=now)
    except MoveRefused as refusal:
        session.rollback()
        flash_message(f"Nothing was taken from {other.cycle.name}. {refusal}", "warn")
        return redirect(url_for("applications.application", cycle=cycle))
    numbers = (
        (len(taken.draft.labs), "lab", "labs"),
        (len(taken.draft.answers), "answer", "answers"),
    )
    parts = [counted(number, one, many) for number, one, many in numbers if number]
    flash_message(f"{in_words(taken, parts)} The application in {other.cycle.name} stays as it is.")
    return redirect(url_for("applications.application", cycle=cycle))
