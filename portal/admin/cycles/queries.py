"""What the administrators' pages read of cycles: how far applications are, and how many decisions wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from portal.admin.releases.queries import staged_count
from portal.admin.searching import contains_text, is_called, page_within
from portal.models import Application, Choice, Cycle, Lab, User
from portal.web.paging import PER_PAGE, Page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class CycleRow:
    """A cycle with how many applications are in each state, and how many decisions wait for their release."""

    cycle: Cycle
    by_state: Mapping[str, int]
    staged: int

    @property
    def applications(self) -> int:
        """How many there are in all, drafts included."""
        return sum(self.by_state.values())

    @property
    def drafts(self) -> int:
        """How many their applicants have not submitted yet."""
        return self.by_state.get("draft", 0)

    @property
    def unchecked(self) -> int:
        """How many submitted ones wait for an administrator."""
        return self.by_state.get("submitted", 0)


@dataclass(frozen=True, slots=True)
class ApplicationRow:
    """An application in a list: whose it is, its state, and the labs it names, in no order that says anything."""

    id: int
    name: str
    email: str
    state: str
    submitted_at: datetime | None
    labs: tuple[str, ...]


def cycle_rows(session: Session) -> Sequence[CycleRow]:
    """All cycles, the one with the latest deadline first."""
    cycles = session.scalars(select(Cycle).order_by(Cycle.deadline_at.desc(), Cycle.id.desc())).all()
    return [cycle_row(session, cycle) for cycle in cycles]


def cycle_row(session: Session, cycle: Cycle) -> CycleRow:
    """One cycle with its counts."""
    states = session.execute(
        select(Application.state, func.count()).where(Application.cycle_id == cycle.id).group_by(Application.state)
    )
    return CycleRow(cycle, {str(state): int(count) for state, count in states}, staged_count(session, cycle))


def applications_page(
    session: Session, cycle: Cycle, *, state: str, search: str, number: int, per_page: int = PER_PAGE
) -> Page[ApplicationRow]:
    """One page of the applications of a cycle, first submitted first; narrowed to a state, and by name or address."""
    wanted: list[ColumnElement[bool]] = [Application.cycle_id == cycle.id]
    if state:
        wanted.append(Application.state == state)
    wanted += [is_called(session, word) | contains_text(User.email.expression, word) for word in search.split()]
    found = select(Application).join(User, User.id == Application.applicant_id).where(*wanted)
    total = session.scalar(select(func.count()).select_from(found.subquery())) or 0
    page = page_within(number, total, per_page)
    rows = session.scalars(
        found.options(joinedload(Application.applicant))
        .order_by(Application.submitted_at.is_(None), Application.submitted_at, Application.id)
        .limit(per_page)
        .offset((page - 1) * per_page)
    ).all()
    labs = _labs_of(session, [row.id for row in rows])
    return Page(
        [
            ApplicationRow(
                row.id,
                row.applicant.display_name,
                row.applicant.email,
                row.state,
                row.submitted_at,
                labs.get(row.id, ()),
            )
            for row in rows
        ],
        page,
        total,
        per_page,
    )


def _labs_of(session: Session, applications: Sequence[int]) -> dict[int, tuple[str, ...]]:
    rows = session.execute(
        select(Choice.application_id, Lab.name)
        .join(Lab, Lab.id == Choice.lab_id)
        .where(Choice.application_id.in_(applications))
        .order_by(Lab.name)
    )
    labs: dict[int, tuple[str, ...]] = {}
    for application_id, name in rows:
        labs[application_id] = (*labs.get(application_id, ()), name)
    return labs
