"""The sections of a lab's pages."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flask import request, url_for

from portal.db import db
from portal.labs.pages.current import current_freshness
from portal.reviews.leader_rules import why_not_lead
from portal.web.access import actor

if TYPE_CHECKING:
    from portal.models import Lab

SECTIONS = (
    ("reviews.queue", "Applicants"),
    ("reviews.board", "Board"),
    ("reviews.compare", "Compare"),
    ("reviews.interviews", "Interviews"),
    ("reviews.discover", "Discover"),
)


def lab_sections(lab: Lab) -> list[tuple[str, str, bool]]:
    """Label, address and whether it is current, of each section that the reader may open."""
    leads = why_not_lead(db.session(), actor(), lab) is None
    shown = "own_lab.lab" if request.blueprint == "own_lab" else request.endpoint
    profile = "Profile: confirm it" if leads and current_freshness(lab).is_stale else "Profile"
    mine = (*SECTIONS, ("reviews.settings", "How we review"), ("own_lab.lab", profile)) if leads else SECTIONS
    return [(label, _address(endpoint, lab.slug, request.script_root), endpoint == shown) for endpoint, label in mine]


@lru_cache(maxsize=1024)
def _address(endpoint: str, slug: str, root: str) -> str:  # noqa: ARG001  (`root` begins the address)
    """The address of a lab's section. Cached: every page of the lab has all of them, and they never change."""
    return url_for(endpoint, slug=slug)
