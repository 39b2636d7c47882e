"""Invitations to create an account: rules, reads, and their one writer. The caller commits.

Only the SHA-256 of a link's token is stored; a new link closes the one before.
"""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update
from sqlalchemy.orm import joinedload

from portal import audit, mail
from portal.accounts import service as accounts
from portal.accounts.service import AddressError, new_token, normal_address, token_digest
from portal.admin.people.service import hold_admins
from portal.admin.rules import ensure_allowed
from portal.labs import service as labs
from portal.models import AccountInvitation, LabProfessor, User
from portal.models.user import PROFESSOR, ROLES
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab


LINK_LASTS = timedelta(days=14)
RESEND_AFTER = timedelta(minutes=5)
MOST_AT_ONCE = 200  # people in one list
LONGEST_LIST = 50_000  # characters
LINK = "/join/{token}"
LONGEST_EXCERPT = 60  # characters of a line that could not be read
LONGEST_REASON = 160  # some errors of the library list every character
_IS_OPEN = (AccountInvitation.taken_at.is_(None), AccountInvitation.revoked_at.is_(None))


class ListRefused(Exception):
    """Somebody in a list cannot be invited; therefore nobody was, and nothing was written. `args` are the reasons."""


class LinkClosed(Exception):
    """The link no longer works. Nothing was written."""


def read_addresses(text: str, *, test_domains: bool) -> tuple[list[str], list[str]]:
    """The normalised addresses of a list, one a line and each once, and a sentence for each line that is none.

    Args:
        text: What was typed.
        test_domains: Whether names below .test are taken, as in tests and demos.
    """
    emails: dict[str, None] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        typed = unicodedata.normalize("NFKC", line).strip(" \t,;")
        if not typed:
            continue
        try:
            emails[normal_address(typed, test_domains=test_domains)] = None
        except AddressError as error:
            problems.append(f"Line {number}: “{typed[:LONGEST_EXCERPT]}”: {str(error)[:LONGEST_REASON]}")
    return list(emails), problems


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


def invitation_page(session: Session, number: int) -> Page[AccountInvitation]:
    """A page of the open invitations, the newest first. Expired ones are among them: they can be sent again."""
    listed = select(AccountInvitation).where(*_IS_OPEN).order_by(AccountInvitation.id.desc())
    shown, page, total = cut_to_page(session, listed, number)
    with_names = shown.options(joinedload(AccountInvitation.lab), joinedload(AccountInvitation.invited_by))
    return Page(session.scalars(with_names).all(), page, total)


def invite(
    session: Session,
    emails: Sequence[str],
    roles: Collection[str],
    lab: Lab | None,
    position: str | None,
    *,
    actor: User,
    now: datetime,
) -> tuple[list[str], list[str]]:
    """Invite everybody in a list to the same roles, and perhaps a position at a lab; or nobody. Again changes nothing.

    Side effects: mails and audit entries. People with a confirmed account get the rights at once. An account with an
    unconfirmed address may be a stranger's, so its owner is mailed a link like everybody else. Whoever reads for a lab
    becomes a professor.

    Returns:
        Who was mailed a link, and whose account got rights. All others have the rights or an invitation to them.

    Raises:
        ListRefused: With the reasons.
    """
    hold_admins(session)
    terms = [role for role in ROLES if role in roles or (lab is not None and role == PROFESSOR)]
    invited = select(AccountInvitation).where(AccountInvitation.email.in_(emails), *_IS_OPEN)
    earlier = {row.email: row for row in session.scalars(invited)}
    registered = select(User).where(User.email.in_(emails)).execution_options(populate_existing=True)
    people = {person.email: person for person in session.scalars(registered)}
    running = {email for email, row in earlier.items() if now < row.expires_at}
    refused = []
    for email in emails:
        if email in people and not people[email].active:
            refused.append(f"{email}: this account is suspended. Restore it first.")
        elif email in running and not _promises(earlier[email], terms, lab, position):
            refused.append(
                f"{email}: this address is invited already, with other roles or another lab. "
                "Revoke that invitation first."
            )
    if refused:
        raise ListRefused(*refused)
    mailed, given = [], []
    for email in emails:
        person = people.get(email)
        if person is not None and person.confirmed_at is not None:
            if _give(session, person, terms, lab, position, actor=actor, now=now):
                _tell(session, person, terms, name_for(lab, position), actor=actor, now=now)
                given.append(email)
        elif email not in running or not vouched_for(earlier[email]):
            if email in earlier:
                _close(session, earlier[email], now)
            invitation = AccountInvitation(
                email=email, roles=terms, lab=lab, position=position, invited_by=actor, created_at=now
            )
            session.add(invitation)
            with session.no_autoflush:
                _mail_link(session, invitation, now)
            _record(session, actor, "invite", invitation, now)
            mailed.append(email)
    return mailed, given


def resend(session: Session, invitation: AccountInvitation, *, actor: User, now: datetime) -> None:
    """Mail a new link; the old one no longer works. Side effect: `actor` becomes the inviter.

    Raises:
        NotAllowed: It is not open any more, or a link was mailed a moment ago.
    """
    hold_admins(session)
    session.refresh(invitation)
    ensure_allowed(why_not_resend(invitation, now))
    mail.cancel(session, f"account-invitation:{invitation.id}")
    invitation.invited_by = actor
    _mail_link(session, invitation, now)
    _record(session, actor, "invite_again", invitation, now)


