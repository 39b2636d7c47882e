"""Announcements to a group of applicants of a cycle: writing one, taking it back, and the jobs that do both."""

from __future__ import annotations

import hashlib
import tomllib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, exists, func, insert, literal, select, update
from sqlalchemy.orm import joinedload

from portal import audit, mail
from portal.accounts.service import administrators
from portal.applications.cycles import application_path
from portal.applications.states import OPEN_APPLICATION
from portal.applications.status import ANCHOR
from portal.db import insert_into, lock_row, lock_rows
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job, start_once
from portal.models import Announcement, AnnouncementRecipient, Application, Choice, Cycle, Job, User
from portal.models.cycle import ANNOUNCED_TO
from portal.models.job import OPEN_JOB_STATES
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress


_ACCEPTED = exists().where(Choice.application_id == Application.id, Choice.state == "accepted")
_CONDITIONS: Mapping[str, ColumnElement[bool]] = {
    "everybody": Application.state != "withdrawn",
    "not_submitted": and_(Application.state == "draft", Application.submissions == 0),
    # An application that is being edited again counts as it was submitted.
    "considered": and_(Application.state.in_(OPEN_APPLICATION), Application.submissions > 0),
    "accepted": _ACCEPTED,
}
LABELS: Mapping[str, str] = {
    "everybody": "Everybody who has begun or submitted an application, and not withdrawn it",
    "not_submitted": "Those who have begun an application, and never submitted it",
    "considered": "Those who have submitted an application that is still considered",
    "accepted": "Those who have accepted an offer",
}
ANNOUNCE = "cycle.announce"
TAKE_BACK = "cycle.take_back_announcement"
TELL = "tell an announcement"
AT_ONCE = 100  # applicants between two looks at whether it was taken back


def group_sizes(session: Session, cycle: Cycle) -> dict[str, int]:
    """How many applicants are in each group of a cycle now."""
    counted_in = {
        name: select(func.count()).select_from(applications_in(cycle, name).subquery()) for name in ANNOUNCED_TO
    }
    return {name: session.scalar(statement) or 0 for name, statement in counted_in.items()}


def applications_in(cycle: Cycle, name: str) -> Select[int]:
    """The ids of the applications whose applicants are in a group, without suspended accounts."""
    return (
        select(Application.id)
        .join(User, User.id == Application.applicant_id)
        .where(Application.cycle_id == cycle.id, User.active.is_(True), _CONDITIONS[name])
    )


def why_not_announce(cycle: Cycle) -> str | None:
    """Once its applications are erased, nobody is left to write to."""
    return f"The applications of {cycle.name} are erased; nobody is left to write to." if cycle.erased_at else None


def why_not_take_back(announcement: Announcement) -> str | None:
    """What was taken back stays so."""
    return "This announcement is taken back already." if announcement.taken_back_at is not None else None


class NewAnnouncement(NamedTuple):
    """What an administrator typed: what it is about, the message, and the group."""

    about: str
    message: str
    announced_to: str


def sent_before(session: Session, cycle: Cycle, new: NewAnnouncement) -> Announcement | None:
    """The announcement with the same words to the same group of the cycle, as after a second click."""
    return session.scalar(select(Announcement).where(Announcement.text_key == _text_key(cycle, new)))


def announce(session: Session, cycle: Cycle, new: NewAnnouncement, *, by: User, now: datetime) -> Job | None:
    """Write an announcement to everybody who is in its group now; None if nobody is, or if it was sent before.

    Side effects: an audit entry, and the job that tells them, which is returned. The caller commits.
    """
    session.flush()
    values = new._asdict() | {
        "cycle_id": cycle.id,
        "text_key": _text_key(cycle, new),
        "recipients": 0,
        "written_by_id": by.id,
        "written_at": now,
    }
    insertion = insert_into(session, Announcement).values(values).on_conflict_do_nothing()
    number = session.scalar(insertion.returning(Announcement.id))
    if number is None:
        return None
    announcement = session.get_one(Announcement, number)
    chosen = applications_in(cycle, new.announced_to).subquery()
    columns = [AnnouncementRecipient.announcement_id.name, AnnouncementRecipient.application_id.name]
    session.execute(insert(AnnouncementRecipient).from_select(columns, select(literal(number), chosen.c.id)))
    announcement.recipients = _count(session, number)
    if not announcement.recipients:
        session.delete(announcement)
        return None
    after = {"about": new.about, "message": new.message, "to": new.announced_to, "applicants": announcement.recipients}
    _record(session, announcement, ANNOUNCE, by=by, now=now, after=after)
    return begin_telling(session, announcement, announcement.recipients, by=by, now=now)


def _text_key(cycle: Cycle, new: NewAnnouncement) -> str:
    return hashlib.sha256(repr((cycle.id, *new)).encode()).hexdigest()


def tell_the_rest(session: Session, announcement: Announcement, *, by: User, now: datetime) -> Job | None:
    """Start the job again for those whom it did not reach, as after it was cancelled; None if there is nobody."""
    rest = not_told(session, announcement.cycle).get(announcement.id, 0)
    if not rest or announcement.taken_back_at is not None:
        return None
    return begin_telling(session, announcement, rest, by=by, now=now)


