"""Cycles: the list, a new cycle based on the last, its dates and form, closing it, and what is erased when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin.cycles import service as cycle_service
from portal.admin.cycles.applications.queries import applications_page, labs_by_name
from portal.admin.cycles.forms import COMMON_ZONES, CycleForm, next_values, values_of
from portal.admin.cycles.releases.queries import count_to_release
from portal.admin.cycles.rules import why_not_close, why_not_rubric
from portal.admin.labs.saving import INVALID, STALE
from portal.admin.rules import NotAllowed
from portal.applications.cycles import count_by_state, count_staged, cycle_by_slug
from portal.applications.cycles import cycles as all_cycles
from portal.applications.erasure import due_at, is_due
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS
from portal.db import db
from portal.labs.cycles import public_cycle
from portal.moments import format_in_zone
from portal.web.access import Refused, actor, or_404
from portal.web.messages import flash_message, flash_with_link
from portal.web.paging import page_number
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.admin.cycles.service import Mailing
    from portal.models import Cycle


def cycles() -> str:
    """All cycles with their counts."""
    return render_template(
        "admin/cycles.html",
        rows=cycle_rows(db.session()),
        labels=APPLICATION_LABELS,
        now=datetime.now(UTC),
    )


def new_cycle() -> ResponseReturnValue:
    """Make a cycle; the form begins with the last one, a year later."""
    session, now = db.session(), datetime.now(UTC)
    last = next(iter(all_cycles(session)), None)
    form = CycleForm.showing(next_values(last, now), 0)
    if not form.validate_on_submit():
        return _form_page("admin/new_cycle.html", form, None), INVALID if form.errors else 200
    try:
        created = cycle_service.create_cycle(
            session, form.values(last.questions if last else ()), actor=actor(), now=now
        )
    except NotAllowed as refusal:
        form.show_refusal(refusal, refusal.field)
        return _form_page("admin/new_cycle.html", form, None), INVALID
    flash_message(f"{created.name} is made. {_stage(created, now)}")
    return redirect(url_for("admin.cycle", slug=created.slug))


def cycle(slug: str) -> ResponseReturnValue:
    """One cycle: its counts, and the form to change it."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    form = CycleForm.showing(values_of(cycle), cycle.version)
    if request.method != "POST":
        return _form_page("admin/cycle.html", form, cycle)
    if not form.validate():
        return _form_page("admin/cycle.html", form, cycle), INVALID
    dates = (cycle.deadline_at, cycle.reply_by_at)
    try:
        values = form.values(cycle.questions)
        telling = cycle_service.save_cycle(session, cycle, values, base=form.base, actor=actor(), now=datetime.now(UTC))
    except NotAllowed as refusal:
        form.show_refusal(refusal, refusal.field)
        return _form_page("admin/cycle.html", form, cycle), INVALID
    except cycle_service.StaleCycle:
        session.refresh(cycle)
        form.form_errors.append(
            "Somebody else saved this cycle meanwhile. What you typed is below; what is saved now stands above the "
            "form. Save again to put yours in its place."
        )
        form.version.data = str(cycle.version)
        form.version.raw_data = None
        return _form_page("admin/cycle.html", form, cycle), STALE
    _flash_saved(cycle, telling, dates_moved=(cycle.deadline_at, cycle.reply_by_at) != dates)
    return redirect(url_for("admin.cycle", slug=cycle.slug))


