"""Loads the lab and the choice for professors' pages, and checks access."""

from __future__ import annotations

from flask import g
from sqlalchemy import and_, bindparam, select
from sqlalchemy.orm import contains_eager, joinedload, lazyload, load_only

from portal.db import db
from portal.models import Application, Choice, Lab, LabProfessor, User
from portal.reviews.queue.rows import IN_CONFLICT, READABLE
from portal.reviews.rules import why_not_find, why_not_open_choice, why_not_read_for
from portal.web.access import actor, ensure, or_404

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
    """The lab for which the professor looks for applicants who have not chosen it.

    Raises:
        Refused: They do not read for it, or it is archived.
    """
    lab = lab_i_read_for(slug)
    ensure(why_not_find(lab))
    return lab


def lab_i_read_for(slug: str) -> Lab:
    """The lab at this address, for its leader and its reviewers.

    Raises:
        NotFound: There is no such lab.
        Refused: The person does not read for it.
    """
    session, user = db.session(), actor()
    # PostgreSQL refuses NUL in a text.
    lab, seat = or_404(None if "\0" in slug else session.execute(_READ_FOR, {"slug": slug, "reader": user.id}).first())
    # Referenced for the request: rules ask the session for it later, which holds only weak references.
    g.lab_professor = seat
    ensure(why_not_read_for(session, user, lab))
    return lab


def choice_i_may_open(slug: str, choice_id: int) -> tuple[Lab, Choice]:
    """The lab and one of its choices.

    Raises:
        NotFound: The lab has no such choice that it may read; whether it exists is not revealed.
        Refused: The person does not read for the lab, or has a conflict of interest.
    """
    lab = lab_i_read_for(slug)
    session, user = db.session(), actor()
    choice, in_conflict = or_404(
        session.execute(_READABLE, {"choice": choice_id, "lab": lab.id, "reviewer": user.id}).first()
    )
    ensure(why_not_open_choice(session, user, lab, choice, in_conflict=bool(in_conflict)))
    return lab, choice


def choice_despite_conflict(slug: str, choice_id: int) -> tuple[Lab, Choice]:
    """The lab and one of its choices, also for a reviewer with a conflict of interest, but not the reviewer's own.

    Raises:
        NotFound: The lab has no such choice that it may read, or it is the reviewer's own.
        Refused: The person does not read for the lab.
    """
    lab = lab_i_read_for(slug)
    conditions = (Choice.id == choice_id, Choice.lab_id == lab.id, READABLE, Application.applicant_id != actor().id)
    return lab, or_404(db.session().scalar(select(Choice).join(Choice.application).where(*conditions)))
