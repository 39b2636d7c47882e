"""The way of every application and choice of a cycle through its states, read once for funnels and durations."""

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
class ChoiceWay:
    """A choice: its state, and its moves in their order."""

    state: str
    moves: list[Moved] = field(default_factory=list)


@dataclass(slots=True)
class ApplicationWay:
    """An application: when it was begun, its state, how often it was submitted, its moves and its choices, in order."""

    created_at: datetime
    state: str
    submissions: int
    moves: list[Moved] = field(default_factory=list)
    choices: list[ChoiceWay] = field(default_factory=list)


def ways_of(session: Session, cycle: Cycle) -> list[ApplicationWay]:
    """The ways of a cycle's applications. Two statements."""
    applications: dict[int, ApplicationWay] = {}
    choices: dict[int, ChoiceWay] = {}
    for number, created_at, state, submissions, choice_id, choice_state in session.execute(
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
        if number not in applications:
            applications[number] = ApplicationWay(created_at, state, submissions)
        if choice_id is not None:
            choices[choice_id] = ChoiceWay(choice_state)
            applications[number].choices.append(choices[choice_id])
    for of, of_choice, move, from_state, to_state, at in session.execute(
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
        way = applications.get(of) if of_choice is None else choices.get(of_choice)
        if way is not None:  # it may have been begun since the first statement
            way.moves.append(Moved(move, from_state, to_state, at))
    return list(applications.values())
