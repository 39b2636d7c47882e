"""The choices of a queue that a filter keeps, in its order: all, one page of them, or those around one of them.

Statements without a text to search for are built once for each kind of filter, and given their values by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, bindparam, case, func, or_, select

from portal.models import Application, Choice
from portal.models.admission import CHOICE_STATES
from portal.reviews.means import means_seen
from portal.reviews.queue_rows import CARD, IS_FRESH, fetch, of_queue, with_application, with_card
from portal.reviews.queue_text import holds_text, with_person_and_submission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, ScalarSelect, Select
    from sqlalchemy.orm import Session

    from portal.reviews.queue_filter import QueueFilter
    from portal.reviews.queue_rows import Queue

_STATE_ORDER = case({state: number for number, state in enumerate(CHOICE_STATES)}, value=Choice.state)
_LAST = 2**31 - 1
_STATEMENTS = 256


class Key(NamedTuple):
    """What choices are ordered by, and whether the largest comes first."""

    column: ColumnElement[Any]
    falls: bool


_BEST = (Key(Choice.score.expression, falls=True), Key(Choice.id.expression, falls=False))
_KEYS = {
    "state": (Key(_STATE_ORDER, falls=False), *_BEST),
    "newest": (Key(Application.submitted_at.expression, falls=True), *_BEST),
    "preference": (Key(func.coalesce(Choice.preference, _LAST), falls=False), *_BEST),
}


class Shape(NamedTuple):
    """Of a filter what its statement depends on: which values narrow, not what they are."""

    state: bool
    card: bool
    new: bool
    least: bool
    also: bool
    """Whether one choice is kept whatever the filter says."""
    sort: str


@dataclass(frozen=True, slots=True)
class Around:
    """Choices around one of them, which is at `position` (from 1) of `total`."""

    ids: Sequence[int]
    position: int
    total: int


def ordered_ids(session: Session, queue: Queue, chosen: QueueFilter, *, also: int | None = None) -> list[int]:
    """The choices that the filter keeps, in its order; `also` is kept whatever the filter says. At most four
    statements, however many choices there are.
    """
    kept = _kept(session, queue, chosen, also=also is not None)
    ids = [row[0] for row in fetch(session, kept, queue, **_values(chosen, also))]
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
        values = {**_values(chosen), "rows": rows, "skipped": (number - 1) * rows}
        found = fetch(session, _page(session, queue, chosen), queue, **values)
        if found:
            return [row[0] for row in found], found[0][1] if chosen.narrows else everybody, number
        if number == 1:
            return [], 0, 1
    ids = ordered_ids(session, queue, chosen)
    number = min(number, max(1, -(-len(ids) // rows)))
    return ids[(number - 1) * rows : number * rows], len(ids), number


def ids_around(session: Session, queue: Queue, chosen: QueueFilter, choice: Choice, reach: int) -> Around:
    """The choice and up to `reach` before and after it, of those that the filter keeps; the choice is kept anyway."""
    if chosen.sort != "mean":
        values = _values(chosen, choice.id)
        place, page = _way(session, queue, chosen)
        before, total = fetch(session, place, queue, **values, **_places(chosen.sort, choice))[0]
        values |= {"rows": 2 * reach + 1, "skipped": max(0, before - reach)}
        ids = [row[0] for row in fetch(session, page, queue, **values)]
        if choice.id in ids:
            return Around(_cut(ids, choice.id, reach), before + 1, total)
    ids = ordered_ids(session, queue, chosen, also=choice.id)
    return Around(_cut(ids, choice.id, reach), ids.index(choice.id) + 1, len(ids))


def _cut(ids: Sequence[int], number: int, reach: int) -> Sequence[int]:
    at = ids.index(number)
    return ids[max(0, at - reach) : at + reach + 1]


def _shape(chosen: QueueFilter, *, also: bool) -> Shape:
    return Shape(bool(chosen.state), bool(chosen.card), chosen.new, bool(chosen.least), also, chosen.sort)


def _values(chosen: QueueFilter, also: int | None = None) -> dict[str, Any]:
    return {"state": chosen.state, "card": chosen.card, "least": chosen.least, "also": also}


def _places(sort: str, choice: Choice) -> dict[str, Any]:
    """What the choice has of each of the order's keys, by the names that `_is_before` gives them."""
    first = {
        "state": CHOICE_STATES.index(choice.state),
        "newest": choice.application.submitted_at,
        "preference": _LAST if choice.preference is None else choice.preference,
    }
    keys = [choice.score, choice.id] if sort not in _KEYS else [first[sort], choice.score, choice.id]
    return {f"key_{number}": key for number, key in enumerate(keys)}


