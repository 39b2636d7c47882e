"""What an applicant may see of their own application: states, decisions, the timeline, what happens
next, the recorded match of a choice, and the answer to an offer.

Nothing here reads what is not released: states come from `Choice.shown_state`, decisions from those that were released,
moves from those with a `shown_at`, which stands on the timeline in place of the time at which they were made.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, cast

from flask import redirect, render_template, request, url_for
from sqlalchemy import select

from portal.applications.cycles import own_application, released_decision, shown_moves
from portal.applications.interests.service import with_facets_in_words
from portal.applications.interviews.queries import free_slots_of, slot_of
from portal.applications.locks import Refusal, locked_application
from portal.applications.match_records import match_of, record_of
from portal.applications.moves.consequences import TIME_TO_COMPLETE
from portal.applications.moves.rules import Case, why_not
from portal.applications.moves.service import AlreadyMoved, perform
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS, OPEN_CHOICE, READ_BY_LABS, STAGING, move_named
from portal.applications.submissions import missing_from
from portal.db import db
from portal.models import Announcement, AnnouncementRecipient
from portal.moments import told
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Application, Choice, Lab, MatchRecord, MoveRecord, User

ENDED = ("withdrawn", "ineligible", "closed")
NOT_READ_YET = "Not with the lab yet"
TAKES_A_MESSAGE = STAGING | {"invite_to_interview"}
FOLLOWS = frozenset({"close", "drop_decline", "reopen"})
"""Moves of choices that follow from a move of the application. The timeline leaves them out: whether a choice had such
a move would reveal what the lab had decided."""
LABS_REPLY = "The labs reply by"
LATE_TO_COMPLETE = "The time to add what is missing has passed. You can still add it and submit again, so do it now."
ANCHOR = "announcements"
"""The id of the part of an application's page that shows them."""
Answer = Literal["accept", "decline"]
MOVES: dict[Answer, str] = {"accept": "accept", "decline": "decline_offer"}


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """A choice as its applicant sees it. `why_not_answer` is against accepting the offer, if there is one."""

    choice: Choice
    lab: Lab
    state: str
    label: str
    since: datetime
    message: str
    reply_by: datetime | None
    offer_until: datetime | None
    why_not_answer: str | None
    record: MatchRecord | None

    @property
    def offered(self) -> bool:
        """Whether an offer waits for an answer."""
        return self.state == "offered"

    @property
    def was_read(self) -> bool:
        """Whether the lab can or could read the application."""
        return self.label != NOT_READ_YET


@dataclass(frozen=True, slots=True)
class ShownMove:
    """One line of the timeline: when the applicant could see it, what happened, who did it, and the message."""

    at: datetime
    text: str
    by: str
    message: str = ""


def can(session: Session, application: Application, name: str, user: User, now: datetime) -> bool:
    """Whether the applicant can make a move of the application now."""
    return why_not(session, move_named("application", name), Case(application, None, user, "applicant", now)) is None


def shown_state(application: Application, choice: Choice) -> tuple[str, datetime]:
    """The state of a choice and since when, as its applicant may know them: when an application ends, everything open
    in it is closed, whatever a lab had decided and not released.
    """
    if application.state in ENDED and choice.shown_state in {*OPEN_CHOICE, "closed"}:
        return "closed", application.state_since
    return choice.shown_state, choice.shown_since


def shown_choices(session: Session, application: Application, *, actor: User, now: datetime) -> list[ShownChoice]:
    """The choices in the applicant's order."""
    return [_shown_choice(session, application, choice, actor, now) for choice in application.choices]


def label_of(application: Application, state: str) -> str:
    """A state of a choice in words."""
    if state == "pending" and application.state not in READ_BY_LABS:
        return NOT_READ_YET
    return "An offer for you" if state == "offered" else CHOICE_LABELS[state]


def timeline(session: Session, application: Application) -> list[ShownMove]:
    """The timeline, in the order in which the applicant could see its lines."""
    labs = {choice.id: choice.lab.name for choice in application.choices}
    return [
        _shown_move(record, labs.get(record.choice_id or 0, ""))
        for record in shown_moves(session, application)
        if record.shown_at is not None and not (record.choice_id and record.move in FOLLOWS)
    ]


def _shown_choice(
    session: Session, application: Application, choice: Choice, actor: User, now: datetime
) -> ShownChoice:
    state, since = shown_state(application, choice)
    decision = released_decision(session, choice)
    waits = state in OPEN_CHOICE and choice.replied_at is None and application.state == "eligible"
    refusal = None
    if state == "offered":
        refusal = why_not(session, move_named("choice", "accept"), Case(application, choice, actor, "applicant", now))
    return ShownChoice(
        choice=choice,
        lab=choice.lab,
        state=state,
        label=label_of(application, state),
        since=since,
        message=decision.message if decision else "",
        reply_by=choice.reply_by_at if waits else None,
        offer_until=choice.offer_reply_by_at if state == "offered" else None,
        why_not_answer=refusal,
        record=record_of(session, choice),
    )


def _shown_move(record: MoveRecord, lab: str) -> ShownMove:
    move = move_named("choice" if record.choice_id else "application", record.move)
    by_applicant = record.actor_role == "applicant"
    text = move.timeline_text
    lab_or_portal = lab if record.actor_role in {"reviewer", "leader"} else "the portal"
    if lab:
        text = f"{lab}: {text[0].lower()}{text[1:]}"
    return ShownMove(
        at=record.shown_at or record.at,
        text=text,
        by={"applicant": "you", "admin": "the administrators"}.get(record.actor_role, lab_or_portal),
        message=record.message if by_applicant or move.message or move.name in TAKES_A_MESSAGE else "",
    )


