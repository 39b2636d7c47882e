"""Replies that labs owe: waiting and late ones by cycle and lab, and how long a lab takes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import render_template, request
from sqlalchemy import case, func, select

from portal.applications.clock import REMIND_BEFORE, WAITS_FOR_LAB
from portal.applications.cycles import cycle_by_slug, cycles
from portal.db import db
from portal.labs.cycles import ENOUGH_REPLIES, reply_days_of_labs
from portal.models import Application, Choice, Cycle, Lab
from portal.web.access import or_404
from portal.web.paging import page_number, page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


_WAITS = Choice.replied_at.is_(None) & Choice.state.in_(WAITS_FOR_LAB) & (Application.state == "eligible")
SORTS = ("late", "lab", "waiting", "due")


@dataclass(frozen=True, slots=True)
class LabReplies:
    """A lab's replies in a cycle. `next_due` is the earliest date among the waiting, `decided` how many decisions wait
    for release, `days` the median time to reply, if known.
    """

    lab: str
    slug: str
    cycle: str
    zone: str
    waiting: int
    soon: int
    late: int
    decided: int
    replied: int
    next_due: datetime | None
    days: int | None


def late_replies(session: Session, now: datetime) -> int:
    """How many replies are late in the cycles that are not closed."""
    late = (
        select(func.count())
        .select_from(Choice)
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(_WAITS, Choice.reply_by_at <= now, Cycle.closed_at.is_(None))
    )
    return session.scalar(late) or 0


def lab_replies(session: Session, now: datetime, *, cycle: Cycle | None = None, sort: str = "late") -> list[LabReplies]:
    """The replies of labs with eligible applicants, in `cycle` or in all cycles that are not closed."""
    waits = _WAITS
    late, soon = waits & (Choice.reply_by_at <= now), waits & (Choice.reply_by_at <= now + REMIND_BEFORE)
    decided = Choice.replied_at.is_(None) & Choice.state.in_(("offered", "declined"))
    rows = (
        select(
            Lab.id,
            Lab.name,
            Lab.slug,
            Cycle.name,
            Cycle.zone,
            func.sum(case((waits, 1), else_=0)),
            func.sum(case((soon, 1), else_=0)),
            func.sum(case((late, 1), else_=0)),
            func.sum(case((decided, 1), else_=0)),
            func.sum(case((Choice.replied_at.is_not(None), 1), else_=0)),
            func.min(case((waits, Choice.reply_by_at))),
        )
        .join(Choice, Choice.lab_id == Lab.id)
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(Application.state.in_(("eligible", "closed")))
        .where(Cycle.id == cycle.id if cycle is not None else Cycle.closed_at.is_(None))
        .group_by(Lab.id, Lab.name, Lab.slug, Cycle.id, Cycle.name, Cycle.zone)
    )
    days = reply_days_of_labs(session, now)
    replies = [
        LabReplies(name, slug, in_cycle, zone, waiting, soon_ - late_, late_, decided_, replied, due, days.get(lab_id))
        for lab_id, name, slug, in_cycle, zone, waiting, soon_, late_, decided_, replied, due in session.execute(rows)
    ]
    return _sorted(replies, sort)


def _sorted(rows: Sequence[LabReplies], sort: str) -> list[LabReplies]:
    by_name = sorted(rows, key=lambda row: (row.lab.casefold(), row.cycle))
    match sort:
        case "late":
            return sorted(by_name, key=lambda row: -row.late)
        case "waiting":
            return sorted(by_name, key=lambda row: -row.waiting)
        case "due":
            return sorted(by_name, key=lambda row: row.next_due.timestamp() if row.next_due else float("inf"))
    return by_name


def replies() -> str:
    """Labs with their waiting and late replies, in one cycle or in all that are not closed."""
    session = db.session()
    cycle_slug = request.args.get("cycle", "")
    cycle = or_404(cycle_by_slug(db.session(), cycle_slug)) if cycle_slug else None
    requested_sort = request.args.get("sort", "")
    sort = requested_sort if requested_sort in SORTS else SORTS[0]
    rows = lab_replies(session, datetime.now(UTC), cycle=cycle, sort=sort)
    return render_template(
        "admin/replies.html",
        page=page_of(rows, page_number(request.args.get("page"))),
        cycle=cycle,
        cycles=cycles(session),
        sort=sort,
        late=sum(row.late for row in rows),
        waiting=sum(row.waiting for row in rows),
        soon_days=REMIND_BEFORE.days,
        enough=ENOUGH_REPLIES,
    )
