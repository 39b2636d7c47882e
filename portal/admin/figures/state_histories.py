"""The moves of every application and choice of a cycle, read once for funnels and durations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from portal.models import Application, Choice, MoveRecord

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle


class Moved(NamedTuple):
    """One move."""

    move: str
    from_state: str
    to_state: str
    at: datetime


@dataclass(slots=True)
class ChoiceHistory:
    """A choice: its state, and its moves in their order."""

    state: str
    moves: list[Moved] = field(default_factory=list)


@dataclass(slots=True)
class ApplicationHistory:
    """An application: when it was begun, its state, how often it was submitted, its moves and its choices, in order."""

    created_at: datetime
    state: str
    submissions: int
    moves: list[Moved] = field(default_factory=list)
    choices: list[ChoiceHistory] = field(default_factory=list)


def histories_of(session: Session, cycle: Cycle) -> list[ApplicationHistory]:
    """The applications of a cycle with their moves and choices, in two statements."""
    applications: dict[int, ApplicationHistory] = {}
    choices: dict[int, ChoiceHistory] = {}
    for application_id, created_at, state, submissions, choice_id, choice_state in session.execute(
        select(
            Application.id,
            Application.created_at,
            Application.state,
            Application.submissions,
            Choice.id,
            Choice.state,
        )
        .outerjoin(Choice, Choice.application_id == Application.id)
        .where(Application.cycle_id == cycle.id)
        .order_by(Application.id, Choice.id)
    ):
        if application_id not in applications:
            applications[application_id] = ApplicationHistory(created_at, state, submissions)
        if choice_id is not None:
            choices[choice_id] = ChoiceHistory(choice_state)
            applications[application_id].choices.append(choices[choice_id])
    for application_id, moved_choice_id, move, from_state, to_state, at in session.execute(
        select(
            MoveRecord.application_id,
            MoveRecord.choice_id,
            MoveRecord.move,
            MoveRecord.from_state,
            MoveRecord.to_state,
            MoveRecord.at,
        )
        .join(Application, Application.id == MoveRecord.application_id)
        .where(Application.cycle_id == cycle.id)
        .order_by(MoveRecord.id)
    ):
        history = applications.get(application_id) if moved_choice_id is None else choices.get(moved_choice_id)
        if history is not None:  # None if it was created since the first statement
            history.moves.append(Moved(move, from_state, to_state, at))
    return list(applications.values())
