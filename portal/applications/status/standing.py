"""The status of an application, as far as its applicant may know it: the state, what happens next, by whom, by when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.content.checklist import missing_from
from portal.applications.interviews.queries import free_slots_of, slot_of
from portal.applications.moves.letters import TIME_TO_COMPLETE
from portal.applications.states import APPLICATION_LABELS
from portal.applications.status.shown import shown_state
from portal.moments import format_in_zone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application, Choice

LABS_REPLY = "The labs reply by"
LATE_TO_COMPLETE = "The time to add what is missing has passed. You can still add it and submit again, so do it now."


@dataclass(frozen=True, slots=True)
class Standing:
    """The state as a word, what happens next as a sentence, whose turn it is ("you", "the labs" …), and by when.

    `act` is what the applicant can do about it, as the text of a link; empty if there is nothing to do. `before_due`
    are the words before the date in `due`.
    """

    label: str
    next: str
    whose: str
    due: datetime | None = None
    act: str = ""
    before_due: str = "By"


def standing_of(  # noqa: PLR0911  (one for each state)
    session: Session, application: Application, now: datetime
) -> Standing:
    """The status of an application at this time."""
    label = APPLICATION_LABELS[application.state]
    match application.state:
        case "draft":
            return _draft(session, application, now)
        case "submitted":
            return _submitted(label, application, now)
        case "incomplete":
            until = max(application.cycle.deadline_at, application.state_since + TIME_TO_COMPLETE)
            act = "Add what is missing"
            if now >= until:
                return Standing(label, LATE_TO_COMPLETE, "you", act=act)
            return Standing(label, "Add what is missing and submit again.", "you", until, act)
        case "eligible":
            return _eligible(session, label, application, now)
        case "ineligible":
            return Standing(label, "It is not considered any further in this cycle. The reason is shown with it.", "")
        case "withdrawn":
            return Standing(label, "You withdrew it; no lab reads it any more.", "")
        case _:
            return _closed(label, application)


def _draft(session: Session, application: Application, now: datetime) -> Standing:
    cycle = application.cycle
    open_now = cycle.closed_at is None and now < cycle.deadline_at
    if application.submissions:
        if open_now:
            next_step = "You are editing it. What you submitted last counts until you submit again."
            return Standing("Being edited", next_step, "you", cycle.deadline_at, "Continue editing")
        return Standing("Submitted", "The deadline has passed: what you submitted last counts.", "the administrators")
    if not open_now:
        return Standing("Not submitted", "The deadline passed before it was submitted. No lab has seen it.", "")
    missing = len(missing_from(session, application))
    if missing:
        count = "1 thing is" if missing == 1 else f"{missing} things are"
        return Standing(
            "Draft", f"{count} missing before you can submit.", "you", cycle.deadline_at, "Continue the application"
        )
    return Standing("Draft", "Everything is there. Submit it.", "you", cycle.deadline_at, "Review and submit")


def _submitted(label: str, application: Application, now: datetime) -> Standing:
    cycle = application.cycle
    if now < cycle.deadline_at:
        return Standing(
            label,
            "You may change it until the deadline. After that the administrators check whether it is complete.",
            "the administrators",
            cycle.deadline_at,
            before_due="Deadline:",
        )
    next_step = "The administrators check whether it is complete; then the labs can read it."
    return Standing(label, next_step, "the administrators", cycle.reply_by_at, before_due=LABS_REPLY)


def _eligible(session: Session, label: str, application: Application, now: datetime) -> Standing:
    shown_choices = [(choice, shown_state(application, choice)[0]) for choice in application.choices]
    offers = [choice for choice, state in shown_choices if state == "offered"]
    if offers:
        until = min((choice.offer_reply_by_at for choice in offers if choice.offer_reply_by_at), default=None)
        names = " and ".join(choice.lab.name for choice in offers)
        return Standing(label, f"Answer the offer of {names}.", "you", until, "Read the offer")
    invited = [choice for choice, state in shown_choices if state == "interview"]
    if invited:
        return _invited(session, label, invited, now)
    if any(state in {"pending", "in_review", "interviewed"} for _choice, state in shown_choices):
        next_step = "The labs are reading your application and will reply."
        return Standing(label, next_step, "the labs", application.cycle.reply_by_at, before_due=LABS_REPLY)
    if any(state == "waitlisted" for _choice, state in shown_choices):
        return Standing(label, "You are on a waitlist: the lab tells you when a place becomes free.", "the labs")
    return Standing(label, _all_replied(shown_choices), "")


def _invited(session: Session, label: str, choices: Sequence[Choice], now: datetime) -> Standing:
    slots = [(choice.lab.name, slot_of(session, choice)) for choice in choices]
    waiting = [choice for choice, (_, slot) in zip(choices, slots, strict=True) if slot is None]
    if waiting:
        return _without_a_time(session, label, waiting, now)
    sentences = (
        f"Your interview with {name} {'is' if slot.starts_at > now else 'was'} on "
        f"{format_in_zone(slot.starts_at, slot.zone)}."
        for name, slot in slots
        if slot is not None
    )
    return Standing(label, " ".join(sentences), "the labs")


def _without_a_time(session: Session, label: str, waiting: Sequence[Choice], now: datetime) -> Standing:
    """Labs that invite to an interview. It is the applicant's turn only where a time is free."""
    free = free_slots_of(session, waiting, now)
    can_pick = [choice for choice in waiting if free[choice.id]]
    would_like = f"{' and '.join(choice.lab.name for choice in can_pick or waiting)} would like to talk with you"
    if can_pick:
        return Standing(label, f"{would_like}: pick a time for the interview.", "you", None, "Pick a time")
    no_time = "No time is free just now; a mail tells you when new ones are offered."
    return Standing(label, f"{would_like}. {no_time}", "the labs")


def _all_replied(shown: Sequence[tuple[Choice, str]]) -> str:
    sentences = {
        "expired": "The offer of {} expired: it was not answered in time.",
        "declined_by_applicant": "You declined the offer of {}.",
    }
    outcomes = [sentences[state].format(choice.lab.name) for choice, state in shown if state in sentences]
    return " ".join(["Every lab has replied.", *(outcomes or ["None of them offers you a place."])])


def _closed(label: str, application: Application) -> Standing:
    accepted = next((choice.lab.name for choice in application.choices if choice.shown_state == "accepted"), None)
    if accepted:
        return Standing("Accepted", f"You accepted the offer of {accepted}. It will be in touch with you.", accepted)
    return Standing(label, "Nothing in it can be changed any more.", "")
