"""What the clock starts for reviews; see `portal.jobs`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app

from portal.applications.locks import commit_each
from portal.jobs import clockwork
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import IndexPreparing
from portal.matching import UnknownLab
from portal.reviews.blind_review import choices_to_redact, keep_redactions
from portal.reviews.discover import labs_to_score, stated_queries, stated_to
from portal.reviews.scoreboard import MOST_LABS, scoreboard
from portal.web.work import job_queue

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.matching import Query
    from portal.models import Lab


AT_ONCE = 50  # choices per transaction
SCORED_EVERY = timedelta(minutes=5)
AT_MOST = 2000  # choices per run: about 15 seconds


@clockwork("redactions of texts read blind", every=timedelta(minutes=2))
def keep_missing_redactions(session: Session, _now: datetime) -> None:
    """Store missing redactions in short transactions; where one fails, its choices are tried one by one."""
    choices = choices_to_redact(session, AT_MOST)
    batches = [choices[start : start + AT_ONCE] for start in range(0, len(choices), AT_ONCE)]

    def keep(batch: Sequence[int]) -> None:
        keep_redactions(session, batch)

    if commit_each(session, "Storing redactions", batches, keep) < len(batches):
        left = sorted(set(choices).intersection(choices_to_redact(session, AT_MOST)))
        commit_each(session, "Storing a redaction", [[choice_id] for choice_id in left], keep)


@clockwork("scores of Discover", every=SCORED_EVERY, long=True)
def score_ahead(session: Session, _now: datetime) -> None:
    """Score the people whom labs may find, so that no professor waits: first for the labs that were read last, as
    many as the scoreboard caches. Only new scores take time. Side effects: writes the scores to files beside the index;
    ends the transaction, so that none stays open while scores are computed. Ends early if the process is about to end.
    """
    queue = job_queue(current_app)
    try:
        indexed = live_index(current_app).current(session)
    except IndexPreparing:
        return
    digests: dict[bytes, bytes] = {}  # one object for all labs: there may be 10,000 people
    stated = {
        lab.slug: {key: digests.setdefault(digest, digest) for key, digest in stated_to(session, lab).items()}
        for lab in labs_to_score(session, MOST_LABS)
        if _is_indexed(indexed, lab)
    }

    def queries(people: Collection[str]) -> Mapping[str, Query]:
        try:
            return stated_queries(session, people)
        finally:
            session.rollback()

    scoreboard(current_app).score_ahead(indexed, stated, queries, goes_on=lambda: not queue.is_stopping)


def _is_indexed(indexed: IndexedLabs, lab: Lab) -> bool:
    """Whether the index has a lab; one that was made just now it may not have yet."""
    try:
        indexed.scored_as(lab.slug)
    except (IndexPreparing, UnknownLab):
        return False
    return True
