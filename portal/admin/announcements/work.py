"""The jobs that tell applicants of an announcement, and that withdraw it. Both can be killed and repeated."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import joinedload

from portal import mail
from portal.applications.cycles import application_path
from portal.applications.status import ANCHOR
from portal.db import lock_row, lock_rows
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.jobs.starting import start_once
from portal.models import Announcement, AnnouncementRecipient, Application, Job
from portal.models.job import OPEN_JOB_STATES
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import Cycle, User

TELL = "tell an announcement"
WITHDRAW = "withdraw an announcement"
AT_ONCE = 100  # applicants between two looks at whether it was taken back


def begin_telling(session: Session, announcement: Announcement, count: int, *, by: User, now: datetime) -> Job:
    """Start the job that tells `count` applicants, unless it is under way."""
    title = f"Write to {counted(count, 'applicant', 'applicants')} of {announcement.cycle.name}: {announcement.about}"
    return _begin(session, TELL, title, announcement, by=by, now=now)


def begin_withdrawing(session: Session, announcement: Announcement, *, by: User, now: datetime) -> Job:
    """Start the job that withdraws news that nobody has read and mails that are not sent."""
    title = f"Take back what was written to applicants of {announcement.cycle.name}: {announcement.about}"
    return _begin(session, WITHDRAW, title, announcement, by=by, now=now)


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


@job(WITHDRAW)
def withdraw_announcement(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Withdraw the news and the waiting mails of everybody who was told."""
    number = int(arguments["announcement"])
    announcement, total = _announcement(session, number), _count(session, number, told=True)
    done = last = 0
    while applications := _applications(
        session, number, AnnouncementRecipient.told_at.is_not(None), Application.id > last
    ):
        for application in applications:
            mail.cancel(session, _name_of_news(announcement, application))
        done, last = done + len(applications), applications[-1].id
        progress.step(done, max(done, total), "Withdrawing what is not read and not sent")
    text = f"{counted(done, 'applicant was', 'applicants were')} told; unread news and unsent mails are withdrawn."
    return Outcome(text, *_where(announcement.cycle))


def _begin(session: Session, kind: str, title: str, announcement: Announcement, *, by: User, now: datetime) -> Job:
    arguments, about = {"announcement": announcement.id}, _where(announcement.cycle)[0]
    started, _is_new = start_once(session, kind, title, arguments, by=by, now=now, about=about)
    return started


def _tell(session: Session, announcement: Announcement, application: Application) -> None:
    mail.tell(
        session,
        application.applicant,
        "cycle_announcement",
        {"cycle": announcement.cycle.name, "about": announcement.about, "message": announcement.message},
        now=datetime.now(UTC),
        path=f"{application_path(application)}#{ANCHOR}",
        dedupe=_name_of_news(announcement, application),
    )


def _name_of_news(announcement: Announcement, application: Application) -> str:
    return f"application:{application.id}:announcement:{announcement.id}"


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
