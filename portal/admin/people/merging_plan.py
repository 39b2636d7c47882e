"""What merging two accounts would do, counted and said before anything is done. Reads only."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from portal.admin.people.merging_fates import BY_COLUMN, FATES
from portal.admin.people.merging_interviews import interviews_at_once
from portal.admin.people.merging_overlaps import Question, questions, refusals
from portal.db import Base
from portal.models import Lab, LabProfessor
from portal.models.user import APPLICANT

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.admin.people.merging_fates import Kept
    from portal.models import User


@dataclass(frozen=True, slots=True)
class Line:
    """How much of one thing the account has that would be closed, and what becomes of it."""

    label: str
    count: int
    becomes: str


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What a merge would do. With `refusals` it cannot be done; `questions` need an answer each; `rights` are what the
    kept account would gain, only if that is said; `at_once` are interviews of both at the same time, no reason
    against it; `fingerprint` changes with any of it.
    """

    lines: tuple[Line, ...]
    refusals: tuple[str, ...]
    questions: tuple[Question, ...]
    rights: tuple[str, ...]
    at_once: tuple[str, ...]
    fingerprint: str


def merge_plan(session: Session, kept: User, other: User, *, actor: User, now: datetime) -> MergePlan:
    """What merging `other` into `kept` would do now, if `actor` did it."""
    lines = tuple(
        Line(one.label, count, FATES[one.fate])
        for column, one in BY_COLUMN.items()
        if (count := _count(session, column, one, other))
    )
    against = refusals(session, kept, other, actor=actor)
    asked = questions(session, kept, other)
    gained = rights(session, kept, other)
    at_once = interviews_at_once(session, kept, other, now)
    content = repr((kept.id, other.id, lines, against, asked, gained, at_once))
    return MergePlan(lines, against, asked, gained, at_once, hashlib.sha256(content.encode()).hexdigest())


def rights(session: Session, kept: User, other: User) -> tuple[str, ...]:
    """What `other` may do and `kept` may not. To be an applicant is no right: anybody can register as one."""
    held = {role.name for role in kept.roles} | {APPLICANT}
    roles = [f"the role {role.name}" for role in other.roles if role.name not in held]
    seats = {seat.lab_id: seat.position for seat in _seats(session, kept)}
    labs = [
        f"{seat.position} of {session.get_one(Lab, seat.lab_id).name}"
        for seat in _seats(session, other)
        if seats.get(seat.lab_id) not in {seat.position, "leader"}
    ]
    return (*roles, *labs)


def _seats(session: Session, person: User) -> list[LabProfessor]:
    rows = select(LabProfessor).where(LabProfessor.user_id == person.id).order_by(LabProfessor.lab_id)
    return list(session.scalars(rows))


def _count(session: Session, column: tuple[str, str], one: Kept, person: User) -> int:
    table: Any = Base.metadata.tables[column[0]]
    mine = table.c[column[1]] == person.id
    if one.while_in:
        mine &= table.c.state.in_(one.while_in)
    return session.scalar(select(func.count()).select_from(table).where(mine)) or 0
