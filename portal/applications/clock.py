"""What happens to applications at certain times. Everything here can be repeated and interrupted safely."""

from __future__ import annotations

from datetime import time, timedelta
from typing import TYPE_CHECKING, TypeVar

from flask import current_app
from sqlalchemy import func, or_, select, update

from portal import mail
from portal.accounts.service import administrators
from portal.applications.cycles import application_path
from portal.applications.erasure import erase_what_is_due
from portal.applications.files import file_store
from portal.applications.interests.service import asks_for_something, query_from
from portal.applications.locks import ApplicationGone, Refusal, commit_each
from portal.applications.match_records import choices_without_record, keep_records
from portal.applications.moves.service import perform
from portal.applications.people import professors_of
from portal.applications.referees.service import remind as remind_referee
from portal.applications.states import OPEN_APPLICATION
from portal.jobs.clock import gap_that_holds
from portal.jobs.registry import clockwork
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import IndexPreparing
from portal.labs.queries import IS_LISTED
from portal.matching import strength
from portal.models import Application, Choice, Cycle, Interests, Lab, Referee, Resume, Submission, User

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session


Moved = TypeVar("Moved", Application, Choice)
REMIND_BEFORE = timedelta(days=3)
REMIND_DAYS_BEFORE = (7, 2, 1)  # the deadline
REMIND_REFEREES_BEFORE = timedelta(days=7)
LEFT_IN_PEACE = timedelta(days=5)
RECORDS_AT_MOST = 200  # match records per run: about 15 seconds
IS_OFFERED = (Choice.state == "offered", Choice.shown_state == "offered")
WAITS_FOR_LAB = ("pending", "in_review", "shortlisted", "interview", "interviewed", "ranked", "waitlisted")


@clockwork("retention of cycles", at=time(4, 10), irrevocable=True, long=True)
def erase_retained(session: Session, now: datetime) -> None:
    """Erase the applications of closed cycles whose retention period is over."""
    erase_what_is_due(session, file_store(current_app), now)


@clockwork("offers that expire", every=timedelta(minutes=5), irrevocable=True)
def expire_offers(session: Session, now: datetime) -> int:
    """Expire the released offers whose reply date has passed; returns how many. Commits after each."""
    overdue = select(Choice.id).where(*IS_OFFERED, Choice.offer_reply_by_at <= now).order_by(Choice.id)
    return _move_each(session, "Expiring an offer", "expire", Choice, overdue, now)


@clockwork("drafts at the deadline", every=timedelta(minutes=5))
def restore_drafts(session: Session, now: datetime) -> int:
    """Restore what was submitted where it was reopened and not submitted again by the deadline. Commits after each."""
    of_cycle = select(Application.id).join(Cycle, Cycle.id == Application.cycle_id).order_by(Application.id)
    reopened = of_cycle.where(Application.state == "draft", Application.submissions > 0, Cycle.deadline_at <= now)
    return _move_each(session, "Restoring what was submitted", "restore", Application, reopened, now)


@clockwork("missing match records", every=timedelta(minutes=5))
def keep_missing_records(session: Session, now: datetime) -> int:
    """Compute match records that could not be computed at submission, some at a time; returns how many. Commits after
    each. Which ones is another draw at each run: those that fail must not keep the others from their turn.
    """
    waiting = choices_without_record(session)
    if not waiting:
        return 0
    try:
        labs = live_index(current_app).current(session)
    except IndexPreparing:
        session.rollback()
        return 0

    def keep(ids: tuple[int, int]) -> bool:
        choice, submission = session.get(Choice, ids[0]), session.get(Submission, ids[1])
        if choice is None or submission is None:
            return False
        keep_records(session, labs, submission, [choice], now=now)
        return True

    drawn = sorted(waiting, key=lambda ids: hash((now.timestamp(), *ids)))[:RECORDS_AT_MOST]
    return commit_each(session, "Computing a match record", sorted(drawn, key=lambda ids: ids[1]), keep)


