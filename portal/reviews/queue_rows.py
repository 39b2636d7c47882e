"""A lab's queue: the choices it may read in a cycle, narrowed and ordered by the database, whatever their number.

Nothing is computed by the matcher here: scores, places and terms are those of the stored match records. What a
reviewer may not know narrows nothing: while somebody is hidden, their name finds nobody, and a text is found only by
words that are still in it when it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, and_, case, exists, func, literal, or_, select

from portal.applications.states import CHOICE_LABELS, READ_BY_LABS
from portal.models import Application, Choice, Conflict, Cycle, Scorecard, Submission, User
from portal.models.admission import CHOICE_STATES
from portal.reviews.blinding import hidden_from
from portal.reviews.means import means_seen
from portal.reviews.redaction import searchable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.models import Lab
    from portal.reviews.queue_filter import QueueFilter

CARD = case((Scorecard.id.is_(None), "none"), (Scorecard.locked_at.is_(None), "draft"), else_="locked")
STATE_ORDER = case({state: number for number, state in enumerate(CHOICE_STATES)}, value=Choice.state)


@dataclass(frozen=True, slots=True)
class Queue:
    """Whose queue it is: a lab's in a cycle, as one reviewer sees it; `since` is when they looked before this visit,
    `conflicts` are the applicants whom they declared a conflict of interest with.
    """

    lab: Lab
    cycle: Cycle
    reviewer: User
    since: datetime | None
    conflicts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many choices there are to read in all, by state, and by the reviewer's scorecard; and how many are new."""

    everybody: int
    states: Mapping[str, int]
    cards: Mapping[str, int]
    new: int
    conflicts: int


def cycles_of_lab(session: Session, lab: Lab) -> Sequence[Cycle]:
    """The cycles with choices that the lab may read, the one with the latest deadline first."""
    readable = exists().where(
        Application.cycle_id == Cycle.id,
        Application.state.in_(READ_BY_LABS),
        Choice.application_id == Application.id,
        Choice.lab_id == lab.id,
    )
    return session.scalars(select(Cycle).where(readable).order_by(Cycle.deadline_at.desc(), Cycle.id.desc())).all()


def queue_of(session: Session, lab: Lab, cycle: Cycle, reviewer: User, since: datetime | None = None) -> Queue:
    """The queue of a lab in a cycle, for a reviewer."""
    declared = select(Conflict.applicant_id).where(Conflict.reviewer_id == reviewer.id, Conflict.state == "declared")
    return Queue(lab, cycle, reviewer, since, tuple(session.scalars(declared)))


def fetch(session: Session, statement: Select[Any]) -> Sequence[Any]:
    """The rows of a statement that asks for columns only: without the work that objects would need."""
    session.flush()
    return session.connection().execute(statement).all()


def in_conflict_with(reviewer: User) -> ColumnElement[bool]:
    """As a part of a statement over `Application`: the reviewer declared a conflict with its applicant."""
    return (
        exists()
        .where(
            Conflict.reviewer_id == reviewer.id,
            Conflict.applicant_id == Application.applicant_id,
            Conflict.state == "declared",
        )
        .correlate(Application)
    )


