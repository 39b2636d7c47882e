"""What the administrators' pages read about people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import joinedload

from portal.admin.searching import contains_text, is_called, page_within
from portal.models import Lab, LabProfessor, MergedAccount, Role, User
from portal.models.user import ADMIN, role_of_user
from portal.web.paging import PER_PAGE, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class PersonRow:
    """An account with what it may do: roles, and the labs it reads for with the position there."""

    id: int
    name: str
    email: str
    roles: tuple[str, ...]
    labs: tuple[tuple[str, str, str], ...]
    active: bool
    confirmed: bool


def people_page(session: Session, *, search: str, role: str, number: int) -> Page[PersonRow]:
    """One page of the list of people, by name; narrowed to a role where one is given."""
    wanted: list[ColumnElement[bool]] = [
        is_called(session, word) | contains_text(User.email.expression, word) for word in search.split()
    ]
    if role:
        wanted.append(User.roles.any(Role.name == role))
    total = session.scalar(select(func.count(User.id)).where(*wanted)) or 0
    page = page_within(number, total)
    people = session.scalars(
        select(User)
        .where(*wanted)
        .order_by(func.lower(User.name), User.email)
        .limit(PER_PAGE)
        .offset((page - 1) * PER_PAGE)
    ).all()
    seats = _seats(session, [person.id for person in people])
    return Page([_person_row(person, seats.get(person.id, ())) for person in people], page, total)


def person_row(session: Session, person: User) -> PersonRow:
    """One person as the list shows them."""
    return _person_row(person, _seats(session, [person.id]).get(person.id, ()))


def merged_into(session: Session, person: User) -> User | None:
    """The account that this one was merged into."""
    merged = session.get(MergedAccount, person.id)
    return merged.into if merged is not None else None


def professors_of(session: Session, lab: Lab) -> Sequence[LabProfessor]:
    """Who reads for a lab: leaders first, then by address."""
    return session.scalars(
        select(LabProfessor)
        .join(User, User.id == LabProfessor.user_id)
        .where(LabProfessor.lab_id == lab.id)
        .order_by(LabProfessor.position, User.email)
        .options(joinedload(LabProfessor.user))
    ).all()


def acting_admins(session: Session) -> int:
    """How many people hold the role admin and are not suspended."""
    return (
        session.scalar(
            select(func.count(User.id))
            .join(role_of_user, role_of_user.c.user_id == User.id)
            .join(Role, Role.id == role_of_user.c.role_id)
            .where(Role.name == ADMIN, User.active.is_(True))
        )
        or 0
    )


def _seats(session: Session, people: Sequence[int]) -> dict[int, tuple[tuple[str, str, str], ...]]:
    """By person: slug, name and position at each lab they read for."""
    rows = session.execute(
        select(LabProfessor.user_id, Lab.slug, Lab.name, LabProfessor.position)
        .join(Lab, and_(Lab.id == LabProfessor.lab_id, LabProfessor.user_id.in_(people)))
        .order_by(Lab.name)
    )
    seats: dict[int, tuple[tuple[str, str, str], ...]] = {}
    for row in rows:
        seats[row.user_id] = (*seats.get(row.user_id, ()), (row.slug, row.name, row.position))
    return seats


def _person_row(person: User, seats: tuple[tuple[str, str, str], ...]) -> PersonRow:
    roles = tuple(role.name for role in person.roles)
    confirmed = person.confirmed_at is not None
    return PersonRow(person.id, person.name, person.email, roles, seats, person.active, confirmed)
