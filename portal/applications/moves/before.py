"""The state of a choice before the move that is to be undone, read from the records of moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.states import MOVES
from portal.models import MoveRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.orm import Session

UNDONE = frozenset(move.undoes for move in MOVES if move.undoes)
"""The names of the moves that another move undoes."""


def states_before(session: Session, choice_ids: Iterable[int]) -> Mapping[tuple[int, str], str]:
    """By choice and name of a move: the state before the choice was last moved that way. One statement."""
    rows = session.execute(
        select(MoveRecord.choice_id, MoveRecord.move, MoveRecord.from_state)
        .where(MoveRecord.choice_id.in_(list(choice_ids)), MoveRecord.move.in_(UNDONE))
        .order_by(MoveRecord.id)
    )
    return {(choice_id, name): state for choice_id, name, state in rows if choice_id is not None}


def state_before(session: Session, choice_id: int, name: str) -> str | None:
    """The state before a choice was last moved that way; None if it never was."""
    return session.scalar(
        select(MoveRecord.from_state)
        .where(MoveRecord.choice_id == choice_id, MoveRecord.move == name)
        .order_by(MoveRecord.id.desc())
        .limit(1)
    )
