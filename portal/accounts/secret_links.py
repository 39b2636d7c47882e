"""Secret links: whoever has the address may open what it leads to; of its secret only the SHA-256 is stored."""

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
LONGEST_TOKEN = 200  # characters that are looked at; ours have 43


def new_token() -> str:
    """A secret that nobody can guess, for an address."""
    return secrets.token_urlsafe(RANDOM_BYTES)


def token_digest(token: str) -> str:
    """By which a secret token is known."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def opened_by(session: Session, kind: type[Linked], token: str, *also: ColumnElement[bool]) -> Linked | None:
    """What the link with this token opens, if `also` holds for it.

    How long it takes does not depend on how much of a token is right.
    """
    digest = token_digest(token[:LONGEST_TOKEN])
    found = session.scalar(select(kind).where(kind.token_hash == digest, *also))
    if found is None or not hmac.compare_digest(found.token_hash or "", digest):
        return None
    return found
