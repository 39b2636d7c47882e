"""Secret links: anybody with the address may open them. Only the SHA-256 of their secret is stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import select

from portal.models import AccountInvitation, CalendarFeed, Referee

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

Linked = TypeVar("Linked", AccountInvitation, CalendarFeed, Referee)
"""What such a link opens."""

RANDOM_BYTES = 32
LONGEST_TOKEN = 200  # characters; valid tokens have 43


def new_token() -> str:
    """An unguessable secret for an address."""
    return secrets.token_urlsafe(RANDOM_BYTES)


def token_digest(token: str) -> str:
    """The stored form of a token, which is long and random, so that a fast hash cannot be reversed by guessing."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def opened_by(session: Session, kind: type[Linked], token: str, *conditions: ColumnElement[bool]) -> Linked | None:
    """The object that the link with this token opens, if it meets the `conditions`.

    The response time does not depend on how much of a token is right.
    """
    digest = token_digest(token[:LONGEST_TOKEN])
    row = session.scalar(select(kind).where(kind.token_hash == digest, *conditions))
    if row is None or not hmac.compare_digest(row.token_hash or "", digest):
        return None
    return row
