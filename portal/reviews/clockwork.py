"""What the clock starts for reviews; see `portal.jobs`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from portal.jobs import clockwork
from portal.reviews.kept_redactions import choices_to_redact, keep_redactions

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

AT_ONCE = 50  # choices per transaction
AT_MOST = 2000  # choices per run: about 15 seconds


@clockwork("redactions of texts read blind", every=timedelta(minutes=2))
def keep_missing_redactions(session: Session, _now: datetime) -> None:
    """Compute and store missing redactions for labs that review blind, in short transactions."""
    choices = choices_to_redact(session, AT_MOST)
    for start in range(0, len(choices), AT_ONCE):
        keep_redactions(session, choices[start : start + AT_ONCE])
        session.commit()
