"""The sort keys of each order of a queue; later keys break ties.

Statements take the keys of one choice as bound parameters (`places_of`) to find what comes before and after it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, bindparam, case, func, literal, not_, or_

from portal.models import Choice
from portal.models.admission import CHOICE_STATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Select

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
