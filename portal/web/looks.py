"""The one writer of looks: beginning, counting pages, ending. The caller commits.

An administrator sees the portal as somebody else does, reads only, for half an hour at most. Begin and end are in the
audit log, the end with how often which page was opened; who was seen as is told.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from portal import audit, mail
from portal.db import lock_row
from portal.models import Look
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User

LONGEST = timedelta(minutes=30)
ENDED, SIGNED_OUT, TIME_UP, ANOTHER = "ended", "signed out", "the time was up", "another look began"
NOT_ALLOWED = "it was not allowed any more"


def why_not_look(person: User, *, actor: User) -> str | None:
    """Against seeing the portal as somebody: only people who decide nothing about others' accounts are seen as."""
    if not actor.active or not actor.has_role(ADMIN):
        return "Only administrators see the portal as somebody else."
    if person.id == actor.id:
        return "You see the portal as yourself already."
    if person.has_role(ADMIN):
        return "Nobody sees the portal as another administrator."
    if not person.active:
        return "This account is closed, so nobody sees anything with it."
    return None


def why_over(look: Look | None, actor: User | None, now: datetime) -> str | None:
    """Why a look does not go on: how it ended, or ends now. `actor` is who is signed in."""
    if look is None or look.ended_at is not None:
        return ENDED
    if actor is None or look.admin_id != actor.id:
        return SIGNED_OUT
    if now >= look.ends_at:
        return TIME_UP
    return NOT_ALLOWED if why_not_look(look.person, actor=actor) is not None else None


def begin_look(session: Session, person: User, *, reason: str, actor: User, now: datetime) -> Look:
    """Begin to see the portal as `person`; `why_not_look` was asked before.

    Side effects: a look of the same administrator that still goes on ends; an audit entry; news for the person.
    """
    # One at a time for each administrator, also where two tabs begin at once.
    session.execute(update(Look).where(Look.admin_id == actor.id).values(refused=Look.refused))
    going_on = select(Look).where(Look.admin_id == actor.id, Look.ended_at.is_(None))
    for before in session.scalars(going_on.execution_options(populate_existing=True)).all():
        end_look(session, before, TIME_UP if now >= before.ends_at else ANOTHER, now=now)
    look = Look(
        admin=actor,
        person=person,
        reason=reason,
        began_at=now,
        ends_at=now + LONGEST,
        how_ended="",
        pages={},
        refused=0,
    )
    session.add(look)
    session.flush()
    _record(session, look, "begin", now, {"look": look.id, "reason": reason})
    mail.tell(
        session,
        person,
        "seen_as",
        {"by": actor.display_name, "reason": reason, "until": look.ends_at.isoformat()},
        now=now,
        path="/accounts/news",
        dedupe=f"look:{look.id}",
    )
    return look


def end_look(session: Session, look: Look, how: str, *, now: datetime) -> None:
    """End a look; a second time changes nothing. Side effects: an audit entry that says what was opened."""
    if look.ended_at is not None:
        return
    look.ended_at, look.how_ended = min(now, look.ends_at), how
    session.flush()
    said = {
        "look": look.id,
        "how": how,
        "seconds": round((look.ended_at - look.began_at).total_seconds()),
        "pages": dict(look.pages),
        "opened": sum(look.pages.values()),
        "refused": look.refused,
    }
    _record(session, look, "end", now, said)


def hold_look(session: Session, number: int) -> None:
    """Let one request of a look at a time go on."""
    lock_row(session, Look.refused, number)


def count_page(session: Session, number: int, page: str, *, refused: bool) -> None:
    """Count one answer of a look: the page opened, or what was tried and refused."""
    hold_look(session, number)
    look = session.get(Look, number, populate_existing=True)
    if look is None or look.ended_at is not None:
        return
    if refused:
        look.refused += 1
    else:
        look.pages = {**look.pages, page: look.pages.get(page, 0) + 1}


def end_overdue(session: Session, now: datetime) -> None:
    """End the looks whose time is up and that nobody ended."""
    for look in session.scalars(select(Look).where(Look.ended_at.is_(None), Look.ends_at <= now)).all():
        end_look(session, look, TIME_UP, now=now)


def _record(session: Session, look: Look, act: str, now: datetime, after: dict[str, object]) -> None:
    audit.record(
        session,
        actor=look.admin,
        act=f"look.{act}",
        object_type="account",
        object_key=look.person.email,
        now=now,
        after=after,
    )
