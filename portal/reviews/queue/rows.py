"""The lines of a lab's queue: of a page, of a file, and of those around one applicant.

Positions and terms come from the stored match records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import bindparam, select

from portal.applications.match_records import NEWEST_RECORD_ID
from portal.applications.states import OPEN_CHOICE
from portal.applications.submissions import IS_NEWEST
from portal.models import Application, Choice, MatchRecord, Redaction, Scorecard, Submission, User
from portal.reviews.blind_review import HIDDEN, HOLDS, Shown, shown_person
from portal.reviews.rules import READABLE
from portal.reviews.scorecards.service import POINTS_GIVEN
from portal.web.paging import Page, page_within

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.reviews.queue.queries import Queue, QueueFilter

from portal.reviews.queue.queries import CARD, IS_FRESH, IS_NEW, OWN_CARD, fetch, filtered_ids, listed_choices

Fresh = Literal["new", "changed", ""]
AT_ONCE = 5_000  # choices per statement
DECIDED = frozenset({"offered", "waitlisted", "declined"})


class QueueRow(NamedTuple):
    """One line of the queue; `points` are of the reviewer's locked card.

    Of the newest match record, None until it is computed: the lab's `position` of `labs` for the applicant (0: it does
    not fit), and the `applicant_position` of `applicants` whom the lab could read then.
    """

    id: int
    shown: Shown
    state: str
    state_since: datetime
    score: float
    preference: int | None
    card: str
    points: float | None
    topics: tuple[str, ...]
    fresh: Fresh
    submitted_at: datetime | None
    reply_by_at: datetime | None
    replied_at: datetime | None
    position: int | None
    labs: int | None
    applicant_position: int | None
    applicants: int | None

    def is_late(self, now: datetime) -> bool:
        """Whether a reply to the applicant is overdue."""
        return self.replied_at is None and self.reply_by_at is not None and self.reply_by_at <= now

    @property
    def is_decided(self) -> bool:
        """Whether the lab has decided; without a reply, the decision waits for its release."""
        return self.state in DECIDED


class Near(NamedTuple):
    """An applicant's position in the filtered queue (from 1, of `total`), and who is next to them, by id.

    `to_score` is the next one behind, or else from the start, whose scorecard the reviewer can still lock; `after` the
    same or, where there is none, the next one.
    """

    position: int
    total: int
    before: int | None
    after: int | None
    to_score: QueueRow | None


class NotInQueue(LookupError):
    """The choice is no longer in the queue: its application was withdrawn, or a conflict was declared."""


def page_of(session: Session, queue: Queue, ids: Sequence[int], *, number: int, per_page: int) -> Page[QueueRow]:
    """One page of these choices; a page beyond the last gives the last."""
    number = page_within(number, len(ids), per_page)
    return Page(rows_of(session, queue, ids[(number - 1) * per_page : number * per_page]), number, len(ids), per_page)


def near(session: Session, queue: Queue, chosen: QueueFilter, choice: Choice) -> Near:
    """Where a choice stands, also one outside the filter; `NotInQueue` if it may not be opened."""
    listed = listed_choices(session, queue, chosen.sort)
    ids = filtered_ids(session, queue, chosen, listed, also=choice.id)
    if choice.id not in ids:
        raise NotInQueue
    index = ids.index(choice.id)
    unscored = {one.id for one in listed if one.card != "locked" and one.state in OPEN_CHOICE}
    to_score = next((number for number in (*ids[index + 1 :], *ids[:index]) if number in unscored), None)
    next_one = ids[index + 1] if index + 1 < len(ids) else None
    rows = rows_of(session, queue, [to_score]) if to_score else []
    return Near(index + 1, len(ids), ids[index - 1] if index else None, to_score or next_one, next(iter(rows), None))


_ROWS = (
    select(
        Choice.id,
        Choice.state,
        Choice.state_since,
        Choice.score,
        Choice.preference,
        Choice.reply_by_at,
        Choice.replied_at,
        Application.submitted_at,
        User.name,
        User.email,
        CARD.label("card"),
        POINTS_GIVEN,
        HIDDEN.label("hidden"),
        IS_NEW.label("new"),
        IS_FRESH.label("fresh"),
        MatchRecord.position,
        MatchRecord.labs,
        MatchRecord.applicant_position,
        MatchRecord.applicants,
        Submission.interests["topics"].label("topics"),
        Redaction.topics.label("shown_topics"),
    )
    .select_from(Choice)
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .outerjoin(Scorecard, OWN_CARD)
    .outerjoin(Submission, IS_NEWEST)
    .outerjoin(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID)
    .outerjoin(Redaction, HOLDS)
    .where(READABLE, Choice.id.in_(bindparam("ids", expanding=True)))
)


def rows_of(session: Session, queue: Queue, ids: Sequence[int]) -> list[QueueRow]:
    """The rows of these choices, in this order. Topics of hidden applicants are missing until they are redacted."""
    by_id: dict[int, Any] = {}
    for start in range(0, len(ids), AT_ONCE):
        by_id.update((row.id, row) for row in fetch(session, _ROWS, queue, ids=ids[start : start + AT_ONCE]))
    return [_row(by_id[number]) for number in ids if number in by_id]


def _row(row: Any) -> QueueRow:  # noqa: ANN401  (a row of columns)
    topics = row.shown_topics if row.hidden else [topic["text"] for topic in row.topics or ()]
    made: dict[str, Any] = {
        "shown": shown_person(row.id, row.name, row.email, row.hidden),
        "topics": tuple(topics or ()),
        "fresh": "new" if row.new else "changed" if row.fresh else "",
    }
    return QueueRow(**{name: made[name] if name in made else getattr(row, name) for name in QueueRow._fields})
