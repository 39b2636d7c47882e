"""Writing news and mail, in the transaction that they report. Nothing is sent here; see `portal.mail.delivery`."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, or_, select, update

from portal.mail.kinds import DIGEST, kind_of
from portal.mail.rendering import line_of
from portal.mail.writing import News, add_news, add_rows, write_collected
from portal.models import Notification, OutboxMail

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from portal.models import User

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
    values = {
        "user_id": person.id,
        "kind": kind,
        "text": line_of(mail_kind, checked)[:LONGEST_LINE],
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
    """Write a mail to somebody without an account; `name` may be empty. Other arguments as in `tell`.

    Returns:
        The mail; if `dedupe` was used before, the earlier mail.

    Raises:
        UnknownKindError: There is no such kind.
        ContextError: The context is not what the kind needs.
    """
    checked = kind_of(kind).checked(context)
    values = _mail(address, kind, {**checked, "name": name, "path": path}, now)
    key = _key(dedupe)
    write_collected(session)
    add_rows(session, OutboxMail, [{**values, "user_id": None, "dedupe_key": key}])
    key_column: InstrumentedAttribute[Any] = OutboxMail.dedupe_key if key else OutboxMail.message_id
    return session.scalars(select(OutboxMail).where(key_column == (key or values["message_id"]))).one()


def write_digest(session: Session, person: User, context: Mapping[str, Any], *, now: datetime, key: str) -> None:
    """Write the digest of a day, once per `key`; see `portal.mail.digest`."""
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
