"""Writing to a group of applicants of a cycle: the form and its preview, what was written, the job that tells them."""

from __future__ import annotations

import hashlib
import tomllib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import redirect, render_template, request, url_for
from sqlalchemy import and_, exists, func, insert, literal, select, update
from sqlalchemy.orm import joinedload
from wtforms import RadioField, StringField, TextAreaField
from wtforms.validators import InputRequired, Length, ValidationError

from portal import audit, mail
from portal.accounts.rules import TURNS_DIRECTION, shows_nothing, turns_direction
from portal.accounts.service import administrators
from portal.admin.labs.saving import INVALID
from portal.applications.cycles import application_path, cycle_by_slug
from portal.applications.forms import one_line, running_text
from portal.applications.states import OPEN_APPLICATION
from portal.applications.status import ANCHOR
from portal.db import db, insert_into, lock_row, lock_rows
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job, start_once
from portal.models import Announcement, AnnouncementRecipient, Application, Choice, Cycle, Job, User
from portal.models.cycle import ANNOUNCED_TO
from portal.models.job import OPEN_JOB_STATES
from portal.web.access import actor, ensure, or_404
from portal.web.forms import PortalForm
from portal.web.messages import flash_message, flash_with_link
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flask.typing import ResponseReturnValue
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
    "everybody": "Everybody with an application that is not withdrawn",
    "not_submitted": "Those who have not submitted yet",
    "considered": "Those whose submitted application is still considered",
    "accepted": "Those who have accepted an offer",
}
ANNOUNCE = "cycle.announce"
TELL = "tell an announcement"
AT_ONCE = 100  # applicants between two steps
LONGEST_ABOUT = 120  # characters; a subject holds the name of the cycle before it
LONGEST_MESSAGE = 5_000
_NO_ABOUT = "Say in a few words what it is about."
_NO_MESSAGE = "Write the message."
NOBODY = "Nobody is in this group now. Choose another one."
PROGRESS = "See how far the mails are"


class NewAnnouncement(NamedTuple):
    """What an administrator typed: what it is about, the message, and the group."""

    about: str
    message: str
    announced_to: str


class AnnouncementForm(PortalForm):
    """To whom, about what, and the message."""

    announced_to = RadioField("To whom", validators=[InputRequired("Choose to whom you write.")])
    about = StringField(
        "Subject",
        description="The mail’s subject begins with the name of the cycle.",
        filters=[lambda text: one_line(text or "")],
        validators=[
            InputRequired(_NO_ABOUT),
            Length(max=LONGEST_ABOUT, message=f"Keep it to {LONGEST_ABOUT} characters."),
        ],
    )
    message = TextAreaField(
        "Message",
        description="A blank line begins a paragraph; addresses become links. Everybody gets the same text.",
        filters=[lambda text: running_text(text or "").strip()],
        validators=[
            InputRequired(_NO_MESSAGE),
            Length(max=LONGEST_MESSAGE, message=f"Keep it to {LONGEST_MESSAGE:,} characters."),
        ],
    )

    @classmethod
    def to_groups(cls, sizes: Mapping[str, int]) -> AnnouncementForm:
        """An empty form, or the sent one, that offers the groups with their sizes."""
        form = cls()
        form.announced_to.choices = [(name, f"{LABELS[name]} ({count:,})") for name, count in sizes.items()]
        return form

    def validate_about(self, field: Any) -> None:  # noqa: ANN401  (WTForms is published without types)
        """It shows something, and does not turn the words around it in a subject."""
        if shows_nothing(field.data):
            raise ValidationError(_NO_ABOUT)
        if turns_direction(field.data):
            raise ValidationError(TURNS_DIRECTION)

    def validate_message(self, field: Any) -> None:  # noqa: ANN401  (as above)
        """A text of blanks or invisible characters is none."""
        if shows_nothing(field.data):
            raise ValidationError(_NO_MESSAGE)

    def values(self) -> NewAnnouncement:
        """The announcement in the form, which must be valid."""
        return NewAnnouncement(str(self.about.data), str(self.message.data), str(self.announced_to.data))


def announcements(slug: str) -> str:
    """What was written to applicants of a cycle, newest first, how many it has reached, and the form for another."""
    cycle = or_404(cycle_by_slug(db.session(), slug))
    return _page(cycle, AnnouncementForm.to_groups(group_sizes(db.session(), cycle)))


