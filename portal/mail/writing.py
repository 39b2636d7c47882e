"""Writing news to the tables: at once, or that of a whole block together with few statements."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import event
from sqlalchemy.orm import Session

from portal.db import insert_into
from portal.mail.preferences import hows_to_tell
from portal.models import Notification, OutboxMail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import SessionTransaction

    from portal.mail.kind import Kind

WRITTEN = "mail_was_written"  # in session.info until the transaction ends
COLLECTED = "news_collected"  # in session.info within a block
MOST_AT_ONCE = 1_000  # pieces of news that are held back


@dataclass(frozen=True, slots=True)
class News:
    """A piece of news of this kind for a person: the values of its row, and of its mail if the person wants one."""

    kind: Kind
    values: dict[str, Any]
    mail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Block:
    """What is held back in a block that began in this savepoint, or in none."""

    savepoint: SessionTransaction | None
    news: list[News] = field(default_factory=list)


@contextmanager
def together(session: Session) -> Iterator[None]:
    """Within the block, hold back what people are told, and write it together at its end in the same order.

    It is written earlier where a mail is withdrawn or written otherwise, and before a commit; it is dropped with a
    rollback, and if the block raises an exception. What is told in a savepoint within the block is written at once,
    since that savepoint may be rolled back. A block within a block adds to the outer one.
    """
    if COLLECTED in session.info:
        yield
        return
    session.info[COLLECTED] = _Block(session.get_nested_transaction())
    try:
        yield
        write_collected(session)
    finally:
        session.info.pop(COLLECTED, None)


def add_news(session: Session, news: News) -> None:
    """Write a piece of news, or hold it back in the block of `together` around."""
    block = _current_block(session)
    if block is None:
        _write(session, [news])
        return
    block.news.append(news)
    if len(block.news) >= MOST_AT_ONCE:
        write_collected(session)


def write_collected(session: Session) -> None:
    """Write what is held back, for whoever needs it in the tables before the block ends."""
    block = _current_block(session)
    if block is not None and block.news:
        news = block.news.copy()
        block.news.clear()
        _write(session, news)


def add_rows(session: Session, table: type[OutboxMail | Notification], rows: Sequence[dict[str, Any]]) -> None:
    """Add rows, except where one with the same key exists or is being added by another transaction."""
    session.flush()
    session.execute(insert_into(session, table).on_conflict_do_nothing(), rows)
    if table is OutboxMail:
        session.info[WRITTEN] = True


def _current_block(session: Session) -> _Block | None:
    """The block around, unless a savepoint has begun in it since."""
    block: _Block | None = session.info.get(COLLECTED)
    return block if block is not None and session.get_nested_transaction() is block.savepoint else None


def _write(session: Session, news: Sequence[News]) -> None:
    session.flush()
    people = [one.values["user_id"] for one in news]
    hows = hows_to_tell(session, zip(people, (one.kind for one in news), strict=True))
    deliveries = [hows[person, one.kind.name] for person, one in zip(people, news, strict=True)]
    rows = [one.values | {"in_digest": how == "digest"} for one, how in zip(news, deliveries, strict=True)]
    add_rows(session, Notification, rows)
    mails = [one.mail for one, how in zip(news, deliveries, strict=True) if how == "at_once"]
    if mails:
        add_rows(session, OutboxMail, mails)


def _forget(session: Session, ended: SessionTransaction) -> None:
    """Drop what is held back of a transaction that was rolled back; an inner savepoint held nothing back."""
    block: _Block | None = session.info.get(COLLECTED)
    if block is not None and (ended is block.savepoint or ended.parent is None):
        block.news.clear()


# First, since the audit log locks the end of its chain last of all.
event.listen(Session, "before_commit", write_collected, insert=True)
event.listen(Session, "after_soft_rollback", _forget)
