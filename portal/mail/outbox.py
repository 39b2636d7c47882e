"""Writing news and mail as their readers want them, in the transaction that they report; nothing is sent here."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import and_, delete, event, or_, select, update
from sqlalchemy.orm import Session

from portal.db import insert_into, lock_row
from portal.mail.kinds import DIGEST, HOWS, How, Kind, kind_of, kinds_for
from portal.mail.rendering import line_of
from portal.models import MailPreference, Notification, OutboxMail, User
from portal.moments import as_read_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import InstrumentedAttribute, SessionTransaction


def hows_to_tell(session: Session, asked: Iterable[tuple[int, Kind]]) -> Mapping[tuple[int, str], How]:
    """How people want kinds of news, by the person's id and the kind's name. At most one statement.

    A kind that cannot be turned off is sent at once.
    """
    asked = list(asked)
    hows: dict[tuple[int, str], How] = {
        (person_id, kind.name): kind.usual if kind.can_be_off else "at_once" for person_id, kind in asked
    }
    can_be_off = [(person_id, kind.name) for person_id, kind in asked if kind.can_be_off]
    if can_be_off:
        chosen = select(MailPreference.user_id, MailPreference.kind, MailPreference.how).where(
            MailPreference.user_id.in_({person_id for person_id, _ in can_be_off}),
            MailPreference.kind.in_({name for _, name in can_be_off}),
        )
        rows = {(person_id, name): cast("How", how) for person_id, name, how in session.execute(chosen)}
        hows |= {key: rows[key] for key in can_be_off if key in rows}
    return hows


def preferences_of(session: Session, person: User) -> list[tuple[Kind, How]]:
    """The kinds of mail for the roles of `person`, each with how they want it."""
    rows = select(MailPreference).where(MailPreference.user_id == person.id)
    chosen = {row.kind: cast("How", row.how) for row in session.scalars(rows)}
    kinds = kinds_for([role.name for role in person.roles])
    return [(kind, chosen.get(kind.name, kind.usual) if kind.can_be_off else "at_once") for kind in kinds]


def prefer(session: Session, person: User, choices: Mapping[str, str]) -> None:
    """Store how `person` wants the kinds named in `choices`. Kinds that they may not turn off stay unchanged. Raises
    `ValueError`: a value is not one of `HOWS`.
    """
    # One writer at a time for each person, so that a second click sees the rows of the first.
    lock_row(session, User.active, person.id)
    for kind, current in preferences_of(session, person):
        chosen = choices.get(kind.name)
        if chosen is None or not kind.can_be_off or chosen == current:
            continue
        if chosen not in HOWS:
            raise ValueError(f"Mail comes {', '.join(HOWS)}, not {chosen!r}.")
        session.merge(MailPreference(user_id=person.id, kind=kind.name, how=chosen))


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

LONGEST_LINE = 500
LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text attached to a mail, such as Attachment("interview.ics", "text/calendar; method=REQUEST", …)."""

    filename: str
    media_type: str
    text: str


def tell(
    session: Session,
    person: User,
    kind: str,
    context: Mapping[str, Any],
    *,
    now: datetime,
    path: str = "",
    dedupe: str | None = None,
    attachments: Sequence[Attachment] = (),
) -> None:
    """Give somebody a piece of news: in the portal, and by mail as they want it. Nothing for a suspended account.

    Within `portal.mail.together`, it is written when the block ends.

    Args:
        session: The transaction in which it happened.
        person: Whom to tell; must have an id already.
        kind: Name of a kind in `portal.mail.kinds`.
        context: Exactly the fields of the kind: JSON values, moments as ISO texts.
        now: When it happened.
        path: Page of the portal that shows it, as in "/me/"; the news and the mail link to it.
        dedupe: A name of this news, parts divided by ":", as in "offer:12:reminder". The same person is told the same
            news once, however often this is called and from however many processes.
        attachments: What goes with the mail; a digest has none.

    Raises:
        UnknownKindError: There is no such kind.
        ContextError: The context is not what the kind needs.
    """
    mail_kind = kind_of(kind)
    checked = mail_kind.checked(context)
    if not person.active:
        return
    with as_read_in(person.zone):
        line = line_of(mail_kind, checked)
    values = {
        "user_id": person.id,
        "kind": kind,
        "text": line[:LONGEST_LINE],
        "path": path,
        "dedupe_key": _key(dedupe),
        "created_at": now,
    }
    mail = _mail(person.email, kind, {**checked, "name": person.name, "path": path}, now, attachments)
    key = _key(dedupe and f"{dedupe}:u{person.id}")
    add_news(session, News(mail_kind, values, {**mail, "user_id": person.id, "dedupe_key": key}))


