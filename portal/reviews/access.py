"""What every professors' page begins with: the lab, the choice and the cycle at an address, whether the person may
open them, and the sections of the lab's pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import g, redirect, render_template, request, url_for
from sqlalchemy import and_, bindparam, exists, select
from sqlalchemy.orm import Session, contains_eager, joinedload, lazyload, load_only

from portal.accounts.service import labs_read_by
from portal.applications.cycles import cycles, why_closed
from portal.db import db
from portal.labs.freshness import current_freshness
from portal.labs.queries import leads
from portal.models import Application, Choice, Cycle, Lab, LabProfessor, User
from portal.reviews.rules import (
    IN_CONFLICT,
    READABLE,
    why_not_find,
    why_not_lead,
    why_not_open_choice,
    why_not_read_for,
)
from portal.web.access import actor, ensure, or_404

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue


# The lab at an address, and somebody's position in it.
_READ_FOR = (
    select(Lab, LabProfessor)
    .outerjoin(LabProfessor, and_(LabProfessor.lab_id == Lab.id, LabProfessor.user_id == bindparam("reader")))
    .where(Lab.slug == bindparam("slug"))
)
_WITH_APPLICATION = contains_eager(Choice.application).options(
    joinedload(Application.cycle),
    joinedload(Application.applicant).options(load_only(User.name, User.email), lazyload(User.roles)),
)
_READABLE = (
    select(Choice, IN_CONFLICT)
    .join(Choice.application)
    .where(Choice.id == bindparam("choice"), Choice.lab_id == bindparam("lab"), READABLE)
    .options(_WITH_APPLICATION)
)


def lab_that_finds(slug: str) -> Lab:
    """The lab for which the professor looks for applicants who have not chosen it; refused if it is archived."""
    lab = lab_i_read_for(slug)
    ensure(why_not_find(lab))
    return lab


def lab_i_read_for(slug: str) -> Lab:
    """The lab at this address, for its leader and reviewers; `NotFound` if there is none, `Refused` to others."""
    session, user = db.session(), actor()
    # PostgreSQL refuses NUL in a text.
    lab, seat = or_404(None if "\0" in slug else session.execute(_READ_FOR, {"slug": slug, "reader": user.id}).first())
    # Of a draft, only its leader knows.
    or_404(lab if not lab.is_draft or (seat is not None and seat.position == "leader") else None)
    # Referenced for the request: rules ask the session for it later, which holds only weak references.
    g.lab_professor = seat
    ensure(why_not_read_for(session, user, lab))
    return lab


def lab_i_lead(slug: str) -> Lab:
    """The same for its leader alone."""
    lab = lab_i_read_for(slug)
    ensure(why_not_lead(db.session(), actor(), lab))
    return lab


def running_cycle_i_lead_in(slug: str) -> tuple[Lab, Cycle]:
    """A lab that the person leads, and the cycle of the request, which is not closed."""
    lab = lab_i_lead(slug)
    cycle = or_404(chosen_cycle(lab))
    ensure(why_closed(cycle))
    return lab, cycle


def choice_i_may_open(slug: str, choice_id: int) -> tuple[Lab, Choice]:
    """The lab and one of its choices; `NotFound` if the lab may not read it, `Refused` if the person may not."""
    lab = lab_i_read_for(slug)
    session, user = db.session(), actor()
    choice, in_conflict = or_404(
        session.execute(_READABLE, {"choice": choice_id, "lab": lab.id, "reviewer": user.id}).first()
    )
    ensure(why_not_open_choice(session, user, lab, choice, in_conflict=bool(in_conflict)))
    return lab, choice


def choice_despite_conflict(slug: str, choice_id: int) -> tuple[Lab, Choice]:
    """The lab and one of its choices, also for a reviewer with a conflict of interest; `NotFound` for their own."""
    lab = lab_i_read_for(slug)
    conditions = (Choice.id == choice_id, Choice.lab_id == lab.id, READABLE, Application.applicant_id != actor().id)
    return lab, or_404(db.session().scalar(select(Choice).join(Choice.application).where(*conditions)))


_CYCLES = (
    select(Cycle)
    .where(exists().where(Choice.lab_id == bindparam("lab"), Choice.listed_in_id == Cycle.id))
    .order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
)


def cycles_of_lab(session: Session, lab: Lab) -> Sequence[Cycle]:
    """The cycles with choices that the lab may read, the one with the latest deadline first."""
    return session.scalars(_CYCLES, {"lab": lab.id}).all()


def chosen_cycle(lab: Lab) -> Cycle | None:
    """The cycle of `?cycle=…`, 404 for an unknown one; without it the lab's newest, or None."""
    slug = request.values.get("cycle", "")
    if slug:
        return or_404(next((cycle for cycle in cycles(db.session()) if cycle.slug == slug), None))
    return next(iter(cycles_of_lab(db.session(), lab)), None)


SECTIONS = (
    ("reviews.queue", "Applicants"),
    ("reviews.board", "Board"),
    ("reviews.interviews", "Interviews"),
    ("reviews.discover", "Discover"),
)


def lab_sections(lab: Lab) -> list[tuple[str, str, bool]]:
    """Label, address and whether it is current, of each section that the reader may open."""
    leads = why_not_lead(db.session(), actor(), lab) is None
    shown = "own_lab.lab" if request.blueprint == "own_lab" else request.endpoint
    profile = "Profile •" if leads and current_freshness(lab).is_stale else "Profile"
    mine = (*SECTIONS, ("reviews.settings", "How we review"), ("own_lab.lab", profile)) if leads else SECTIONS
    return [(label, url_for(endpoint, slug=lab.slug), endpoint == shown) for endpoint, label in mine]


def labs() -> ResponseReturnValue:
    """The labs that the reader leads or reviews for; a single one is opened directly."""
    own_labs = labs_read_by(db.session(), actor())
    if len(own_labs) == 1:
        return redirect(url_for("reviews.queue", slug=own_labs[0].slug))
    person = actor()
    freshness = {lab.slug: current_freshness(lab) for lab in own_labs if leads(db.session(), person, lab)}
    return render_template("reviews/labs.html", labs=own_labs, freshness=freshness)
