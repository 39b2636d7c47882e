"""One's own application as plain values; states, decisions and moves only as far as they are released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.applications.application.forms import most_characters
from portal.applications.checklist import checklist
from portal.applications.moves.rules import Case, why_not
from portal.applications.states import moves_from
from portal.applications.status import announcements_to, shown_choices, standing_of, timeline

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.status import ShownChoice
    from portal.models import Application, Cycle, User


OF_CYCLE = (
    *("slug", "name", "about", "zone", "opens_at", "deadline_at", "reply_by_at", "closed_at"),
    *("most_choices", "referees"),
)
"""What the API tells of a cycle under the names of its columns."""


def cycle_values(cycle: Cycle) -> dict[str, Any]:
    """A cycle."""
    return {
        **{name: getattr(cycle, name) for name in OF_CYCLE},
        "questions": [
            {
                "key": question["key"],
                "text": question["text"],
                "required": bool(question.get("required")),
                "most": most_characters(question),
            }
            for question in cycle.questions
        ],
    }


def line_values(session: Session, application: Application, now: datetime) -> dict[str, Any]:
    """An application in a list."""
    return {
        "cycle": cycle_values(application.cycle),
        "state": application.state,
        "standing": standing_of(session, application, now),
        "submitted_at": application.submitted_at,
        "receipt": application.receipt,
    }


def application_values(session: Session, application: Application, *, actor: User, now: datetime) -> dict[str, Any]:
    """A whole application."""
    case = Case(application, None, actor, "applicant", now)
    return {
        **line_values(session, application, now),
        "version": application.version,
        "reason": application.state_reason if application.state == "ineligible" else "",
        "choices": [_choice(choice) for choice in shown_choices(session, application, actor=actor, now=now)],
        "answers": application.answers,
        "checklist": checklist(session, application),
        "timeline": timeline(session, application),
        "announcements": announcements_to(session, application),
        "moves": [
            {"move": move.name, "label": move.label, "refused": why_not(session, move, case)}
            for move in moves_from("application", application.state, "applicant")
        ],
    }


def _choice(shown: ShownChoice) -> dict[str, Any]:
    names = ("state", "label", "since", "message", "reply_by", "offer_until", "why_not_answer")
    return {
        **{name: getattr(shown, name) for name in names},
        "lab": shown.lab.slug,
        "lab_name": shown.lab.name,
        "position": shown.choice.position,
        "reason": shown.choice.reason,
    }
