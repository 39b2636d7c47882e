"""Writing to applicants of a cycle: what was written, a new announcement with its preview, taking one back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for
from sqlalchemy import select
from sqlalchemy.orm import joinedload
from wtforms import RadioField, StringField, TextAreaField
from wtforms.validators import InputRequired, Length, ValidationError

from portal.accounts.rules import TURNS_DIRECTION, shows_nothing, turns_direction
from portal.admin.cycles.announcements import service
from portal.admin.cycles.announcements.service import (
    LABELS,
    NewAnnouncement,
    group_sizes,
    why_not_announce,
    why_not_take_back,
)
from portal.admin.labs.saving import INVALID
from portal.applications.cycles import cycle_by_slug
from portal.applications.forms import one_line, running_text
from portal.db import db
from portal.models import Announcement
from portal.web.access import actor, ensure, or_404
from portal.web.forms import PortalForm
from portal.web.messages import flash_message, flash_with_link
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle


LONGEST_ABOUT = 120  # characters; a subject holds the name of the cycle before it
LONGEST_MESSAGE = 5_000
_NO_ABOUT = "Say in a few words what it is about."
_NO_MESSAGE = "Write the message."
NOBODY = "Nobody is in this group now. Choose another one."
PROGRESS = "See how far the mails are"


class AnnouncementForm(PortalForm):
    """To whom, about what, and the message."""

    announced_to = RadioField("To whom", validators=[InputRequired("Choose to whom you write.")])
    about = StringField(
        "What it is about",
        description="The subject of the mail, after the name of the cycle.",
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
    return render_template(
        "admin/announcements.html",
        cycle=cycle,
        form=form,
        announcements=rows,
        waiting=service.not_told(session, cycle),
        under_way=service.jobs_under_way(session),
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
    job = None
    if "confirmed" in request.form:
        job = service.announce(session, cycle, new, by=actor(), now=datetime.now(UTC))
    sent = service.sent_before(session, cycle, new)
    if sent is None:
        form.announced_to.errors = [NOBODY]
        return _page(cycle, form), INVALID
    count_words = counted(sent.recipients, "applicant is", "applicants are")
    said = why_not_take_back(sent) or f"{count_words} told of “{sent.about}”, by mail."
    if job is None:  # a second click
        flash_message(said)
    else:
        flash_with_link(said, url_for("jobs.job", job_id=job.id), PROGRESS)
    return redirect(url_for("admin.announcements", slug=slug))


def tell_the_rest(slug: str, announcement_id: int) -> ResponseReturnValue:
    """Go on telling those whom an announcement did not reach."""
    announcement = _announcement_or_404(or_404(cycle_by_slug(db.session(), slug)), announcement_id)
    ensure(why_not_take_back(announcement))
    started = service.tell_the_rest(db.session(), announcement, by=actor(), now=datetime.now(UTC))
    if started is None:
        flash_message(f"“{announcement.about}” has reached everybody already.", "info")
    else:
        text = f"Whoever is not told of “{announcement.about}” is told now."
        flash_with_link(text, url_for("jobs.job", job_id=started.id), PROGRESS)
    return redirect(_address(announcement))


def take_back_announcement(slug: str, announcement_id: int) -> ResponseReturnValue:
    """Show an announcement to nobody any more."""
    announcement = _announcement_or_404(or_404(cycle_by_slug(db.session(), slug)), announcement_id)
    if service.take_back(db.session(), announcement, by=actor(), now=datetime.now(UTC)):
        flash_message(f"“{announcement.about}” is taken back: no page shows it to applicants any more.")
    else:
        flash_message(why_not_take_back(announcement) or "", "info")
    return redirect(_address(announcement))


def _address(announcement: Announcement) -> str:
    """Its place in the list."""
    slug = announcement.cycle.slug
    return url_for("admin.announcements", slug=slug, _anchor=f"announcement-{announcement.id}")


def _announcement_or_404(cycle: Cycle, announcement_id: int) -> Announcement:
    announcement = db.session().get(Announcement, announcement_id)
    return or_404(announcement if announcement is not None and announcement.cycle_id == cycle.id else None)
