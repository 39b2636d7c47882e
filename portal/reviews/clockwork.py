"""What the clock starts for reviews; see `portal.jobs`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app

from portal.jobs import clockwork
from portal.labs.live_index.live import IndexPreparing, live_index
from portal.matching import UnknownLab
from portal.reviews.kept_redactions import choices_to_redact, keep_redactions
from portal.reviews.queries import labs_read_since, score_everybody
from portal.reviews.scoreboard import scoreboard

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

AT_ONCE = 50  # choices per transaction
LOOKED_AT = timedelta(days=60)  # labs whose queue was opened since then are scored ahead
MOST_LABS = 40  # labs scored per run, those read last first
AT_MOST = 2000  # choices per run: about 15 seconds


@clockwork("redactions of texts read blind", every=timedelta(minutes=2))
def keep_missing_redactions(session: Session, _now: datetime) -> None:
    """Compute and store missing redactions for labs that review blind, in short transactions."""
    choices = choices_to_redact(session, AT_MOST)
    for start in range(0, len(choices), AT_ONCE):
        keep_redactions(session, choices[start : start + AT_ONCE])
        session.commit()


@clockwork("scores of Discover", every=timedelta(minutes=10))
def score_ahead(session: Session, now: datetime) -> None:
    """Score whom the labs that are being read may find, so that no professor waits for it. Only what is new takes time;
    the scores are files beside the index.
    """
    for lab in labs_read_since(session, now - LOOKED_AT, MOST_LABS):
        try:
            indexed = live_index(current_app).current(session)
            score_everybody(session, lab, indexed, scoreboard(current_app))
        except (IndexPreparing, UnknownLab):  # a lab that was made just now
            continue
        finally:
            session.rollback()
