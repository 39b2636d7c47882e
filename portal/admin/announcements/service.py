"""Writing an announcement to a group of applicants, telling those who were not told, and taking it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, literal, select

from portal import audit
from portal.admin.announcements.groups import applications_in
from portal.admin.announcements.work import begin_telling, begin_withdrawing
from portal.db import insert_into, lock_row
from portal.models import Announcement, AnnouncementRecipient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Job, User

ANNOUNCE = "cycle.announce"
TAKE_BACK = "cycle.take_back_announcement"


@dataclass(frozen=True, slots=True)
class NewAnnouncement:
    """What an administrator typed: what it is about, the message, the group; and the key of the form."""

    about: str
    message: str
    announced_to: str
    form_key: str


@dataclass(frozen=True, slots=True)
class Announced:
    """An announcement with the job that tells its applicants; without, if its form was sent before."""

    announcement: Announcement
    job: Job | None


def written_in(session: Session, form_key: str) -> Announcement | None:
    """What was written in a form that was sent before; None if it was not."""
    return session.scalars(_of_form(form_key)).one_or_none()


def is_same(announcement: Announcement, cycle: Cycle, new: NewAnnouncement) -> bool:
    """Whether a form that was sent before is sent as it was then, as by a second click."""
    before = (announcement.cycle_id, announcement.about, announcement.message, announcement.announced_to)
    return before == (cycle.id, new.about, new.message, new.announced_to)


def announce(session: Session, cycle: Cycle, new: NewAnnouncement, *, by: User, now: datetime) -> Announced | None:
    """Write an announcement to everybody who is in its group now; None if nobody is. The caller commits.

    A form that was sent before returns what was written then. Side effects: an audit entry, and the job that tells
    them.
    """
    announcement = _added(session, cycle, new, by=by, now=now)
    if announcement is None:
        return Announced(session.scalars(_of_form(new.form_key)).one(), None)
    chosen = applications_in(cycle, new.announced_to).subquery()
    columns = [AnnouncementRecipient.announcement_id.name, AnnouncementRecipient.application_id.name]
    session.execute(
        insert(AnnouncementRecipient).from_select(columns, select(literal(announcement.id), chosen.c.id)),
    )
    of_it = AnnouncementRecipient.announcement_id == announcement.id
    announcement.recipients = session.scalar(select(func.count()).select_from(AnnouncementRecipient).where(of_it)) or 0
    if not announcement.recipients:
        session.delete(announcement)
        return None
    after = {
        "about": new.about,
        "message": new.message,
        "to": new.announced_to,
        "applicants": announcement.recipients,
    }
    _record(session, announcement, ANNOUNCE, by=by, now=now, after=after)
    return Announced(announcement, begin_telling(session, announcement, announcement.recipients, by=by, now=now))


def tell_the_rest(session: Session, announcement: Announcement, *, by: User, now: datetime) -> Job | None:
    """Start the job again for those whom it did not reach, as after it was cancelled; None if there is nobody."""
    rest = not_told(session, announcement.cycle).get(announcement.id, 0)
    if not rest or announcement.taken_back_at is not None:
        return None
    return begin_telling(session, announcement, rest, by=by, now=now)


def take_back(session: Session, announcement: Announcement, *, by: User, now: datetime) -> Job | None:
    """Show it to no applicant any more, and tell nobody else. The caller commits.

    Returns the job that withdraws news which nobody has read and mails which are not sent; None if it was taken back
    before. Side effect: an audit entry.
    """
    lock_row(session, Announcement.taken_back_at, announcement.id)
    session.refresh(announcement)
    if announcement.taken_back_at is not None:
        return None
    announcement.taken_back_at = now
    _record(session, announcement, TAKE_BACK, by=by, now=now, after={"about": announcement.about})
    return begin_withdrawing(session, announcement, by=by, now=now)


def not_told(session: Session, cycle: Cycle) -> Mapping[int, int]:
    """How many applicants each announcement of a cycle has not reached, by its id; those that reached everybody are
    left out.
    """
    waiting = (
        select(AnnouncementRecipient.announcement_id, func.count())
        .join(Announcement, Announcement.id == AnnouncementRecipient.announcement_id)
        .where(Announcement.cycle_id == cycle.id, AnnouncementRecipient.told_at.is_(None))
        .group_by(AnnouncementRecipient.announcement_id)
    )
    return {row[0]: row[1] for row in session.execute(waiting)}


def _of_form(form_key: str) -> Select[Announcement]:
    return select(Announcement).where(Announcement.form_key == form_key)


def _added(session: Session, cycle: Cycle, new: NewAnnouncement, *, by: User, now: datetime) -> Announcement | None:
    """The new row; None if its form was sent before."""
    session.flush()
    values = {
        "cycle_id": cycle.id,
        "form_key": new.form_key,
        "about": new.about,
        "message": new.message,
        "announced_to": new.announced_to,
        "recipients": 0,
        "written_by_id": by.id,
        "written_at": now,
    }
    insertion = insert_into(session, Announcement).values(values).on_conflict_do_nothing()
    number = session.scalar(insertion.returning(Announcement.id))
    return None if number is None else session.get_one(Announcement, number)


def _record(
    session: Session, announcement: Announcement, act: str, *, by: User, now: datetime, after: Mapping[str, object]
) -> None:
    audit.record(
        session,
        actor=by,
        act=act,
        object_type="cycle",
        object_key=announcement.cycle.slug,
        now=now,
        after=dict(after),
    )
