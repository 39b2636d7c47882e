"""The filtered choices of a queue in order: all, one page, or those around a given choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func

from portal.labs.near_names import MOST_COMPARED, near_names
from portal.models import User
from portal.reviews.blind_review.blinding import HIDDEN
from portal.reviews.queue.keys import places_of
from portal.reviews.queue.rows import fetch, not_apart
from portal.reviews.queue.statements import (
    Shape,
    around,
    filtered_by,
    filtered_with_text,
    near_by,
    of_ids,
    one_page,
    page_by,
)
from portal.reviews.queue.text import holds_text
from portal.reviews.scorecards.means import means_seen
from portal.web.paging import page_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.models import Choice
    from portal.reviews.queue.filter import QueueFilter
    from portal.reviews.queue.rows import Queue

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


def names_near(session: Session, queue: Queue, chosen: QueueFilter) -> tuple[str, ...]:
    """Names near to the text of a filter, of applicants whom its other parts include and whose names the reader may
    see. One statement; none without a text.
    """
    if not chosen.text:
        return ()
    named = not_apart(filtered_with_text(_shape(chosen, also=False), ~HIDDEN)).order_by(None).limit(MOST_COMPARED)
    names = fetch(session, named.with_only_columns(User.name, maintain_column_froms=True), queue, **_values(chosen))
    return near_names((name for (name,) in names), chosen.text)


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
