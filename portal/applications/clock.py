"""What happens to applications because a time has come. Each can be repeated, and stopped in the middle, safely."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal import mail
from portal.applications.letters import application_path, lab_of, professors_of
from portal.applications.match_records import choices_without_record, keep_records
from portal.applications.moves import MoveRefused, perform
from portal.models import Application, Choice, Cycle, Role, User
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index import IndexedLabs

REMIND_BEFORE = timedelta(days=3)
WAITS_FOR_LAB = ("pending", "in_review", "shortlisted", "interview", "interviewed", "ranked", "waitlisted")


def expire_offers(session: Session, now: datetime) -> int:
    """Expire the released offers whose reply date has passed; how many did. The caller commits."""
    late = session.scalars(
        select(Choice)
        .where(Choice.state == "offered", Choice.shown_state == "offered", Choice.offer_reply_by_at <= now)
        .order_by(Choice.id)
    ).all()
    return sum(_moved(session, "expire", choice, now) for choice in late)


def restore_drafts(session: Session, now: datetime) -> int:
    """Let count what was submitted, where an application was opened again and not submitted by the deadline."""
    reopened = session.scalars(
        select(Application)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(Application.state == "draft", Application.submissions > 0, Cycle.deadline_at <= now)
        .order_by(Application.id)
    ).all()
    return sum(_moved(session, "restore", application, now) for application in reopened)


def keep_missing_records(session: Session, labs: IndexedLabs, now: datetime) -> int:
    """Compute the match records that could not be computed when an application was submitted; how many there were.

    Raises:
        IndexPreparing: There still is no index.
    """
    waiting = choices_without_record(session)
    for choice, submission in waiting:
        keep_records(session, labs, submission, [choice], now=now)
    return len(waiting)


def remind_of_offers(session: Session, now: datetime) -> int:
    """Tell applicants, once, that an answer is due within three days; how many offers were found."""
    soon = session.scalars(
        select(Choice)
        .where(
            Choice.state == "offered",
            Choice.shown_state == "offered",
            Choice.offer_reply_by_at > now,
            Choice.offer_reply_by_at <= now + REMIND_BEFORE,
        )
        .order_by(Choice.id)
    ).all()
    for choice in soon:
        cycle = choice.application.cycle
        until = choice.offer_reply_by_at or now
        mail.tell(
            session,
            choice.application.applicant,
            "offer_reminder",
            {"cycle": cycle.name, "zone": cycle.zone, "until": until.isoformat()},
            now=now,
            path=application_path(choice.application),
            dedupe=f"choice:{choice.id}:offer:reminder",
        )
    return len(soon)


def remind_labs(session: Session, now: datetime) -> int:
    """Tell labs, once per date, of replies due within three days, and administrators of late ones."""
    told = 0
    for lab_choice, cycle, count, reply_by_at in _waiting_for_labs(session, now + REMIND_BEFORE):
        lab = lab_of(session, lab_choice)
        late = reply_by_at <= now
        context = {
            "cycle": cycle.name,
            "lab": lab.name,
            "zone": cycle.zone,
            "count": count,
            "reply_by_at": reply_by_at.isoformat(),
        }
        kind = "reply_late" if late else "reply_due"
        dedupe = f"lab:{lab.id}:cycle:{cycle.id}:{kind}:{reply_by_at:%Y%m%d%H%M}"
        people = _admins(session) if late else professors_of(session, lab.id)
        path = "/admin/replies" if late else f"/reviews/{lab.slug}/"
        for person in people:
            mail.tell(session, person, kind, context, now=now, path=path, dedupe=dedupe)
            told += 1
    return told


def _waiting_for_labs(session: Session, until: datetime) -> Sequence[tuple[Choice, Cycle, int, datetime]]:
    """Per lab, cycle and date: one of its choices, how many wait for a reply, and by when."""
    rows = session.execute(
        select(func.min(Choice.id), Application.cycle_id, func.count(), Choice.reply_by_at)
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(
            Application.state == "eligible",
            Cycle.closed_at.is_(None),
            Choice.replied_at.is_(None),
            Choice.state.in_(WAITS_FOR_LAB),
            Choice.reply_by_at <= until,
        )
        .group_by(Choice.lab_id, Application.cycle_id, Choice.reply_by_at)
        .order_by(Choice.reply_by_at, Choice.lab_id)
    ).all()
    return [
        (session.get_one(Choice, choice_id), session.get_one(Cycle, cycle_id), count, reply_by_at)
        for choice_id, cycle_id, count, reply_by_at in rows
        if reply_by_at is not None
    ]


def _admins(session: Session) -> Sequence[User]:
    return session.scalars(
        select(User).where(User.active.is_(True), User.roles.any(Role.name == ADMIN)).order_by(User.id)
    ).all()


def _moved(session: Session, name: str, subject: Application | Choice, now: datetime) -> bool:
    """Whether the move was made; somebody else may have been quicker."""
    try:
        perform(session, name, subject, actor=None, capacity="clock", now=now)
    except MoveRefused:
        return False
    return True
