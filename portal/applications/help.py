"""All states and moves of an application, for everybody: /help/states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template

from portal.applications.states import LABELS, MOVES, OPEN_CHOICE, Capacity, Move, Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

SUBJECTS: tuple[Subject, ...] = ("application", "choice")
WHO: dict[Capacity, str] = {
    "applicant": "applicant",
    "reviewer": "reviewer",
    "leader": "leader",
    "admin": "administrator",
    "clock": "clock",
    "system": "portal",
}

blueprint = Blueprint("help", __name__, url_prefix="/help")


def numbered(subject: Subject) -> Sequence[tuple[int, Move]]:
    """The moves of applications or of choices, counted from 1 in the order of the table."""
    return list(enumerate((move for move in MOVES if move.subject == subject), start=1))


def everywhere(subject: Subject) -> Sequence[tuple[int, Move]]:
    """The moves that are said in words instead of drawn: out of every open state, those that stay or take one back."""
    return [
        (number, move)
        for number, move in numbered(subject)
        if move.target is None or (subject == "choice" and move.sources == OPEN_CHOICE)
    ]


@blueprint.get("/states", endpoint="states")
def states_page() -> str:
    """All states and moves of an application. Open to everybody: the rules are public, only people's states are not."""
    return render_template(
        "help/states.html",
        subjects=[
            {
                "name": subject,
                "labels": LABELS[subject],
                "drawing": f"help/{subject}.svg",
                "moves": numbered(subject),
                "everywhere": everywhere(subject),
            }
            for subject in SUBJECTS
        ],
        who=WHO,
    )
