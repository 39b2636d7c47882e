"""What pages of labs start from: the labs as they are at this moment."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app

from portal.db import db
from portal.labs.catalogue import Catalogue, live_catalogue
from portal.labs.freshness import Freshness, freshness_of
from portal.labs.live_index.live import live_index

if TYPE_CHECKING:
    from portal.models import Lab


def current_catalogue() -> Catalogue:
    """The labs as they are saved now."""
    labs = live_index(current_app).current(db.session())
    return live_catalogue(current_app).current(db.session(), labs, datetime.now(UTC))


def current_freshness(lab: Lab) -> Freshness:
    """How fresh the profile of a lab is today."""
    return freshness_of(lab, current_app.config["PORTAL"].confirm_days, datetime.now(UTC).date())
