"""What an applicant may see of their own application: states, decisions and the timeline, as finished values.

Nothing here reads what is not released: states come from `Choice.shown_state`, decisions from those that were released,
moves from those with a `shown_at`, which stands on the timeline in place of the time at which they were made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.content.match_records import record_of
from portal.applications.cycles import released_decision, shown_moves
from portal.applications.moves.possible import why_not
from portal.applications.moves.rules import Case
from portal.applications.states import CHOICE_LABELS, OPEN_CHOICE, READ_BY_LABS, STAGING, move_named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application, Choice, Lab, MatchRecord, MoveRecord, User

ENDED = ("withdrawn", "ineligible", "closed")
NOT_READ_YET = "Not with the lab yet"
TAKES_A_MESSAGE = STAGING | {"invite_to_interview"}
FOLLOWS = frozenset({"close", "drop_decline", "reopen"})
"""Moves of choices that follow from a move of the application. The timeline leaves them out: whether a choice had such
a move would reveal what the lab had decided."""


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


def shown_state(application: Application, choice: Choice) -> tuple[str, datetime]:
    """The state of a choice and since when, as its applicant may know them.

    When an application ends, everything open in it is closed, whatever a lab had decided and not released.
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
    if lab:
        text = f"{lab}: {text[0].lower()}{text[1:]}"
    return ShownMove(
        at=record.shown_at or record.at,
        text=text,
        by=_by_whom(record.actor_role, lab),
        message=record.message if by_applicant or move.message or move.name in TAKES_A_MESSAGE else "",
    )


def _by_whom(role: str, lab: str) -> str:
    match role:
        case "applicant":
            return "you"
        case "admin":
            return "the administrators"
        case "reviewer" | "leader":
            return lab
        case _:
            return "the portal"


def choice_of_lab(application: Application, slug: str) -> Choice | None:
    """The choice of the lab at this address."""
    return next((choice for choice in application.choices if choice.lab.slug == slug), None)


def labs_by_id(choices: Sequence[Choice]) -> dict[int, Lab]:
    """The labs of choices by their number."""
    return {choice.lab_id: choice.lab for choice in choices}
