"""/help/states: what happens to an application, for everybody: the states in words, the drawing, the table."""

from __future__ import annotations

from flask import Blueprint, render_template
from markupsafe import Markup

from portal.applications.moves.drawing import WHO, as_svg, everywhere, numbered
from portal.applications.states import LABELS

blueprint = Blueprint("help", __name__, url_prefix="/help")


@blueprint.get("/states")
def states() -> str:
    """All states and moves of an application. Open to everybody: the rules are public, only people's states are not."""
    return render_template(
        "help/states.html",
        subjects=[
            {
                "name": subject,
                "labels": LABELS[subject],
                "drawing": Markup(as_svg(subject)),  # noqa: S704  (made of our own constants, escaped there)
                "moves": numbered(subject),
                "everywhere": everywhere(subject),
            }
            for subject in ("application", "choice")
        ],
        who=WHO,
    )