def _page(cycle: Cycle, form: AnnouncementForm) -> str:
    session = db.session()
    rows = session.scalars(
        select(Announcement)
        .where(Announcement.cycle_id == cycle.id)
        .order_by(Announcement.id.desc())
        .options(joinedload(Announcement.written_by))
    ).all()
    jobs = session.scalars(select(Job).where(Job.kind == TELL, Job.state.in_(OPEN_JOB_STATES)))
    return render_template(
        "admin/announcements.html",
        cycle=cycle,
        form=form,
        announcements=rows,
        waiting=not_told(session, cycle),
        under_way={int(job.arguments["announcement"]): job for job in jobs},
        labels=LABELS,
        why_not=why_not_announce(cycle),
    )


def new_announcement(slug: str) -> ResponseReturnValue:
    """Show a preview with the number of applicants; once that is confirmed, announce it."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    ensure(why_not_announce(cycle))
    sizes = group_sizes(session, cycle)
    form = AnnouncementForm.to_groups(sizes)
    if not form.validate_on_submit() or "change" in request.form:
        return _page(cycle, form), INVALID if form.errors else 200
    new = form.values()
    if "confirmed" not in request.form and sizes[new.announced_to]:
        count, label = sizes[new.announced_to], LABELS[new.announced_to]
        return render_template("admin/announcement_preview.html", cycle=cycle, form=form, count=count, label=label)
    started = None
    if "confirmed" in request.form:
        started = announce(session, cycle, new, by=actor(), now=datetime.now(UTC))
    sent = sent_before(session, cycle, new)
    if sent is None:
        form.announced_to.errors = [NOBODY]
        return _page(cycle, form), INVALID
    said = f"{counted(sent.recipients, 'applicant is', 'applicants are')} told of “{sent.about}”, by mail."
    if started is None:  # a second click
        flash_message(said)
    else:
        flash_with_link(said, url_for("jobs.job", job_id=started.id), PROGRESS)
    return redirect(url_for("admin.announcements", slug=slug))


def tell_the_rest(slug: str, announcement_id: int) -> ResponseReturnValue:
    """Go on telling those whom an announcement did not reach, as after its job was cancelled."""
    session, cycle = db.session(), or_404(cycle_by_slug(db.session(), slug))
    found = session.get(Announcement, announcement_id)
    announcement = or_404(found if found is not None and found.cycle_id == cycle.id else None)
    rest = not_told(session, cycle).get(announcement.id, 0)
    if rest:
        started = begin_telling(session, announcement, rest, by=actor(), now=datetime.now(UTC))
        text = f"Whoever is not told of “{announcement.about}” is told now."
        flash_with_link(text, url_for("jobs.job", job_id=started.id), PROGRESS)
    else:
        flash_message(f"“{announcement.about}” has reached everybody already.", "info")
    return redirect(url_for("admin.announcements", slug=slug, _anchor=f"announcement-{announcement.id}"))


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
    audit.record(session, by, ANNOUNCE, "cycle", cycle.slug, now, after=after)
    return begin_telling(session, announcement, announcement.recipients, by=by, now=now)


def _text_key(cycle: Cycle, new: NewAnnouncement) -> str:
    return hashlib.sha256(repr((cycle.id, *new)).encode()).hexdigest()


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


def begin_telling(session: Session, announcement: Announcement, count: int, *, by: User, now: datetime) -> Job:
    """Start the job that tells `count` applicants, unless it is under way."""
    title = f"Write to {counted(count, 'applicant', 'applicants')} of {announcement.cycle.name}: {announcement.about}"
    arguments, about = {"announcement": announcement.id}, _where(announcement.cycle)[0]
    return start_once(session, TELL, title, arguments, by=by, now=now, about=about)[0]


@job(TELL)
def tell_announcement(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Tell everybody who is not told yet, in the order of their applications."""
    number = int(arguments["announcement"])
    told, total = _count(session, number, told=True), _count(session, number)
    while True:
        lock_row(session, Announcement.recipients, number)  # on SQLite, which has no locks of rows, the whole database
        announcement = session.get(Announcement, number)
        if announcement is None:
            raise JobRefused("This announcement is not there any more.")
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
        dedupe=f"application:{application.id}:announcement:{announcement.id}",
    )


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
