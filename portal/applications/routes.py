"""The applicant's pages under /me/."""

from __future__ import annotations

from flask import Blueprint

from portal.models.user import APPLICANT
from portal.web.access import audience

blueprint = Blueprint("applications", __name__, url_prefix="/me")
audience(blueprint, APPLICANT)
