"""The labs as they are stored now, for pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app

from portal.db import db
from portal.labs.catalogue import Catalogue, live_catalogue
from portal.labs.freshness import Freshness, freshness_of
from portal.labs.live_index.live import live_index
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from portal.models import Lab


def current_catalogue() -> Catalogue:
    """The labs as they are stored now."""
    labs = live_index(current_app).current(db.session())
    return live_catalogue(current_app).current(db.session(), labs, datetime.now(UTC))


def current_freshness(lab: Lab) -> Freshness:
    """How fresh a lab's profile is today."""
    return freshness_of(lab, settings_of(current_app).confirm_days, datetime.now(UTC).date())
