"""A page of a lab's queue as values: how each applicant is shown, the match record, what is due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import and_, literal, select

from portal.applications.content.match_records import NEWEST_RECORD_ID
from portal.applications.states import OPEN_CHOICE
from portal.labs.matches.terms_in_short import terms_in_short
from portal.matching import TermShare
from portal.models import Application, Choice, MatchRecord, Redaction, User
from portal.reviews.blind_review.blinding import HIDDEN, Shown, shown_person
from portal.reviews.choice.stored_redactions import IS_OF_ITS_PERSON, redactors_of
from portal.reviews.queue.order import rows_around, rows_of_ids, rows_of_page
from portal.reviews.queue.rows import CARD, IS_FRESH, IS_NEW, READABLE, with_application, with_card
from portal.web.paging import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.reviews.blind_review.redaction import Redactor
    from portal.reviews.queue.filter import QueueFilter
    from portal.reviews.queue.rows import Queue

Fresh = Literal["new", "changed", ""]


class StoredMatch(NamedTuple):
    """The newest match record of a choice: both positions at that time, and the strongest terms.

    `position` of `labs` is the lab's position for the applicant (0: it does not fit), `applicant_position` of
    `applicants` the applicant's among those whom the lab could read then. `recorded` are the terms as stored; most
    pages show only their words.
    """

    position: int
    labs: int
    applicant_position: int
    applicants: int
    recorded: Sequence[Mapping[str, Any]]

    @property
    def terms(self) -> tuple[TermShare, ...]:
        """The terms with their sources."""
        return tuple(
            TermShare(term["term"], term["share"], term["source"], tuple(term["works"]), term["via"])
            for term in self.recorded
        )

    @property
    def words(self) -> str:
        """The terms on one line, without repetition."""
        groups = terms_in_short(self.terms, len(self.recorded))
        return ", ".join([word for group in groups for word in group.words])


DECIDED = frozenset({"offered", "waitlisted", "declined"})


class QueueRow(NamedTuple):
    """One line of the queue. `match` is None until its record is computed."""

    id: int
    shown: Shown
    state: str
    state_since: datetime
    score: float
    preference: int | None
    card: str
    fresh: Fresh
    submitted_at: datetime | None
    reply_by_at: datetime | None
    replied_at: datetime | None
    match: StoredMatch | None

    def is_late(self, now: datetime) -> bool:
        """Whether a reply to the applicant is overdue."""
        return self.replied_at is None and self.reply_by_at is not None and self.reply_by_at <= now

    @property
    def is_decided(self) -> bool:
        """Whether the lab has decided; without a reply, the decision waits for its release."""
        return self.state in DECIDED


class Neighbour(NamedTuple):
    """An adjacent applicant of the queue, in one line."""

    id: int
    shown: Shown
    state: str
    score: float
    card: str


@dataclass(frozen=True, slots=True)
class Near:
    """An applicant's position in the filtered queue (from 1, of `total`), and the neighbours.

    `to_score` is the nearest of the neighbours behind whose scorecard the reviewer can still lock.
    """

    rows: Sequence[Neighbour]
    position: int
    total: int
    before: int | None
    after: int | None
    to_score: Neighbour | None


def rows_of(session: Session, queue: Queue, ids: Sequence[int], *, with_terms: bool = True) -> list[QueueRow]:
    """The rows of these choices of the queue, in this order. One statement for up to five thousand."""
    return _rows(session, rows_of_ids(session, queue, _ROWS[with_terms], ids))


def page_of(
    session: Session, queue: Queue, chosen: QueueFilter, *, number: int, per_page: int, everybody: int
) -> Page[QueueRow]:
    """One page of the queue; a page beyond the last gives the last. `everybody` is the number of choices without a
    filter. One statement, except for a text search and the order by means.
    """
    rows, total, number = rows_of_page(
        session, queue, chosen, _ROWS[True], number=number, rows=per_page, everybody=everybody
    )
    return Page(_rows(session, rows), number, total, per_page)


def late(rows: Iterable[QueueRow], now: datetime) -> frozenset[int]:
    """The choices with an overdue reply."""
    return frozenset(row.id for row in rows if row.is_late(now))


def near(session: Session, queue: Queue, chosen: QueueFilter, choice: Choice, *, reach: int) -> Near:
    """The choices up to `reach` before and after one, even if the filter no longer includes it, as after a move. One
    statement, except for the order by means.

    Raises:
        NotInQueue: The reviewer may no longer open the choice.
    """
    around = rows_around(session, queue, chosen, _NEIGHBOURS, choice, reach)
    rows = [
        Neighbour(choice_id, shown_person(choice_id, name, email, hidden), state, score, card)
        for choice_id, state, score, name, email, card, hidden, *_place in around.rows
    ]
    index = next(place for place, row in enumerate(rows) if row.id == choice.id)
    return Near(
        rows=rows,
        position=around.position,
        total=around.total,
        before=rows[index - 1].id if index else None,
        after=rows[index + 1].id if index + 1 < len(rows) else None,
        to_score=next((row for row in rows[index + 1 :] if row.card != "locked" and row.state in OPEN_CHOICE), None),
    )


def _readable(*columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over choices that the lab may read, with their applicants and the reviewer's scorecard."""
    statement = with_application(with_card(select(*columns).select_from(Choice)))
    return statement.join(User, User.id == Application.applicant_id).where(READABLE)


