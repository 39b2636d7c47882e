"""Reads about people: the list, its file, single accounts, and recent changes of their roles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, func, select

from portal.admin.labs.queries import is_meant_by
from portal.admin.searching import is_person_found_by
from portal.models import Lab, LabProfessor, MergedAccount, Role, User
from portal.models.user import ADMIN, role_of_user
from portal.web.downloads import csv_file
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

ACCOUNTS = ("open", "address not confirmed", "suspended")
SORTS = ("name", "made")
HEADER = ("Name", "E-mail", "Roles", "Reads for", "Account", "Made (UTC)")
BATCH_SIZE = 500  # people whose labs are read in one statement


@dataclass(frozen=True, slots=True)
class PersonRow:
    """An account with its roles, and the labs it reads for: slug, name and position of each."""

    id: int
    name: str
    email: str
    roles: tuple[str, ...]
    labs: tuple[tuple[str, str, str], ...]
    active: bool
    confirmed: bool
    made_at: datetime | None

    @property
    def account(self) -> str:
        """The state of the account: one of `ACCOUNTS`."""
        return "suspended" if not self.active else "open" if self.confirmed else "address not confirmed"


def people_page(session: Session, asked: Mapping[str, str], *, number: int) -> Page[PersonRow]:
    """One page of the list."""
    shown, page, total = cut_to_page(session, _listed(session, asked), number)
    return Page(_person_rows(session, shown), page, total)


def everybody(session: Session, asked: Mapping[str, str]) -> Sequence[PersonRow]:
    """The rows of all pages of the list."""
    return _person_rows(session, _listed(session, asked))


def people_csv(rows: Iterable[PersonRow]) -> bytes:
    """People as a CSV file."""
    return csv_file([HEADER, *map(_cells, rows)])


def person_row(session: Session, person: User) -> PersonRow:
    """One person as a row of the list."""
    return PersonRow(
        person.id,
        person.name,
        person.email,
        tuple(role.name for role in person.roles),
        _seats(session, [person.id]).get(person.id, ()),
        person.active,
        person.confirmed_at is not None,
        person.created_at,
    )


def merged_into(session: Session, person: User) -> User | None:
    """The account that this one was merged into, or None."""
    merged = session.get(MergedAccount, person.id)
    return merged.into if merged is not None else None


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


def _conditions(session: Session, asked: Mapping[str, str]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if asked["q"]:
        conditions.append(is_person_found_by(session, asked["q"]))
    if asked["role"]:
        conditions.append(User.roles.any(Role.name == asked["role"]))
    if asked["account"]:
        conditions.append(
            User.active.is_(False)
            if asked["account"] == "suspended"
            else and_(User.active.is_(True), User.confirmed_at.is_not(None) == (asked["account"] == "open"))
        )
    if asked["lab"]:
        meant = is_meant_by(session, asked["lab"])
        seats = select(LabProfessor.user_id).join(Lab, Lab.id == LabProfessor.lab_id).where(meant)
        conditions.append(User.id.in_(seats))
    return conditions


def _order(asked: Mapping[str, str]) -> Sequence[ColumnElement[Any]]:
    """The order of the list. People without a name are sorted by address; accounts without a date count as oldest."""
    if asked["sort"] == "made":
        key: ColumnElement[Any] = func.coalesce(User.created_at, datetime(1, 1, 1, tzinfo=UTC))
    else:
        key = func.lower(func.coalesce(func.nullif(User.name, ""), User.email))
    return (key.desc() if asked["order"] else key.asc(), User.email.expression)


def _listed(
    session: Session, asked: Mapping[str, str]
) -> Select[int, str, str, bool, datetime | None, datetime | None]:
    """The columns of a row, not mapped accounts with their roles, which take three times as long."""
    columns = select(User.id, User.name, User.email, User.active, User.confirmed_at, User.created_at)
    return columns.where(*_conditions(session, asked)).order_by(*_order(asked))


def _person_rows(
    session: Session, listed: Select[int, str, str, bool, datetime | None, datetime | None]
) -> list[PersonRow]:
    people = session.execute(listed).all()
    seats: dict[int, tuple[tuple[str, str, str], ...]] = {}
    roles: dict[int, tuple[str, ...]] = {}
    for start in range(0, len(people), BATCH_SIZE):
        ids = [row[0] for row in people[start : start + BATCH_SIZE]]
        seats |= _seats(session, ids)
        roles |= _roles(session, ids)
    return [
        PersonRow(
            user_id, name, email, roles.get(user_id, ()), seats.get(user_id, ()), active, confirmed is not None, made_at
        )
        for user_id, name, email, active, confirmed, made_at in people
    ]


def _roles(session: Session, people: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The roles of each person, sorted by name."""
    rows = session.execute(
        select(role_of_user.c.user_id, Role.name)
        .join(Role, Role.id == role_of_user.c.role_id)
        .where(role_of_user.c.user_id.in_(people))
        .order_by(Role.name)
    )
    roles: dict[int, tuple[str, ...]] = {}
    for user_id, name in rows:
        roles[user_id] = (*roles.get(user_id, ()), name)
    return roles


def _cells(row: PersonRow) -> tuple[str, ...]:
    return (
        row.name,
        row.email,
        ", ".join(row.roles),
        "; ".join(f"{name} ({position})" for _, name, position in row.labs),
        row.account,
        f"{row.made_at:%Y-%m-%d %H:%M}" if row.made_at else "",
    )


def _seats(session: Session, people: Sequence[int]) -> dict[int, tuple[tuple[str, str, str], ...]]:
    """Slug, name and position of each lab that a person reads for, by person."""
    rows = session.execute(
        select(LabProfessor.user_id, Lab.slug, Lab.name, LabProfessor.position)
        .join(Lab, and_(Lab.id == LabProfessor.lab_id, LabProfessor.user_id.in_(people)))
        .order_by(Lab.name)
    )
    seats: dict[int, tuple[tuple[str, str, str], ...]] = {}
    for row in rows:
        seats[row.user_id] = (*seats.get(row.user_id, ()), (row.slug, row.name, row.position))
    return seats
