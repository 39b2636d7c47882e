"""Reads accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, or_, select

from portal.accounts.addresses import normal_address
from portal.models import (
    Application,
    Interests,
    InterestTopic,
    Invitation,
    Lab,
    LabProfessor,
    MergedAccount,
    Resume,
    Role,
    User,
)
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


def person_by_address(session: Session, email: str) -> User | None:
    """The account with this address, in any spelling.

    Raises:
        AddressError: It is not an address.
    """
    return session.scalar(select(User).where(User.email == normal_address(email)))


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


def labs_read_by(session: Session, user: User) -> Sequence[Lab]:
    """The labs that this person leads or reviews for, by name."""
    statement = select(Lab).join(LabProfessor).where(LabProfessor.user_id == user.id).order_by(Lab.name)
    return session.scalars(statement).all()
