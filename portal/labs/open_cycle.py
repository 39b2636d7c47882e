"""The admission cycle in which one can apply now, to any lab or to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, exists, select

from portal.models import Cycle, LabIntake

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

_NOW = bindparam("now", type_=Cycle.deadline_at.type)
_TAKES_NONE = exists().where(
    LabIntake.cycle_id == Cycle.id, LabIntake.lab_id == bindparam("lab"), LabIntake.open.is_(False)
)
_OPEN = (
    select(Cycle)
    .where(Cycle.opens_at <= _NOW, Cycle.deadline_at > _NOW, Cycle.closed_at.is_(None))
    .order_by(Cycle.deadline_at, Cycle.id)
    .limit(1)
)
_OPEN_OF_LAB = _OPEN.where(~_TAKES_NONE)


def open_cycle(session: Session, now: datetime) -> Cycle | None:
    """The cycle with the nearest deadline among those that take applications now; None without one."""
    return session.scalar(_OPEN, {"now": now})


def open_cycle_of(session: Session, lab_id: int, now: datetime) -> Cycle | None:
    """The cycle with the nearest deadline among those in which the lab takes applications now; None without one."""
    return session.scalar(_OPEN_OF_LAB, {"now": now, "lab": lab_id})