def of_queue(queue: Queue, *columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over the choices of a queue: `Choice`, `Application`, and the reviewer's `Scorecard` if any.

    The cycle is compared as a sum so that no index of it is used: SQLite would begin with all applications of the
    cycle, of which a lab has a few, instead of with the lab's choices.
    """
    return with_card(queue, *columns).where(
        Choice.lab_id == queue.lab.id,
        Application.cycle_id + 0 == queue.cycle.id,
        Application.state.in_(READ_BY_LABS),
    )


def with_card(queue: Queue, *columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over any choices, their applications, and the reviewer's scorecards."""
    return (
        select(*columns)
        .select_from(Choice)
        .join(Application, Application.id == Choice.application_id)
        .outerjoin(Scorecard, and_(Scorecard.choice_id == Choice.id, Scorecard.reviewer_id == queue.reviewer.id))
    )


def without_conflicts(statement: Select[Any], queue: Queue) -> Select[Any]:
    """Without the applicants whom the reviewer declared a conflict with."""
    return statement.where(Application.applicant_id.not_in(queue.conflicts)) if queue.conflicts else statement


def counts_of(session: Session, queue: Queue) -> QueueCounts:
    """What there is before anything is narrowed. One statement."""
    fresh = is_fresh(queue) if queue.since else literal(value=False)
    conflict = Application.applicant_id.in_(queue.conflicts) if queue.conflicts else literal(value=False)
    columns = (Choice.state, CARD.label("card"), conflict.label("conflict"), fresh.label("fresh"))
    found = fetch(session, of_queue(queue, *columns, func.count()).group_by(*columns))
    rows = [row for row in found if not row[2]]
    states = dict.fromkeys((state for state in CHOICE_LABELS if any(row[0] == state for row in rows)), 0)
    cards = dict.fromkeys(("none", "draft", "locked"), 0)
    for state, card, _conflict, _fresh, number in rows:
        states[state] += number
        cards[card] += number
    return QueueCounts(
        everybody=sum(states.values()),
        states=states,
        cards=cards,
        new=sum(row[4] for row in rows if row[3]),
        conflicts=sum(row[4] for row in found if row[2]),
    )


def is_new(queue: Queue) -> ColumnElement[bool]:
    """Came to the lab since the reviewer's last visit."""
    return and_(Application.state == "eligible", Application.state_since > queue.since)


def is_fresh(queue: Queue) -> ColumnElement[bool]:
    """Came, or changed its state, since the reviewer's last visit."""
    return or_(is_new(queue), Choice.state_since > queue.since)


def ordered_ids(session: Session, queue: Queue, chosen: QueueFilter, *, also: int | None = None) -> list[int]:
    """The choices that the filter keeps, in its order; `also` is kept whatever the filter says. At most four
    statements, however many choices there are.
    """
    ids = [row[0] for row in fetch(session, _kept(session, queue, chosen, also).order_by(*_order(chosen.sort)))]
    if chosen.sort == "mean":
        means = means_seen(session, queue.lab, queue.cycle.id, queue.reviewer).means
        ids.sort(key=lambda number: -means[number].calibrated if number in means else 0.0)
    return ids


def ids_of_page(
    session: Session, queue: Queue, chosen: QueueFilter, *, number: int, rows: int, everybody: int
) -> tuple[list[int], int, int]:
    """The choices of one page of what `ordered_ids` gives, how many there are in all, and the number of the page.

    A page behind the last one is the last one. `everybody` is how many there are where nothing is left out.
    """
    if chosen.sort != "mean":
        total = func.count().over() if chosen.narrows else literal(everybody)
        statement = _kept(session, queue, chosen).add_columns(total).order_by(*_order(chosen.sort))
        found = fetch(session, statement.limit(rows).offset((number - 1) * rows))
        if found:
            return [row[0] for row in found], found[0][1], number
        if number == 1:
            return [], 0, 1
    ids = ordered_ids(session, queue, chosen)
    number = min(number, max(1, -(-len(ids) // rows)))
    return ids[(number - 1) * rows : number * rows], len(ids), number


def _kept(session: Session, queue: Queue, chosen: QueueFilter, also: int | None = None) -> Select[Any]:
    wanted = _conditions(session, queue, chosen)
    keeps = and_(*wanted) if wanted else None
    statement = without_conflicts(of_queue(queue, Choice.id), queue)
    if keeps is not None:
        statement = statement.where(or_(keeps, Choice.id == also) if also is not None else keeps)
    if chosen.text:
        statement = statement.join(User, User.id == Application.applicant_id).outerjoin(Submission, _newest())
    return statement


def _order(sort: str) -> list[Any]:
    best = [Choice.score.desc(), Choice.id]
    match sort:
        case "state":
            return [STATE_ORDER, *best]
        case "newest":
            return [Application.submitted_at.desc(), *best]
        case "preference":
            return [Choice.preference.is_(None), Choice.preference, *best]
        case _:
            return best


def _conditions(session: Session, queue: Queue, chosen: QueueFilter) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = []
    if chosen.state:
        wanted.append(Choice.state == chosen.state)
    if chosen.card:
        wanted.append(CARD.in_([chosen.card]))
    if chosen.new:
        wanted.append(is_fresh(queue) if queue.since else Choice.id.is_(None))
    if chosen.least:
        wanted.append(Choice.score >= chosen.least)
    if chosen.text:
        wanted.append(_with_text(session, queue, chosen.text))
    return wanted


def _newest() -> ColumnElement[bool]:
    return and_(Submission.application_id == Application.id, Submission.number == Application.submissions)


def _texts(cycle: Cycle) -> list[ColumnElement[str]]:
    """What is searched of a submission: the statement, the reason for this lab, the answers."""
    keys = [str(question["key"]) for question in cycle.questions]
    return [
        Submission.interests["statement"].as_string(),
        func.coalesce(Choice.reason, "", type_=String),
        *(Submission.answers[key].as_string() for key in keys),
    ]


def _with_text(session: Session, queue: Queue, text: str) -> ColumnElement[bool]:
    """Choices with `text`: in name or address where they are shown, and in what was written."""
    hidden = hidden_from(queue.lab, queue.reviewer)
    texts = _texts(queue.cycle)
    written = or_(*(column.icontains(text, autoescape=True) for column in texts))
    named = or_(User.name.icontains(text, autoescape=True), User.email.icontains(text, autoescape=True))
    statement = (
        of_queue(queue, Choice.id, User.name, User.email, *texts)
        .join(User, User.id == Application.applicant_id)
        .join(Submission, _newest())
        .where(hidden, written)
    )
    candidates = fetch(session, without_conflicts(statement, queue))
    needle = text.casefold()
    kept = [
        number
        for number, name, email, *found in candidates
        if needle in searchable(tuple(one for one in found if one), name, email)
    ]
    return or_(and_(~hidden, or_(named, written)), Choice.id.in_(kept))
