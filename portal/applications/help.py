"""All states and moves of an application, for everybody: /help/states, and `portal states` as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from flask import Blueprint, render_template

from portal.applications.states import LABELS, MOVES, OPEN_CHOICE, Capacity, Move, Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

SUBJECTS: dict[Subject, str] = {"application": "applications", "choice": "choices"}
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
    """The moves that are said in words instead of drawn (templates/help/*.svg): out of every open state of a choice,
    those that stay, and those that take another one back.
    """
    return [
        (number, move)
        for number, move in numbered(subject)
        if move.target is None or (subject == "choice" and move.sources == OPEN_CHOICE)
    ]


def as_markdown() -> str:
    """Both tables as Markdown."""
    parts = []
    for subject, plural in SUBJECTS.items():
        rows = [
            f"| {number} | `{move.name}` | {', '.join(sorted(move.sources, key=list(LABELS[move.subject]).index))} "
            f"| {_target(move)} | {', '.join(WHO[actor] for actor in move.actors)} "
            f"| {', '.join(guard.replace('_', ' ') for guard in move.guards) or '–'} | {move.shown} | {move.label} |"
            for number, move in numbered(subject)
        ]
        head = "| | move | from | to | who | only if | the applicant sees it | button |"
        parts.append("\n".join([f"## Moves of {plural}", "", head, "|" + "---|" * 8, *rows]))
    return "\n\n".join(parts) + "\n"


def _target(move: Move) -> str:
    if move.undoes:
        return f"(before `{move.undoes}`)"
    return move.target or "(stays)"


@click.command("states")
def states() -> None:
    """Print all states of applications and moves between them.

    Each move says who makes it and on what conditions. The output is Markdown; docs/states.md holds it.
    """
    click.echo(as_markdown(), nl=False)


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
