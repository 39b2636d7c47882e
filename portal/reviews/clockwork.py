"""What the clock starts for reviews; see `portal.jobs`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app

from portal.applications.locks import commit_each
from portal.jobs import clockwork
from portal.labs.live_index.live import IndexPreparing, live_index
from portal.reviews.blind_review import choices_to_redact, keep_redactions
from portal.reviews.discover.queries import labs_in_turn, labs_read_since
from portal.reviews.discover.scoring import is_indexed, labs_waiting, score_labs
from portal.web.work import job_queue

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session


AT_ONCE = 50  # choices per transaction
LOOKED_AT = timedelta(days=60)  # labs whose queue was opened since then are scored ahead
MOST_LABS = 40  # labs scored per run, those read last first
IN_TURN = 24  # other labs scored per run; with those read it is as many as the scoreboard caches
SCORED_EVERY = timedelta(minutes=5)
AT_MOST = 2000  # choices per run: about 15 seconds


@clockwork("redactions of texts read blind", every=timedelta(minutes=2))
def keep_missing_redactions(session: Session, _now: datetime) -> None:
    """Compute and store missing redactions for labs that review blind, in short transactions; where one fails, its
    choices are tried one by one.
    """
    choices = choices_to_redact(session, AT_MOST)
    batches = [choices[start : start + AT_ONCE] for start in range(0, len(choices), AT_ONCE)]

    def keep(batch: Sequence[int]) -> None:
        keep_redactions(session, batch)

    if commit_each(session, "Storing redactions", batches, keep) < len(batches):
        left = sorted(set(choices).intersection(choices_to_redact(session, AT_MOST)))
        commit_each(session, "Storing a redaction", [[choice_id] for choice_id in left], keep)


@clockwork("scores of Discover", every=SCORED_EVERY, long=True)
def score_ahead(session: Session, now: datetime) -> None:
    """Score the people whom labs may find, so that no professor waits for it: at each run for the labs that somebody
    waits for or has read lately, and for some of the others in turn. Only new scores take time; they are files beside
    the index. Ends early if the process is about to end.
    """
    queue = job_queue(current_app)
    waiting = labs_waiting(session)
    read = labs_read_since(session, now - LOOKED_AT, MOST_LABS)
    turn = int(now.timestamp() // SCORED_EVERY.total_seconds())
    others = labs_in_turn(session, turn, IN_TURN, excluded={lab.id for lab in (*waiting, *read)})
    try:
        indexed = live_index(current_app).current(session)
    except IndexPreparing:
        return
    labs = {lab.id: lab for lab in (*waiting, *read, *others) if is_indexed(indexed, lab)}
    score_labs(session, indexed, labs.values(), goes_on=lambda _done, _total: not queue.is_stopping)