def choice_of_lab(application: Application, slug: str) -> Choice | None:
    """The choice of the lab at this address."""
    return next((choice for choice in application.choices if choice.lab.slug == slug), None)


def labs_by_id(choices: Sequence[Choice]) -> dict[int, Lab]:
    """The labs of choices by their number."""
    return {choice.lab_id: choice.lab for choice in choices}


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
            "You can change it until the deadline. Then the administrators check whether it is complete.",
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
        f"Your interview with {name} {'is' if slot.starts_at > now else 'was'} on {told(slot.starts_at, slot.zone)}."
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


def announcements_to(session: Session, application: Application) -> Sequence[Announcement]:
    """Those for this application, newest first."""
    return session.scalars(
        select(Announcement)
        .join(AnnouncementRecipient, AnnouncementRecipient.announcement_id == Announcement.id)
        .where(AnnouncementRecipient.application_id == application.id)
        .order_by(Announcement.id.desc())
    ).all()


def answer_offer(session: Session, choice: Choice, answer: Answer, *, actor: User, now: datetime) -> MoveRecord:
    """Accept or decline an offer. Raises `AlreadyMoved`: it was answered so before; `Refusal`: it was answered
    otherwise, another offer was accepted, or it is too late; the reason is kind.
    """
    application = locked_application(session, choice)
    try:
        return perform(session, MOVES[answer], choice, actor=actor, capacity="applicant", now=now)
    except AlreadyMoved:
        raise
    except Refusal as refusal:
        raise Refusal(why_settled(application, choice) or str(refusal)) from None


def closing_with(application: Application, accepted: Choice) -> list[Choice]:
    """The choices that close when one is accepted, as far as its applicant may know."""
    return [
        choice
        for choice in application.choices
        if choice is not accepted and shown_state(application, choice)[0] in OPEN_CHOICE
    ]


def why_settled(application: Application, choice: Choice) -> str | None:
    """Why there is nothing to answer any more: the choice was answered, has expired or is closed. None otherwise."""
    zone = application.cycle.zone
    state, since = shown_state(application, choice)
    accepted = next((other for other in application.choices if other.shown_state == "accepted"), None)
    if accepted is choice:
        return f"You accepted this offer on {told(since, zone)}. That stands; write to the lab if plans change."
    if accepted is not None:
        return (
            f"You accepted the offer of {accepted.lab.name} on {told(accepted.shown_since, zone)}; "
            f"with it the choice of {choice.lab.name} was closed."
        )
    if state == "declined_by_applicant":
        return f"You declined this offer on {told(since, zone)}; the place may have gone to somebody else."
    if state == "expired":
        return f"This offer expired on {told(since, zone)}: its reply date passed."
    if state == "closed":
        how = "You withdrew your application" if application.state == "withdrawn" else "Your application was closed"
        return f"{how} on {told(since, zone)}, and with it this choice."
    return None


def choice_match(cycle: str, slug: str) -> ResponseReturnValue:
    """The match as it was computed at the submission."""
    application = or_404(own_application(db.session(), actor(), cycle))
    choice = or_404(choice_of_lab(application, slug))
    record = record_of(db.session(), choice)
    return render_template(
        "applications/choice_match.html",
        application=application,
        cycle=application.cycle,
        choice=choice,
        record=record,
        may_edit=can(db.session(), application, "edit", actor(), datetime.now(UTC)),
        match=with_facets_in_words(match_of(record)) if record else None,
    )


def answer(cycle: str, slug: str, answer: str) -> ResponseReturnValue:
    """Explain what an answer means, then give it; repeating the same answer redirects to the application."""
    application = or_404(own_application(db.session(), actor(), cycle))
    choice = or_404(choice_of_lab(application, slug))
    given = cast("Answer", answer)
    if shown_state(application, choice)[0] not in {"offered", "accepted", "declined_by_applicant", "expired", "closed"}:
        flash_message("There is no offer to answer.", "info")
        return redirect(url_for("applications.application", cycle=cycle))
    now = datetime.now(UTC)
    if request.method == "GET":
        case = Case(application, choice, actor(), "applicant", now)
        refusal = why_settled(application, choice) or why_not(db.session(), move_named("choice", MOVES[given]), case)
        return _answer_page(application, choice, given, refusal)
    try:
        answer_offer(db.session(), choice, given, actor=actor(), now=now)
    except AlreadyMoved:
        verb = "accepted" if given == "accept" else "declined"
        flash_message(f"You {verb} the offer of {choice.lab.name} already; it stands.", "info")
    except Refusal as refusal:
        return _answer_page(application, choice, given, str(refusal)), 422
    else:
        outcome = f"You {'accepted' if given == 'accept' else 'declined'} the offer of {choice.lab.name}."
        flash_message(f"{outcome} The lab has been told.")
    return redirect(url_for("applications.application", cycle=cycle))


def _answer_page(application: Application, choice: Choice, given: Answer, refusal: str | None) -> str:
    return render_template(
        "applications/answer.html",
        application=application,
        cycle=application.cycle,
        choice=choice,
        answer=given,
        refusal=refusal,
        closing=closing_with(application, choice) if given == "accept" else [],
    )
