"""Delivering the outbox: a process claims each mail, sends it and records the result, in separate transactions.

A process that is killed while sending leaves the mail claimed; when the lease runs out, another process takes it over.
A mail keeps its Message-ID, so the file mailbox writes it once, and a mail server or reader can recognise a second
copy.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jinja2 import TemplateError
from sqlalchemy import or_, select, update

from portal.mail.kinds import kind_of
from portal.mail.rendering import rendered
from portal.models import OutboxMail
from portal.moments import SKEW, as_read_in
from portal.outages import write_patiently

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.mail.rendering import Letterhead, RenderedMail

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=10)  # longer than a mail server may take for one mail
MOST_TRIES = 8
FIRST_WAIT = timedelta(minutes=1)
WAIT_FACTOR = 4
LONGEST_WAIT = timedelta(hours=12)
LONGEST_ERROR = 500
MOST_FAILURES_IN_A_ROW = 3  # failed mails in a row, after which the mail server is left alone for a while
STOPPED = "The process was stopped each time while it sent this mail."
UNSYNCHRONIZED = {"synchronize_session": False}
WITHOUT_CONTENT: dict[str, Any] = {"context": {}, "attachments": []}


class RefusedForGoodError(OSError):
    """The mail server will never accept this mail, for example because the address does not exist."""


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """A mail as handed to the mail server; `message_id` is the same at each try."""

    address: str
    words: RenderedMail
    message_id: str
    attachments: Sequence[dict[str, str]]
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Delivered:
    """The outcome of a round: how many mails were sent, will be retried, and were given up."""

    sent: int = 0
    again: int = 0
    dead: int = 0


def wait_before_try(tries: int) -> timedelta:
    """How long after the failed try number `tries` the next one follows: 1, 4, 16, 64, 256 minutes, then 12 hours."""
    wait: timedelta = FIRST_WAIT * WAIT_FACTOR ** (tries - 1)
    return min(wait, LONGEST_WAIT)


def deliver(
    session: Session,
    send: Callable[[OutgoingMail], None],
    *,
    letterhead: Letterhead,
    clock: Callable[[], datetime],
    is_stopping: Callable[[], bool] = lambda: False,
) -> Delivered:
    """Send all mail that is due. Commits before and after each.

    The round ends after several failures in a row: each may have waited long for the mail server.

    Args:
        session: A session of its own, with nothing pending.
        send: Hands a mail to the mail server; raises OSError if the server does not accept it.
        letterhead: What mails say of the portal; answers to them go to its contact.
        clock: Returns the current time.
        is_stopping: Whether the process is about to end; no further mail is claimed then.
    """
    compose = partial(_outgoing, letterhead=letterhead)
    counts = {"sent": 0, "waiting": 0, "dead": 0, "cancelled": 0}
    failures_in_a_row = 0
    while (
        not is_stopping()
        and failures_in_a_row < MOST_FAILURES_IN_A_ROW
        and (claimed := _claim(session, clock())) is not None
    ):
        mail_id, tries = claimed
        mail = session.get_one(OutboxMail, mail_id)
        new_values = _try_to_send(mail, tries, lambda mail: send(compose(mail)), clock)
        statement = update(OutboxMail).where(_is_this_try(mail_id, tries, new_values["state"])).values(new_values)
        # The mail may have left: it must be recorded even if the database restarts, or it would be sent again.
        write_patiently(session, partial(session.execute, statement, execution_options=UNSYNCHRONIZED), is_stopping)
        counts[new_values["state"]] += 1
        failures_in_a_row = failures_in_a_row + 1 if new_values["state"] == "waiting" else 0
    return Delivered(counts["sent"], counts["waiting"], counts["dead"])


def _is_this_try(mail_id: int, tries: int, new_state: str) -> ColumnElement[bool]:
    """The condition for the row of this try. A mail that was cancelled while it was being sent stays cancelled, unless
    it was sent all the same.
    """
    states = ("sending", "cancelled") if new_state == "sent" else ("sending",)
    return (OutboxMail.id == mail_id) & OutboxMail.state.in_(states) & (OutboxMail.tries == tries)


def _claim(session: Session, now: datetime) -> tuple[int, int] | None:
    """Claim the mail that has been due longest; returns its id and the number of this try."""
    # A mail that was never tried is due even if the host that wrote it has a fast clock. So is one that waits longer
    # than any correct clock could have set.
    due = or_(OutboxMail.tries == 0, OutboxMail.due_at <= now, OutboxMail.due_at > now + LONGEST_WAIT + SKEW)
    is_waiting = (OutboxMail.state == "waiting") & due
    lease_is_over = or_(OutboxMail.lease_until < now, OutboxMail.lease_until > now + LEASE + SKEW)
    is_abandoned = (OutboxMail.state == "sending") & lease_is_over
    return _claim_first(session, is_waiting, now) or _claim_first(session, is_abandoned, now)


def _claim_first(session: Session, due: ColumnElement[bool], now: datetime) -> tuple[int, int] | None:
    first = select(OutboxMail.id).where(due).order_by(OutboxMail.due_at, OutboxMail.id).limit(1)
    claimed = session.execute(
        update(OutboxMail)
        .where(OutboxMail.id == first.with_for_update(skip_locked=True).scalar_subquery(), due)
        .values(state="sending", lease_until=now + LEASE, tries=OutboxMail.tries + 1)
        .returning(OutboxMail.id, OutboxMail.tries),
        execution_options={"synchronize_session": False},
    ).one_or_none()
    session.commit()
    return (claimed.id, claimed.tries) if claimed is not None else None


def _try_to_send(
    mail: OutboxMail, tries: int, send: Callable[[OutboxMail], None], clock: Callable[[], datetime]
) -> dict[str, Any]:
    """Try to send `mail`; returns what to write into its row."""
    if mail.user is not None and not mail.user.active:
        return {"state": "cancelled", "lease_until": None, "error": "The account is suspended.", **WITHOUT_CONTENT}
    if tries > MOST_TRIES:
        return {"state": "dead", "lease_until": None, "error": mail.error or STOPPED}
    try:
        send(mail)
    except RefusedForGoodError as error:
        return {"state": "dead", "lease_until": None, "error": str(error)[:LONGEST_ERROR]}
    except (OSError, TemplateError, ValueError, LookupError, TypeError) as error:
        logger.warning("Mail %s of kind %s was not taken (%s), try %s", mail.id, mail.kind, type(error).__name__, tries)
        values = {"lease_until": None, "error": f"{type(error).__name__}: {error}"[:LONGEST_ERROR]}
        if tries >= MOST_TRIES:
            return {"state": "dead", **values}
        return {"state": "waiting", "due_at": clock() + wait_before_try(tries), **values}
    # The content is deleted: its links may open something, and its reader has it now.
    return {"state": "sent", "sent_at": clock(), "lease_until": None, "error": "", **WITHOUT_CONTENT}


def _outgoing(mail: OutboxMail, letterhead: Letterhead) -> OutgoingMail:
    headers = {"Auto-Submitted": "auto-generated"}
    if letterhead.contact:
        headers["Reply-To"] = letterhead.contact
    kind = kind_of(mail.kind)
    if kind.can_be_off:
        headers["List-Unsubscribe"] = f"<{letterhead.base_url}/accounts/mail>"
    with as_read_in(mail.user.zone if mail.user is not None else ""):
        words = rendered(kind, mail.context, letterhead)
    return OutgoingMail(
        # A person who changed their address gets it at the new one.
        address=mail.user.email if mail.user is not None else mail.address,
        words=words,
        message_id=f"<{mail.message_id}@{urlsplit(letterhead.base_url).hostname or 'localhost'}>",
        attachments=mail.attachments,
        headers=headers,
    )


def retry(session: Session, mails: Sequence[OutboxMail], *, now: datetime) -> list[int]:
    """Retry dead mails, starting with the first try again; returns the ids of those that were dead."""
    numbers = [mail.id for mail in mails]
    statement = update(OutboxMail).where(OutboxMail.id.in_(numbers), OutboxMail.state == "dead")
    retried = session.execute(statement.values(state="waiting", tries=0, due_at=now, error="").returning(OutboxMail.id))
    return [mail_id for (mail_id,) in retried]


def drop(session: Session, mail: OutboxMail) -> bool:
    """Give up a mail that waits or is dead; False if it no longer does. Its content is deleted."""
    open_states = OutboxMail.state.in_(("waiting", "dead"))
    statement = (
        update(OutboxMail).where(OutboxMail.id == mail.id, open_states).values(state="cancelled", **WITHOUT_CONTENT)
    )
    return session.execute(statement.returning(OutboxMail.id)).one_or_none() is not None
