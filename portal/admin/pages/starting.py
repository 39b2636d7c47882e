"""Starting a job from a page, and going to the job's page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import redirect, url_for

from portal.db import db
from portal.jobs.starting import start_once
from portal.web.access import actor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flask.typing import ResponseReturnValue


def start_and_follow(
    kind: str, title: str, arguments: Mapping[str, Any], *, about: str = "", apart_from: Collection[str] = ()
) -> ResponseReturnValue:
    """Start a job for the signed-in person, unless the same one is under way, and redirect to it; see `start_once`."""
    job, _is_new = start_once(
        db.session(), kind, title, arguments, by=actor(), now=datetime.now(UTC), about=about, apart_from=apart_from
    )
    return redirect(url_for("jobs.job", job_id=job.id))
