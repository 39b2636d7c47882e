"""Why somebody cannot be invited to create an account, and why a link does not work: a sentence, or None."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from portal.admin.rules import POSITIONS
from portal.models.user import PROFESSOR, ROLES

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from portal.models import AccountInvitation, User

LINK_LASTS = timedelta(days=14)
RESEND_AFTER = timedelta(minutes=5)
MOST_AT_ONCE = 200  # people in one list
LONGEST_LIST = 50_000  # characters


def roles_with(roles: Collection[str], position: str | None) -> list[str]:
    """The roles that an invitation gives, in the usual order; a position at a lab includes the role professor."""
    given_roles = {*roles, PROFESSOR} if position else set(roles)
    return [role for role in ROLES if role in given_roles]


def why_not_terms(roles: Collection[str], *, lab: object | None, position: str) -> str | None:
    """Why nobody can be invited to these roles and this position at a lab."""
    unknown = sorted(set(roles) - set(ROLES))
    if unknown:
        return f"There is no role “{unknown[0]}”. Roles are: {', '.join(ROLES)}."
    if lab is not None and position not in POSITIONS:
        return f"There is no position “{position}”. Positions are: {', '.join(POSITIONS)}."
    if lab is None and not roles:
        return "Choose a role, or a lab to read for."
    return None


def why_not_invite(person: User | None, before: AccountInvitation | None, *, same: bool, now: datetime) -> str | None:
    """Why an address cannot be invited.

    Args:
        person: The person who has an account with it, or None.
        before: Its open invitation, or None.
        same: Whether that invitation gives the same rights as the new one would.
        now: The current time.
    """
    if person is not None and not person.active:
        return "this account is suspended. Restore it first."
    if before is not None and not same and now < before.expires_at:
        return "this address is invited already, with other roles or another lab. Revoke that invitation first."
    return None


def why_not_again(line: int) -> str:
    """Why an address without an account cannot be invited twice in one list: an invitation is for one lab."""
    return (
        f"this address stands in line {line} already, and an invitation is for one lab. Invite it to the other lab "
        "once it has an account."
    )


def why_not_resend(invitation: AccountInvitation, now: datetime) -> str | None:
    """A link is mailed again while the invitation is open, and not twice by two clicks."""
    closed = _why_closed(invitation)
    if closed is not None:
        return closed
    if now < invitation.linked_at + RESEND_AFTER:
        return "A link was mailed a moment ago. Wait five minutes before you send another one."
    return None


def why_not_revoke(invitation: AccountInvitation) -> str | None:
    """An accepted invitation cannot be revoked: the account exists."""
    if invitation.taken_at is not None:
        return "This invitation was taken. The person has an account now; take roles away or suspend it there."
    return None


def why_not_take(invitation: AccountInvitation | None, person: User | None, now: datetime) -> str | None:
    """Why a link does not work. `person` is the person who has an account with its address by now, or None."""
    if invitation is None or _why_closed(invitation) is not None or now >= invitation.expires_at:
        return "This link no longer works."
    if not vouched_for(invitation):
        return "Who invited you is no administrator any more."
    if person is not None and not person.active:
        return "The account of this address is suspended."
    return None


def vouched_for(invitation: AccountInvitation) -> bool:
    """Whether the inviter is still an active administrator; without one, an invitation is void."""
    inviter = invitation.invited_by
    return inviter is not None and inviter.is_acting_admin


def _why_closed(invitation: AccountInvitation) -> str | None:
    if invitation.taken_at is not None:
        return "This invitation was taken already."
    if invitation.revoked_at is not None:
        return "This invitation was revoked."
    return None
