"""Confirming that a lab's profile is still correct, and reminding its leaders of that. The caller commits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from flask import current_app
from sqlalchemy import ColumnElement, or_, select, update

from portal import audit, mail
from portal.config import settings_of
from portal.jobs import clockwork
from portal.labs.queries import IS_LISTED
from portal.models import Lab, LabProfessor, User

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.orm import Session


class SavedMeanwhile(Exception):
    """The profile was saved after the person opened it. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """When a profile was last confirmed and until which day that counts; both None if never."""

    confirmed_on: date | None
    until: date | None
    is_stale: bool


def current_freshness(lab: Lab) -> Freshness:
    """How fresh a lab's profile is today, for a request."""
    days, today = settings_of(current_app).confirm_days, datetime.now(UTC).date()
    until = lab.confirmed_on + timedelta(days=days) if lab.confirmed_on else None
    return Freshness(lab.confirmed_on, until, until is None or until < today)


def is_stale(days: int, today: date) -> ColumnElement[bool]:
    """The same, as an SQL condition."""
    return or_(Lab.confirmed_on.is_(None), Lab.confirmed_on < today - timedelta(days=days))


def confirm(session: Session, lab: Lab, *, revision_number: int, author: User, now: datetime) -> None:
    """Confirm that the profile is correct as of a revision. Side effects: cancels reminders, writes an audit entry.

    Raises:
        SavedMeanwhile: It is not the newest revision.
    """
    session.flush()
    today, before = now.date(), lab.confirmed_on
    confirmed = session.execute(
        update(Lab)
        .where(
            Lab.id == lab.id,
            Lab.revision_number == revision_number,
            or_(Lab.confirmed_on.is_(None), Lab.confirmed_on != today),
        )
        .values(confirmed_on=today)
        .execution_options(synchronize_session=False)
    )
    session.refresh(lab)
    if not confirmed.rowcount:  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        if lab.revision_number != revision_number:
            raise SavedMeanwhile
        return  # already confirmed today
    mail.cancel(session, _mail_name(lab.id))
    earlier = {"confirmed_on": before.isoformat() if before else None}
    after = {"confirmed_on": today.isoformat(), "revision": revision_number}
    audit.record(session, author, "lab.confirm", "lab", lab.slug, now, before=earlier, after=after)


def remind(session: Session, days: int, now: datetime) -> int:
    """Ask the leaders of labs with a stale profile to confirm it, once in `days`; returns the number of labs found.

    A lab without a leader is asked as soon as it has one.
    """
    today = now.date()
    due = select(Lab.id, Lab.reminded_on).where(
        IS_LISTED,
        is_stale(days, today),
        or_(Lab.reminded_on.is_(None), Lab.reminded_on < today - timedelta(days=days)),
        Lab.id.in_(
            select(LabProfessor.lab_id)
            .join(User, User.id == LabProfessor.user_id)
            .where(LabProfessor.position == "leader", User.active.is_(True))
        ),
    )
    return sum(
        _remind_leaders(session, lab_id, reminded_on, now)
        for lab_id, reminded_on in session.execute(due.order_by(Lab.id)).all()
    )


def _remind_leaders(session: Session, lab_id: int, reminded_on: date | None, now: datetime) -> bool:
    """Mail the leaders of a lab, unless another process changed the date of the last reminder and does so."""
    unchanged = Lab.reminded_on.is_(None) if reminded_on is None else Lab.reminded_on == reminded_on
    claimed = session.execute(update(Lab).where(Lab.id == lab_id, unchanged).values(reminded_on=now.date()))
    if not claimed.rowcount:  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        return False
    lab = session.get_one(Lab, lab_id)
    context = {"lab": lab.name, "confirmed_on": lab.confirmed_on.isoformat() if lab.confirmed_on else ""}
    for leader in leaders_of(session, lab_id):
        dedupe = f"{_mail_name(lab_id)}:{now.date():%Y%m%d}"
        path = f"/reviews/{lab.slug}/profile"
        mail.tell(session, leader, "profile_stale", context, now=now, path=path, dedupe=dedupe)
    return True


def leaders_of(session: Session, lab_id: int) -> Sequence[User]:
    """The leaders of the lab with this id who can sign in."""
    return session.scalars(
        select(User)
        .join(LabProfessor, LabProfessor.user_id == User.id)
        .where(LabProfessor.lab_id == lab_id, LabProfessor.position == "leader", User.active.is_(True))
        .order_by(User.id)
    ).all()


def _mail_name(lab_id: int) -> str:
    return f"lab:{lab_id}:stale"


@clockwork("reminders of profiles", every=timedelta(hours=1))
def remind_of_profiles(session: Session, now: datetime) -> None:
    """Ask leaders to confirm profiles that nobody has confirmed for a long time."""
    remind(session, settings_of(current_app).confirm_days, now)
