"""Reads and writes accounts. Setting a password needs an application context, which configures the hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import uuid
from typing import TYPE_CHECKING, TypeVar

from email_validator import EmailNotValidError, validate_email
from flask_security import hash_password
from sqlalchemy import and_, delete, exists, or_, select, update

from portal import audit
from portal.accounts.rules import normal_password, tidy_name, why_not_name
from portal.models import (
    AccountInvitation,
    ApiAnswer,
    ApiToken,
    Application,
    Interests,
    InterestTopic,
    Invitation,
    Lab,
    LabProfessor,
    MergedAccount,
    OpenIdentity,
    Referee,
    Resume,
    Role,
    Scorecard,
    User,
)
from portal.models.user import ADMIN, APPLICANT, ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


Linked = TypeVar("Linked", AccountInvitation, Referee)
RANDOM_BYTES = 32
LONGEST_TOKEN = 200  # characters; valid tokens have 43


def new_token() -> str:
    """An unguessable secret for an address."""
    return secrets.token_urlsafe(RANDOM_BYTES)


def token_digest(token: str) -> str:
    """The stored form of a token, which is long and random, so that a fast hash cannot be reversed by guessing."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def opened_by(session: Session, kind: type[Linked], token: str, *conditions: ColumnElement[bool]) -> Linked | None:
    """What the link with this token opens. The response time does not depend on how much of a token is right."""
    digest = token_digest(token[:LONGEST_TOKEN])
    row = session.scalar(select(kind).where(kind.token_hash == digest, *conditions))
    if row is None or not hmac.compare_digest(row.token_hash or "", digest):
        return None
    return row


class AddressError(ValueError):
    """A text that is not an e-mail address; the message says what is wrong with it."""


def normal_address(text: str, *, test_domains: bool = True) -> str:
    """The spelling under which an account stores an address: normalised domain, lower case. Whether the domain accepts
    mail shows when its owner opens the link sent there. `test_domains`: whether those under .test are accepted. Raises
    `AddressError`: it is not an address. Letters beyond ASCII are for the domain alone: before the @ they need
    SMTPUTF8, which the mail library does not speak.
    """
    try:
        checked = validate_email(
            text.strip(), check_deliverability=False, allow_smtputf8=False, test_environment=test_domains
        )
    except EmailNotValidError as error:
        # The library says "email"; the portal writes "e-mail" on every page.
        raise AddressError(str(error).replace("email address", "e-mail address")) from None
    return checked.normalized.lower()


def person_by_address(session: Session, email: str) -> User | None:
    """The account with this address, in any spelling. Raises AddressError if it is none."""
    return session.scalar(select(User).where(User.email == normal_address(email)))


def identities_of(session: Session, user: User) -> Sequence[OpenIdentity]:
    """What somebody may sign in with besides the password."""
    return session.scalars(select(OpenIdentity).where(OpenIdentity.user_id == user.id)).all()


def administrators(session: Session) -> Sequence[User]:
    """Everybody who has the role admin and is not suspended."""
    is_admin = User.roles.any(Role.name == ADMIN)
    return session.scalars(select(User).where(User.active.is_(True), is_admin).order_by(User.id)).all()


def was_merged(session: Session, person: User) -> bool:
    """Whether this account is closed because it was merged into another one."""
    return session.get(MergedAccount, person.id) is not None


def has_stated_interests(session: Session, user: User) -> bool:
    """Whether labs can be ranked for this person, by a topic, a statement, or a confirmed resume text."""
    stated = exists().where(
        Interests.user_id == user.id,
        or_(Interests.statement != "", exists().where(InterestTopic.interests_id == Interests.id)),
    )
    confirmed = exists().where(and_(Resume.user_id == user.id, Resume.confirmed_at.is_not(None)))
    return bool(session.scalar(select(or_(stated, confirmed))))


def is_under_way(session: Session, user: User) -> bool:
    """Whether this person has submitted an application, or has an unanswered invitation by a lab."""
    applied = exists().where(Application.applicant_id == user.id, Application.submissions > 0)
    invited = exists().where(Invitation.applicant_id == user.id, Invitation.answer.is_(None))
    return bool(session.scalar(select(or_(applied, invited))))


