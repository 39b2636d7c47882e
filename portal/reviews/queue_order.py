"""The choices of a queue that a filter keeps, in its order: all, one page of them, or those around one of them.

Statements without a text to search for are built once for each kind of filter, and given their values by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Integer, String, and_, bindparam, case, func, literal, literal_column, not_, or_

from portal.models import Choice
from portal.models.admission import CHOICE_STATES
from portal.reviews.means import means_seen
from portal.reviews.queue_rows import CARD, IS_FRESH, fetch, listed, not_apart, number_of, with_application, with_card
from portal.reviews.queue_text import holds_text, with_person_and_submission

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.reviews.queue_filter import QueueFilter
    from portal.reviews.queue_rows import Queue

_STATE_ORDER = case({state: number for number, state in enumerate(CHOICE_STATES)}, value=Choice.state)
# Written into the statement: with a parameter, SQLite would prepare it anew each time, to see whether the value is that
# of the index of accepted choices.
_STATES = {state: literal_column(f"'{state}'", String) for state in CHOICE_STATES}
_LAST = 2**31 - 1
_STATEMENTS = 256
AT_ONCE = 5_000  # choices in one statement


class Key(NamedTuple):
    """What choices are ordered by, and whether the largest comes first."""

    column: ColumnElement[Any]
    falls: bool


_BEST = (Key(Choice.score.expression, falls=True), Key(Choice.id.expression, falls=False))
_KEYS = {
    "state": (Key(_STATE_ORDER, falls=False), *_BEST),
    "newest": (Key(Choice.submitted_at.expression, falls=True), *_BEST),
    "preference": (Key(func.coalesce(Choice.preference, _LAST), falls=False), *_BEST),
}


class Shape(NamedTuple):
    """Of a filter what its statement depends on: which values narrow, not what they are, but for the state."""

    state: str
    card: bool
    new: bool
    least: bool
    also: bool
    """Whether one choice is kept whatever the filter says."""
    sort: str


@dataclass(frozen=True, slots=True)
class Around:
    """What was asked of choices around one of them, which is at `position` (from 1) of `total`."""

    rows: Sequence[Any]
    position: int
    total: int


def ordered_ids(session: Session, queue: Queue, chosen: QueueFilter, *, also: int | None = None) -> list[int]:
    """The choices that the filter keeps, in its order; `also` is kept whatever the filter says. At most four
    statements, however many choices there are.
    """
    kept = not_apart(_kept(session, queue, chosen, also=also is not None))
    ids = [row[0] for row in fetch(session, kept, queue, **_values(chosen, also))]
    if chosen.sort == "mean":
        means = means_seen(session, queue.lab, queue.cycle.id, queue.reviewer).means
        ids.sort(key=lambda number: -means[number].calibrated if number in means else 0.0)
    return ids


def rows_of_ids(session: Session, queue: Queue, asked: Select[Any], ids: Sequence[int]) -> list[Any]:
    """What is asked of these choices, in this order. `asked` is a statement over `Choice` with its id."""
    found: dict[int, Any] = {}
    for start in range(0, len(ids), AT_ONCE):
        part = fetch(session, _of_ids(asked), queue, ids=ids[start : start + AT_ONCE])
        found.update((row.id, row) for row in part)
    return [found[number] for number in ids if number in found]


def rows_of_page(
    session: Session, queue: Queue, chosen: QueueFilter, asked: Select[Any], *, number: int, rows: int, everybody: int
) -> tuple[Sequence[Any], int, int]:
    """What is asked of the choices of one page of what `ordered_ids` gives, how many choices there are in all, and the
    number of the page.

    A page behind the last one is the last one. `everybody` is how many there are where nothing is left out.
    """
    if chosen.sort != "mean":
        found, total = _on_page(session, queue, chosen, asked, skipped=(number - 1) * rows, rows=rows)
        if found or number == 1:
            return found, total if chosen.narrows else everybody, number
    ids = ordered_ids(session, queue, chosen)
    number = min(number, max(1, -(-len(ids) // rows)))
    return rows_of_ids(session, queue, asked, ids[(number - 1) * rows : number * rows]), len(ids), number


def rows_around(
    session: Session, queue: Queue, chosen: QueueFilter, asked: Select[Any], choice: Choice, reach: int
) -> Around:
    """What is asked of the choice and of up to `reach` before and after it, of those that the filter keeps; the choice
    is kept anyway.
    """
    if chosen.sort != "mean":
        values = {**_values(chosen, choice.id), **_places(chosen.sort, choice), "reach": reach}
        rows = fetch(session, _near(session, queue, chosen, asked), queue, **values)
        if any(row.id == choice.id for row in rows):
            position = rows[0].before + 1
            return Around(rows, position, position + rows[0].behind)
    ids = ordered_ids(session, queue, chosen, also=choice.id)
    at = ids.index(choice.id)
    return Around(rows_of_ids(session, queue, asked, ids[max(0, at - reach) : at + reach + 1]), at + 1, len(ids))


def _on_page(
    session: Session, queue: Queue, chosen: QueueFilter, asked: Select[Any], **part: int
) -> tuple[Sequence[Any], int]:
    """What is asked of `rows` choices behind the first `skipped`; and how many there are, if anything narrows."""
    values = {**_values(chosen), **part}
    if not chosen.text:
        found = fetch(session, _page_of(_shape(chosen, also=False), asked), queue, **values)
        return found, found[0].total if found else 0
    # A text is looked for once, so the numbers are counted beside the choices that hold it.
    held = _one_page(_kept(session, queue, chosen)).add_columns(func.count().over())
    page = fetch(session, held, queue, **values)
    return rows_of_ids(session, queue, asked, [row[0] for row in page]), page[0][1] if page else 0


def _shape(chosen: QueueFilter, *, also: bool) -> Shape:
    return Shape(chosen.state, bool(chosen.card), chosen.new, bool(chosen.least), also, chosen.sort)


def _values(chosen: QueueFilter, also: int | None = None) -> dict[str, Any]:
    return {"card": chosen.card, "least": chosen.least, "also": also}


def _places(sort: str, choice: Choice) -> dict[str, Any]:
    """What the choice has of each of the order's keys, by the names that `_stretches` gives them."""
    first = {
        "state": CHOICE_STATES.index(choice.state),
        "newest": choice.submitted_at,
        "preference": _LAST if choice.preference is None else choice.preference,
    }
    keys = [choice.score, choice.id] if sort not in _KEYS else [first[sort], choice.score, choice.id]
    return {f"key_{number}": key for number, key in enumerate(keys)}


