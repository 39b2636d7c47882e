"""Reads about people: the list, the labs they read for, and how many administrators there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, func, select

from portal.admin.labs.queries import is_meant_by
from portal.admin.searching import is_person_found_by
from portal.models import Lab, LabProfessor, MergedAccount, Role, User
from portal.models.user import ADMIN, role_of_user
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.orm import Session

Seat = tuple[str, str, str]
"""Slug and name of a lab that somebody reads for, and their position there."""
ACCOUNTS = ("open", "address not confirmed", "suspended")
SORTS = ("name", "made")


def account_of(person: User) -> str:
    """The state of an account: one of `ACCOUNTS`."""
    return "suspended" if not person.active else "open" if person.confirmed_at else "address not confirmed"


def people_page(session: Session, asked: Mapping[str, str], *, number: int) -> Page[tuple[User, Sequence[Seat]]]:
    """One page of the list."""
    listed = select(User).where(*_conditions(session, asked)).order_by(*_order(asked))
    shown, page, total = cut_to_page(session, listed, number)
    people = session.scalars(shown).all()
    seats = seats_of(session, people)
    return Page([(person, seats[person.id]) for person in people], page, total)


def seats_of(session: Session, people: Iterable[User]) -> dict[int, list[Seat]]:
    """The labs that these people read for, by name, by the id of each person."""
    seats: dict[int, list[Seat]] = {person.id: [] for person in people}
    rows = session.execute(
        select(LabProfessor.user_id, Lab.slug, Lab.name, LabProfessor.position)
        .join(Lab, and_(Lab.id == LabProfessor.lab_id, LabProfessor.user_id.in_(seats)))
        .order_by(Lab.name)
    )
    for user_id, *seat in rows:
        seats[user_id].append((seat[0], seat[1], seat[2]))
    return seats


def merged_into(session: Session, person: User) -> User | None:
    """The account that this one was merged into, or None."""
    merged = session.get(MergedAccount, person.id)
    return merged.into if merged is not None else None


def acting_admins(session: Session) -> int:
    """How many people hold the role admin and are not suspended."""
    admins = select(func.count(User.id)).join(role_of_user, role_of_user.c.user_id == User.id)
    admins = admins.join(Role, Role.id == role_of_user.c.role_id)
    return session.scalar(admins.where(Role.name == ADMIN, User.active.is_(True))) or 0


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
