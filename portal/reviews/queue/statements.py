"""Statements over a lab's queue: the choices it may read in a cycle, filtered, sorted and counted by the database.

Nothing is matched here: scores, positions and terms come from the stored match records. Statements are built once per
kind of filter, with values as bound parameters; only a text search builds them anew. They take the keys of one choice
as parameters (`places_of`) to find what comes before and after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, reduce
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    Integer,
    String,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    literal_column,
    not_,
    or_,
    select,
    union_all,
)

from portal.applications.states import CHOICE_LABELS
from portal.applications.submissions import IS_NEWEST
from portal.db import columns
from portal.models import Application, Choice, Conflict, Cycle, Scorecard, Submission, User
from portal.models.admission import CHOICE_STATES
from portal.reviews.blind_review import BLIND, rules_in_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, CompoundSelect, ScalarSelect, Select
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.selectable import TypedReturnsRows

    from portal.models import Lab

_STATE_ORDER = case({state: number for number, state in enumerate(CHOICE_STATES)}, value=Choice.state)
_LAST = 2**31 - 1
NEVER = datetime(9999, 1, 1, tzinfo=UTC)
_REPLY_DUE = func.coalesce(
    case((Choice.replied_at.is_(None), Choice.reply_by_at)), literal(NEVER, Choice.reply_by_at.type)
)


class Key(NamedTuple):
    """A sort key, and whether it is descending."""

    column: ColumnElement[Any]
    descending: bool


_BEST = (Key(Choice.score.expression, descending=True), Key(Choice.id.expression, descending=False))
_KEYS = {
    "state": (Key(_STATE_ORDER, descending=False), *_BEST),
    "newest": (Key(Choice.submitted_at.expression, descending=True), *_BEST),
    "reply": (Key(_REPLY_DUE, descending=False), *_BEST),
    "preference": (Key(func.coalesce(Choice.preference, _LAST), descending=False), *_BEST),
}


def _keys(sort: str) -> Sequence[Key]:
    return _KEYS.get(sort, _BEST)


def in_order(statement: Select[Any], sort: str) -> Select[Any]:
    """Add the queue's order to a statement over `Choice`."""
    return statement.order_by(*(key.column.desc() if key.descending else key.column for key in _keys(sort)))


def in_reverse(statement: Select[Any], sort: str) -> Select[Any]:
    """Add the reverse order."""
    return statement.order_by(None).order_by(
        *(key.column if key.descending else key.column.desc() for key in _keys(sort))
    )


def places_of(choice: Choice, sort: str) -> dict[str, Any]:
    """The choice's value of each key, by parameter name (`key_0`, `key_1` …)."""
    first = {
        "state": CHOICE_STATES.index(choice.state),
        "newest": choice.submitted_at,
        "reply": NEVER if choice.reply_by_at is None or choice.replied_at else choice.reply_by_at,
        "preference": _LAST if choice.preference is None else choice.preference,
    }
    keys = [choice.score, choice.id] if sort not in _KEYS else [first[sort], choice.score, choice.id]
    return {f"key_{number}": key for number, key in enumerate(keys)}


def stretches(sort: str, *, before: bool) -> Iterator[ColumnElement[bool]]:
    """Conditions that together select the choices before or after the one with those keys, each an index range:
    before it by the first key; equal in that and before it by the second; and so on.
    """
    equal: list[ColumnElement[bool]] = []
    for number, (column, descending) in enumerate(_keys(sort)):
        value = bindparam(f"key_{number}", type_=column.type)
        yield and_(*equal, column > value if descending is before else column < value)
        equal.append(column == value)


def on_the_side(sort: str, *, before: bool) -> ColumnElement[bool]:
    """An SQL condition: whether a choice comes before the one with those keys; or else, is it or comes after it."""
    column, descending = _keys(sort)[0]
    first = bindparam("key_0", type_=column.type)
    ahead = or_(*stretches(sort, before=True))
    # The condition on the first key is redundant, but lets the database use an index range.
    if before:
        return and_(column >= first if descending else column <= first, ahead)
    return and_(column <= first if descending else column >= first, not_(ahead))


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


