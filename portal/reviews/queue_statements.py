"""Statements over the choices of a queue that a filter keeps: all in their order, one page, those around one of them.

They are built once for each kind of filter, and given their values by name; only a text to search for makes them anew.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Integer, String, and_, bindparam, literal, literal_column, or_

from portal.models import Choice
from portal.models.admission import CHOICE_STATES
from portal.reviews.queue_keys import in_order, in_reverse, on_the_side, stretches
from portal.reviews.queue_rows import CARD, IS_FRESH, listed, not_apart, number_of, with_application, with_card
from portal.reviews.queue_text import with_person_and_submission

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select

# Written into the statement: with a parameter, SQLite would prepare it anew each time, to see whether the value is that
# of the index of accepted choices.
_STATES = {state: literal_column(f"'{state}'", String) for state in CHOICE_STATES}
_STATEMENTS = 256


class Shape(NamedTuple):
    """Of a filter what its statement depends on: which values narrow, not what they are, but for the state.

    `also` says whether one choice is kept whatever the filter says.
    """

    state: str
    card: bool
    new: bool
    least: bool
    also: bool
    sort: str

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        """What narrows."""
        conditions = (
            (self.state, Choice.state == _STATES.get(self.state)),
            (self.card, bindparam("card") == CARD),
            (self.new, IS_FRESH),
            (self.least, Choice.score >= bindparam("least")),
        )
        return [condition for narrows, condition in conditions if narrows]


def kept_with_text(shape: Shape, text: ColumnElement[bool]) -> Select[Any]:
    """`kept_by`, of those for whom `text` is true, a condition on who they are and what was submitted."""
    return with_person_and_submission(with_application(_narrowed(shape, text)))


@lru_cache(_STATEMENTS)
def kept_by(shape: Shape) -> Select[Any]:
    """The choices that a filter of this shape keeps, in its order, also those of whom a conflict keeps apart."""
    return _narrowed(shape)


def _narrowed(shape: Shape, *text: ColumnElement[bool]) -> Select[Any]:
    statement, wanted = in_order(listed(Choice.id), shape.sort), (*shape.conditions, *text)
    if wanted:
        keeps = and_(*wanted)
        statement = statement.where(or_(keeps, Choice.id == bindparam("also")) if shape.also else keeps)
    return with_card(statement) if shape.card else statement


def one_page(kept: Select[Any]) -> Select[Any]:
    """Of the choices kept, `rows` behind the first `skipped`."""
    return not_apart(kept).limit(bindparam("rows")).offset(bindparam("skipped"))


@lru_cache(_STATEMENTS)
def page_by(shape: Shape, asked: Select[Any]) -> Select[Any]:
    """What is asked of the choices of one page; and in all, if anything narrows, how many are kept: `total`."""
    total = number_of(kept_by(shape._replace(sort="match"))) if shape.conditions else literal(0)
    found = asked.where(Choice.id.in_(one_page(kept_by(shape)).correlate(None)))
    return in_order(found.add_columns(total.label("total")), shape.sort)


@lru_cache(_STATEMENTS)
def near_by(shape: Shape, asked: Select[Any]) -> Select[Any]:
    """`around` of what a filter without a text keeps."""
    return around(kept_by(shape), asked, shape.sort)


def around(kept: Select[Any], asked: Select[Any], sort: str) -> Select[Any]:
    """What is asked of the choice with the keys `key_0`, `key_1` …, and of up to `reach` before and behind it, of the
    choices kept; and how many there are `before` and `behind` it in all.
    """
    reach = bindparam("reach", type_=Integer)
    before = in_reverse(not_apart(kept).where(on_the_side(sort, before=True)), sort).limit(reach)
    behind = not_apart(kept).where(on_the_side(sort, before=False)).limit(reach + 1)
    found = asked.where(or_(*(Choice.id.in_(side.correlate(None)) for side in (before, behind))))
    ahead, rest = (number_of(*map(kept.where, stretches(sort, before=side))) for side in (True, False))
    return in_order(found.add_columns(ahead.label("before"), rest.label("behind")), sort)


@lru_cache(_STATEMENTS)
def of_ids(asked: Select[Any]) -> Select[Any]:
    """What is asked of the choices with these `ids`."""
    return asked.where(Choice.id.in_(bindparam("ids", expanding=True)))
