"""A lab's queue: the choices it may read in a cycle, read and counted by the database, however many there are.

Nothing is matched here: scores, positions and terms come from the stored match records. `portal.reviews.queue.order`
filters and sorts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, case, exists, func, literal, or_, select, union_all

from portal.applications.conflicts_of_interest import keeps_out
from portal.applications.states import CHOICE_LABELS, READ_BY_LABS
from portal.db import columns
from portal.models import Application, Choice, Conflict, Cycle, Scorecard
from portal.models.admission import CHOICE_STATES
from portal.reviews.blind_review.blinding import BLIND
from portal.reviews.blind_review.redaction import rules_in_use
from portal.reviews.queue.keys import NEVER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, CompoundSelect, ScalarSelect, Select
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.selectable import TypedReturnsRows

    from portal.models import Lab, User

CARD = case((Scorecard.id.is_(None), "none"), (Scorecard.locked_at.is_(None), "draft"), else_="locked")


@dataclass(frozen=True, slots=True)
class Queue:
    """A lab's queue in a cycle, as one reviewer sees it; `since` is when their previous visit ended."""

    lab: Lab
    cycle: Cycle
    reviewer: User
    since: datetime | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The bound parameters of the statements, which are therefore built only once."""
        return {
            "lab": self.lab.id,
            "cycle": self.cycle.id,
            "reviewer": self.reviewer.id,
            "since": self.since or NEVER,
            "rules": rules_in_use(),
        }


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many choices there are to read in total, by state, and by the reviewer's scorecard; how many are new,
    withheld by a conflict of interest, and overdue. `blind` says whether the lab reviews blind.
    """

    everybody: int
    states: Mapping[str, int]
    cards: Mapping[str, int]
    new: int
    conflicts: int
    late: int
    blind: bool


_SINCE = bindparam("since", type_=Choice.state_since.type)
_LISTED = and_(Choice.lab_id == bindparam("lab"), Choice.listed_in_id == bindparam("cycle"))
# Of applicants with whom the reviewer has a conflict, and the reviewer's own.
_APART = union_all(
    select(Application.id)
    .join(Conflict, Conflict.applicant_id == Application.applicant_id)
    .where(Conflict.reviewer_id == bindparam("reviewer"), Conflict.state == "declared")
    .correlate(None),
    select(Application.id).where(Application.applicant_id == bindparam("reviewer")).correlate(None),
)
IS_NEW = Choice.listed_since > _SINCE
# Arrived or changed state since the reviewer's last visit.
IS_FRESH = or_(IS_NEW, Choice.state_since > _SINCE)
_CYCLES = (
    select(Cycle)
    .where(exists().where(Choice.lab_id == bindparam("lab"), Choice.listed_in_id == Cycle.id))
    .order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
)


def cycles_of_lab(session: Session, lab: Lab) -> Sequence[Cycle]:
    """The cycles with choices that the lab may read, the one with the latest deadline first."""
    return session.scalars(_CYCLES, {"lab": lab.id}).all()


def fetch(
    session: Session, statement: TypedReturnsRows[*tuple[Any, ...]], queue: Queue, **values: object
) -> Sequence[Any]:
    """The rows of a statement over a queue that selects columns only."""
    return columns(session, statement, {**queue.values, **values}).all()


def in_conflict_with(reviewer: User) -> ColumnElement[bool]:
    """An SQL condition on `Application`: the reviewer declared a conflict with, or is, the applicant."""
    return keeps_out(reviewer.id, Application.applicant_id)


# The same with the reviewer as a bound parameter, so that it is built once.
IN_CONFLICT = keeps_out(bindparam("reviewer"), Application.applicant_id)
# Whether labs may read an `Application`. Written out, since a list of values is put into the text of a statement anew
# each time.
READABLE = or_(*(Application.state == state for state in READ_BY_LABS))


