"""Archiving labs that are no more, such as of a professor who left, and listing them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal import audit
from portal.db import lock_row
from portal.models import Lab

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User


def hold(session: Session, lab: Lab) -> None:
    """Keep anything from being submitted to the lab until the transaction ends, and read it again: who asks afterwards
    whether anybody waits for it gets an answer that stays true. Whoever submits takes the other side of this lock.
    """
    lock_row(session, Lab.slug, lab.id)
    session.refresh(lab, with_for_update=True)


def archive(session: Session, lab: Lab, *, reason: str, author: User | None, now: datetime) -> bool:
    """Take a lab off the public pages and out of all rankings; False if it is archived already. Nothing is deleted.

    Side effect: takes the lock of `hold`, so that a second click changes nothing.
    """
    hold(session, lab)
    if lab.archived_at is not None:
        return False
    lab.archived_at, lab.archived_why = now, reason
    _record(session, lab, "lab.archive", author, now, {"reason": reason})
    return True


def list_again(session: Session, lab: Lab, *, author: User | None, now: datetime) -> bool:
    """Put an archived lab back as it was; False if it is listed already. Side effect: as of `archive`."""
    hold(session, lab)
    if lab.archived_at is None:
        return False
    lab.archived_at, lab.archived_why = None, ""
    _record(session, lab, "lab.list_again", author, now, {})
    return True


def _record(session: Session, lab: Lab, act: str, author: User | None, now: datetime, after: dict[str, str]) -> None:
    audit.record(
        session, actor=author, act=act, object_type="lab", object_key=lab.slug, now=now, before=None, after=after
    )
