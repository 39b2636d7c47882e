"""The one writer of impersonations: it begins them, counts their pages and ends them. The caller commits.

Beginning and end are in the audit log, the end with how often each page was opened; the person is told.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit, mail
from portal.db import lock_row
from portal.jobs.registry import clockwork
from portal.models import Impersonation, User
from portal.web.impersonation.rules import ANOTHER, LONGEST, TIME_UP

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


def begin(session: Session, person: User, *, reason: str, actor: User, now: datetime) -> Impersonation:
    """Begin to view the portal as `person`; the caller has checked `why_not_impersonate`.

    A second click returns the impersonation that the first one began. Side effects: ends another impersonation by the
    same administrator; an audit entry; news for the person.
    """
    # One at a time for each administrator, even if two tabs begin at once.
    by_actor = Impersonation.admin_id == actor.id
    lock_row(session, User.active, actor.id)
    open_impersonations = select(Impersonation).where(by_actor, Impersonation.ended_at.is_(None))
    for earlier in session.scalars(open_impersonations.execution_options(populate_existing=True)).all():
        if (earlier.person_id, earlier.reason) == (person.id, reason) and now < earlier.ends_at:
            return earlier
        end(session, earlier, TIME_UP if now >= earlier.ends_at else ANOTHER, now=now)
    impersonation = Impersonation(
        admin=actor,
        person=person,
        reason=reason,
        began_at=now,
        ends_at=now + LONGEST,
        how_ended="",
        pages={},
        refused=0,
    )
    session.add(impersonation)
    session.flush()
    _record(session, impersonation, "begin", now, {"impersonation": impersonation.id, "reason": reason})
    mail.tell(
        session,
        person,
        "impersonation",
        {"by": actor.display_name, "reason": reason, "until": impersonation.ends_at.isoformat()},
        now=now,
        path="/accounts/news",
        dedupe=f"impersonation:{impersonation.id}",
    )
    return impersonation


def end(session: Session, impersonation: Impersonation, how: str, *, now: datetime) -> None:
    """End an impersonation; does nothing if it has ended. Side effects: an audit entry that says what was opened."""
    if impersonation.ended_at is not None:
        return
    impersonation.ended_at, impersonation.how_ended = min(now, impersonation.ends_at), how
    session.flush()
    summary = {
        "impersonation": impersonation.id,
        "how": how,
        "seconds": round((impersonation.ended_at - impersonation.began_at).total_seconds()),
        "pages": dict(impersonation.pages),
        "opened": sum(impersonation.pages.values()),
        "refused": impersonation.refused,
    }
    _record(session, impersonation, "end", now, summary)


def lock(session: Session, impersonation_id: int) -> None:
    """Have requests of one impersonation run one at a time: locks its row until the transaction ends."""
    lock_row(session, Impersonation.refused, impersonation_id)


def count_page(session: Session, impersonation_id: int, page: str, *, refused: bool) -> None:
    """Count one response: the page that was opened, or an attempt that was refused."""
    lock(session, impersonation_id)
    impersonation = session.get(Impersonation, impersonation_id, populate_existing=True)
    if impersonation is None or impersonation.ended_at is not None:
        return
    if refused:
        impersonation.refused += 1
    else:
        impersonation.pages = {**impersonation.pages, page: impersonation.pages.get(page, 0) + 1}


@clockwork("overdue impersonations", every=timedelta(minutes=5))
def end_overdue(session: Session, now: datetime) -> None:
    """End the impersonations whose time is up and that nobody ended."""
    overdue = select(Impersonation).where(Impersonation.ended_at.is_(None), Impersonation.ends_at <= now)
    for impersonation in session.scalars(overdue).all():
        end(session, impersonation, TIME_UP, now=now)


def _record(session: Session, impersonation: Impersonation, act: str, now: datetime, after: dict[str, object]) -> None:
    audit.record(
        session,
        actor=impersonation.admin,
        act=f"impersonation.{act}",
        object_type="account",
        object_key=impersonation.person.email,
        now=now,
        after=after,
    )