def revoke(session: Session, invitation: AccountInvitation, *, actor: User, now: datetime) -> None:
    """Close an invitation; its link stops working. A second call changes nothing.

    Raises:
        NotAllowed: It was accepted.
    """
    hold_admins(session)
    session.refresh(invitation)
    if invitation.revoked_at is not None:
        return
    ensure_allowed(why_not_revoke(invitation))
    _close(session, invitation, now)
    _record(session, actor, "revoke_invitation", invitation, now)


def take(session: Session, invitation: AccountInvitation, *, name: str, password: str, now: datetime) -> User:
    """Accept an invitation: make the account, or give the promised rights to an account made since.

    The link proves that the mailbox is theirs, so the address is confirmed. Only the invitation determines the rights.
    The password, which the caller has checked, is set unless the account was confirmed before.

    Side effects: audit entries; the link is closed.

    Raises:
        LinkClosed: The link does not work, or was used at the same moment.
    """
    hold_admins(session)
    session.refresh(invitation)
    person = session.scalar(
        select(User).where(User.email == invitation.email).execution_options(populate_existing=True)
    )
    has_account = person is not None and person.confirmed_at is not None
    if why_not_take(invitation, person, now) is not None or not (password or has_account):
        raise LinkClosed
    claimed = session.execute(
        update(AccountInvitation)
        .where(AccountInvitation.id == invitation.id, AccountInvitation.taken_at.is_(None))
        .values(taken_at=now, token_hash=None)
        .execution_options(synchronize_session=False)
        .returning(AccountInvitation.id)
    )
    if claimed.scalar() is None:
        raise LinkClosed
    inviter = invitation.invited_by
    if person is None:
        person = accounts.create_person(
            session, invitation.email, password, (), name=name, confirmed=True, now=now, author=inviter
        )
    elif person.confirmed_at is None:
        accounts.set_password(session, person, password, author=inviter, now=now)
        accounts.rename(session, person, name)
        accounts.confirm(session, person, now=now)
    session.refresh(invitation)
    invitation.user = person
    _give(session, person, invitation.roles, invitation.lab, invitation.position, actor=inviter, now=now)
    mail.cancel(session, f"account-invitation:{invitation.id}")
    _record(session, person, "take_invitation", invitation, now)
    return person


def _promises(invitation: AccountInvitation, roles: list[str], lab: Lab | None, position: str | None) -> bool:
    """Whether an invitation promises exactly these rights."""
    promised = (invitation.roles, invitation.lab_id, invitation.position)
    return promised == (roles, lab.id if lab else None, position)


def name_for(lab: Lab | None, position: str | None) -> str:
    """What somebody is told of the lab that they are to read for: of a draft, only its leader knows."""
    return lab.name if lab is not None and (position == "leader" or not lab.is_draft) else ""


def _mail_link(session: Session, invitation: AccountInvitation, now: datetime) -> None:
    token = new_token()
    invitation.token_hash = token_digest(token)
    invitation.linked_at, invitation.expires_at = now, now + LINK_LASTS
    session.flush()
    inviter = invitation.invited_by
    mail.write_to(
        session,
        invitation.email,
        "",
        "account_invitation",
        {
            "by": inviter.display_name if inviter else "An administrator",
            "roles": list(invitation.roles),
            "lab": name_for(invitation.lab, invitation.position),
            "until": invitation.expires_at.isoformat(),
        },
        now=now,
        path=LINK.format(token=token),
        dedupe=f"account-invitation:{invitation.id}:link:{invitation.token_hash[:16]}",
    )


def _close(session: Session, invitation: AccountInvitation, now: datetime) -> None:
    mail.cancel(session, f"account-invitation:{invitation.id}")
    invitation.revoked_at, invitation.token_hash = now, None
    session.flush()


def _give(
    session: Session,
    person: User,
    roles: Sequence[str],
    lab: Lab | None,
    position: str | None,
    *,
    actor: User | None,
    now: datetime,
) -> bool:
    """Give an account the promised rights; returns whether any was new."""
    is_new = [accounts.grant_role(session, person, role, author=actor, now=now) for role in roles]
    if lab is not None and position is not None:
        seat = session.get(LabProfessor, (lab.id, person.id))
        if seat is None or seat.position != position:
            labs.attach_professor(session, lab, person, position, author=actor, now=now)
            is_new.append(True)
    session.flush()
    return any(is_new)


def _tell(session: Session, person: User, roles: list[str], lab: str, *, actor: User, now: datetime) -> None:
    """Tell the owner of an account of its new rights."""
    said = {"by": actor.display_name, "roles": roles, "lab": lab}
    mail.tell(session, person, "account_access", said, now=now, path="/accounts/")


def _record(session: Session, actor: User, act: str, invitation: AccountInvitation, now: datetime) -> None:
    details: dict[str, object] = {"invitation": invitation.id, "roles": list(invitation.roles)}
    if invitation.lab is not None:
        details |= {"lab": invitation.lab.slug, "position": invitation.position}
    audit.record(session, actor, f"account.{act}", "account", invitation.email, now, after=details)
