"""/me/export and /me/erase: download or delete everything one has stated."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, session, url_for

from portal.applications import service
from portal.applications.cycles import applications_of
from portal.applications.files import file_store
from portal.applications.privacy.export import export_of
from portal.applications.queries import interests_of, resume_of, share_count, stated_in
from portal.applications.steps import steps_of
from portal.db import db
from portal.web.access import actor
from portal.web.downloads import download

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

RECEIPT = "receipt_of_erasure"  # in the session
NOT_TICKED = "Tick the box to confirm that you want this; it cannot be undone."


def export() -> ResponseReturnValue:
    """Everything the applicant stated, as a JSON file. The resume file itself is downloaded on its own."""
    bundle = export_of(db.session(), actor(), now=datetime.now(UTC))
    text = json.dumps(bundle, ensure_ascii=False, indent=2) + "\n"
    return download(text, "my-portal-data.json", "application/json")


def erase() -> ResponseReturnValue:
    """Ask, then delete applications, interests, resume and what labs one shares with. The account stays."""
    if request.method == "POST":
        if request.form.get("sure") != "yes":
            return _erase_page(NOT_TICKED), 422
        now = datetime.now(UTC)
        counts = service.erase(db.session(), file_store(current_app), actor(), now=now)
        session[RECEIPT] = {"account": actor().id, "at": now.isoformat(), **asdict(counts)}
        return redirect(url_for("applications.erased"))
    return _erase_page("")


def erased() -> ResponseReturnValue:
    """The receipt of one's last erasure, for as long as one stays signed in."""
    receipt = session.get(RECEIPT)
    # Signing out does not empty the session, and the next to sign in here may be somebody else.
    if receipt is None or receipt.get("account") != actor().id:
        return redirect(url_for("applications.overview"))
    at = datetime.fromisoformat(receipt["at"])
    return render_template("applications/erased.html", at=at, gone=receipt, email=actor().email)


def _erase_page(error: str) -> str:
    session, user = db.session(), actor()
    resume = resume_of(session, user)
    steps = steps_of(stated_in(interests_of(session, user)), resume, share_count(session, user))
    there = [step for step in steps if step.done or (step.subject == "Resume" and resume is not None)]
    applications = applications_of(session, user)
    return render_template("applications/erase.html", steps=there, applications=applications, error=error)
