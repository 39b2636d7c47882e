"""The professor's pages under /reviews/."""

from __future__ import annotations

from flask import Blueprint

from portal.models.user import PROFESSOR
from portal.web.access import audience

blueprint = Blueprint("reviews", __name__, url_prefix="/reviews")
audience(blueprint, PROFESSOR)
