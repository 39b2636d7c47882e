"""Replies that labs owe in a cycle: waiting and late ones by lab, and how long a lab takes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from flask import render_template, request
from sqlalchemy import case, func, select

from portal.applications.clock import REMIND_BEFORE, WAITS_FOR_LAB
from portal.applications.cycles import cycle_by_slug
from portal.db import db
from portal.labs.cycles import ENOUGH_REPLIES, reply_days_of_labs
from portal.models import Application, Choice, Cycle, Lab
from portal.web.access import or_404
from portal.web.paging import page_number, page_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


_WAITS = Choice.replied_at.is_(None) & Choice.state.in_(WAITS_FOR_LAB) & (Application.state == "eligible")


class LabReplies(NamedTuple):
    """A lab's replies in a cycle: how many wait, are late, are due soon, and are sent; how many decisions wait for
    their release; the earliest date among the waiting; and the median days to reply, if known.
    """

    lab: str
    slug: str
    waiting: int
    late: int
    soon: int
    decided: int
    replied: int
    next_due: datetime | None
    days: int | None = None


def late_replies(session: Session, cycle: Cycle, now: datetime) -> int:
    """How many replies are late in a cycle."""
    late = select(func.count()).select_from(Choice).join(Application, Application.id == Choice.application_id)
    return session.scalar(late.where(_WAITS, Choice.reply_by_at <= now, Application.cycle_id == cycle.id)) or 0


def lab_replies(session: Session, cycle: Cycle, now: datetime) -> list[LabReplies]:
    """The replies of labs with eligible applicants in a cycle, by name of the lab."""
    late, soon = Choice.reply_by_at <= now, Choice.reply_by_at.between(now, now + REMIND_BEFORE)
    decided = Choice.replied_at.is_(None) & Choice.state.in_(("offered", "declined"))
    counted = (_WAITS, _WAITS & late, _WAITS & soon, decided, Choice.replied_at.is_not(None))
    rows = (
        select(Lab.id, Lab.name, Lab.slug)
        .add_columns(*(func.sum(case((each, 1), else_=0)) for each in counted))
        .add_columns(func.min(case((_WAITS, Choice.reply_by_at))))
        .join(Choice, Choice.lab_id == Lab.id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.state.in_(("eligible", "closed")), Application.cycle_id == cycle.id)
        .group_by(Lab.id, Lab.name, Lab.slug)
    )
    days = reply_days_of_labs(session, now)
    replies = [LabReplies(*row)._replace(days=days.get(lab_id)) for lab_id, *row in session.execute(rows)]
    return sorted(replies, key=lambda row: row.lab.casefold())


def replies(slug: str) -> str:
    """Labs with their waiting and late replies, the most late first, then by their next date."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    never = datetime.max.replace(tzinfo=UTC)
    rows = sorted(lab_replies(session, cycle, datetime.now(UTC)), key=lambda row: (-row.late, row.next_due or never))
    return render_template(
        "admin/replies.html",
        page=page_of(rows, page_number(request.args.get("page"))),
        cycle=cycle,
        late=sum(row.late for row in rows),
        waiting=sum(row.waiting for row in rows),
        soon_days=REMIND_BEFORE.days,
        enough=ENOUGH_REPLIES,
    )
