"""Reads of cycles, of the applications in them, of the labs that take applications, and of time zones."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, exists, func, or_, select

from portal.labs.queries import IS_LISTED
from portal.models import (
    Application,
    Choice,
    Cycle,
    Decision,
    Lab,
    LabIntake,
    MoveRecord,
    Submission,
    User,
)
from portal.moments import ANYWHERE_ON_EARTH, is_zone, known_zones

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


# Built once: most pages of an application need these.
_SUBMISSION = select(Submission).where(
    Submission.application_id == bindparam("application"), Submission.number == bindparam("number")
)
IS_STAGED = and_(Decision.released_at.is_(None), Decision.taken_back_at.is_(None))
"""A condition on `Decision`: it waits for its release. A choice has at most one such decision."""
_STAGED = select(Decision).where(Decision.choice_id == bindparam("choice"), IS_STAGED)
_INTAKE = select(LabIntake).where(LabIntake.lab_id == bindparam("lab"), LabIntake.cycle_id == bindparam("cycle"))
AREAS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
USUAL_ZONE = "UTC"


def application_path(application: Application) -> str:
    """The applicant's page of an application."""
    return f"/me/application/{application.cycle.slug}"


def cycle_by_slug(session: Session, slug: str) -> Cycle | None:
    """The cycle with this slug. PostgreSQL refuses to search for a text with a NUL."""
    return None if "\0" in slug else session.scalar(select(Cycle).where(Cycle.slug == slug))


def why_closed(cycle: Cycle) -> str | None:
    """Against changing anything in a cycle: an administrator has closed it."""
    return None if cycle.closed_at is None else f"{cycle.name} is closed; nothing in it can be changed any more."


def cycles(session: Session) -> Sequence[Cycle]:
    """All cycles, latest deadline first."""
    return session.scalars(select(Cycle).order_by(Cycle.deadline_at.desc(), Cycle.id.desc())).all()


def open_cycles(session: Session, now: datetime) -> Sequence[Cycle]:
    """The cycles that accept applications now, nearest deadline first."""
    return session.scalars(
        select(Cycle)
        .where(Cycle.opens_at <= now, Cycle.deadline_at > now, Cycle.closed_at.is_(None))
        .order_by(Cycle.deadline_at, Cycle.id)
    ).all()


def next_to_open(session: Session, now: datetime) -> Cycle | None:
    """The cycle that opens next."""
    return session.scalar(
        select(Cycle).where(Cycle.opens_at > now, Cycle.closed_at.is_(None)).order_by(Cycle.opens_at, Cycle.id).limit(1)
    )


def application_of(session: Session, user: User, cycle: Cycle) -> Application | None:
    """Somebody's application in a cycle."""
    return session.scalar(
        select(Application).where(Application.applicant_id == user.id, Application.cycle_id == cycle.id)
    )


def own_application(session: Session, user: User, slug: str) -> Application | None:
    """Somebody's application in the cycle with this slug."""
    cycle = cycle_by_slug(session, slug)
    return None if cycle is None else application_of(session, user, cycle)


def applications_of(session: Session, user: User) -> Sequence[Application]:
    """Somebody's applications, the newest first."""
    return session.scalars(
        select(Application).where(Application.applicant_id == user.id).order_by(Application.id.desc())
    ).all()


def last_submission(session: Session, application: Application) -> Submission | None:
    """The latest submission."""
    return session.scalar(_SUBMISSION, {"application": application.id, "number": application.submissions})


def shown_moves(session: Session, application: Application) -> Sequence[MoveRecord]:
    """The timeline of an application as its applicant may see it, in the order in which they could see it."""
    return session.scalars(
        select(MoveRecord)
        .where(MoveRecord.application_id == application.id, MoveRecord.shown_at.is_not(None))
        .order_by(MoveRecord.shown_at, MoveRecord.id)
    ).all()


def released_decision(session: Session, choice: Choice) -> Decision | None:
    """The newest decision on a choice that its applicant can see."""
    return session.scalar(
        select(Decision)
        .where(Decision.choice_id == choice.id, Decision.released_at.is_not(None))
        .order_by(Decision.released_at.desc(), Decision.id.desc())
        .limit(1)
    )


def staged_decision(session: Session, choice: Choice) -> Decision | None:
    """The decision on a choice that waits for its release."""
    return session.scalar(_STAGED, {"choice": choice.id})


def count_by_state(session: Session, cycle: Cycle) -> dict[str, int]:
    """How many applications of a cycle are in each state, drafts included."""
    states = select(Application.state, func.count()).where(Application.cycle_id == cycle.id)
    return dict(session.execute(states.group_by(Application.state)).all())


def count_staged(session: Session, cycle: Cycle) -> int:
    """How many decisions of a cycle wait for their release."""
    of_cycle = Application.cycle_id == cycle.id
    staged = select(func.count()).select_from(Decision).join(Decision.choice).join(Choice.application)
    return session.scalar(staged.where(of_cycle, IS_STAGED)) or 0


def takes_no_applications(cycle_id: int) -> ColumnElement[bool]:
    """A condition on `Lab`: it is not listed, or takes no applications in a cycle."""
    is_shut = exists().where(LabIntake.lab_id == Lab.id, LabIntake.cycle_id == cycle_id, LabIntake.open.is_(False))
    return or_(~IS_LISTED, is_shut)


def intake_of(session: Session, lab: Lab, cycle: Cycle) -> LabIntake | None:
    """A lab's settings for a cycle, if any."""
    return session.scalar(_INTAKE, {"lab": lab.id, "cycle": cycle.id})


def closed_labs(session: Session, cycle: Cycle) -> frozenset[int]:
    """The labs that accept no applications in a cycle."""
    return frozenset(session.scalars(select(Lab.id).where(takes_no_applications(cycle.id))))


def labs_with_slugs(session: Session, slugs: Collection[str]) -> dict[str, Lab]:
    """The labs with these slugs that are no drafts, by slug."""
    labs = session.scalars(
        select(Lab).where(Lab.slug.in_([slug for slug in slugs if "\0" not in slug]), Lab.is_draft.is_(False))
    )
    return {lab.slug: lab for lab in labs}


@cache
def zones() -> tuple[str, ...]:
    """UTC and the zones that are named after places, in order."""
    return (USUAL_ZONE, *sorted(name for name in known_zones() if name.partition("/")[0] in AREAS))


def zone_choices(*in_use: str) -> list[tuple[str, str]]:
    """The zones as choices of a form, with zones that are in use but not on the list."""
    unlisted = [name for name in dict.fromkeys(in_use) if name and name not in zones() and is_zone(name)]
    names = {ANYWHERE_ON_EARTH: "Anywhere on Earth"}
    return [(name, names.get(name, name.replace("_", " "))) for name in (*unlisted, *zones())]
