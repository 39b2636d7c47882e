"""Referees: what is against asking or removing one, and their one writer. The caller commits.

Only the SHA-256 of a referee's link is stored. A reminder makes a new link, and the previous one no longer works.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from sqlalchemy import func, select, update

from portal import audit, mail
from portal.accounts import rules as account_rules
from portal.accounts.service import AddressError, new_token, normal_address, opened_by, token_digest
from portal.applications.cycles import application_path, why_closed
from portal.applications.files import holds, put_file, remove_once_committed
from portal.applications.locks import ApplicationGone, Refusal, locked_application, refuse_if
from portal.applications.states import OPEN_APPLICATION
from portal.applications.submissions import NamedReferee
from portal.db import lock_row
from portal.models import Application, AuditEntry, Referee
from portal.moments import told_deadline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, User
    from portal.storage import FileStore


MOST_REFEREES = 5
MOST_ASKED = 30  # by one person within this time, in all applications, also those that were erased since
ASKED_WITHIN = timedelta(days=30)
ASKED_ENOUGH = (
    "You asked {} times for a letter within {} days, which is the limit. If you need another one, write to the "
    "administrators."
)
ARRIVED = "The letter has arrived; it stays with your application."
AFTER_DEADLINE = timedelta(days=14)
LONGEST_RELATION = 300  # characters


def letters_until(cycle: Cycle) -> datetime:
    """The time until which letters are accepted."""
    return cycle.deadline_at + AFTER_DEADLINE


def why_not_change(application: Application, now: datetime) -> str | None:
    """Against changing anything about the referees of an application."""
    cycle = application.cycle
    if reason := why_closed(cycle):
        return reason
    if application.state not in OPEN_APPLICATION:
        return "This application is not open any more."
    if now >= letters_until(cycle):
        return f"Letters were accepted until {told_deadline(letters_until(cycle), cycle.zone)}."
    return None


def why_not_needed(application: Application, now: datetime) -> str | None:
    """Against asking for letters that nobody will read."""
    if application.state != "draft" or application.submissions or now < application.cycle.deadline_at:
        return None
    return "The deadline passed before this application was submitted, so no letter is needed for it."


def why_not_called(name: str) -> str | None:
    """Against a name: the letter's page and the mails greet with it, so it must say something and be what it seems."""
    if account_rules.shows_nothing(name):
        return "Give the name of the referee."
    return account_rules.why_not_name(name)


def why_not_relation(relation: str) -> str | None:
    """Against what is said of how a referee knows the applicant."""
    if len(relation) > LONGEST_RELATION:
        return f"Use at most {LONGEST_RELATION} characters; this has {len(relation):,}."
    return account_rules.TURNS_DIRECTION if account_rules.turns_direction(relation) else None


def why_not_address(application: Application, earlier: Referee | None, email: str) -> str | None:
    """Against an address in its usual spelling; `earlier` is who was asked at it before."""
    if email == application.applicant.email:
        return "This is your own address. A referee is somebody else."
    if earlier is not None and earlier.declined_at is not None:
        return "This person declined to write. Name somebody else."
    if earlier is not None and earlier.revoked_at is None:
        return "This person is already on your list."
    return (
        "We wrote to this person twice; more would be unkind." if earlier is not None and earlier.reminded_at else None
    )


def why_not_one_more(named: Sequence[Referee]) -> str | None:
    """Against naming another person, whoever it is."""
    if sum(referee.declined_at is None for referee in named) >= MOST_REFEREES:
        return f"You can name {MOST_REFEREES} referees. Remove one first."
    return None


def was_asked(referee: Referee) -> bool:
    """Whether they have a link that opens the form for a letter, and have not answered."""
    return referee.token_hash is not None and referee.received_at is None and referee.declined_at is None


def why_not_write(referee: Referee, now: datetime) -> str | None:
    """Against sending, replacing or declining a letter through the link; the words are the same for every reason."""
    application = referee.application
    is_open = (
        referee.token_hash is not None
        and referee.revoked_at is None
        and referee.expires_at is not None
        and now < referee.expires_at
        and application.state in OPEN_APPLICATION
        and application.cycle.closed_at is None
        and why_not_needed(application, now) is None
    )
    return None if is_open else "This link no longer works."


ASKED = "referee.ask"
"""The act of asking for a letter, in the audit log."""
LINK = "/letters/{token}"


def referees_of(session: Session, application: Application) -> Sequence[Referee]:
    """The referees that an application names now, in the order in which they were named."""
    return session.scalars(
        select(Referee)
        .where(Referee.application_id == application.id, Referee.revoked_at.is_(None))
        .order_by(Referee.created_at, Referee.id)
    ).all()


