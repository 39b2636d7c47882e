"""Reads of invitations to create an account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.accounts.secret_links import opened_by
from portal.admin.people.inviting_rules import vouched_for, why_not_resend
from portal.models import AccountInvitation, LabProfessor, OutboxMail
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User


@dataclass(frozen=True, slots=True)
class InvitationRow:
    """An invitation in the list. `state` is a word, `why_not_resend` a sentence or None; `mail` is the state of the
    newest mail in the outbox, empty if it has been purged.
    """

    invitation: AccountInvitation
    state: str
    mail: str
    why_not_resend: str | None

    @property
    def open(self) -> bool:
        """Whether it can be sent again and revoked."""
        return self.invitation.taken_at is None and self.invitation.revoked_at is None


def invitation_by_token(session: Session, token: str) -> AccountInvitation | None:
    """The invitation that this token opens, or None."""
    return opened_by(session, AccountInvitation, token)


def open_invitations(session: Session, emails: Collection[str]) -> dict[str, AccountInvitation]:
    """The open invitations of these addresses, by address."""
    rows = session.scalars(
        select(AccountInvitation).where(
            AccountInvitation.email.in_(emails),
            AccountInvitation.taken_at.is_(None),
            AccountInvitation.revoked_at.is_(None),
        )
    )
    return {row.email: row for row in rows}


def position_at(session: Session, account: User | None, lab: Lab | None) -> str | None:
    """The position of an account at a lab; None if it has none, or one of both is none."""
    seat = session.get(LabProfessor, (lab.id, account.id)) if lab is not None and account is not None else None
    return seat.position if seat is not None else None


def invitation_page(session: Session, number: int, now: datetime) -> Page[InvitationRow]:
    """A page of all invitations: open ones first, the newest of each kind first."""
    closed = AccountInvitation.taken_at.is_not(None) | AccountInvitation.revoked_at.is_not(None)
    listed = select(AccountInvitation).order_by(closed, AccountInvitation.id.desc())
    shown, page, total = cut_to_page(session, listed, number)
    rows = session.scalars(
        shown.options(
            joinedload(AccountInvitation.lab),
            joinedload(AccountInvitation.invited_by),
            joinedload(AccountInvitation.user),
        )
    ).all()
    keys = {mail_key(row): row.id for row in rows if row.token_hash}
    mails = select(OutboxMail.dedupe_key, OutboxMail.state).where(OutboxMail.dedupe_key.in_(keys))
    states = {keys[key]: state for key, state in session.execute(mails) if key}
    return Page([_row(invitation, states.get(invitation.id, ""), now) for invitation in rows], page, total)


def mail_key(invitation: AccountInvitation) -> str:
    """The dedupe key of the newest mail in the outbox."""
    return f"account-invitation:{invitation.id}:link:{(invitation.token_hash or '')[:16]}"


def _row(invitation: AccountInvitation, mail: str, now: datetime) -> InvitationRow:
    return InvitationRow(invitation, _state(invitation, now), mail, why_not_resend(invitation, now))


def _state(invitation: AccountInvitation, now: datetime) -> str:
    if invitation.taken_at is not None:
        return "taken"
    if invitation.revoked_at is not None:
        return "revoked"
    if not vouched_for(invitation):
        return "lapsed"
    if now >= invitation.expires_at:
        return "expired"
    return "opened" if invitation.opened_at is not None else "sent"
