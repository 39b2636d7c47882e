"""A lab's queue as one reviewer sees it: its rows in order, a page of them, those around one, and text search.

A search must not reveal what is hidden: it does not find hidden applicants by name, and finds texts only by words that
remain after redaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import String, and_, bindparam, exists, func, literal, or_, select
from sqlalchemy.exc import IntegrityError

from portal.applications.match_records import NEWEST_RECORD_ID
from portal.applications.people import has_other_letters, ids_of_names, is_plainly_named
from portal.applications.states import OPEN_CHOICE
from portal.db import columns
from portal.labs.matches.terms_in_short import terms_in_short
from portal.matching import TermShare
from portal.models import Application, Choice, MatchRecord, QueueVisit, Redaction, Submission, User
from portal.reviews.blind_review import HIDDEN, HOLDS, IS_OF_ITS_PERSON, Shown, redactors_of, shown_person
from portal.reviews.queue.statements import (
    CARD,
    IS_FRESH,
    IS_NEW,
    Shape,
    around,
    fetch,
    filtered_by,
    filtered_with_text,
    near_by,
    not_apart,
    of_ids,
    of_queue,
    one_page,
    page_by,
    places_of,
    with_application,
    with_card,
    with_person_and_submission,
)
from portal.reviews.rules import READABLE
from portal.reviews.scorecards.queries import means_seen
from portal.web.paging import Page, page_within

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab
    from portal.reviews.blind_review import Redactor
    from portal.reviews.queue.filters import QueueFilter
    from portal.reviews.queue.statements import Queue


def holds_text(session: Session, queue: Queue, text: str) -> ColumnElement[bool]:
    """An SQL condition on such a statement: whether what its reader may see contains `text`. Executes two
    statements, for names with non-ASCII letters and for hidden applicants without a valid redaction; one more if
    there are any.
    """
    texts = _texts(queue.cycle)
    in_texts = or_(*(column.icontains(text, autoescape=True) for column in texts))
    people = with_application(of_queue(Choice.id, User.name)).join(User, User.id == Application.applicant_id)
    accented = people.where(has_other_letters(User.name.expression))
    named = or_(
        is_plainly_named(User.name.expression, text),
        User.email.icontains(text, autoescape=True),
        Choice.id.in_(ids_of_names(fetch(session, accented, queue), text)),
    )
    needle = text.casefold()
    has_redaction = exists().where(HOLDS)
    readable = has_redaction.where(Redaction.searchable.contains(needle, autoescape=True))
    unredacted = with_person_and_submission(with_application(of_queue(Choice.id, *texts))).where(
        HIDDEN, ~has_redaction, in_texts
    )
    texts_of = {choice_id: tuple(filter(None, values)) for choice_id, *values in fetch(session, unredacted, queue)}
    redactors = redactors_of(session, [*texts_of]) if texts_of else {}
    matching_ids = [
        choice_id for choice_id, redactor in redactors.items() if needle in redactor.searchable(texts_of[choice_id])
    ]
    return or_(and_(~HIDDEN, or_(named, in_texts)), and_(HIDDEN, readable), Choice.id.in_(matching_ids))


def _texts(cycle: Cycle) -> list[ColumnElement[str]]:
    """The searched texts of a submission: the statement, the reason for this lab, the answers."""
    keys = [str(question["key"]) for question in cycle.questions]
    return [
        Submission.interests["statement"].as_string(),
        func.coalesce(Choice.reason, "", type_=String),
        *(Submission.answers[key].as_string() for key in keys),
    ]


AT_ONCE = 5_000  # choices per statement


class NotInQueue(LookupError):
    """The choice is no longer in the queue: its application was withdrawn, or a conflict was declared."""


@dataclass(frozen=True, slots=True)
class Around:
    """Rows around a choice that is at `position` (from 1) of `total`."""

    rows: Sequence[Any]
    position: int
    total: int


def ordered_ids(session: Session, queue: Queue, chosen: QueueFilter, *, also: int | None = None) -> list[int]:
    """The filtered choices in order; `also` is included in any case. At most four statements, however many choices."""
    filtered = not_apart(_filtered(session, queue, chosen, also=also is not None))
    ids = [row[0] for row in fetch(session, filtered, queue, **_values(chosen, also))]
    if chosen.sort == "mean":
        means = means_seen(session, queue.lab, queue.cycle.id, queue.reviewer).means
        ids.sort(key=lambda choice_id: -means[choice_id].calibrated if choice_id in means else 0.0)
    return ids


def rows_of_ids(session: Session, queue: Queue, statement: Select[Any], ids: Sequence[int]) -> list[Any]:
    """Rows for these choices, in this order. `statement` is a statement over `Choice` that includes its id."""
    by_id: dict[int, Any] = {}
    for start in range(0, len(ids), AT_ONCE):
        batch = fetch(session, of_ids(statement), queue, ids=ids[start : start + AT_ONCE])
        by_id.update((row.id, row) for row in batch)
    return [by_id[choice_id] for choice_id in ids if choice_id in by_id]


def rows_of_page(
    session: Session,
    queue: Queue,
    chosen: QueueFilter,
    statement: Select[Any],
    *,
    number: int,
    rows: int,
    everybody: int,
) -> tuple[Sequence[Any], int, int]:
    """Rows for one page of `ordered_ids`, the total number, and the page's number.

    A page beyond the last gives the last. `everybody` is the number of choices without a filter.
    """
    if chosen.sort != "mean":
        found_rows, total = _on_page(session, queue, chosen, statement, skipped=(number - 1) * rows, rows=rows)
        if found_rows or number == 1:
            return found_rows, total if chosen.narrows else everybody, number
    ids = ordered_ids(session, queue, chosen)
    number = page_within(number, len(ids), rows)
    return rows_of_ids(session, queue, statement, ids[(number - 1) * rows : number * rows]), len(ids), number


def rows_around(
    session: Session, queue: Queue, chosen: QueueFilter, statement: Select[Any], choice: Choice, reach: int
) -> Around:
    """Rows for the choice and up to `reach` filtered choices before and after it; the choice itself is included in
    any case.

    Raises:
        NotInQueue: The reviewer may no longer open the choice.
    """
    if chosen.sort != "mean":
        values = {**_values(chosen, choice.id), **places_of(choice, chosen.sort), "reach": reach}
        rows = fetch(session, _near(session, queue, chosen, statement), queue, **values)
        if any(row.id == choice.id for row in rows):
            position = rows[0].before + 1
            return Around(rows, position, position + rows[0].behind)
    ids = ordered_ids(session, queue, chosen, also=choice.id)
    if choice.id not in ids:
        raise NotInQueue
    index = ids.index(choice.id)
    return Around(
        rows_of_ids(session, queue, statement, ids[max(0, index - reach) : index + reach + 1]), index + 1, len(ids)
    )


def _on_page(
    session: Session, queue: Queue, chosen: QueueFilter, statement: Select[Any], **part: int
) -> tuple[Sequence[Any], int]:
    """Rows of `statement` from `skipped` on, and the total number if there is a filter."""
    values = {**_values(chosen), **part}
    if not chosen.text:
        found_rows = fetch(session, page_by(_shape(chosen, also=False), statement), queue, **values)
        return found_rows, found_rows[0].total if found_rows else 0
    # Searching text is slow, so count in the same statement.
    page_of_ids = one_page(_filtered(session, queue, chosen)).add_columns(func.count().over())
    page = fetch(session, page_of_ids, queue, **values)
    return rows_of_ids(session, queue, statement, [row[0] for row in page]), page[0][1] if page else 0


def _shape(chosen: QueueFilter, *, also: bool) -> Shape:
    return Shape(chosen.state, bool(chosen.card), chosen.new, bool(chosen.least), also, chosen.sort)


def _values(chosen: QueueFilter, also: int | None = None) -> dict[str, Any]:
    return {"card": chosen.card, "least": chosen.least, "also": also}


def _filtered(session: Session, queue: Queue, chosen: QueueFilter, *, also: bool = False) -> Select[Any]:
    shape = _shape(chosen, also=also)
    if not chosen.text:
        return filtered_by(shape)
    return filtered_with_text(shape, holds_text(session, queue, chosen.text))


def _near(session: Session, queue: Queue, chosen: QueueFilter, statement: Select[Any]) -> Select[Any]:
    if not chosen.text:
        return near_by(_shape(chosen, also=True), statement)
    return around(_filtered(session, queue, chosen, also=True), statement, chosen.sort)


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


ONE_VISIT = timedelta(minutes=30)  # after which a visit is over
WRITTEN_EVERY = timedelta(minutes=1)


_VISIT = select(QueueVisit.visited_at, QueueVisit.before_at).where(
    QueueVisit.lab_id == bindparam("lab"), QueueVisit.reviewer_id == bindparam("reviewer")
)


def visit(session: Session, lab: Lab, reviewer: User, *, now: datetime) -> datetime | None:
    """Record that the reviewer looks at the queue; returns when their previous visit ended, if there was one.

    A visit lasts while looks are less than half an hour apart. Side effect: writes the row, at most once per minute.
    """
    row = columns(session, _VISIT, {"lab": lab.id, "reviewer": reviewer.id}).one_or_none()
    if row is None:
        _first_visit(session, lab, reviewer, now)
        return None
    visited_at, before_at = row
    if now - visited_at > WRITTEN_EVERY:
        before_at = visited_at if now - visited_at > ONE_VISIT else before_at
        stored = session.get_one(QueueVisit, (lab.id, reviewer.id))
        stored.visited_at, stored.before_at = now, before_at
    return before_at


def visited_before(session: Session, lab: Lab, reviewer: User) -> datetime | None:
    """When the visit before the present one ended; writes nothing."""
    row = columns(session, _VISIT, {"lab": lab.id, "reviewer": reviewer.id}).one_or_none()
    return row.before_at if row else None


def _first_visit(session: Session, lab: Lab, reviewer: User, now: datetime) -> None:
    """Two pages opened at once both find no row; the second one keeps the first one's."""
    try:
        with session.begin_nested():
            session.add(QueueVisit(lab_id=lab.id, reviewer_id=reviewer.id, visited_at=now))
    except IntegrityError:
        session.expire_all()
