"""The timed work of labs; see `portal.jobs`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app

from portal.jobs import clockwork
from portal.labs import freshness
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


@clockwork("reminders of profiles", every=timedelta(hours=1))
def remind_of_profiles(session: Session, now: datetime) -> None:
    """Ask leaders to confirm profiles that nobody has confirmed for a long time."""
    freshness.remind(session, settings_of(current_app).confirm_days, now)
