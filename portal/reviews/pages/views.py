"""Saved views of a queue: save, rename, delete with undo."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from flask import redirect, request, url_for

from portal.db import db
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.queue import saved_views
from portal.reviews.queue.filter import read_filter
from portal.reviews.queue.saved_views import ViewRefused
from portal.web.access import actor, or_404
from portal.web.messages import flash_message, flash_with_undo

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def save_view(slug: str) -> ResponseReturnValue:
    """Save the submitted filter under a name."""
    lab = lab_i_read_for(slug)
    query = _read(request.form.get("query", ""))
    try:
        view = saved_views.save_view(
            db.session(), lab, actor(), name=request.form.get("name", ""), query=query, now=datetime.now(UTC)
        )
    except ViewRefused as refusal:
        flash_message(str(refusal), "bad")
    else:
        flash_message(f"The view “{view.name}” is saved.")
    return _queue_with(slug, query)


def rename_view(slug: str, view_id: int) -> ResponseReturnValue:
    """Rename one of the reader's views."""
    lab, session = lab_i_read_for(slug), db.session()
    view = or_404(saved_views.view_of(session, lab, actor(), view_id))
    try:
        saved_views.rename_view(session, lab, actor(), view, request.form.get("name", ""))
    except ViewRefused as refusal:
        flash_message(str(refusal), "bad")
    else:
        flash_message(f"The view is now called “{view.name}”.")
    return _queue_with(slug, _read(view.query))


def delete_view(slug: str, view_id: int) -> ResponseReturnValue:
    """Delete one of the reader's views."""
    lab, session = lab_i_read_for(slug), db.session()
    view = saved_views.view_of(session, lab, actor(), view_id)
    if view is None:
        flash_message("This view is not there any more: it was deleted.", "info")
        return _queue_with(slug, "")
    values = {"name": view.name, "query": view.query}
    saved_views.delete_view(session, view)
    flash_with_undo(f"The view “{values['name']}” is deleted.", url_for("reviews.save_view", slug=slug), values)
    return _queue_with(slug, "")


def _read(query: str) -> str:
    """The filter in a query string; everything else is dropped."""
    return read_filter(dict(parse_qsl(query[:2000]))).in_address().removeprefix("?")


def _queue_with(slug: str, query: str) -> ResponseReturnValue:
    return redirect(url_for("reviews.queue", slug=slug) + (f"?{query}" if query else ""))
