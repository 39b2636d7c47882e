"""/me/export and /me/erase: take along, or delete, what one has stated."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, current_app, redirect, render_template, request, url_for

from portal.applications import service
from portal.applications.export import export_of
from portal.applications.files import file_store
from portal.applications.queries import interests_of, named_labs, resume_of, stated_in
from portal.applications.steps import steps_of
from portal.db import db
from portal.web.access import actor
from portal.web.messages import say

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

NOT_TICKED = "Tick the box to say that you want this; it cannot be taken back."


def export() -> ResponseReturnValue:
    """Everything the applicant stated, as a JSON file. The resume file itself is downloaded on its own."""
    bundle = export_of(db.session(), actor(), now=datetime.now(UTC))
    response = Response(json.dumps(bundle, ensure_ascii=False, indent=2) + "\n", mimetype="application/json")
    response.headers["Content-Disposition"] = 'attachment; filename="my-portal-data.json"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def erase() -> ResponseReturnValue:
    """Ask, then delete interests, named labs and resume. The account stays."""
    if request.method == "POST":
        if request.form.get("sure") != "yes":
            return _erase_page(NOT_TICKED), 422
        service.erase(db.session(), file_store(current_app), actor())
        say("Everything you had stated is deleted. Your account stays.")
        return redirect(url_for("applications.overview"))
    return _erase_page("")


def _erase_page(error: str) -> str:
    user = actor()
    labs = named_labs(db.session(), user)
    steps = steps_of(stated_in(interests_of(db.session(), user)), resume_of(db.session(), user), len(labs))
    return render_template("applications/erase.html", steps=steps, error=error)
