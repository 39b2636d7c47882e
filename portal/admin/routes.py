"""The administrator's pages under /admin/."""

from __future__ import annotations

from flask import Blueprint

from portal.models.user import ADMIN
from portal.web.access import audience

blueprint = Blueprint("admin", __name__, url_prefix="/admin")
audience(blueprint, ADMIN)
