"""Why a referee cannot be named, asked, reminded or removed, and why a letter cannot be sent: a reason, or None."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from portal.accounts import rules as account_rules
from portal.applications.states import OPEN_APPLICATION
from portal.moments import format_in_zone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from portal.models import Application, Cycle, Referee


MOST_REFEREES = 5
MOST_ASKED = 30  # by one person within this time, in all applications, also those that were erased since
ASKED_WITHIN = timedelta(days=30)
AFTER_DEADLINE = timedelta(days=14)
REMIND_EVERY = timedelta(days=5)
MOST_REMINDERS = 4
LONGEST_RELATION = 300  # characters


def letters_until(cycle: Cycle) -> datetime:
    """The time until which letters are accepted."""
    return cycle.deadline_at + AFTER_DEADLINE


def why_not_change(application: Application, now: datetime) -> str | None:
    """Against changing anything about the referees of an application."""
    cycle = application.cycle
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed; nothing in it can be changed any more."
    if application.state not in OPEN_APPLICATION:
        return "This application is not open any more."
    if now >= letters_until(cycle):
        return f"Letters were accepted until {format_in_zone(letters_until(cycle), cycle.zone)}."
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
    return "This person is already on your list." if earlier is not None and earlier.revoked_at is None else None


def why_not_one_more(named: Sequence[Referee]) -> str | None:
    """Against naming another person, whoever it is."""
    if sum(referee.declined_at is None for referee in named) >= MOST_REFEREES:
        return f"You can name {MOST_REFEREES} referees. Remove one first."
    return None


def was_asked(referee: Referee) -> bool:
    """Whether they have a link that opens the form for a letter, and have not answered."""
    return referee.token_hash is not None and referee.received_at is None and referee.declined_at is None


def why_not_write_again(referee: Referee, now: datetime) -> str | None:
    """Against a reminder, or another request to somebody who was taken off the list since."""
    if referee.reminders >= MOST_REMINDERS:
        return f"We wrote to this person {MOST_REMINDERS + 1} times; more would be unkind."
    written_at = referee.reminded_at or referee.invited_at
    if written_at is not None and now < written_at + REMIND_EVERY:
        again = format_in_zone(written_at + REMIND_EVERY, referee.application.cycle.zone)
        return f"We wrote to this person a short time ago. You can remind them from {again}."
    return None


def why_not_ask_more(asked_lately: int) -> str | None:
    """Against asking anybody, for somebody who asked so many within `ASKED_WITHIN`."""
    if asked_lately < MOST_ASKED:
        return None
    return (
        f"You asked {MOST_ASKED} times for a letter within {ASKED_WITHIN.days} days, which is the limit. If you need "
        "another one, write to the administrators."
    )


def why_not_remind(referee: Referee, now: datetime) -> str | None:
    """Against a reminder now."""
    if referee.received_at is not None:
        return "The letter has arrived."
    if not was_asked(referee):
        return "This person was not asked."
    return why_not_needed(referee.application, now) or why_not_write_again(referee, now)


def why_not_remove(referee: Referee) -> str | None:
    """A letter that has arrived stays."""
    return "The letter has arrived; it stays with your application." if referee.received_at is not None else None


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