def referee_of(session: Session, application: Application, referee_id: int) -> Referee | None:
    """One of the referees that an application names or, if `revoked_at` is set, named."""
    return session.scalar(select(Referee).where(Referee.id == referee_id, Referee.application_id == application.id))


def referee_by_token(session: Session, token: str) -> Referee | None:
    """The referee whose link has this token."""
    return opened_by(session, Referee, token, Referee.revoked_at.is_(None))


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter as it was sent: its text, and the file if it was one."""

    text: str
    kind: str
    data: bytes = b""
    filename: str = ""


class LinkClosed(Exception):
    """The link was revoked, has expired, or no letter is needed any more. Nothing was written."""


class RefereeRefused(Refusal):
    """Nobody can be named so; `errors` says why, by field of the form, and the message says all of them."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


def ask(
    session: Session, application: Application, name: str, email: str, relation: str, *, actor: User, now: datetime
) -> Referee:
    """Put somebody on the list of referees and send them the request.

    The same again changes and sends nothing. Whoever was taken off the list can be asked once more, in place of the
    reminder. Raises `RefereeRefused`: fields cannot be as they are; the address may be taken by the list, or one's own;
    `Refusal`: another rule is against it.
    """
    application = locked_application(session, application)
    earlier: Referee | None = None
    try:
        email = normal_address(email)
        same_address = (Referee.application_id == application.id, Referee.email == email)
        earlier = session.scalar(select(Referee).where(*same_address))
        no_address = why_not_address(application, earlier, email)
    except AddressError as error:
        no_address = str(error) if email.strip() else "Give the address of the referee."
    if earlier is not None and was_asked(earlier) and (earlier.name, earlier.relation) == (name, relation):
        return earlier
    refuse_if(why_not_change(application, now) or why_not_needed(application, now))
    against = {"name": why_not_called(name), "email": no_address, "relation": why_not_relation(relation)}
    errors = {field: reason for field, reason in against.items() if reason is not None}
    if errors:
        raise RefereeRefused(errors)
    refuse_if(why_not_one_more(referees_of(session, application)))
    # The audit log remembers them beyond an erasure.
    lately = (AuditEntry.act == ASKED, AuditEntry.actor_id == actor.id, AuditEntry.at >= now - ASKED_WITHIN)
    if session.scalars(select(func.count()).where(*lately)).one() >= MOST_ASKED:
        raise Refusal(ASKED_ENOUGH.format(MOST_ASKED, ASKED_WITHIN.days))
    referee = earlier or Referee(application_id=application.id, email=email)
    session.add(referee)
    referee.name, referee.relation, referee.created_at = name, relation, now
    referee.revoked_at, referee.invited_at, referee.reminded_at = None, now, now if earlier else None
    session.flush()
    _send_link(session, referee, "referee_request", now)
    _audit(session, "ask", referee, actor, now)
    return referee


def ask_named(session: Session, application: Application, *, actor: User, now: datetime) -> list[str]:
    """Ask everybody whom the form of an application names with an address, and take them off the form: their names.
    Raises `Refusal`: one of them cannot be asked; the message says who and why.
    """
    rows = [NamedReferee(**row) for row in application.named_referees]
    asked = [named for named in rows if named.can_be_asked]
    for named in asked:
        try:
            ask(session, application, *named, actor=actor, now=now)
        except Refusal as refusal:
            raise Refusal(f"{named.name} was not asked. {refusal}") from None
    application.named_referees = [named._asdict() for named in rows if not named.can_be_asked]
    application.version += 1
    return [named.name for named in asked]


def remind(session: Session, referee: Referee, *, now: datetime) -> bool:
    """Send somebody whose letter is awaited their one reminder, with a new link, after which the old one no longer
    works. False if a rule is against it.
    """
    _lock(session, referee)
    application = referee.application
    if not was_asked(referee) or referee.reminded_at is not None:
        return False
    if (why_not_change(application, now) or why_not_needed(application, now)) is not None:
        return False
    referee.reminded_at = now
    mail.cancel(session, f"referee:{referee.id}:link")
    _send_link(session, referee, "referee_reminder", now)
    _audit(session, "remind", referee, "the clock", now)
    return True


def remove(session: Session, referee: Referee, *, actor: User, now: datetime) -> None:
    """Take somebody off the list; a link that was sent no longer works, and they are told. Raises `Refusal`: the letter
    has arrived, or nothing changes any more.
    """
    _lock(session, referee)
    if referee.revoked_at is not None:
        return
    refuse_if(why_not_change(referee.application, now) or (ARRIVED if referee.received_at is not None else None))
    was_asked = referee.token_hash is not None and referee.declined_at is None
    mail.cancel(session, f"referee:{referee.id}")
    referee.revoked_at, referee.token_hash = now, None
    session.flush()
    if was_asked:
        cycle = referee.application.cycle
        mail.write_to(
            session,
            referee.email,
            referee.name,
            "referee_revoked",
            {"applicant": referee.application.applicant.display_name, "cycle": cycle.name},
            now=now,
            dedupe=f"referee:{referee.id}:revoked:{now:%Y%m%d%H%M%S}",
        )
    _audit(session, "remove", referee, actor, now)


