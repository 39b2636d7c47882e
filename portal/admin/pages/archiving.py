"""Archiving a lab that is no more, and listing it again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, url_for

from portal.admin.forms import ReasonForm
from portal.admin.pages.loading import lab_or_404
from portal.admin.pages.saving import INVALID
from portal.admin.profiles.archive_rules import why_not_archive
from portal.db import db
from portal.labs.service import archive, hold, list_again
from portal.web.access import actor
from portal.web.messages import flash_message, flash_with_undo

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def archive_lab(slug: str) -> ResponseReturnValue:
    """Say what archiving a lab means, or why it cannot be; archive it with a reason."""
    session, lab, form = db.session(), lab_or_404(slug), ReasonForm()
    if lab.archived_at is not None:
        flash_message(f"{lab.name} is archived.", "info")
        return redirect(url_for("admin.lab", slug=slug))
    if form.is_submitted():
        hold(session, lab)
    reason = why_not_archive(session, lab)
    if reason is None and form.validate_on_submit():
        if archive(session, lab, reason=form.reason.data, author=actor(), now=datetime.now(UTC)):
            text = f"{lab.name} is archived: it is on no public page and in no ranking any more."
            flash_with_undo(text, url_for("admin.list_lab_again", slug=slug))
        return redirect(url_for("admin.lab", slug=slug))
    page = render_template("admin/archive_lab.html", lab=lab, form=form, reason=reason)
    return page, INVALID if form.is_submitted() else 200


def list_lab_again(slug: str) -> ResponseReturnValue:
    """Put an archived lab back on the public pages and into rankings."""
    lab = lab_or_404(slug)
    if list_again(db.session(), lab, author=actor(), now=datetime.now(UTC)):
        flash_message(f"{lab.name} is listed and ranked again.")
    return redirect(url_for("admin.lab", slug=slug))
