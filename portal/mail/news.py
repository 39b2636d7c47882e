"""Unread news, and the daily digest of those who chose one, where news with equal texts is one line."""

from __future__ import annotations

from collections import Counter
from posixpath import commonpath
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from portal.mail.kinds import DIGEST
from portal.mail.outbox import write_digest
from portal.mail.rendering import line_of_several
from portal.models import Notification, OutboxMail, User

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session


def unread_news(session: Session, person: int) -> int:
    """How many unread pieces of news somebody has."""
    unread = select(func.count(Notification.id)).where(Notification.user_id == person, Notification.read_at.is_(None))
    return session.scalar(unread) or 0


def page_above(paths: Collection[str]) -> str:
    """The path that all share, or that of the page above them; empty if one of them leads nowhere."""
    if len(paths) == 1:
        return next(iter(paths))
    if not all(path.startswith("/") for path in paths):
        return ""
    above = commonpath(paths).rstrip("/")
    return f"{above}/" if above else ""


MOST_LINES = 50


def write_digests(session: Session, now: datetime) -> int:
    """Write a digest to each person with unread news for it; returns the number of digests. Commits after each.

    A person gets one digest a day (in UTC); later news waits for the next one.
    """
    is_undigested = (Notification.in_digest.is_(True)) & (Notification.digested_at.is_(None))
    user_ids = session.scalars(
        select(Notification.user_id).where(is_undigested).distinct().order_by(Notification.user_id)
    ).all()
    written = sum(_write_to(session, user_id, now) for user_id in user_ids)
    session.commit()
    return written


def _write_to(session: Session, user_id: int, now: datetime) -> bool:
    day = now.date().isoformat()
    key = f"{DIGEST}:{day}:u{user_id}"
    if session.scalar(select(OutboxMail.id).where(OutboxMail.dedupe_key == key)) is not None:
        return False
    is_undigested = (
        (Notification.user_id == user_id) & (Notification.in_digest.is_(True)) & (Notification.digested_at.is_(None))
    )
    digested = session.execute(
        update(Notification)
        .where(is_undigested)
        .values(digested_at=now)
        .returning(Notification.id, Notification.kind, Notification.text, Notification.path, Notification.read_at),
        execution_options={"synchronize_session": False},
    ).all()
    person = session.get_one(User, user_id)
    unread = [(row.kind, row.text, row.path) for row in sorted(digested, key=lambda row: row.id) if row.read_at is None]
    if unread and person.active:
        news = _lines(unread)
        if len(news) > MOST_LINES:
            news = [*news[:MOST_LINES], {"text": f"And {len(news) - MOST_LINES} more.", "path": ""}]
        write_digest(session, person, {"day": day, "news": news}, now=now, key=key)
    session.commit()
    return bool(unread) and person.active


def _lines(unread: Sequence[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """The lines for news given as kind, text and path. Repeated news becomes one line with a count, which links to the
    page above those that its pieces link to.
    """
    paths: dict[tuple[str, str], Counter[str]] = {}
    for kind, text, path in unread:
        paths.setdefault((kind, text), Counter())[path] += 1
    return [
        {"text": line_of_several(kind, text, path_counts.total()), "path": page_above(path_counts)}
        for (kind, text), path_counts in paths.items()
    ]
