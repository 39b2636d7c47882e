"""Acts of administrators on mails and the index, each with an audit entry. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal import audit
from portal.admin.operations.index_work import REBUILD
from portal.jobs.starting import start_once
from portal.mail import delivery
from portal.mail.writing import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Job, OutboxMail, User


def retry_mails(session: Session, mails: Sequence[OutboxMail], *, actor: User, now: datetime) -> int:
    """Have dead mails sent again; returns how many of these were dead."""
    kinds = {mail.id: mail.kind for mail in mails}
    retried = delivery.retry(session, mails, now=now)
    for mail_id in retried:
        _record(session, "mail.retry", mail_id, actor, now, {"kind": kinds[mail_id]})
    if retried:
        session.info[WRITTEN] = True
    return len(retried)


def drop_mail(session: Session, mail: OutboxMail, *, actor: User, now: datetime) -> bool:
    """Give up a mail that waits or is dead; False if it no longer does."""
    is_dropped = delivery.drop(session, mail)
    if is_dropped:
        _record(session, "mail.cancel", mail.id, actor, now, {"kind": mail.kind, "to": mail.address})
    return is_dropped


def rebuild_index(session: Session, *, actor: User, now: datetime) -> tuple[Job, bool]:
    """Start the job that rebuilds the index; or find the one that is under way. The second value is whether it is
    new.
    """
    job, is_new = start_once(session, REBUILD, "Build the index anew", {}, by=actor, now=now)
    if is_new:
        audit.record(session, actor=actor, act="index.rebuild", object_type="job", object_key=str(job.id), now=now)
    return job, is_new


def _record(session: Session, act: str, mail_id: int, actor: User, now: datetime, after: dict[str, str]) -> None:
    audit.record(session, actor=actor, act=act, object_type="mail", object_key=str(mail_id), now=now, after=after)
