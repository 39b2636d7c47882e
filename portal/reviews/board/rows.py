"""The choices on a lab's board that one person may see, and finding one of them by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.cycles import IS_STAGED
from portal.applications.name_search import name_holds
from portal.applications.states import CHOICE_LABELS, READ_BY_LABS
from portal.labs.near_names import near_names
from portal.models import Application, Choice, Decision, User
from portal.reviews.blind_review.blinding import hidden_from, shown_person
from portal.reviews.queue.rows import in_conflict_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab
    from portal.reviews.blind_review.blinding import Shown


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A choice of the board; `staged` if a decision on it waits for release."""

    choice: Choice
    shown: Shown
    application_state: str
    staged: bool


@dataclass(frozen=True, slots=True)
class NamedChoice:
    """A choice found by its applicant's displayed name; several may have the same one."""

    id: int
    label: str
    score: float
    state: str


def choices_named(session: Session, lab: Lab, cycle: Cycle, viewer: User, text: str) -> Sequence[NamedChoice]:
    """Choices whose displayed name has every word of `text`, in any case and accents; best match first."""
    words = text.split()
    rows, _ = board_rows(session, lab, cycle, viewer)
    return [
        NamedChoice(row.choice.id, row.shown.label, row.choice.score, CHOICE_LABELS[row.choice.state])
        for row in rows
        if all(name_holds(row.shown.label, word) for word in words)
    ]


def names_near(session: Session, lab: Lab, cycle: Cycle, viewer: User, text: str) -> tuple[str, ...]:
    """Displayed names near to `text`, which names nobody on the board. Pseudonyms are not offered."""
    rows, _ = board_rows(session, lab, cycle, viewer)
    return near_names((row.shown.label for row in rows if not row.shown.hidden), text)


def board_rows(session: Session, lab: Lab, cycle: Cycle, viewer: User) -> tuple[list[BoardRow], int]:
    """The choices that the viewer may open, best match first, and the number withheld by conflicts of interest."""
    conditions = (
        Choice.lab_id == lab.id,
        Application.cycle_id == cycle.id,
        Application.state.in_(READ_BY_LABS),
    )
    staged = select(Decision.id).where(Decision.choice_id == Choice.id, IS_STAGED).exists()
    found_rows = session.execute(
        select(Choice, User.name, User.email, hidden_from(lab, viewer), Application.state, staged)
        .join(Application, Application.id == Choice.application_id)
        .join(User, User.id == Application.applicant_id)
        .where(*conditions, ~in_conflict_with(viewer))
        .order_by(Choice.score.desc(), Choice.id)
    )
    rows = [
        BoardRow(choice, shown_person(choice.id, name, email, hidden), state, has_staged)
        for choice, name, email, hidden, state, has_staged in found_rows
    ]
    left_out = session.scalar(
        select(func.count())
        .select_from(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(*conditions, in_conflict_with(viewer))
    )
    return rows, left_out or 0