def labs_read_by(session: Session, user: User, *, for_admins: bool = False) -> Sequence[Lab]:
    """The labs that this person leads or reviews for, by name. Of a draft, only its leader and administrators know."""
    statement = select(Lab).join(LabProfessor).where(LabProfessor.user_id == user.id).order_by(Lab.name)
    if not for_admins:
        statement = statement.where(Lab.is_draft.is_(False) | (LabProfessor.position == "leader"))
    return session.scalars(statement).all()


DELETED = "@deleted.invalid"  # ends the address of a deleted account; nobody can register one such


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
    """Create an account. The caller has checked the password with `rules.why_not_password`. If it is `confirmed`, the
    address is known to be theirs, so that they may sign in. Side effect: an audit entry, by the command line without
    an `author`.

    Raises: AddressError; AccountError if the name cannot be shown or the address is taken.
    """
    address = normal_address(email)
    tidied_name = tidy_name(name)
    role_names = list(dict.fromkeys(roles))
    if reason := why_not_name(tidied_name):
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
    _record(session, user, user, "account.register", now, after={"role": APPLICANT})


def grant_role(session: Session, user: User, role: str, *, author: User | None, now: datetime) -> bool:
    """Give a role; False if the person already has it. Side effect: an audit entry."""
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
    """Change a person's name; False if it is unchanged. Raises AccountError if it cannot be shown."""
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


def close(session: Session, user: User, *, into: User | None, now: datetime) -> None:
    """End an account for good, its sessions, tokens and roles: it was merged `into` another one, or deleted."""
    tokens = update(ApiToken).where(ApiToken.user_id == user.id, ApiToken.revoked_at.is_(None))
    for statement in (
        tokens.values(revoked_at=now),
        *(delete(table).where(table.user_id == user.id) for table in (ApiAnswer, OpenIdentity)),
    ):
        session.execute(statement.execution_options(synchronize_session=False))
    session.expire_all()
    user.active, user.password, user.fs_uniquifier = False, None, uuid.uuid4().hex
    user.tf_primary_method = user.tf_totp_secret = user.tf_last_counter = user.mf_recovery_codes = None
    user.roles = []
    session.add(MergedAccount(user_id=user.id, into_id=into.id if into else None, merged_at=now))
    session.flush()


def why_not_delete(user: User) -> str | None:
    """Why somebody may not delete their account by themselves: others rely on what they decide."""
    roles = [role.name for role in user.roles if role.name != APPLICANT]
    return (
        f"Your account also has the role {' and '.join(roles)}. Ask an administrator to end that first."
        if roles
        else None
    )


def delete_account(session: Session, user: User, *, now: datetime) -> None:
    """Delete an account at its owner's wish, once what else they stated is deleted. Its address becomes free at once.

    Where applications that they submitted or reviews that they wrote stay, so does the name, until `purge_deleted`.
    Side effect: an audit entry.
    """
    _record(session, user, user, "account.delete", now)
    close(session, user, into=None, now=now)
    user.name, user.email = user.name or "Deleted account", f"{user.id}{DELETED}"
    session.flush()
    purge_deleted(session)


def purge_deleted(session: Session) -> None:
    """Remove deleted accounts of whom nothing is left."""
    is_named = exists().where(Application.applicant_id == User.id) | exists().where(Scorecard.reviewer_id == User.id)
    gone = delete(User).where(User.email.endswith(DELETED, autoescape=True), User.active.is_(False), ~is_named)
    session.execute(gone.execution_options(synchronize_session=False))
    session.expire_all()


def record_change(
    session: Session, user: User, act: str, *, now: datetime, after: dict[str, str] | None = None
) -> None:
    """Write an audit entry for a change that the person made to their own account."""
    _record(session, user, user, act, now, after=after)


def _record(
    session: Session, user: User, author: User | None, act: str, now: datetime, *, after: object = None
) -> None:
    audit.record(session, author, act, "account", user.email, now, after=after)
