"""Liveness and readiness checks, and whether the portal's work outside of requests is done."""

from __future__ import annotations

import logging
import shutil
import tempfile
from datetime import UTC, datetime

from flask import Blueprint, current_app
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from portal import instance
from portal.db import db
from portal.jobs.clock import is_running, last_begun
from portal.models import Lab
from portal.storage import LEAST_ROOM, StoreUnavailable

logger = logging.getLogger(__name__)
blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def alive() -> tuple[dict[str, str], int]:
    """Liveness: the process answers."""
    return {"status": "ok"}, 200


@blueprint.get("/readyz")
def ready() -> tuple[dict[str, str], int]:
    """Readiness: the database answers and has the tables of this version, and files can be stored."""
    try:
        db.session.execute(select(Lab.id).limit(1))
        is_behind = instance.lacks_migrations(db.session())
    except SQLAlchemyError:
        db.session.rollback()
        return {"status": "unavailable", "reason": "the database does not answer or has no tables yet"}, 503
    if is_behind:
        logger.warning("Not ready: the tables are of an earlier version; portal db upgrade has to be run")
        return {"status": "unavailable", "reason": "the tables are of an earlier version"}, 503
    try:
        current_app.extensions["portal_files"].check()
    except StoreUnavailable as failure:
        logger.warning("Not ready: %s", failure)
        return {"status": "unavailable", "reason": "files cannot be kept: their store does not answer or refuses"}, 503
    if not _has_temporary_room():
        logger.warning("Not ready: the disk of temporary files (TMPDIR, otherwise /tmp) is full")
        return {"status": "unavailable", "reason": "the disk of temporary files is full"}, 503
    return {"status": "ok"}, 200


def _has_temporary_room() -> bool:
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free >= LEAST_ROOM
    except OSError:  # no folder for them can be written
        return False


@blueprint.get("/workz")
def working() -> tuple[dict[str, str], int]:
    """Whether `portal work` runs somewhere: no mail is sent and no job is done without it."""
    now = datetime.now(UTC)
    try:
        last = last_begun(db.session(), now)
    except SQLAlchemyError:
        db.session.rollback()
        return {"status": "unavailable", "reason": "the database does not answer or has no tables yet"}, 503
    if is_running(last, now):
        return {"status": "ok"}, 200
    since = f"since {last:%Y-%m-%d %H:%M} UTC" if last else "yet"
    return {"status": "unavailable", "reason": f"portal work has begun nothing {since}"}, 503
