"""Reads about accounts."""

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
    User,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


def person_by_address(session: Session, email: str) -> User | None:
    """The account with this address, however its letters are written.

    Raises:
        AddressError: It is no address.
    """
    return session.scalar(select(User).where(User.email == normal_address(email)))


def was_merged(session: Session, person: User) -> bool:
    """Whether this account is closed for good, since it was merged into another one."""
    return session.get(MergedAccount, person.id) is not None


def has_stated_interests(session: Session, user: User) -> bool:
    """Whether labs can be ranked for this person: a topic, a statement, or a resume whose text was confirmed."""
    stated = exists().where(
        Interests.user_id == user.id,
        or_(Interests.statement != "", exists().where(InterestTopic.interests_id == Interests.id)),
    )
    confirmed = exists().where(and_(Resume.user_id == user.id, Resume.confirmed_at.is_not(None)))
    return bool(session.scalar(select(or_(stated, confirmed))))


def is_under_way(session: Session, user: User) -> bool:
    """Whether this person has submitted an application, or is invited by a lab and has not answered."""
    applied = exists().where(Application.applicant_id == user.id, Application.submissions > 0)
    invited = exists().where(Invitation.applicant_id == user.id, Invitation.answer.is_(None))
    return bool(session.scalar(select(or_(applied, invited))))


def labs_read_by(session: Session, user: User) -> Sequence[Lab]:
    """The labs that this person reads for, by name."""
    statement = select(Lab).join(LabProfessor).where(LabProfessor.user_id == user.id).order_by(Lab.name)
    return session.scalars(statement).all()