def close_cycle(slug: str) -> ResponseReturnValue:
    """Ask for confirmation, then close the cycle."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    reason = why_not_close(session, cycle)
    if request.method != "POST":
        row = cycle_row(session, cycle)
        return render_template("admin/close_cycle.html", row=row, reason=reason, labels=APPLICATION_LABELS)
    try:
        cycle_service.close_cycle(session, cycle, actor=actor(), now=datetime.now(UTC))
    except NotAllowed as refusal:
        if cycle.closed_at is None:
            raise Refused(str(refusal)) from None
        flash_message(f"{cycle.name} is closed already.", "info")
        return redirect(url_for("admin.cycle", slug=cycle.slug))
    flash_message(
        f"{cycle.name} is closed. Its applications are kept for {counted(cycle.retention_days, 'day', 'days')}."
    )
    return redirect(url_for("admin.cycle", slug=cycle.slug))


def _flash_saved(cycle: Cycle, telling: Mailing | None, *, dates_moved: bool) -> None:
    """Say that it is saved and who learns of new dates, with a link to the job that tells them."""
    if telling is None:
        nobody = " The new dates stand on every page; nobody is told by mail." if dates_moved else ""
        flash_message(f"{cycle.name} is saved.{nobody}")
        return
    by_mail = f"{counted(telling.applicants, 'applicant is', 'applicants are')} told the new deadline by mail."
    text = f"{cycle.name} is saved. The new dates stand on every page; {by_mail}"
    flash_with_link(text, url_for("jobs.job", job_id=telling.job_id), "See how far the mails are")


def _stage(cycle: Cycle, now: datetime) -> str:
    """Whether one can apply in it, in a sentence."""
    deadline = format_in_zone(cycle.deadline_at, cycle.zone)
    if now < cycle.opens_at:
        return f"It opens on {format_in_zone(cycle.opens_at, cycle.zone)}."
    if now < cycle.deadline_at:
        return f"It is open: applicants can apply now, until {deadline}."
    return f"Its deadline was {deadline}: nobody can apply in it."


def _form_page(template: str, form: CycleForm, cycle: Cycle | None) -> str:
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        template,
        form=form,
        cycle=cycle,
        is_first=not all_cycles(session),
        row=cycle_row(session, cycle) if cycle else None,
        labels=APPLICATION_LABELS,
        zones=COMMON_ZONES,
        rubric_stays=why_not_rubric(session, cycle) if cycle else None,
        erased_at=due_at(cycle) if cycle else None,
        is_public=cycle is not None and public_cycle(session, cycle.slug, now) is not None,
        now=now,
    )


@dataclass(frozen=True, slots=True)
class CycleRow:
    """A cycle with how many applications are in each state, how many decisions wait for their release, and how many of
    these are in no open release yet.
    """

    cycle: Cycle
    by_state: Mapping[str, int]
    staged: int
    to_release: int

    @property
    def applications(self) -> int:
        """How many there are in all, drafts included."""
        return sum(self.by_state.values())

    @property
    def drafts(self) -> int:
        """How many their applicants have not submitted yet."""
        return self.by_state.get("draft", 0)

    @property
    def submitted(self) -> int:
        """How many are submitted and not checked yet."""
        return self.by_state.get("submitted", 0)

    def to_check(self, now: datetime) -> int:
        """How many wait for an administrator: none before the deadline, until which applicants may edit theirs."""
        return self.submitted if now >= self.cycle.deadline_at else 0


def cycle_rows(session: Session) -> Sequence[CycleRow]:
    """All cycles, the one with the latest deadline first."""
    return [cycle_row(session, cycle) for cycle in all_cycles(session)]


def cycle_row(session: Session, cycle: Cycle) -> CycleRow:
    """One cycle with its counts."""
    staged = count_staged(session, cycle)
    return CycleRow(cycle, count_by_state(session, cycle), staged, count_to_release(session, cycle) if staged else 0)


def retention(slug: str) -> str:
    """The applications to be erased, and when: a dry run, which changes nothing."""
    session, cycle = db.session(), or_404(cycle_by_slug(db.session(), slug))
    return render_template(
        "admin/retention.html",
        cycle=cycle,
        due=due_at(cycle),
        is_due=is_due(cycle, datetime.now(UTC)),
        page=applications_page(session, cycle, {}, number=page_number(request.args.get("page"))),
        labels=APPLICATION_LABELS,
        labs_by_name=labs_by_name,
        choice_labels=CHOICE_LABELS,
    )
