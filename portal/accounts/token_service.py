"""Creates, finds and revokes API tokens. The caller commits."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.accounts.rules import tidy_name
from portal.accounts.secret_links import new_token, token_digest
from portal.accounts.service import AccountError
from portal.accounts.token_rules import usable, why_not_make
from portal.db import lock_row
from portal.models import ApiToken, User

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

PREFIX = "phd_"
HINT = 8  # characters, of which four are random: too few to guess the rest
SECOND_CLICK = timedelta(seconds=10)  # a form that is sent again so soon was meant once
SELDOM = timedelta(minutes=10)  # between updates of the last use


def make_token(
    session: Session, user: User, *, name: str, scopes: Collection[str], days: int, now: datetime
) -> tuple[ApiToken, str]:
    """A new token and its text, which is not stored.

    Of two clicks a browser shows the second answer, so the token of the first, whose text nobody saw, is revoked.
    Side effects: locks the account until the transaction ends; writes audit entries.

    Raises:
        AccountError: A rule forbids it.
    """
    tidied_name = tidy_name(name)
    lock_row(session, User.active, user.id)
    _revoke_unseen(session, user, tidied_name, sorted(scopes), now)
    reason = why_not_make(user, tidied_name, scopes, days, len(usable(tokens_of(session, user), now)))
    if reason is not None:
        raise AccountError(reason)
    text = PREFIX + new_token()
    token = ApiToken(
        user_id=user.id,
        name=tidied_name,
        digest=token_digest(text),
        hint=text[:HINT],
        scopes=sorted(scopes),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    session.add(token)
    session.flush()
    _record(session, user, token, "make", now, after={"name": tidied_name, "scopes": sorted(scopes), "days": days})
    return token, text


def _revoke_unseen(session: Session, user: User, name: str, scopes: list[str], now: datetime) -> None:
    for earlier in usable(tokens_of(session, user), now):
        is_same = (earlier.name, sorted(earlier.scopes), earlier.last_used_at) == (name, scopes, None)
        if is_same and now - earlier.created_at < SECOND_CLICK:
            revoke_token(session, user, earlier, now=now)


def revoke_token(session: Session, user: User, token: ApiToken, *, now: datetime) -> bool:
    """Revoke a token; False if it already was. Side effects: writes an audit entry."""
    if token.revoked_at is not None:
        return False
    token.revoked_at = now
    _record(session, user, token, "revoke", now)
    return True


def tokens_of(session: Session, user: User) -> Sequence[ApiToken]:
    """All tokens of a person, newest first."""
    return session.scalars(select(ApiToken).where(ApiToken.user_id == user.id).order_by(ApiToken.id.desc())).all()


def token_of(session: Session, user: User, token_id: int) -> ApiToken | None:
    """One token of a person."""
    return session.scalar(select(ApiToken).where(ApiToken.user_id == user.id, ApiToken.id == token_id))


def token_with(session: Session, text: str) -> ApiToken | None:
    """The token with this text, whether usable or not."""
    return session.scalar(select(ApiToken).where(ApiToken.digest == token_digest(text)))


def note_use(token: ApiToken, now: datetime) -> None:
    """Update the time of last use, at most every ten minutes: not every read should write."""
    if token.last_used_at is None or now - token.last_used_at >= SELDOM:
        token.last_used_at = now


def _record(
    session: Session, user: User, token: ApiToken, act: str, now: datetime, after: dict[str, object] | None = None
) -> None:
    audit.record(
        session,
        actor=user,
        act=f"token.{act}",
        object_type="token",
        object_key=str(token.id),
        now=now,
        after=after,
    )