def _keys(sort: str) -> Sequence[Key]:
    return _KEYS.get(sort, _BEST)


def _stretches(sort: str, *, before: bool) -> Iterator[ColumnElement[bool]]:
    """The choices before, or else behind, the one with the keys `key_0`, `key_1` …, as stretches that an index reads
    one by one: before it by the first key; equal in it and before it by the second; and so on.
    """
    equal: list[ColumnElement[bool]] = []
    for number, (column, falls) in enumerate(_keys(sort)):
        there = bindparam(f"key_{number}", type_=column.type)
        yield and_(*equal, column > there if falls is before else column < there)
        equal.append(column == there)


def _on_the_side(sort: str, *, before: bool) -> ColumnElement[bool]:
    """Whether a choice comes before the one with those keys, or else: whether it is that one or comes after it."""
    column, falls = _keys(sort)[0]
    first = bindparam("key_0", type_=column.type)
    ahead = or_(*_stretches(sort, before=True))
    # The condition on the first key follows from the other; an index is read from there on only.
    if before:
        return and_(column >= first if falls else column <= first, ahead)
    return and_(column <= first if falls else column >= first, not_(ahead))


def _kept(session: Session, queue: Queue, chosen: QueueFilter, *, also: bool = False) -> Select[Any]:
    shape = _shape(chosen, also=also)
    return _narrowed(shape, holds_text(session, queue, chosen.text)) if chosen.text else _kept_of(shape)


