"""Answering offers: accept one, which closes everything else, or decline it. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from portal.applications.moves.service import AlreadyMoved, MoveRefused, locked_application, perform
from portal.applications.states import OPEN_CHOICE
from portal.applications.status.shown import shown_state
from portal.moments import format_in_zone

if TYPE_CHECKING:
    from datetime import datetime

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
