"""The admission cycles in which one can apply now, to any lab or to one, and those that anybody may read about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, exists, or_, select

from portal.models import Cycle, LabIntake

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

_NOW = bindparam("now", type_=Cycle.deadline_at.type)
_TAKES_NONE = exists().where(
    LabIntake.cycle_id == Cycle.id, LabIntake.lab_id == bindparam("lab"), LabIntake.open.is_(False)
)
_OPEN = (
    select(Cycle)
    .where(Cycle.opens_at <= _NOW, Cycle.deadline_at > _NOW, Cycle.closed_at.is_(None))
    .order_by(Cycle.deadline_at, Cycle.id)
)
_OPEN_OF_LAB = _OPEN.where(~_TAKES_NONE).limit(1)


def cycles_open_now(session: Session, now: datetime) -> Sequence[Cycle]:
    """The cycles that take applications now, the one with the nearest deadline first."""
    return session.scalars(_OPEN, {"now": now}).all()


def open_cycle_of(session: Session, lab_id: int, now: datetime) -> Cycle | None:
    """The cycle with the nearest deadline among those in which the lab takes applications now; None without one."""
    return session.scalar(_OPEN_OF_LAB, {"now": now, "lab": lab_id})


def public_cycle(session: Session, slug: str, now: datetime) -> Cycle | None:
    """The cycle with this slug, if it is announced: it has opened, or is the next one to open."""
    # PostgreSQL refuses to search for a text with a NUL.
    return None if "\0" in slug else session.scalar(_announced(now).where(Cycle.slug == slug))


def public_cycles(session: Session, now: datetime) -> Sequence[Cycle]:
    """The announced cycles whose deadline has not passed, the nearest first."""
    to_come = _announced(now).where(Cycle.deadline_at > now, Cycle.closed_at.is_(None))
    return session.scalars(to_come.order_by(Cycle.deadline_at, Cycle.id)).all()


def _announced(now: datetime) -> Select[Cycle]:
    """Those that have opened, and the next one to open. One that is prepared for later is nobody's business yet."""
    following = select(Cycle.id).where(Cycle.opens_at > now, Cycle.closed_at.is_(None))
    next_one = following.order_by(Cycle.opens_at, Cycle.id).limit(1).scalar_subquery()
    return select(Cycle).where(or_(Cycle.opens_at <= now, Cycle.id == next_one))
