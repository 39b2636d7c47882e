"""What every public page starts from: the labs as they are at this moment."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import current_app

from portal.db import db
from portal.labs.catalogue import Catalogue, live_catalogue
from portal.labs.live_index import live_index


def current_catalogue() -> Catalogue:
    """The labs as they are saved now."""
    labs = live_index(current_app).current(db.session())
    return live_catalogue(current_app).current(db.session(), labs, datetime.now(UTC))
