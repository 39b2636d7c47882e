"""One's own application as plain values; states, decisions and moves only as far as they are released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.applications.application_forms import most_characters
from portal.applications.application_status import standing_of
from portal.applications.checklist import checklist
from portal.applications.move_rules import Case
from portal.applications.possible_moves import why_not
from portal.applications.shown import shown_choices, timeline
from portal.applications.states import moves_from

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.shown import ShownChoice
    from portal.models import Application, Cycle, User


def cycle_values(cycle: Cycle) -> dict[str, Any]:
    """A cycle."""
    names = ("slug", "name", "zone", "opens_at", "deadline_at", "reply_by_at", "closed_at", "most_choices", "referees")
    return {
        **{name: getattr(cycle, name) for name in names},
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


def line_values(session: Session, mine: Application, now: datetime) -> dict[str, Any]:
    """An application in a list."""
    return {
        "cycle": cycle_values(mine.cycle),
        "state": mine.state,
        "standing": standing_of(session, mine, now),
        "submitted_at": mine.submitted_at,
        "receipt": mine.receipt,
    }


def application_values(session: Session, mine: Application, *, actor: User, now: datetime) -> dict[str, Any]:
    """A whole application."""
    case = Case(mine, None, actor, "applicant", now)
    return {
        **line_values(session, mine, now),
        "version": mine.version,
        "reason": mine.state_reason if mine.state == "ineligible" else "",
        "choices": [_choice(choice) for choice in shown_choices(session, mine, actor=actor, now=now)],
        "answers": mine.answers,
        "checklist": checklist(session, mine),
        "timeline": timeline(session, mine),
        "moves": [
            {"move": move.name, "label": move.label, "refused": why_not(session, move, case)}
            for move in moves_from("application", mine.state, "applicant")
        ],
    }


def _choice(one: ShownChoice) -> dict[str, Any]:
    names = ("state", "label", "since", "message", "reply_by", "offer_until", "why_not_answer")
    return {
        **{name: getattr(one, name) for name in names},
        "lab": one.lab.slug,
        "lab_name": one.lab.name,
        "position": one.choice.position,
        "reason": one.choice.reason,
    }
