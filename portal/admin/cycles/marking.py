"""One move of many applications: each by itself, with few more statements than for one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.locks import MoveRefused
from portal.applications.moves.rules import is_done, why_not_act_as
from portal.applications.moves.service import AlreadyMoved, Made, cases_of_applications, conclude, perform_locked
from portal.db import lock_row
from portal.models import Application
from portal.reviews.board.service import lock_applications

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Move
    from portal.models import User


@dataclass(frozen=True, slots=True)
class Marked:
    """How many applications moved, had moved already, or were erased meanwhile; and which could not move, and why."""

    moved: int
    already: int
    erased: int
    refused: Sequence[tuple[Application, str]]


def mark_all(
    session: Session, move: Move, application_ids: Iterable[int], *, actor: User, now: datetime, message: str = ""
) -> Marked:
    """Have an administrator move each of these applications, by ascending id. The caller commits.

    One that is refused, has moved already or was erased meanwhile does not stop the others.

    Side effects: those of `portal.applications.moves.service.perform` for each. All applications are locked before the
    first one moves, in the usual order, and people are told after the last one has moved.
    """
    ids = sorted(set(application_ids))
    if not ids:
        return Marked(0, 0, 0, ())
    session.flush()
    lock_row(session, Application.version, ids[0])  # on SQLite, which has no locks of rows, the whole database
    lock_applications(session, ids)
    cases = cases_of_applications(session, ids, actor, "admin", now)
    made: list[Made] = []
    moved, refused, already = 0, [], 0
    for case in cases:
        if is_done(session, move, case) and why_not_act_as(session, case) is None:
            already += 1
            continue
        try:
            perform_locked(session, move, case, message, later=made)
        except AlreadyMoved:
            already += 1
        except MoveRefused as refusal:
            refused.append((case.application, str(refusal)))
        else:
            moved += 1
    conclude(session, made)
    return Marked(moved, already, len(ids) - len(cases), refused)
