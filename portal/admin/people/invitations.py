"""Invitations to create an account: rules, reads, and their one writer. The caller commits.

Only the SHA-256 of a link's token is stored; a new link closes the one before.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update
from sqlalchemy.orm import joinedload

from portal import audit, mail
from portal.accounts import service as accounts
from portal.accounts.rules import tidy_name, why_not_name
from portal.accounts.service import AddressError, new_token, normal_address, opened_by, token_digest
from portal.admin.people.service import hold_admins
from portal.admin.rules import POSITIONS, ensure_allowed
from portal.labs import service as labs
from portal.models import AccountInvitation, LabProfessor, OutboxMail, User
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
_NAMED = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>")


@dataclass(frozen=True, slots=True)
class Invitee:
    """Somebody in the list: the line, counted from 1, the normalised address, and the name, which may be empty."""

    line: int
    email: str
    name: str


def read_addresses(text: str, *, test_domains: bool) -> tuple[list[Invitee], list[str]]:
    """The people of a list, each once and in its order, and a sentence for each line that could not be read.

    A line has one address, or "李雷 <li@example.edu>". Of a repeated address the first line counts.

    Args:
        text: What was typed.
        test_domains: Whether names below .test are taken, as in tests and demos.
    """
    people: dict[str, Invitee] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        typed = unicodedata.normalize("NFKC", line).strip(" \t,;")
        if not typed:
            continue
        named = _NAMED.fullmatch(typed)
        name, address = (tidy_name(named["name"].strip(' "')), named["address"]) if named else ("", typed)
        try:
            invitee = Invitee(number, normal_address(address, test_domains=test_domains), name)
            reason = why_not_name(name)
        except AddressError as error:
            reason = str(error)
        if reason is not None:
            problems.append(f"Line {number}: “{_cut(typed, LONGEST_EXCERPT)}”: {_cut(reason, LONGEST_REASON)}")
        else:
            people.setdefault(invitee.email, invitee)
    return list(people.values()), problems


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


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


def why_not_invite(person: User | None, before: AccountInvitation | None, terms: Terms, now: datetime) -> str | None:
    """Why an address cannot be invited. `person` has an account with it, `before` is its open invitation; or None."""
    if person is not None and not person.active:
        return "this account is suspended. Restore it first."
    if before is not None and now < before.expires_at and not _has_terms(before, terms):
        return "this address is invited already, with other roles or another lab. Revoke that invitation first."
    return None


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


def position_at(session: Session, account: User, lab: Lab) -> str | None:
    """The position of an account at a lab, if it has one."""
    seat = session.get(LabProfessor, (lab.id, account.id))
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
    return Page(
        [InvitationRow(row, _state(row, now), states.get(row.id, ""), why_not_resend(row, now)) for row in rows],
        page,
        total,
    )


def mail_key(invitation: AccountInvitation) -> str:
    """The dedupe key of the newest mail in the outbox."""
    return f"account-invitation:{invitation.id}:link:{(invitation.token_hash or '')[:16]}"


def _state(invitation: AccountInvitation, now: datetime) -> str:
    if invitation.taken_at is not None:
        return "taken"
    if invitation.revoked_at is not None:
        return "revoked"
    if not vouched_for(invitation):
        return "lapsed"
    if now >= invitation.expires_at:
        return "expired"
    return "sent"


class ListRefused(Exception):
    """Somebody in a list cannot be invited; therefore nobody was, and nothing was written."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class LinkClosed(Exception):
    """The link no longer works. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The rights to which everybody in a list is invited: roles in their usual order, perhaps a position at a lab."""

    roles: tuple[str, ...]
    lab: Lab | None = None
    position: str | None = None


@dataclass(slots=True)
class Invited:
    """The result for a list, as addresses: who was mailed a link, whose account was given rights, and who already had
    the rights or an invitation to them.
    """

    mailed: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


