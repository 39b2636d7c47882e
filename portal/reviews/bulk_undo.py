"""Taking back a move of many as a whole, as far as nothing came after it.

A move of many is known again by who made it when: all its records have the same time. Each choice is sent back through
the door of all moves, with the record of that move as its ticket, so that who was moved since is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.moves import USUAL_REPLY_DAYS
from portal.models import Application, Choice, MoveRecord
from portal.reviews.bulk_moves import Asked, chosen_of, move_all
from portal.reviews.lab_moves import way_back

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Move
    from portal.models import Cycle, Lab, User
    from portal.reviews.bulk_moves import Outcome


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of taking a move of many back, by the move `back`.

    `closed` counts whom the person may not open any more, as after a withdrawal.
    """

    back: Move
    outcome: Outcome
    closed: int


def undo_all(
    session: Session, lab: Lab, cycle: Cycle, actor: User, one: Move, at: datetime, *, now: datetime
) -> Undone | None:
    """Take back what `actor` did with `one` at the time `at`; None where there is no such move, or no way back.

    Side effects: as of `portal.reviews.bulk_moves.move_all`. The caller commits.
    """
    back = way_back(one)
    records = _records(session, lab, cycle, actor, one, at)
    if back is None or not records:
        return None
    tickets = {number: f"{number}.{record}" for number, record in records}
    choices = chosen_of(session, lab, cycle, actor, tickets)
    outcome = move_all(session, lab, actor, Asked(back, tickets, "", USUAL_REPLY_DAYS), choices, now=now)
    return Undone(back, outcome, len(records) - len(choices))


def _records(
    session: Session, lab: Lab, cycle: Cycle, actor: User, one: Move, at: datetime
) -> Sequence[tuple[int, int]]:
    """The choices of that move, and the record of each."""
    found = session.execute(
        select(Choice.id, MoveRecord.id)
        .join(MoveRecord, MoveRecord.choice_id == Choice.id)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            MoveRecord.move == one.name,
            MoveRecord.actor_id == actor.id,
            MoveRecord.at == at,
        )
    )
    return [(number, record) for number, record in found]
