"""What is read of referees: by their applicant, by themselves through their link, and by labs."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import Referee

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from portal.models import Application

LONGEST_TOKEN = 200


def token_digest(token: str) -> str:
    """By which a secret token is known."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def referees_of(session: Session, application: Application) -> Sequence[Referee]:
    """The referees that an application names now, in the order in which they were named."""
    return session.scalars(
        select(Referee)
        .where(Referee.application_id == application.id, Referee.revoked_at.is_(None))
        .order_by(Referee.created_at, Referee.id)
    ).all()


def referee_of(session: Session, application: Application, number: int) -> Referee | None:
    """One of the referees that an application names, or named: `revoked_at` tells which."""
    return session.scalar(select(Referee).where(Referee.id == number, Referee.application_id == application.id))


def letters_of(session: Session, application: Application) -> Sequence[Referee]:
    """The referees whose letter has arrived, the first letter first."""
    return session.scalars(
        select(Referee)
        .where(Referee.application_id == application.id, Referee.received_at.is_not(None))
        .order_by(Referee.received_at, Referee.id)
    ).all()


def referee_by_token(session: Session, token: str) -> Referee | None:
    """Whose link this is. How long it takes does not depend on how much of a token is right."""
    digest = token_digest(token[:LONGEST_TOKEN])
    found = session.scalar(select(Referee).where(Referee.token_hash == digest, Referee.revoked_at.is_(None)))
    if found is None or not hmac.compare_digest(found.token_hash or "", digest):
        return None
    return found
