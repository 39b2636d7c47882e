"""Why nobody can be written to, or an announcement cannot be taken back: a sentence, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal.models import Announcement, Cycle


def why_not_announce(cycle: Cycle) -> str | None:
    """Once its applications are erased, nobody is left to write to."""
    return f"The applications of {cycle.name} are erased; nobody is left to write to." if cycle.erased_at else None


def why_not_take_back(announcement: Announcement) -> str | None:
    """What was taken back stays so."""
    return "This announcement is taken back already." if announcement.taken_back_at is not None else None
