"""The sections of a lab's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request, url_for

from portal.db import db
from portal.reviews.leader_rules import why_not_lead
from portal.web.access import actor

if TYPE_CHECKING:
    from portal.models import Lab

SECTIONS = (
    ("queue", "Applicants"),
    ("board", "Board"),
    ("compare", "Compare"),
    ("interviews", "Interviews"),
    ("discover", "Discover"),
    ("settings", "How we review"),
)
FOR_LEADERS = "settings"


def lab_sections(lab: Lab) -> list[tuple[str, str, bool]]:
    """Label, address and whether it is the one shown, of each section that the reader may open."""
    shown = (request.endpoint or "").removeprefix("reviews.")
    may_set = why_not_lead(db.session(), actor(), lab) is None
    return [
        (label, url_for(f"reviews.{name}", slug=lab.slug), name == shown)
        for name, label in SECTIONS
        if may_set or name != FOR_LEADERS
    ]