def _keys(sort: str) -> Sequence[Key]:
    return _KEYS.get(sort, _BEST)


def _is_before(sort: str) -> ColumnElement[bool]:
    """Whether a choice comes before the one with the keys `key_0`, `key_1` …"""
    ways: list[ColumnElement[bool]] = []
    equal: list[ColumnElement[bool]] = []
    for number, (column, falls) in enumerate(_keys(sort)):
        there = bindparam(f"key_{number}", type_=column.type)
        ways.append(and_(*equal, column > there if falls else column < there))
        equal.append(column == there)
    # The first condition follows from the others; an index is read from there on only.
    column, falls = _keys(sort)[0]
    first = bindparam("key_0", type_=column.type)
    return and_(column >= first if falls else column <= first, or_(*ways))


def _kept(session: Session, queue: Queue, chosen: QueueFilter, *, also: bool = False) -> Select[Any]:
    shape = _shape(chosen, also=also)
    return _narrowed(shape, holds_text(session, queue, chosen.text)) if chosen.text else _kept_of(shape)


def _page(session: Session, queue: Queue, chosen: QueueFilter) -> Select[Any]:
    if not chosen.text:
        return _page_of(_shape(chosen, also=False))
    return _one_page(_kept(session, queue, chosen)).add_columns(func.count().over())


def _way(session: Session, queue: Queue, chosen: QueueFilter) -> tuple[Select[int, int], Select[Any]]:
    """The statements for a choice's place, and for a page of the choices around it."""
    if not chosen.text:
        return _way_of(_shape(chosen, also=True))
    kept = _kept(session, queue, chosen, also=True)
    return _place(kept, kept, chosen.sort), _one_page(kept)


@lru_cache(_STATEMENTS)
def _kept_of(shape: Shape) -> Select[Any]:
    return _narrowed(shape)


@lru_cache(_STATEMENTS)
def _page_of(shape: Shape) -> Select[Any]:
    kept = _kept_of(shape)
    narrows = shape.state or shape.card or shape.new or shape.least
    return _one_page(kept).add_columns(_count_of(kept)) if narrows else _one_page(kept)


@lru_cache(_STATEMENTS)
def _way_of(shape: Shape) -> tuple[Select[int, int], Select[Any]]:
    kept = _kept_of(shape)
    return _place(kept, _kept_of(shape._replace(sort="match")), shape.sort), _one_page(kept)


def _one_page(kept: Select[Any]) -> Select[Any]:
    return kept.limit(bindparam("rows")).offset(bindparam("skipped"))


def _place(kept: Select[Any], all_kept: Select[Any], sort: str) -> Select[int, int]:
    """How many choices are before the one with the keys of `_is_before`, and how many there are in all."""
    return select(_count_of(kept.where(_is_before(sort))), _count_of(all_kept))


def _count_of(statement: Select[Any]) -> ScalarSelect[int]:
    """How many rows a statement has: an index tells it sooner than a count over the rows in their order."""
    return select(func.count()).select_from(statement.order_by(None).subquery()).scalar_subquery()


def _narrowed(shape: Shape, text: ColumnElement[bool] | None = None) -> Select[Any]:
    """The choices that a filter of this shape keeps, in its order."""
    columns = [key.column.desc() if key.falls else key.column for key in _keys(shape.sort)]
    statement = of_queue(Choice.id).order_by(*columns)
    wanted = _conditions(shape)
    if text is not None:
        wanted.append(text)
    if wanted:
        keeps = and_(*wanted)
        statement = statement.where(or_(keeps, Choice.id == bindparam("also")) if shape.also else keeps)
    if shape.card:
        statement = with_card(statement)
    if text is not None or shape.sort == "newest":
        statement = with_application(statement)
    return statement if text is None else with_person_and_submission(statement)


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    conditions = (
        (shape.state, Choice.state == bindparam("state")),
        (shape.card, bindparam("card") == CARD),
        (shape.new, IS_FRESH),
        (shape.least, Choice.score >= bindparam("least")),
    )
    return [condition for narrows, condition in conditions if narrows]
