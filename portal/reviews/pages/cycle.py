"""Which cycle a lab's page shows: the one in the address or the form, or else the newest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request

from portal.applications.cycles import cycles
from portal.db import db
from portal.reviews.queue.rows import cycles_of_lab
from portal.web.access import or_404

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.models import Cycle, Lab


def labs_cycles(lab: Lab) -> Sequence[Cycle]:
    """The cycles with applications that the lab may read, newest first."""
    return cycles_of_lab(db.session(), lab)


def newest_instead(cycle: Cycle | None, of_lab: Sequence[Cycle]) -> Cycle | None:
    """The lab's newest cycle with applicants, if it has none in `cycle`; None if it has none at all."""
    if cycle is None or any(other.id == cycle.id for other in of_lab):
        return None
    return next(iter(of_lab), None)


def chosen_cycle(lab: Lab) -> Cycle | None:
    """The cycle of `?cycle=…`, 404 for an unknown one; without it the lab's newest, or None."""
    slug = request.values.get("cycle", "")
    if slug:
        return or_404(next((cycle for cycle in cycles(db.session()) if cycle.slug == slug), None))
    return next(iter(labs_cycles(lab)), None)