def write_to(
    session: Session,
    address: str,
    name: str,
    kind: str,
    context: Mapping[str, Any],
    *,
    now: datetime,
    path: str = "",
    dedupe: str | None = None,
) -> OutboxMail:
    """Write a mail to somebody without an account; `name` may be empty. Other arguments and errors as in `tell`.
    Returns the mail; if `dedupe` was used before, the earlier mail.
    """
    checked = kind_of(kind).checked(context)
    values = _mail(address, kind, {**checked, "name": name, "path": path}, now)
    key = _key(dedupe)
    write_collected(session)
    add_rows(session, OutboxMail, [{**values, "user_id": None, "dedupe_key": key}])
    key_column: InstrumentedAttribute[Any] = OutboxMail.dedupe_key if key else OutboxMail.message_id
    return session.scalars(select(OutboxMail).where(key_column == (key or values["message_id"]))).one()


def write_digest(session: Session, person: User, context: Mapping[str, Any], *, now: datetime, key: str) -> None:
    """Write the digest of a day, once per `key`; see `portal.mail.news`."""
    checked = kind_of(DIGEST).checked(context)
    values = _mail(person.email, DIGEST, {**checked, "name": person.name, "path": "/accounts/news"}, now)
    write_collected(session)
    add_rows(session, OutboxMail, [{**values, "user_id": person.id, "dedupe_key": key}])


def cancel(session: Session, dedupe_prefix: str) -> None:
    """Withdraw news that is no longer true: waiting mails are not sent, and unread news is deleted.

    A mail that is being sent at this moment is not retried if that fails.

    Args:
        session: The transaction in which it stopped being true.
        dedupe_prefix: Leading whole parts of the `dedupe` names: "offer:12" matches "offer:12" and "offer:12:reminder",
            never "offer:123". Withdrawn news may be told again under the same name.
    """
    write_collected(session)
    prefix = dedupe_prefix.rstrip(":")
    # Without its own value: SQLite would rather look through all waiting mails than look the keys up.
    state = OutboxMail.state + ""
    mails = update(OutboxMail).where(
        state.in_(("waiting", "sending", "dead")), _below(session, OutboxMail.dedupe_key, prefix)
    )
    session.execute(mails.values(state="cancelled", dedupe_key=None, context={}, attachments=[]))
    is_below = _below(session, Notification.dedupe_key, prefix)
    session.execute(delete(Notification).where(Notification.read_at.is_(None), is_below))


def _below(session: Session, column: InstrumentedAttribute[str | None], prefix: str) -> ColumnElement[bool]:
    """The condition for keys that are `prefix` or continue it by further parts."""
    if session.get_bind().dialect.name == "sqlite":
        # SQLite's LIKE ignores case, and therefore the index; ";" is what follows ":".
        return or_(column == prefix, and_(column >= f"{prefix}:", column < f"{prefix};"))
    return or_(column == prefix, column.startswith(f"{prefix}:", autoescape=True))


def _mail(
    address: str, kind: str, context: dict[str, Any], now: datetime, attachments: Sequence[Attachment] = ()
) -> dict[str, Any]:
    return {
        "kind": kind,
        "address": address,
        "context": context,
        "attachments": [asdict(attachment) for attachment in attachments],
        # The part behind the @ is added when the mail is sent: the host of PORTAL_BASE_URL.
        "message_id": secrets.token_hex(16),
        "state": "waiting",
        "tries": 0,
        "error": "",
        "due_at": now,
        "created_at": now,
    }


def _key(dedupe: str | None) -> str | None:
    if dedupe and len(dedupe) > LONGEST_KEY:
        raise ValueError(f"A name of news has at most {LONGEST_KEY} characters: {dedupe!r}")
    return dedupe or None
