"""Where choices stood before the move that another one takes back, as the records of moves tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.states import MOVES
from portal.models import MoveRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.orm import Session

UNDONE = frozenset(move.undoes for move in MOVES if move.undoes)
"""The moves that another one takes back to the state before."""


def states_before(session: Session, choice_ids: Iterable[int]) -> Mapping[tuple[int, str], str]:
    """By choice and name of a move: where it stood before it was last moved so. One statement."""
    found = session.execute(
        select(MoveRecord.choice_id, MoveRecord.move, MoveRecord.from_state)
        .where(MoveRecord.choice_id.in_(list(choice_ids)), MoveRecord.move.in_(UNDONE))
        .order_by(MoveRecord.id)
    )
    return {(number, name): state for number, name, state in found if number is not None}


def state_before(session: Session, choice_id: int, name: str) -> str | None:
    """Where a choice stood before it was last moved so; None where it never was."""
    return session.scalar(
        select(MoveRecord.from_state)
        .where(MoveRecord.choice_id == choice_id, MoveRecord.move == name)
        .order_by(MoveRecord.id.desc())
        .limit(1)
    )
