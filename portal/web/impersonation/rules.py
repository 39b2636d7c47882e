"""Rules of impersonation: who may impersonate whom, and when it ends."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from portal.models.user import ADMIN

if TYPE_CHECKING:
    from datetime import datetime

    from portal.models import Impersonation, User

LONGEST = timedelta(minutes=30)
ENDED, SIGNED_OUT, TIME_UP, ANOTHER = "ended", "signed out", "the time was up", "another view began"
NOT_ALLOWED = "it was not allowed any more"


def why_not_impersonate(person: User, *, actor: User) -> str | None:
    """Only administrators impersonate, and only people who decide nothing about other accounts."""
    if not actor.is_acting_admin:
        return "Only administrators view the portal as somebody else."
    if person.id == actor.id:
        return "You view the portal as yourself already."
    if person.has_role(ADMIN):
        return "Nobody views the portal as another administrator."
    if not person.active:
        return "This account is closed, so nobody views the portal with it."
    return None


def why_over(impersonation: Impersonation | None, actor: User | None, now: datetime) -> str | None:
    """Why an impersonation has ended or must end now, or None while it goes on. `actor` is who is signed in."""
    if impersonation is None or impersonation.ended_at is not None:
        return ENDED
    if actor is None or impersonation.admin_id != actor.id:
        return SIGNED_OUT
    if now >= impersonation.ends_at:
        return TIME_UP
    return NOT_ALLOWED if why_not_impersonate(impersonation.person, actor=actor) is not None else None
