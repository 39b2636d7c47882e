"""Undoing a bulk move, except where a later move followed.

All records of a bulk move have the same actor and time. Each choice is moved back by a regular move with its record as
the ticket, so that choices moved since are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.moves.service import USUAL_REPLY_DAYS
from portal.models import Application, Choice, MoveRecord
from portal.reviews.choice.lab_moves import undoing_move
from portal.reviews.moving.bulk_moves import BulkRequest, chosen_of, move_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Move
    from portal.models import Cycle, Lab, User
    from portal.reviews.moving.bulk_moves import Outcome


@dataclass(frozen=True, slots=True)
class Undone:
    """The result of undoing a bulk move with the move `back`.

    `closed` counts choices that the person may no longer open, as after a withdrawal.
    """

    back: Move
    outcome: Outcome
    closed: int


def undo_all(
    session: Session, lab: Lab, cycle: Cycle, actor: User, move: Move, at: datetime, *, now: datetime
) -> Undone | None:
    """Undo the move that `actor` made at time `at`; None if there was none, or it cannot be undone.

    Side effects: as of `portal.reviews.moving.bulk_moves.move_all`. The caller commits.
    """
    back = undoing_move(move)
    records = _records(session, lab, cycle, actor, move, at)
    if back is None or not records:
        return None
    tickets = {choice_id: f"{choice_id}.{record}" for choice_id, record in records}
    choices = chosen_of(session, lab, cycle, actor, tickets)
    outcome = move_all(session, lab, actor, BulkRequest(back, tickets, "", USUAL_REPLY_DAYS), choices, now=now)
    return Undone(back, outcome, len(records) - len(choices))


def _records(
    session: Session, lab: Lab, cycle: Cycle, actor: User, move: Move, at: datetime
) -> Sequence[tuple[int, int]]:
    """The choices of that bulk move, and the record of each."""
    rows = session.execute(
        select(Choice.id, MoveRecord.id)
        .join(MoveRecord, MoveRecord.choice_id == Choice.id)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            MoveRecord.move == move.name,
            MoveRecord.actor_id == actor.id,
            MoveRecord.at == at,
        )
    )
    return [(choice_id, record) for choice_id, record in rows]
