"""A cycle as anybody may read about it, before they register: its dates, what to know, what its form asks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import render_template
from flask_security import current_user

from portal.db import db
from portal.labs.open_cycle import public_cycle
from portal.labs.pages.ranking import is_applicant
from portal.web.access import or_404

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def cycle(slug: str) -> ResponseReturnValue:
    """The page of a cycle that has opened or opens next."""
    now = datetime.now(UTC)
    row = or_404(public_cycle(db.session(), slug, now))
    is_open = row.closed_at is None and row.opens_at <= now < row.deadline_at
    return render_template(
        "labs/cycle.html",
        cycle=row,
        now=now,
        may_apply=is_open and (is_applicant() or not current_user.is_authenticated),
    )
