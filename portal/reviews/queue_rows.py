"""A lab's queue: the choices it may read in a cycle, read and counted by the database, whatever their number.

Nothing is computed by the matcher here: scores, places and terms are those of the stored match records.
`portal.reviews.queue_order` narrows and orders them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, case, exists, func, literal, or_, select, union_all

from portal.applications.states import CHOICE_LABELS
from portal.db import columns
from portal.models import Application, Choice, Conflict, Cycle, Scorecard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, CompoundSelect, Select
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.selectable import TypedReturnsRows

    from portal.models import Lab, User

CARD = case((Scorecard.id.is_(None), "none"), (Scorecard.locked_at.is_(None), "draft"), else_="locked")
NEVER = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Queue:
    """Whose queue it is: a lab's in a cycle, as one reviewer sees it; `since` is when they looked before this visit."""

    lab: Lab
    cycle: Cycle
    reviewer: User
    since: datetime | None = None

    @property
    def values(self) -> dict[str, Any]:
        """What the statements of this room ask for by name, so that they are built once and not for each page."""
        return {
            "lab": self.lab.id,
            "cycle": self.cycle.id,
            "reviewer": self.reviewer.id,
            "since": self.since or NEVER,
        }


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many choices there are to read in all, by state, and by the reviewer's scorecard; and how many are new."""

    everybody: int
    states: Mapping[str, int]
    cards: Mapping[str, int]
    new: int
    conflicts: int


_SINCE = bindparam("since", type_=Choice.state_since.type)
_LISTED = and_(Choice.lab_id == bindparam("lab"), Choice.listed_in_id == bindparam("cycle"))
_APART = (
    select(Application.id)
    .join(Conflict, Conflict.applicant_id == Application.applicant_id)
    .where(Conflict.reviewer_id == bindparam("reviewer"), Conflict.state == "declared")
    .correlate(None)
)
IS_NEW = Choice.listed_since > _SINCE
# Came, or changed its state, since the reviewer's last visit.
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
    """The rows of a statement over a queue that asks for columns only."""
    return columns(session, statement, {**queue.values, **values}).all()


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


def of_queue(*columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over the choices of a queue, without those of applicants whom the reviewer has a conflict with.

    It asks `Choice` alone, which has an index for it; `with_application` and `with_card` add what is asked of them.
    """
    return select(*columns).select_from(Choice).where(_LISTED, Choice.application_id.not_in(_APART))


def with_application(statement: Select[Any]) -> Select[Any]:
    """The statement with the `Application` of each choice."""
    return statement.join(Application, Application.id == Choice.application_id)


def with_card(statement: Select[Any]) -> Select[Any]:
    """The statement with the reviewer's `Scorecard` of each choice, where there is one."""
    mine = and_(Scorecard.choice_id == Choice.id, Scorecard.reviewer_id == bindparam("reviewer"))
    return statement.outerjoin(Scorecard, mine)


_CARDS = (
    select(CARD, func.count(), literal(0))
    .where(
        Scorecard.reviewer_id == bindparam("reviewer"),
        of_queue(Choice.id).where(Choice.id == Scorecard.choice_id).exists(),
    )
    .group_by(CARD)
)
_HAS_APART = exists().where(Conflict.reviewer_id == bindparam("reviewer"), Conflict.state == "declared").correlate(None)


def _counts(fresh: ColumnElement[int]) -> CompoundSelect[Any]:
    """Choices by state, those apart too; cards; and those apart by state, looked for only where a conflict is declared.

    To leave them out of the first would ask of each choice whether it is one of them.
    """
    by_state = select(Choice.state, func.count(), fresh).where(_LISTED).group_by(Choice.state)
    apart = literal("apart ") + Choice.state
    return union_all(
        by_state,
        _CARDS,
        select(apart, func.count(), fresh)
        .where(_HAS_APART, _LISTED, Choice.application_id.in_(_APART))
        .group_by(Choice.state),
    )


_COUNTS = {
    True: _counts(func.coalesce(func.sum(case((IS_FRESH, 1), else_=0)), 0)),
    False: _counts(literal(0)),
}


def counts_of(session: Session, queue: Queue) -> QueueCounts:
    """What there is before anything is narrowed. One statement."""
    rows = fetch(session, _COUNTS[queue.since is not None], queue)
    found = {name: (number, new) for name, number, new in rows}
    none = (0, 0)
    states: dict[str, int] = {}
    new = conflicts = 0
    for state in CHOICE_LABELS:
        (number, fresh), (apart, fresh_apart) = found.get(state, none), found.get(f"apart {state}", none)
        if number > apart:
            states[state] = number - apart
        new += fresh - fresh_apart
        conflicts += apart
    everybody = sum(states.values())
    draft, locked = (found.get(name, none)[0] for name in ("draft", "locked"))
    return QueueCounts(
        everybody=everybody,
        states=states,
        cards={"none": everybody - draft - locked, "draft": draft, "locked": locked},
        new=new,
        conflicts=conflicts,
    )
