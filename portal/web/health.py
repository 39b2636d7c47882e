"""Whether the process is alive, and whether it can do its work."""

from __future__ import annotations

from flask import Blueprint
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from portal.db import db
from portal.models import Lab

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def alive() -> tuple[dict[str, str], int]:
    """The process answers."""
    return {"status": "ok"}, 200


@blueprint.get("/readyz")
def ready() -> tuple[dict[str, str], int]:
    """The database answers and has its tables."""
    try:
        db.session.execute(select(Lab.id).limit(1))
    except SQLAlchemyError:
        db.session.rollback()
        return {"status": "unavailable", "reason": "the database does not answer or has no tables yet"}, 503
    return {"status": "ok"}, 200