def send_letter(session: Session, files: FileStore, referee: Referee, letter: Letter, *, now: datetime) -> None:
    """Keep a letter, in place of one that was sent before. The same again changes nothing.

    Side effects: the applicant is told of the first letter, and the referee gets a receipt for it; files are written
    and removed with the transaction. Raises `LinkClosed`: it cannot be sent any more.
    """
    _lock_for_link(session, referee)
    if why_not_write(referee, now) is not None or referee.declined_at is not None:
        raise LinkClosed
    same = (referee.letter, referee.letter_kind, referee.letter_filename) == (letter.text, letter.kind, letter.filename)
    if referee.received_at is not None and same and holds(files, referee.storage_key, letter.data):
        return
    old, first = referee.storage_key, referee.received_at is None
    referee.storage_key = put_file(session, files, f"letters/{referee.application_id}", letter.data)
    referee.letter, referee.letter_kind, referee.letter_filename = letter.text, letter.kind, letter.filename
    referee.received_at = now
    mail.cancel(session, f"referee:{referee.id}:link")
    session.flush()
    if old:
        remove_once_committed(session, files, old)
    if first:
        _tell_applicant(session, referee, "received", now)
        _write_to_referee(session, referee, "referee_receipt", now, "receipt")
    _audit(session, "send", referee, "the referee", now)


def decline(session: Session, referee: Referee, *, now: datetime) -> None:
    """Record that the referee will write no letter, unless one was sent. Repeating it changes nothing. Raises
    `LinkClosed`: it cannot be said any more.
    """
    _lock_for_link(session, referee)
    if why_not_write(referee, now) is not None or referee.received_at is not None:
        raise LinkClosed
    if referee.declined_at is not None:
        return
    referee.declined_at = now
    mail.cancel(session, f"referee:{referee.id}:link")
    session.flush()
    _tell_applicant(session, referee, "declined", now)
    _audit(session, "decline", referee, "the referee", now)


def extend_links(session: Session, cycle: Cycle) -> None:
    """Let the links of a cycle's referees open as long as letters are taken, after its deadline was moved."""
    until = letters_until(cycle)
    of_cycle = select(Application.id).where(Application.cycle_id == cycle.id)
    conditions = (Referee.token_hash.is_not(None), Referee.expires_at < until, Referee.application_id.in_(of_cycle))
    statement = update(Referee).where(*conditions).values(expires_at=until)
    session.execute(statement.execution_options(synchronize_session=False))


def _tell_applicant(
    session: Session, referee: Referee, outcome: Literal["received", "declined"], now: datetime
) -> None:
    mail.tell(
        session,
        referee.application.applicant,
        f"letter_{outcome}",
        {"cycle": referee.application.cycle.name},
        now=now,
        path=f"{application_path(referee.application)}/referees",
        dedupe=f"referee:{referee.id}:{outcome}",
    )


def _send_link(session: Session, referee: Referee, kind: str, now: datetime) -> None:
    token = new_token()
    referee.token_hash, referee.expires_at = token_digest(token), letters_until(referee.application.cycle)
    session.flush()
    _write_to_referee(session, referee, kind, now, f"link:{referee.token_hash[:16]}", LINK.format(token=token))


def _write_to_referee(session: Session, referee: Referee, kind: str, now: datetime, news: str, path: str = "") -> None:
    application, cycle = referee.application, referee.application.cycle
    context = {
        "applicant": application.applicant.display_name,
        "cycle": cycle.name,
        "zone": cycle.zone,
        "until": (referee.expires_at or letters_until(cycle)).isoformat(),
    }
    dedupe = f"referee:{referee.id}:{news}"
    mail.write_to(session, referee.email, referee.name, kind, context, now=now, path=path, dedupe=dedupe)


def _lock(session: Session, referee: Referee) -> None:
    """Lock the application, and read the referee again under the lock. Raises `ApplicationGone`: it was erased, and the
    referee with it.
    """
    locked_application(session, referee.application)
    lock_row(session, Referee.relation, referee.id)
    session.refresh(referee)


def _lock_for_link(session: Session, referee: Referee) -> None:
    try:
        _lock(session, referee)
    except ApplicationGone:
        raise LinkClosed from None


def _audit(session: Session, act: str, referee: Referee, actor: User | str, now: datetime) -> None:
    audit.record(session, actor, f"referee.{act}", "referee", str(referee.id), now)