def invite(session: Session, people: Sequence[Invitee], terms: Terms, *, actor: User, now: datetime) -> Invited:
    """Invite everybody in a list to the same rights, or nobody. The same list again changes nothing.

    Side effects: mails and audit entries. People with a confirmed account get the rights at once. An account with an
    unconfirmed address may be a stranger's, so its owner is mailed a link like everybody else.

    Raises:
        ListRefused: With the problems, by line.
    """
    hold_admins(session)
    emails = [invitee.email for invitee in people]
    open_before = open_invitations(session, emails)
    accounts_before = {
        person.email: person
        for person in session.scalars(
            select(User).where(User.email.in_(emails)).execution_options(populate_existing=True)
        )
    }
    refused = []
    for invitee in people:
        reason = why_not_invite(accounts_before.get(invitee.email), open_before.get(invitee.email), terms, now)
        if reason is not None:
            refused.append(f"Line {invitee.line}: {invitee.email}: {reason}")
    if refused:
        raise ListRefused(refused)
    outcome = Invited()
    for invitee in people:
        account, earlier = accounts_before.get(invitee.email), open_before.get(invitee.email)
        if account is not None and account.confirmed_at is not None:
            given = _give(session, account, terms, actor=actor, now=now, tells=True)
            (outcome.given if given else outcome.unchanged).append(invitee.email)
        elif earlier is not None and now < earlier.expires_at and vouched_for(earlier):
            outcome.unchanged.append(invitee.email)
        else:
            if earlier is not None:
                _close(session, earlier, now)
            _invite(session, invitee, terms, actor=actor, now=now)
            outcome.mailed.append(invitee.email)
    return outcome


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
    terms = Terms(tuple(invitation.roles), invitation.lab, invitation.position)
    _give(session, person, terms, actor=inviter, now=now, tells=False)
    mail.cancel(session, f"account-invitation:{invitation.id}")
    _record(session, person, "take_invitation", invitation, now)
    return person


def _has_terms(invitation: AccountInvitation, terms: Terms) -> bool:
    """Whether an invitation promises exactly these rights."""
    details = (tuple(invitation.roles), invitation.lab_id, invitation.position)
    return details == (terms.roles, terms.lab.id if terms.lab else None, terms.position)


def _invite(session: Session, invitee: Invitee, terms: Terms, *, actor: User, now: datetime) -> None:
    invitation = AccountInvitation(
        email=invitee.email,
        name=invitee.name,
        roles=list(terms.roles),
        lab=terms.lab,
        position=terms.position,
        invited_by=actor,
        created_at=now,
    )
    session.add(invitation)
    with session.no_autoflush:
        _mail_link(session, invitation, now)
    _record(session, actor, "invite", invitation, now)


def _mail_link(session: Session, invitation: AccountInvitation, now: datetime) -> None:
    token = new_token()
    invitation.token_hash = token_digest(token)
    invitation.linked_at, invitation.expires_at = now, now + LINK_LASTS
    session.flush()
    inviter = invitation.invited_by
    mail.write_to(
        session,
        invitation.email,
        invitation.name,
        "account_invitation",
        {
            "by": inviter.display_name if inviter else "An administrator",
            "roles": list(invitation.roles),
            "lab": invitation.lab.name if invitation.lab else "",
            "until": invitation.expires_at.isoformat(),
        },
        now=now,
        path=LINK.format(token=token),
        dedupe=mail_key(invitation),
    )


def _close(session: Session, invitation: AccountInvitation, now: datetime) -> None:
    mail.cancel(session, f"account-invitation:{invitation.id}")
    invitation.revoked_at, invitation.token_hash = now, None
    session.flush()


def _give(session: Session, person: User, terms: Terms, *, actor: User | None, now: datetime, tells: bool) -> bool:
    """Give an account the promised rights; returns whether any was new. If `tells`, its owner is told of new ones."""
    roles = [role for role in terms.roles if accounts.grant_role(session, person, role, author=actor, now=now)]
    gives_position = terms.lab is not None and position_at(session, person, terms.lab) != terms.position
    if terms.lab is not None and terms.position is not None and gives_position:
        labs.attach_professor(session, terms.lab, person, terms.position, author=actor, now=now)
    session.flush()
    if tells and (roles or gives_position):
        mail.tell(
            session,
            person,
            "account_access",
            {
                "by": actor.display_name if actor else "An administrator",
                "roles": list(terms.roles),
                "lab": terms.lab.name if terms.lab and gives_position else "",
            },
            now=now,
            path="/accounts/",
        )
    return bool(roles or gives_position)


def _record(session: Session, actor: User, act: str, invitation: AccountInvitation, now: datetime) -> None:
    details: dict[str, object] = {"invitation": invitation.id, "roles": list(invitation.roles)}
    if invitation.lab is not None:
        details |= {"lab": invitation.lab.slug, "position": invitation.position}
    audit.record(
        session,
        actor=actor,
        act=f"account.{act}",
        object_type="account",
        object_key=invitation.email,
        now=now,
        after=details,
    )