@clockwork("reminders of deadlines", every=timedelta(hours=1))
def remind_of_deadlines(session: Session, now: datetime) -> int:
    """Tell whoever has a draft that the deadline is in seven days, two days, one day: once each, within a day of that
    time. Commits after each; returns for how many.
    """
    drafts = select(Application.id, Cycle.deadline_at).join(Cycle, Cycle.id == Application.cycle_id)
    drafts = drafts.where(Application.state == "draft", Cycle.closed_at.is_(None), Cycle.deadline_at > now)
    near = drafts.where(Cycle.deadline_at <= now + timedelta(days=max(REMIND_DAYS_BEFORE))).order_by(Application.id)
    due = {number: -((now - deadline) // timedelta(days=1)) for number, deadline in session.execute(near)}

    def remind(application_id: int) -> bool:
        application = session.get(Application, application_id)
        if application is None or application.state != "draft":
            return False
        until = {"deadline_at": application.cycle.deadline_at}
        news = f"application:{application_id}:deadline:{due[application_id]}:{until['deadline_at']:%Y%m%d%H%M}"
        return _tell_applicant(session, application, "deadline_reminder", until, news, now)

    reminded = [application_id for application_id, days in due.items() if days in REMIND_DAYS_BEFORE]
    return commit_each(session, "Reminding of a deadline", reminded, remind)


@clockwork("reminders of offers", every=timedelta(hours=1))
def remind_of_offers(session: Session, now: datetime) -> int:
    """Tell applicants, once, that an answer is due within three days; returns for how many. Commits after each."""
    offered = select(Choice.id).where(*IS_OFFERED, Choice.offer_reply_by_at > now).order_by(Choice.id)
    due_soon = session.scalars(offered.where(Choice.offer_reply_by_at <= now + REMIND_BEFORE)).all()

    def remind(choice_id: int) -> bool:
        choice = session.get(Choice, choice_id)
        if choice is None or choice.shown_state != "offered" or choice.offer_reply_by_at is None:
            return False
        until, news = {"until": choice.offer_reply_by_at}, f"choice:{choice.id}:offer:reminder"
        return _tell_applicant(session, choice.application, "offer_reminder", until, news, now)

    return commit_each(session, "Reminding of an offer", due_soon, remind)


@clockwork("reminders of replies", every=timedelta(hours=1))
def remind_labs(session: Session, now: datetime) -> int:
    """Tell labs, once per date, of replies due within three days, and administrators of late ones. Commits after each;
    returns for how many dates.
    """
    waiting = session.execute(
        select(Choice.lab_id, Application.cycle_id, func.count(), Choice.reply_by_at)
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(
            Application.state == "eligible",
            Cycle.closed_at.is_(None),
            Choice.replied_at.is_(None),
            Choice.state.in_(WAITS_FOR_LAB),
            Choice.reply_by_at <= now + REMIND_BEFORE,
        )
        .group_by(Choice.lab_id, Application.cycle_id, Choice.reply_by_at)
        .order_by(Choice.reply_by_at, Choice.lab_id)
    ).all()

    def remind(row: tuple[int, int, int, datetime]) -> None:
        lab, cycle, (_, _, count, reply_by_at) = session.get_one(Lab, row[0]), session.get_one(Cycle, row[1]), row
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
        people = administrators(session) if late else professors_of(session, lab.id)
        path = f"/admin/cycles/{cycle.slug}/replies" if late else f"/reviews/{lab.slug}/"
        for person in people:
            mail.tell(session, person, kind, context, now=now, path=path, dedupe=dedupe)

    due = [(lab_id, cycle_id, count, at) for lab_id, cycle_id, count, at in waiting if at is not None]
    return commit_each(session, "Reminding a lab", due, remind)


@clockwork("word of a gap of the clock", every=timedelta(minutes=5))
def tell_of_gap(session: Session, now: datetime) -> None:
    """Tell administrators, once, of a gap after which irrevocable work waits."""
    gap = gap_that_holds(session, now)
    if gap is None:
        return
    context = {"stood_at": gap.since.isoformat(), "went_on_at": gap.until.isoformat()}
    context["held_until"] = gap.held_until.isoformat()
    dedupe = f"clock-gap:{gap.until:%Y%m%d%H%M%S}"
    for person in administrators(session):
        mail.tell(session, person, "clock_gap", context, now=now, path="/admin/operations#clock", dedupe=dedupe)


@clockwork("reminders of letters", every=timedelta(hours=1))
def remind_referees(session: Session, now: datetime) -> int:
    """Remind referees whose letter is awaited, once, from the last week before the deadline on, but not within five
    days of the request. Commits after each; returns how many.
    """
    awaited = session.scalars(
        select(Referee.id)
        .join(Application, Application.id == Referee.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(
            Referee.token_hash.is_not(None),
            Referee.received_at.is_(None),
            Referee.declined_at.is_(None),
            Referee.revoked_at.is_(None),
            Referee.expires_at > now,
            Referee.reminded_at.is_(None),
            Referee.invited_at <= now - LEFT_IN_PEACE,
            Application.state.in_(OPEN_APPLICATION),
            or_(Application.submissions > 0, Cycle.deadline_at > now),
            Cycle.closed_at.is_(None),
            Cycle.deadline_at <= now + REMIND_REFEREES_BEFORE,
        )
        .order_by(Referee.id)
    ).all()

    def remind(referee_id: int) -> bool:
        referee = session.get(Referee, referee_id)
        try:
            return referee is not None and remind_referee(session, referee, now=now)
        except ApplicationGone:
            return False

    return commit_each(session, "Reminding a referee", awaited, remind)


@clockwork("word of new labs", every=timedelta(hours=1), long=True)
def tell_of_new_labs(session: Session, now: datetime) -> int:
    """Tell everybody whom a lab fits at least fairly that it was made public: once each, and nobody whose account is
    newer. Commits after each person; returns how many were told of any.
    """
    statement = select(Lab.id, Lab.slug, Lab.name, Lab.untold_since).where(IS_LISTED).order_by(Lab.id)
    new = [lab for lab in session.execute(statement.where(Lab.untold_since.is_not(None))).all() if lab.untold_since]
    if not new:
        return 0
    try:
        index = live_index(current_app).current(session).index
    except IndexPreparing:
        session.rollback()
        return 0

    def tell(person: int) -> bool:
        stated = select(User, Interests, Resume).join(Interests).outerjoin(Resume, Resume.user_id == User.id)
        row = session.execute(stated.where(User.id == person, User.active)).one_or_none()
        query = query_from(row.Interests, row.Resume) if row else None
        if row is None or query is None or not asks_for_something(query):
            return False
        told = False
        for lab in new:
            (match,) = index.rank_reverse(lab.slug, {"": query})
            is_older = row.User.created_at is None or row.User.created_at <= lab.untold_since
            if is_older and match.fits and strength(match.score) != "slight":
                key, path = f"new_lab:{lab.id}", f"/me/matches/{lab.slug}"
                mail.tell(session, row.User, "new_lab", {"lab": lab.name}, now=now, path=path, dedupe=key)
                told = True
        return told

    # By id, as each is committed, and what was read is forgotten.
    people = select(User.id).join(Interests).where(User.active).order_by(User.id)
    told = commit_each(session, "Telling of new labs", session.scalars(people).all(), tell)
    session.execute(update(Lab).where(Lab.id.in_([lab.id for lab in new])).values(untold_since=None))
    return told


def _tell_applicant(
    session: Session, application: Application, kind: str, until: dict[str, datetime], dedupe: str, now: datetime
) -> bool:
    """Tell an applicant, once, that something is due: `until` names the time as the kind of mail does. Always true."""
    cycle, path = application.cycle, application_path(application)
    context = {"cycle": cycle.name, "zone": cycle.zone} | {name: time.isoformat() for name, time in until.items()}
    mail.tell(session, application.applicant, kind, context, now=now, path=path, dedupe=dedupe)
    return True


def _move_each(
    session: Session,
    description: str,
    name: str,
    table: type[Moved],
    due: Select[int],
    now: datetime,
) -> int:
    """Make a move of each of these where it is still possible; returns of how many. Commits after each."""

    def move(number: int) -> bool:
        subject: Application | Choice | None = session.get(table, number)
        try:
            if subject is not None:
                perform(session, name, subject, actor=None, capacity="clock", now=now)
        except (ApplicationGone, Refusal):
            session.rollback()
            return False
        return subject is not None

    return commit_each(session, description, session.scalars(due).all(), move)
