"""Statements over the filtered choices of a queue: all in order, one page, those around a given choice.

Built once per kind of filter, with values as bound parameters; only a text search builds them anew.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Integer, String, and_, bindparam, literal, literal_column, or_

from portal.models import Choice
from portal.models.admission import CHOICE_STATES
from portal.reviews.queue.keys import in_order, in_reverse, on_the_side, stretches
from portal.reviews.queue.rows import CARD, IS_FRESH, listed, not_apart, number_of, with_application, with_card
from portal.reviews.queue.text import with_person_and_submission

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select

# Written into the statement: with a parameter, SQLite would prepare it anew each time, to see whether the value is that
# of the index of accepted choices.
_STATES = {state: literal_column(f"'{state}'", String) for state in CHOICE_STATES}
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
            (self.state, Choice.state == _STATES.get(self.state)),
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
