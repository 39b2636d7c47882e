"""Writes accounts, as Flask-Security does. The caller commits.

Setting a password needs an application context, which configures the hash.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from flask_security import hash_password
from sqlalchemy import select

from portal import audit
from portal.accounts.addresses import normal_address
from portal.accounts.passwords import normal_password
from portal.accounts.rules import tidy_name, why_not_name, why_not_role
from portal.models import Role, User
from portal.models.user import APPLICANT, ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.orm import Session

REGISTER = "account.register"
"""The act of registering, in the audit log."""


class AccountError(ValueError):
    """A rule forbids something of an account; the message says why."""


def ensure_roles(session: Session) -> dict[str, Role]:
    """All roles by name, creating those that are missing."""
    roles = {role.name: role for role in session.scalars(select(Role))}
    for name in ROLES:
        if name not in roles:
            roles[name] = Role(name=name)
            session.add(roles[name])
    return roles


def create_person(
    session: Session,
    email: str,
    password: str,
    roles: Iterable[str],
    *,
    name: str = "",
    confirmed: bool,
    now: datetime,
    author: User | None = None,
) -> User:
    """Create an account.

    Args:
        session: Flushed, not committed.
        email: Stored in its normal spelling.
        password: Hashed here. The caller has checked it with `passwords.why_not_password`.
        roles: Names of roles.
        name: As the person wants to be called; may be empty.
        confirmed: Whether the address is known to be theirs, so that they may sign in.
        now: The time of creation.
        author: Who creates it; None for the command line.

    Side effects: writes an audit entry.

    Raises:
        AddressError: `email` is not an address.
        AccountError: A role is unknown, the name cannot be shown, or the address is taken.
    """
    address = normal_address(email)
    tidied_name = tidy_name(name)
    role_names = list(dict.fromkeys(roles))
    for reason in (why_not_name(tidied_name), *(why_not_role(role) for role in role_names)):
        if reason is not None:
            raise AccountError(reason)
    if session.scalar(select(User.id).where(User.email == address)) is not None:
        raise AccountError(f"{address} has an account already.")
    all_roles = ensure_roles(session)
    user = User(
        email=address,
        name=tidied_name,
        password=hash_password(normal_password(password)),
        active=True,
        fs_uniquifier=uuid.uuid4().hex,
        confirmed_at=now if confirmed else None,
        created_at=now,
        roles=[all_roles[role] for role in role_names],
    )
    session.add(user)
    session.flush()
    _record(session, user, author, "account.create", now, after={"email": address, "roles": role_names})
    return user


def register_applicant(session: Session, user: User, *, now: datetime) -> None:
    """Make an account that somebody has registered that of an applicant. Side effect: an audit entry."""
    user.created_at = now
    user.roles.append(ensure_roles(session)[APPLICANT])
    _record(session, user, user, REGISTER, now, after={"role": APPLICANT})


def grant_role(session: Session, user: User, role: str, *, author: User | None, now: datetime) -> bool:
    """Give a role; False if the person already has it. Side effects: writes an audit entry.

    Raises:
        AccountError: The role is unknown.
    """
    reason = why_not_role(role)
    if reason is not None:
        raise AccountError(reason)
    if user.has_role(role):
        return False
    user.roles.append(ensure_roles(session)[role])
    _record(session, user, author, "account.grant_role", now, after={"role": role})
    return True


def set_password(session: Session, user: User, password: str, *, author: User | None, now: datetime) -> None:
    """Set a new password. Side effects: ends every session of the account, writes an audit entry."""
    user.password = hash_password(normal_password(password))
    user.fs_uniquifier = uuid.uuid4().hex
    _record(session, user, author, "account.set_password", now)


def rename(session: Session, user: User, name: str) -> bool:
    """Change a person's name; False if it is unchanged.

    Raises:
        AccountError: The name cannot be shown.
    """
    tidied_name = tidy_name(name)
    reason = why_not_name(tidied_name)
    if reason is not None:
        raise AccountError(reason)
    if tidied_name == user.name:
        return False
    user.name = tidied_name
    session.flush()
    return True


def confirm(session: Session, user: User, *, now: datetime) -> None:
    """Mark the address as confirmed: the person opened a link that was mailed there."""
    if user.confirmed_at is None:
        user.confirmed_at = now
        session.flush()


def renew_identity(session: Session, user: User) -> None:
    """End all sessions and mailed links of the account."""
    user.fs_uniquifier = uuid.uuid4().hex
    session.flush()


def end_all_sessions(session: Session, user: User, *, author: User, now: datetime) -> None:
    """Sign the person out everywhere. Side effects: invalidates mailed links; writes an audit entry."""
    user.fs_uniquifier = uuid.uuid4().hex
    _record(session, user, author, "account.sign_out_everywhere", now)


def forget_second_factor(session: Session, user: User, *, author: User | None, now: datetime) -> None:
    """Turn off two-step sign-in and delete the recovery codes. Side effects: writes an audit entry."""
    user.tf_primary_method = None
    user.tf_totp_secret = None
    user.tf_last_counter = None
    user.mf_recovery_codes = None
    _record(session, user, author, "account.two_step_off", now)


def record_change(
    session: Session, user: User, act: str, *, now: datetime, after: dict[str, str] | None = None
) -> None:
    """Write an audit entry for a change that the person made to their own account."""
    _record(session, user, user, act, now, after=after)


def _record(
    session: Session,
    user: User,
    author: User | None,
    act: str,
    now: datetime,
    *,
    after: object = None,
) -> None:
    audit.record(session, actor=author, act=act, object_type="account", object_key=user.email, now=now, after=after)
