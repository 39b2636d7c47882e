"""A queue as a CSV file without formula injection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.states import CHOICE_LABELS
from portal.reviews.queue.filter import CARDS
from portal.web.csv_cells import csv_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from portal.reviews.queue.page import QueueRow

HEAD = (
    "Applicant",
    "E-mail",
    "State",
    "In this state since (UTC)",
    "Match score (0 to 1)",
    "Place among the lab's applicants when submitted",
    "Lab's place for the applicant when submitted",
    "My scorecard",
    "Our order",
    "Submitted (UTC)",
    "Reply due (UTC)",
    "Replied (UTC)",
)


def queue_csv(rows: Iterable[QueueRow], places: Mapping[int, int]) -> bytes:
    """The file: a header and a line for each row; `places` are those in the lab's order, by the choice's id."""
    return csv_file([HEAD, *(_cells(row, places.get(row.id)) for row in rows)])


def _cells(row: QueueRow, place: int | None) -> tuple[str, ...]:
    match = row.match
    return (
        row.shown.label,
        row.shown.email or "",
        CHOICE_LABELS[row.state],
        _moment(row.state_since),
        f"{row.score:.3f}",
        f"{match.applicant_position} of {match.applicants}" if match and match.applicants > 1 else "",
        (f"{match.position} of {match.labs}" if match.position else "does not fit") if match else "",
        CARDS[row.card],
        str(place or ""),
        _moment(row.submitted_at),
        _moment(row.reply_by_at),
        _moment(row.replied_at),
    )


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else ""