def listed(*columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over all choices of a lab in a cycle; `not_apart` restricts it to one reviewer's queue.

    It uses only `Choice`, which has an index for it; `with_application` and `with_card` add joins.
    """
    return select(*columns).select_from(Choice).where(_LISTED)


def not_apart(listed: Select[Any]) -> Select[Any]:
    """The statement without choices withheld from the reviewer by a conflict of interest."""
    return listed.where(Choice.application_id.not_in(_APART))


def of_queue(*columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over the choices of a queue."""
    return not_apart(listed(*columns))


def number_of(*listed: Select[Any]) -> ColumnElement[int]:
    """An SQL expression: the total number of choices in the queue.

    Conflicts are checked choice by choice only for reviewers who have one or apply themselves; otherwise an index
    suffices.
    """
    without_conflicts = (_counted(not_apart(statement)) for statement in listed)
    return case((_HAS_APART, reduce(add, without_conflicts)), else_=reduce(add, map(_counted, listed)))


def _counted(statement: Select[Any]) -> ScalarSelect[int]:
    count = statement.with_only_columns(func.count(), maintain_column_froms=True)
    return count.order_by(None).correlate(_STATES).scalar_subquery()


def with_application(statement: Select[Any]) -> Select[Any]:
    """The statement joined with each choice's `Application`."""
    return statement.join(Application, Application.id == Choice.application_id)


def with_card(statement: Select[Any]) -> Select[Any]:
    """The statement joined with the reviewer's `Scorecard` of each choice, if any."""
    own_card = and_(Scorecard.choice_id == Choice.id, Scorecard.reviewer_id == bindparam("reviewer"))
    return statement.outerjoin(Scorecard, own_card)


_IS_LATE = and_(Choice.replied_at.is_(None), Choice.reply_by_at <= bindparam("now", type_=Choice.reply_by_at.type))
# Counting each state in its index range is faster than grouping all choices.
_STATES = union_all(*(select(literal(state).label("state")) for state in CHOICE_STATES)).cte("states")
_HAS_APART = or_(
    exists().where(Conflict.reviewer_id == bindparam("reviewer"), Conflict.state == "declared").correlate(None),
    exists().where(Application.applicant_id == bindparam("reviewer")).correlate(None),
)


def _counts(fresh: ColumnElement[int]) -> CompoundSelect[Any]:
    """A statement for: choices by state and by scorecard; how many are withheld, new and overdue; 1 if the lab
    reviews blind.
    """
    cards = select(CARD, func.count()).where(
        Scorecard.reviewer_id == bindparam("reviewer"),
        of_queue(Choice.id).where(Choice.id == Scorecard.choice_id).exists(),
    )
    withheld = _counted(listed().where(Choice.application_id.in_(_APART)))
    return union_all(
        select(_STATES.c.state, number_of(listed().where(Choice.state == _STATES.c.state))),
        cards.group_by(CARD),
        select(literal("apart"), case((_HAS_APART, withheld), else_=0)),
        select(literal("new"), fresh),
        select(literal("late"), number_of(listed().where(_IS_LATE))),
        select(literal("blind"), case((BLIND, 1), else_=0)),
    )


_COUNTS = {True: _counts(number_of(listed().where(IS_FRESH))), False: _counts(literal(0))}


def counts_of(session: Session, queue: Queue, now: datetime) -> QueueCounts:
    """The counts without a filter. One statement."""
    counts = dict(fetch(session, _COUNTS[queue.since is not None], queue, now=now))
    states = {state: counts[state] for state in CHOICE_LABELS if counts[state]}
    everybody = sum(states.values())
    draft, locked = (counts.get(name, 0) for name in ("draft", "locked"))
    return QueueCounts(
        everybody=everybody,
        states=states,
        cards={"none": everybody - draft - locked, "draft": draft, "locked": locked},
        new=counts["new"],
        conflicts=counts["apart"],
        late=counts["late"],
        blind=bool(counts["blind"]),
    )
