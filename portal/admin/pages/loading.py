"""Loads what an address names; ends the request with a 404 if there is no such thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.cycles import cycle_by_slug
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.web.access import or_404

if TYPE_CHECKING:
    from portal.models import Cycle, Lab


def lab_or_404(slug: str) -> Lab:
    """The lab with this slug."""
    return or_404(lab_by_slug(db.session(), slug))


def cycle_or_404(slug: str) -> Cycle:
    """The cycle with this slug."""
    return or_404(cycle_by_slug(db.session(), slug))
