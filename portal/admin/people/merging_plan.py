"""The plan of a merge of two accounts: counts and consequences, before anything is done. Reads only."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from portal.admin.people.merging_fates import BY_COLUMN, FATES
from portal.admin.people.merging_interviews import interviews_at_once
from portal.admin.people.merging_overlaps import Question, questions, refusals
from portal.db import Base
from portal.models import LabProfessor
from portal.models.user import APPLICANT

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.admin.people.merging_fates import ColumnFate
    from portal.models import User


@dataclass(frozen=True, slots=True)
class Line:
    """How many rows of one kind the account to be closed has, and what becomes of them."""

    label: str
    count: int
    becomes: str


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What a merge would do. With `refusals` it cannot be done; each of `questions` needs an answer; `rights` are those
    that the kept account can gain, if the administrator says so; `at_once` are overlapping interviews, which do not
    prevent it; `fingerprint` changes with any of these.
    """

    lines: tuple[Line, ...]
    refusals: tuple[str, ...]
    questions: tuple[Question, ...]
    rights: tuple[str, ...]
    at_once: tuple[str, ...]
    fingerprint: str


def merge_plan(session: Session, kept: User, other: User, *, actor: User, now: datetime) -> MergePlan:
    """The plan for merging `other` into `kept` now, by `actor`."""
    lines = tuple(
        Line(rule.label, count, FATES[rule.fate])
        for column, rule in BY_COLUMN.items()
        if (count := _count(session, column, rule, other))
    )
    reasons = refusals(session, kept, other, actor=actor)
    open_questions = questions(session, kept, other)
    gained = rights(session, kept, other)
    at_once = interviews_at_once(session, kept, other, now)
    content = repr((kept.id, other.id, lines, reasons, open_questions, gained, at_once))
    return MergePlan(lines, reasons, open_questions, gained, at_once, hashlib.sha256(content.encode()).hexdigest())


def rights(session: Session, kept: User, other: User) -> tuple[str, ...]:
    """The rights of `other` that `kept` lacks. The role applicant is not one of them: anybody can register as one."""
    held_roles = {role.name for role in kept.roles} | {APPLICANT}
    roles = [f"the role {role.name}" for role in other.roles if role.name not in held_roles]
    seats = {seat.lab_id: seat.position for seat in _seats(session, kept)}
    labs = [
        f"{seat.position} of {seat.lab.name}"
        for seat in _seats(session, other)
        if seats.get(seat.lab_id) not in {seat.position, "leader"}
    ]
    return (*roles, *labs)


def _seats(session: Session, person: User) -> list[LabProfessor]:
    rows = select(LabProfessor).where(LabProfessor.user_id == person.id).order_by(LabProfessor.lab_id)
    return list(session.scalars(rows))


def _count(session: Session, column: tuple[str, str], rule: ColumnFate, person: User) -> int:
    table: Any = Base.metadata.tables[column[0]]
    belongs = table.c[column[1]] == person.id
    if rule.while_in:
        belongs &= table.c.state.in_(rule.while_in)
    return session.scalar(select(func.count()).select_from(table).where(belongs)) or 0
