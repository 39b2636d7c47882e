"""Accounts as administrators see them, and the one writer of roles, lab positions and suspensions.

Lab profiles are written by `portal.labs.service`. Every act is in the audit log. The caller commits.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, func, select, update

from portal import audit
from portal.accounts.service import ensure_roles, grant_role, labs_read_by, was_merged
from portal.admin import rules
from portal.admin.labs.queries import is_meant_by
from portal.admin.searching import is_person_found_by
from portal.db import lock_row
from portal.labs import service as labs
from portal.models import Lab, LabProfessor, MergedAccount, Role, User
from portal.models.user import ADMIN, PROFESSOR, role_of_user
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


def give_role(session: Session, person: User, role: str, *, actor: User, now: datetime) -> None:
    """Give a role.

    Raises:
        NotAllowed: The role is unknown, or held already, or the account was merged into another one or is unconfirmed.
    """
    _hold(session, person)
    rules.ensure_allowed(rules.why_not_use(person, merged=was_merged(session, person)))
    rules.ensure_allowed(rules.why_not_give_role(person, role))
    grant_role(session, person, role, author=actor, now=now)


def take_role(session: Session, person: User, role: str, *, actor: User, now: datetime) -> None:
    """Take a role away.

    Raises:
        NotAllowed: They do not hold it, are the last administrator, or read for a lab.
    """
    hold_admins(session)
    _hold(session, person)
    reason = rules.why_not_take_role(
        person,
        role,
        acting_admins=acting_admins(session),
        labs=labs_read_by(session, person, for_admins=True),
    )
    rules.ensure_allowed(reason)
    person.roles.remove(ensure_roles(session)[role])
    session.flush()
    _record(session, person, "account.take_role", actor=actor, now=now, before={"role": role})


def suspend(session: Session, person: User, *, reason: str, actor: User, now: datetime) -> None:
    """Close an account until it is restored. Side effect: every session of the person ends at once.

    Raises:
        NotAllowed: They are suspended already, are the actor, or the last administrator.
    """
    hold_admins(session)
    _hold(session, person)
    rules.ensure_allowed(rules.why_not_suspend(person, actor=actor, acting_admins=acting_admins(session)))
    person.active = False
    person.fs_uniquifier = uuid.uuid4().hex
    session.flush()
    _record(session, person, "account.suspend", actor=actor, now=now, after={"reason": reason})


def restore(session: Session, person: User, *, reason: str, actor: User, now: datetime) -> None:
    """Restore a suspended account.

    Raises:
        NotAllowed: They are not suspended, or their account was merged into another one.
    """
    _hold(session, person)
    rules.ensure_allowed(rules.why_not_restore(person, merged=was_merged(session, person)))
    person.active = True
    _record(session, person, "account.restore", actor=actor, now=now, after={"reason": reason})


def attach(session: Session, lab: Lab, person: User, position: str, *, actor: User, now: datetime) -> None:
    """Let a person read for a lab, as "leader" or "reviewer". Side effect: they become a professor.

    Raises:
        NotAllowed: The position is unknown, or the account is suspended, merged into another one or unconfirmed.
    """
    _hold(session, person)
    rules.ensure_allowed(rules.why_not_use(person, merged=was_merged(session, person)))
    rules.ensure_allowed(rules.why_not_attach(person, position))
    grant_role(session, person, PROFESSOR, author=actor, now=now)
    labs.attach_professor(session, lab, person, position, author=actor, now=now)


def detach(session: Session, lab: Lab, person: User, *, actor: User, now: datetime) -> None:
    """Detach a person from a lab; the role stays."""
    _hold(session, person)
    labs.detach_professor(session, lab, person, author=actor, now=now)


def hold_admins(session: Session) -> None:
    """Keep other transactions that call this waiting until this one ends.

    Otherwise two administrators who take the role from each other at the same moment would both succeed.
    """
    session.execute(update(Role).where(Role.name == ADMIN).values(name=ADMIN))


def _hold(session: Session, person: User) -> None:
    """Lock an account until the transaction ends, so that nobody else changes its rights, and read it again."""
    lock_row(session, User.active, person.id)
    session.refresh(person, ["active", "confirmed_at", "roles"])


def _record(
    session: Session, person: User, act: str, *, actor: User, now: datetime, before: object = None, after: object = None
) -> None:
    audit.record(session, actor, act, "account", person.email, now, before=before, after=after)