def _near(session: Session, queue: Queue, chosen: QueueFilter, asked: Select[Any]) -> Select[Any]:
    """What is asked of the choices around one of them, and its place."""
    if not chosen.text:
        return _near_of(_shape(chosen, also=True), asked)
    kept = _kept(session, queue, chosen, also=True)
    return _with_place(_around(kept, asked, chosen.sort), kept, chosen.sort)


@lru_cache(_STATEMENTS)
def _kept_of(shape: Shape) -> Select[Any]:
    return _narrowed(shape)


@lru_cache(_STATEMENTS)
def _page_of(shape: Shape, asked: Select[Any]) -> Select[Any]:
    narrows = shape.state or shape.card or shape.new or shape.least
    total = number_of(_kept_of(shape._replace(sort="match"))) if narrows else literal(0)
    page = asked.where(Choice.id.in_(_one_page(_kept_of(shape)).correlate(None)))
    return _ordered(page.add_columns(total.label("total")), shape.sort)


@lru_cache(_STATEMENTS)
def _near_of(shape: Shape, asked: Select[Any]) -> Select[Any]:
    kept = _kept_of(shape)
    return _with_place(_around(kept, asked, shape.sort), kept, shape.sort)


@lru_cache(_STATEMENTS)
def _of_ids(asked: Select[Any]) -> Select[Any]:
    return asked.where(Choice.id.in_(bindparam("ids", expanding=True)))


def _one_page(kept: Select[Any]) -> Select[Any]:
    return not_apart(kept).limit(bindparam("rows")).offset(bindparam("skipped"))


def _with_place(asked: Select[Any], kept: Select[Any], sort: str) -> Select[Any]:
    """With how many choices are before the one with the keys of `_stretches`, and how many behind it."""
    before, behind = (
        number_of(*(kept.where(stretch) for stretch in _stretches(sort, before=side))) for side in (True, False)
    )
    return asked.add_columns(before.label("before"), behind.label("behind"))


def _around(kept: Select[Any], asked: Select[Any], sort: str) -> Select[Any]:
    """What is asked of the choice with those keys, and of up to `reach` before and after it, in the queue's order."""
    keys, reach = _keys(sort), bindparam("reach", type_=Integer)
    nearest_first = [key.column if key.falls else key.column.desc() for key in keys]
    before = not_apart(kept).where(_on_the_side(sort, before=True)).order_by(None).order_by(*nearest_first)
    after = not_apart(kept).where(_on_the_side(sort, before=False))
    sides = (before.limit(reach), after.limit(reach + 1))
    return _ordered(asked.where(or_(*(Choice.id.in_(side.correlate(None)) for side in sides))), sort)


def _narrowed(shape: Shape, text: ColumnElement[bool] | None = None) -> Select[Any]:
    """The choices that a filter of this shape keeps, in its order, also those of whom a conflict keeps apart."""
    statement = _ordered(listed(Choice.id), shape.sort)
    wanted = _conditions(shape)
    if text is not None:
        wanted.append(text)
    if wanted:
        keeps = and_(*wanted)
        statement = statement.where(or_(keeps, Choice.id == bindparam("also")) if shape.also else keeps)
    if shape.card:
        statement = with_card(statement)
    if text is None:
        return statement
    return with_person_and_submission(with_application(statement))


def _ordered(statement: Select[Any], sort: str) -> Select[Any]:
    """A statement over `Choice` in the order of the queue."""
    return statement.order_by(*(key.column.desc() if key.falls else key.column for key in _keys(sort)))


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    conditions = (
        (shape.state, Choice.state == _STATES.get(shape.state)),
        (shape.card, bindparam("card") == CARD),
        (shape.new, IS_FRESH),
        (shape.least, Choice.score >= bindparam("least")),
    )
    return [condition for narrows, condition in conditions if narrows]
