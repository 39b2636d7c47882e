"""What is read of referees: by their applicant, by themselves through their link, and by labs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.accounts.secret_links import opened_by
from portal.models import AuditEntry, Referee

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application, User

ASKED = "referee.ask"
"""The act of asking for a letter, in the audit log."""


def referees_of(session: Session, application: Application) -> Sequence[Referee]:
    """The referees that an application names now, in the order in which they were named."""
    return session.scalars(
        select(Referee)
        .where(Referee.application_id == application.id, Referee.revoked_at.is_(None))
        .order_by(Referee.created_at, Referee.id)
    ).all()


def referee_of(session: Session, application: Application, referee_id: int) -> Referee | None:
    """One of the referees that an application names or, if `revoked_at` is set, named."""
    return session.scalar(select(Referee).where(Referee.id == referee_id, Referee.application_id == application.id))


def referee_by_token(session: Session, token: str) -> Referee | None:
    """The referee whose link has this token."""
    return opened_by(session, Referee, token, Referee.revoked_at.is_(None))


def requests_since(session: Session, applicant: User, since: datetime) -> int:
    """How often somebody asked for a letter since then; the audit log remembers it beyond an erasure."""
    by_them = (AuditEntry.act == ASKED, AuditEntry.actor_id == applicant.id, AuditEntry.at >= since)
    return session.scalar(select(func.count(AuditEntry.id)).where(*by_them)) or 0


def letter_seen(referee: Referee) -> str:
    """What a page notes of the letter that it shows as sent; empty where none was."""
    return referee.received_at.isoformat() if referee.received_at is not None else ""
