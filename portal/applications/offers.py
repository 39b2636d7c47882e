"""One choice of an application, for its applicant: the recorded match, and the answer to an offer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, cast

from flask import current_app, redirect, render_template, request, url_for

from portal.applications.application.pages import UNPROCESSABLE, can
from portal.applications.cycles import own_application
from portal.applications.interests.rules import with_facets_in_words
from portal.applications.locks import MoveRefused, locked_application
from portal.applications.match_records import match_of, record_of, replay
from portal.applications.moves.rules import Case, why_not
from portal.applications.moves.service import AlreadyMoved, perform
from portal.applications.states import OPEN_CHOICE, move_named
from portal.applications.status import choice_of_lab, shown_state
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import IndexPreparing
from portal.moments import format_in_zone
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Application, Choice, MoveRecord, User


Answer = Literal["accept", "decline"]
MOVES: dict[Answer, str] = {"accept": "accept", "decline": "decline_offer"}


def answer_offer(session: Session, choice: Choice, answer: Answer, *, actor: User, now: datetime) -> MoveRecord:
    """Accept or decline an offer.

    Raises:
        AlreadyMoved: It was answered so before.
        MoveRefused: It was answered otherwise, another offer was accepted, or it is too late; the reason is kind.
    """
    application = locked_application(session, choice)
    try:
        return perform(session, MOVES[answer], choice, actor=actor, capacity="applicant", now=now)
    except AlreadyMoved:
        raise
    except MoveRefused as refusal:
        raise MoveRefused(why_settled(application, choice) or str(refusal)) from None


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
        return (
            f"You accepted this offer on {format_in_zone(since, zone)}. That stands; write to the lab if plans change."
        )
    if accepted is not None:
        return (
            f"You accepted the offer of {accepted.lab.name} on {format_in_zone(accepted.shown_since, zone)}; "
            f"with it the choice of {choice.lab.name} was closed."
        )
    if state == "declined_by_applicant":
        return f"You declined this offer on {format_in_zone(since, zone)}; the place may have gone to somebody else."
    if state == "expired":
        return f"This offer expired on {format_in_zone(since, zone)}: its reply date passed."
    if state == "closed":
        how = "You withdrew your application" if application.state == "withdrawn" else "Your application was closed"
        return f"{how} on {format_in_zone(since, zone)}, and with it this choice."
    return None


def choice_match(cycle: str, slug: str) -> ResponseReturnValue:
    """The match as it was computed at the submission; with ?again=1 also computed anew, beside it."""
    application = or_404(own_application(db.session(), actor(), cycle))
    choice = or_404(choice_of_lab(application, slug))
    record = record_of(db.session(), choice)
    again, preparing = None, False
    if record is not None and request.args.get("again") == "1":
        try:
            again = replay(live_index(current_app).current(db.session()), record)
        except IndexPreparing:
            preparing = True
    return render_template(
        "applications/choice_match.html",
        application=application,
        cycle=application.cycle,
        choice=choice,
        record=record,
        may_edit=can(db.session(), application, "edit", actor(), datetime.now(UTC)),
        match=with_facets_in_words(match_of(record)) if record else None,
        again=again,
        preparing=preparing,
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
    except MoveRefused as refusal:
        return _answer_page(application, choice, given, str(refusal)), UNPROCESSABLE
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