_NEIGHBOURS = _readable(
    Choice.id, Choice.state, Choice.score, User.name, User.email, CARD.label("card"), HIDDEN.label("hidden")
)


def _statement(terms: ColumnElement[Any]) -> Select[Any]:
    columns: tuple[Any, ...] = (
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
        HIDDEN.label("hidden"),
        IS_NEW.label("new"),
        IS_FRESH.label("fresh"),
        MatchRecord.id.label("record"),
        MatchRecord.position,
        MatchRecord.labs,
        MatchRecord.applicant_position,
        MatchRecord.applicants,
        terms.label("terms"),
        Redaction.hidden_terms,
    )
    redaction = and_(Redaction.choice_id == Choice.id, Redaction.record_id == MatchRecord.id, IS_OF_ITS_PERSON)
    return (
        _readable(*columns).outerjoin(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID).outerjoin(Redaction, redaction)
    )


_ROWS = {True: _statement(MatchRecord.strongest.expression), False: _statement(literal(None))}


def _rows(session: Session, rows: Iterable[Sequence[Any]]) -> list[QueueRow]:
    """The rows from those of `_statement`. Identifying terms of hidden applicants are removed by the stored
    redaction or, without a valid one, by one computed now, with one more statement.
    """
    lines = [_line(row) for row in rows]
    unknown = [
        line.id for line, hidden in lines if hidden is None and line.shown.hidden and line.match and line.match.recorded
    ]
    redactors = redactors_of(session, unknown) if unknown else {}
    return [_without_person(line, hidden, redactors.get(line.id)) for line, hidden in lines]


def _without_person(line: QueueRow, hidden: Sequence[str] | None, redactor: Redactor | None) -> QueueRow:
    match = line.match
    if match is None or not line.shown.hidden:
        return line
    if hidden is not None:
        terms = [term for term in match.recorded if term["term"] not in hidden] if hidden else match.recorded
    elif redactor is not None:
        terms = [term for term in match.recorded if not redactor.term_identifies(term["term"], term["via"])]
    else:
        terms = []
    return line._replace(match=match._replace(recorded=terms)) if len(terms) < len(match.recorded) else line


def _line(row: Sequence[Any]) -> tuple[QueueRow, Sequence[str] | None]:
    """The line of a row of `_statement`, and its identifying terms, if these are stored.

    Unpacks the row at once: each access by name would cost as much as a value.
    """
    choice_id, state, state_since, score, preference, reply_by_at, replied_at, submitted_at, name, email, *more = row
    card, hidden, new, fresh, record, position, labs, applicant_position, *more = more
    applicants, terms, hidden_terms, *_total = more
    match = None
    if record is not None:
        match = StoredMatch(position, labs, applicant_position, applicants, terms or ())
    line = QueueRow(
        choice_id,
        shown_person(choice_id, name, email, hidden),
        state,
        state_since,
        score,
        preference,
        card,
        "new" if new else "changed" if fresh else "",
        submitted_at,
        reply_by_at,
        replied_at,
        match,
    )
    return line, hidden_terms
