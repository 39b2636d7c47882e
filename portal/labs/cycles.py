"""What admission cycles mean for a lab: which are open, and how soon it replies."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, or_, select

from portal.db import columns
from portal.models import Application, Choice, Cycle, Lab, LabIntake

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session


_NOW = bindparam("now", type_=Cycle.deadline_at.type)
_OPEN = (
    select(Cycle)
    .where(Cycle.opens_at <= _NOW, Cycle.deadline_at > _NOW, Cycle.closed_at.is_(None))
    .order_by(Cycle.deadline_at, Cycle.id)
)


def cycles_open_now(session: Session, now: datetime) -> Sequence[Cycle]:
    """The cycles that take applications now, the one with the nearest deadline first."""
    return session.scalars(_OPEN, {"now": now}).all()


def open_cycles_of(session: Session, slugs: Sequence[str], now: datetime) -> dict[str, Cycle]:
    """The cycle with the nearest deadline in which each lab takes applications now; labs without one are omitted."""
    cycles = cycles_open_now(session, now)
    closed = select(LabIntake.cycle_id, Lab.slug).join(Lab, Lab.id == LabIntake.lab_id)
    closed = closed.where(LabIntake.open.is_(False), Lab.slug.in_(slugs))
    closed_to = {(cycle_id, slug) for cycle_id, slug in session.execute(closed)} if cycles else set()
    open_to = {slug: [cycle for cycle in cycles if (cycle.id, slug) not in closed_to] for slug in slugs}
    return {slug: taking[0] for slug, taking in open_to.items() if taking}


def open_cycle_of(session: Session, lab_id: int, now: datetime) -> Cycle | None:
    """The cycle with the nearest deadline among those in which the lab takes applications now; None without one."""
    closed = select(LabIntake.cycle_id).where(LabIntake.lab_id == lab_id, LabIntake.open.is_(False))
    return session.scalar(_OPEN.where(Cycle.id.not_in(closed)).limit(1), {"now": now})


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


ENOUGH_REPLIES = 5  # fewer would reveal single applicants
LAST_CYCLES = 2
SECONDS_PER_DAY = 86_400


_LAST = (
    select(Cycle.id)
    .where(Cycle.deadline_at <= bindparam("now", type_=Cycle.deadline_at.type))
    .order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
    .limit(LAST_CYCLES)
)
# The lab, when it could first read the application, when the reply was sent.
REPLIES = (
    select(Choice.lab_id, Choice.listed_since, Choice.replied_at)
    .join(Application, Application.id == Choice.application_id)
    .where(Application.cycle_id.in_(_LAST), Choice.replied_at <= bindparam("now"))
)


def median_days(replies: Sequence[tuple[datetime, datetime]]) -> int | None:
    """The median number of days, rounded up, between the moments of each pair; None for too few pairs."""
    days = [(replied - begun).total_seconds() / SECONDS_PER_DAY for begun, replied in replies if replied >= begun]
    return max(1, math.ceil(median(days))) if len(days) >= ENOUGH_REPLIES else None


def reply_days(session: Session, lab_id: int, now: datetime) -> int | None:
    """Within how many days half of the applicants of the last two cycles had a reply; None if unknown."""
    return reply_days_of_labs(session, now, Choice.lab_id == lab_id).get(lab_id)


def reply_days_of_labs(session: Session, now: datetime, *which: ColumnElement[bool]) -> Mapping[int, int]:
    """`reply_days` of all labs, or of those that meet these conditions; labs without a figure are omitted."""
    replies: dict[int, list[tuple[datetime, datetime]]] = {}
    for lab_id, begun, replied in columns(session, REPLIES.where(*which), {"now": now}):
        if begun is not None and replied is not None:
            replies.setdefault(lab_id, []).append((begun, replied))
    medians = {lab_id: median_days(pairs) for lab_id, pairs in replies.items()}
    return {lab_id: days for lab_id, days in medians.items() if days is not None}
