"""Acts of administrators on mails and the index, each with an audit entry, and the job that rebuilds the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import current_app

from portal import audit
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobError, JobRefused, job, start_once
from portal.labs.live_index.live import live_index
from portal.mail import delivery
from portal.mail.outbox import WRITTEN
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import Job, OutboxMail, User


REBUILD = "rebuild the index"


class _Stages:
    """Reports the stages of building an index as steps of the job, which also stops it if somebody cancelled it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._label = ""

    def begin(self, label: str) -> None:
        """Report that the next stage begins."""
        self._label = label
        self._progress.step(0, None, label)

    def done(self, count: int, total: int) -> None:
        """Report how many labs are done in the current stage."""
        self._progress.step(count, total, self._label)


@job(REBUILD)
def build_index(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:  # noqa: ARG001  (as all jobs)
    """Refit the index and save it; until then, or if it is cancelled, the previous one stays in use."""
    try:
        built = live_index(current_app).rebuild(session, _Stages(progress))
    except OSError as error:
        raise JobError(f"The index could not be saved ({error.strerror}); the previous one stays in use.") from None
    if built is None:
        raise JobRefused("Another process is building the index right now. Look again in a moment.")
    labs, works = counted(len(built.profiles), "lab", "labs"), counted(built.fit.works, "work", "works")
    message = f"The index of {labs} with {works} is saved; processes take it over within moments."
    return Outcome(message, "/admin/operations", "System")


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
