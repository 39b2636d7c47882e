"""The one writer of roles, lab positions and suspensions. Lab profiles are written by `portal.labs.service`.

Every act is in the audit log. The caller commits.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from sqlalchemy import update

from portal import audit
from portal.accounts.service import ensure_roles, grant_role, labs_read_by, was_merged
from portal.admin import rules
from portal.admin.people import queries as people_queries
from portal.db import lock_row
from portal.labs import service as labs
from portal.models import Role, User
from portal.models.user import ADMIN, PROFESSOR

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab


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
        acting_admins=people_queries.acting_admins(session),
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
    rules.ensure_allowed(
        rules.why_not_suspend(person, actor=actor, acting_admins=people_queries.acting_admins(session))
    )
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
    audit.record(
        session,
        actor=actor,
        act=act,
        object_type="account",
        object_key=person.email,
        now=now,
        before=before,
        after=after,
    )
