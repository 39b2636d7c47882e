"""Until when scorecards can be written: the reason against it, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.states import CHOICE_LABELS, OPEN_CHOICE

if TYPE_CHECKING:
    from portal.models import Choice


def why_not_score(choice: Choice) -> str | None:
    """Cards are written until the lab has decided on the choice; who may open it is a separate rule."""
    cycle = choice.application.cycle
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed; its scorecards can no longer be changed."
    if choice.application.state != "eligible":
        return "This application is not open any more; its scorecards can no longer be changed."
    if choice.state not in OPEN_CHOICE:
        return f"This application is “{CHOICE_LABELS[choice.state]}”; its scorecards can no longer be changed."
    return None