def fetch(
    session: Session, statement: TypedReturnsRows[*tuple[Any, ...]], queue: Queue, **values: object
) -> Sequence[Any]:
    """The rows of a statement over a queue that selects columns only."""
    return columns(session, statement, {**queue.values, **values}).all()


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


def with_person_and_submission(statement: Select[Any]) -> Select[Any]:
    """Join a statement over choices and applications with the applicant and the last submission."""
    return statement.join(User, User.id == Application.applicant_id).outerjoin(Submission, IS_NEWEST)


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


# Written into the statement: with a parameter, SQLite would prepare it anew each time, to see whether the value is that
# of the index of accepted choices.
_STATE_LITERALS = {state: literal_column(f"'{state}'", String) for state in CHOICE_STATES}
_STATEMENTS = 256


class Shape(NamedTuple):
    """The parts of a filter that its statement depends on: which filters are set, and the value of the state.

    `also` says whether one choice is included in any case.
    """

    state: str
    card: bool
    new: bool
    least: bool
    also: bool
    sort: str

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        """The conditions of the set filters."""
        conditions = (
            (self.state, Choice.state == _STATE_LITERALS.get(self.state)),
            (self.card, bindparam("card") == CARD),
            (self.new, IS_FRESH),
            (self.least, Choice.score >= bindparam("least")),
        )
        return [condition for narrows, condition in conditions if narrows]


def filtered_with_text(shape: Shape, text: ColumnElement[bool]) -> Select[Any]:
    """As `filtered_by`, restricted by `text`, a condition on the applicant and the submission."""
    return with_person_and_submission(with_application(_narrowed(shape, text)))


@lru_cache(_STATEMENTS)
def filtered_by(shape: Shape) -> Select[Any]:
    """The choices that a filter of this shape includes, in order, including those withheld by conflicts of interest."""
    return _narrowed(shape)


def _narrowed(shape: Shape, *text: ColumnElement[bool]) -> Select[Any]:
    statement, conditions = in_order(listed(Choice.id), shape.sort), (*shape.conditions, *text)
    if conditions:
        condition = and_(*conditions)
        statement = statement.where(or_(condition, Choice.id == bindparam("also")) if shape.also else condition)
    return with_card(statement) if shape.card else statement


def one_page(filtered: Select[Any]) -> Select[Any]:
    """One page of the filtered choices: `rows` of them after the first `skipped`."""
    return not_apart(filtered).limit(bindparam("rows")).offset(bindparam("skipped"))


@lru_cache(_STATEMENTS)
def page_by(shape: Shape, statement: Select[Any]) -> Select[Any]:
    """The columns of `statement` for one page; and the number of filtered choices, `total`, if there is a filter."""
    total = number_of(filtered_by(shape._replace(sort="match"))) if shape.conditions else literal(0)
    on_page = statement.where(Choice.id.in_(one_page(filtered_by(shape)).correlate(None)))
    return in_order(on_page.add_columns(total.label("total")), shape.sort)


@lru_cache(_STATEMENTS)
def near_by(shape: Shape, statement: Select[Any]) -> Select[Any]:
    """`around` for a filter without a text."""
    return around(filtered_by(shape), statement, shape.sort)


def around(filtered: Select[Any], statement: Select[Any], sort: str) -> Select[Any]:
    """The columns of `statement` for the choice with the keys `key_0`, `key_1` … and up to `reach` filtered choices
    before and after it; and the total numbers `before` and `behind` it.
    """
    reach = bindparam("reach", type_=Integer)
    before = in_reverse(not_apart(filtered).where(on_the_side(sort, before=True)), sort).limit(reach)
    behind = not_apart(filtered).where(on_the_side(sort, before=False)).limit(reach + 1)
    nearby = statement.where(or_(*(Choice.id.in_(side.correlate(None)) for side in (before, behind))))
    before_count, behind_count = (
        number_of(*map(filtered.where, stretches(sort, before=side))) for side in (True, False)
    )
    return in_order(nearby.add_columns(before_count.label("before"), behind_count.label("behind")), sort)


@lru_cache(_STATEMENTS)
def of_ids(statement: Select[Any]) -> Select[Any]:
    """The columns of `statement` for the choices with these `ids`."""
    return statement.where(Choice.id.in_(bindparam("ids", expanding=True)))