def take_back(session: Session, announcement: Announcement, *, by: User, now: datetime) -> bool:
    """Show it to no applicant any more, and tell nobody else; False if it was taken back before. The caller commits.

    Side effects: an audit entry; news that nobody has read and mails that are not sent are withdrawn.
    """
    lock_row(session, Announcement.taken_back_at, announcement.id)
    session.refresh(announcement)
    if announcement.taken_back_at is not None:
        return False
    announcement.taken_back_at = now
    _record(session, announcement, TAKE_BACK, by=by, now=now, after={"about": announcement.about})
    told = select(AnnouncementRecipient.application_id).where(
        AnnouncementRecipient.announcement_id == announcement.id, AnnouncementRecipient.told_at.is_not(None)
    )
    for application_id in session.scalars(told).all():
        mail.cancel(session, _name_of_news(announcement.id, application_id))
    return True


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


def begin_telling(session: Session, announcement: Announcement, count: int, *, by: User, now: datetime) -> Job:
    """Start the job that tells `count` applicants, unless it is under way."""
    title = f"Write to {counted(count, 'applicant', 'applicants')} of {announcement.cycle.name}: {announcement.about}"
    arguments, about = {"announcement": announcement.id}, _where(announcement.cycle)[0]
    started, _is_new = start_once(session, TELL, title, arguments, by=by, now=now, about=about)
    return started


def jobs_under_way(session: Session) -> Mapping[int, Job]:
    """The jobs that are telling applicants now or wait to do so, by the id of their announcement."""
    jobs = session.scalars(select(Job).where(Job.kind == TELL, Job.state.in_(OPEN_JOB_STATES)))
    return {int(job.arguments["announcement"]): job for job in jobs}


@job(TELL)
def tell_announcement(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Tell everybody who is not told yet, in the order of their applications; end once it is taken back."""
    number = int(arguments["announcement"])
    told, total = _count(session, number, told=True), _count(session, number)
    while True:
        # Taking back waits until these are told, so that it finds all mails that are written.
        lock_row(session, Announcement.taken_back_at, number)
        announcement = _announcement(session, number)
        if announcement.taken_back_at is not None:
            raise JobRefused("This announcement has been taken back; nobody else is told of it.")
        waiting = AnnouncementRecipient.told_at.is_(None)
        application_ids = [application.id for application in _applications(session, number, waiting)]
        if not application_ids:
            break
        # Erasing and merging wait as well; what they did before is read here.
        lock_rows(session, Application.id, application_ids)
        applications = _applications(session, number, waiting, Application.id.in_(application_ids))
        with mail.together(session):
            for application in applications:
                _tell(session, announcement, application)
        reached = update(AnnouncementRecipient).where(
            AnnouncementRecipient.announcement_id == number,
            AnnouncementRecipient.application_id.in_(application_ids),
        )
        session.execute(reached.values(told_at=datetime.now(UTC)).execution_options(synchronize_session=False))
        told += len(applications)
        progress.step(told, max(told, total), f"Writing the mails about {announcement.cycle.name}")
    return Outcome(f"{counted(told, 'applicant is', 'applicants are')} told.", *_where(announcement.cycle))


def _tell(session: Session, announcement: Announcement, application: Application) -> None:
    mail.tell(
        session,
        application.applicant,
        "cycle_announcement",
        {"cycle": announcement.cycle.name, "about": announcement.about, "message": announcement.message},
        now=datetime.now(UTC),
        path=f"{application_path(application)}#{ANCHOR}",
        dedupe=_name_of_news(announcement.id, application.id),
    )


def _name_of_news(announcement_id: int, application_id: int) -> str:
    return f"application:{application_id}:announcement:{announcement_id}"


def _announcement(session: Session, number: int) -> Announcement:
    announcement = session.get(Announcement, number, populate_existing=True)
    if announcement is None:
        raise JobRefused("This announcement is not there any more.")
    return announcement


def _applications(session: Session, number: int, *where: ColumnElement[bool]) -> Sequence[Application]:
    """The next of those whom it is for, read anew, with their applicants and cycle."""
    statement = (
        select(Application)
        .join(AnnouncementRecipient, AnnouncementRecipient.application_id == Application.id)
        .where(AnnouncementRecipient.announcement_id == number, *where)
        .order_by(Application.id)
        .limit(AT_ONCE)
    )
    statement = statement.options(joinedload(Application.applicant), joinedload(Application.cycle))
    return session.scalars(statement, execution_options={"populate_existing": True}).all()


def _count(session: Session, number: int, *, told: bool = False) -> int:
    statement = select(func.count()).select_from(AnnouncementRecipient)
    statement = statement.where(AnnouncementRecipient.announcement_id == number)
    if told:
        statement = statement.where(AnnouncementRecipient.told_at.is_not(None))
    return session.scalar(statement) or 0


def _where(cycle: Cycle) -> tuple[str, str]:
    return f"/admin/cycles/{cycle.slug}/announcements", "See the announcements"


def ensure_demo_announcements(session: Session, seeds: Path, now: datetime) -> None:
    """Write the demo's announcements, unless they were written before. The caller commits.

    Side effect: starts the jobs that tell applicants.
    """
    by = next(iter(administrators(session)), None)
    if by is None:
        return
    entries = tomllib.loads((seeds / "demo_admission.toml").read_text(encoding="utf-8"))["announcements"]
    for entry in entries:
        cycle = session.scalars(select(Cycle).where(Cycle.slug == entry["cycle"])).one()
        new = NewAnnouncement(entry["about"], entry["message"].strip(), entry["to"])
        announce(session, cycle, new, by=by, now=now)
