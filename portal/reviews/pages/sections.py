"""The sections of a lab's pages, as far as they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import current_app, request, url_for

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


def lab_sections(lab: Lab) -> list[tuple[str, str, bool]]:
    """Label, address and whether it is the one shown, of each section of a lab's pages."""
    shown = (request.endpoint or "").removeprefix("reviews.")
    return [
        (label, url_for(f"reviews.{name}", slug=lab.slug), name == shown)
        for name, label in SECTIONS
        if f"reviews.{name}" in current_app.view_functions
    ]
