"""Cycles: the list, a new cycle based on the last, and the summary of one with its dates and form."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin.cycles import service as cycle_service
from portal.admin.cycles.forms import CycleForm, next_values, values_of
from portal.admin.cycles.releases.queries import count_to_release
from portal.admin.cycles.replies import late_replies
from portal.admin.cycles.rules import why_not_close, why_not_rubric
from portal.admin.labs.saving import INVALID, STALE
from portal.admin.rules import NotAllowed
from portal.applications.cycles import count_by_state, count_staged, cycle_by_slug, zones
from portal.applications.cycles import cycles as all_cycles
from portal.applications.erasure import due_at
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS
from portal.db import db
from portal.labs.cycles import public_cycle
from portal.moments import ANYWHERE_ON_EARTH
from portal.web.access import Refused, actor, or_404
from portal.web.messages import flash_message, flash_with_link
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
        rows=cycle_rows(db.session(), datetime.now(UTC)),
        now=datetime.now(UTC),
    )


def new_cycle() -> ResponseReturnValue:
    """Create a cycle; the form begins with the last one, a year later."""
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
    flash_message(f"{created.name} is created.")
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
    """Close the cycle."""
    cycle = or_404(cycle_by_slug(db.session(), slug))
    try:
        cycle_service.close_cycle(db.session(), cycle, actor=actor(), now=datetime.now(UTC))
    except NotAllowed as refusal:
        if cycle.closed_at is None:
            raise Refused(str(refusal)) from None
        flash_message(f"{cycle.name} is closed already.", "info")
    else:
        flash_message(f"{cycle.name} is closed. Its applications are kept for {cycle.retention_days:,} days.")
    return redirect(url_for("admin.cycle", slug=slug))


def _flash_saved(cycle: Cycle, telling: Mailing | None, *, dates_moved: bool) -> None:
    """Say that it is saved and who learns of new dates, with a link to the job that tells them."""
    if telling is None:
        nobody = " The new dates stand on every page; nobody is told by mail." if dates_moved else ""
        flash_message(f"{cycle.name} is saved.{nobody}")
        return
    by_mail = f"{counted(telling.applicants, 'applicant is', 'applicants are')} told the new deadline by mail."
    text = f"{cycle.name} is saved. The new dates stand on every page; {by_mail}"
    flash_with_link(text, url_for("jobs.job", job_id=telling.job_id), "See how far the mails are")


def _form_page(template: str, form: CycleForm, cycle: Cycle | None) -> str:
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        template,
        form=form,
        cycle=cycle,
        is_first=not all_cycles(session),
        row=cycle_row(session, cycle, now) if cycle else None,
        labels=APPLICATION_LABELS,
        choice_labels=CHOICE_LABELS,
        zones=(ANYWHERE_ON_EARTH, *zones()),
        rubric_stays=why_not_rubric(session, cycle) if cycle else None,
        why_not_close=why_not_close(session, cycle) if cycle else None,
        erased_at=due_at(cycle) if cycle else None,
        is_public=cycle is not None and public_cycle(session, cycle.slug, now) is not None,
        now=now,
    )


@dataclass(frozen=True, slots=True)
class CycleRow:
    """A cycle with how many applications are in each state, how many of them wait for an administrator (none before
    the deadline, until which applicants may edit theirs), how many decisions wait for their release, how many of these
    are in no open release yet, and how many replies of labs are late.
    """

    cycle: Cycle
    by_state: Mapping[str, int]
    to_check: int
    staged: int
    to_release: int
    late: int

    @property
    def applications(self) -> int:
        """How many there are in all, drafts included."""
        return sum(self.by_state.values())


def cycle_rows(session: Session, now: datetime) -> Sequence[CycleRow]:
    """All cycles, the one with the latest deadline first."""
    return [cycle_row(session, cycle, now) for cycle in all_cycles(session)]


def cycle_row(session: Session, cycle: Cycle, now: datetime) -> CycleRow:
    """One cycle with its counts."""
    by_state, staged = count_by_state(session, cycle), count_staged(session, cycle)
    return CycleRow(
        cycle,
        by_state,
        to_check=by_state.get("submitted", 0) if now >= cycle.deadline_at else 0,
        staged=staged,
        to_release=count_to_release(session, cycle) if staged else 0,
        late=late_replies(session, cycle, now) if cycle.closed_at is None else 0,
    )
