"""One click says that a profile is still true."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, request, url_for

from portal.admin.pages.saving import LONGEST_NUMBER
from portal.db import db
from portal.labs.freshness import SavedMeanwhile, confirm
from portal.labs.pages.current import current_freshness
from portal.labs.queries import lab_by_slug
from portal.web.access import actor, found
from portal.web.messages import say
from portal.web.templating import calendar_day

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def confirm_profile(slug: str) -> ResponseReturnValue:
    """Confirm the profile as the person saw it."""
    lab = found(lab_by_slug(db.session(), slug))
    text = request.form.get("base", "")
    seen = int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER else 0
    try:
        confirm(db.session(), lab, seen=seen, author=actor(), now=datetime.now(UTC))
    except SavedMeanwhile:
        say("The profile was saved since you opened this page. Look it over once more, then confirm it.", "warn")
    else:
        until = current_freshness(lab).until
        say(f"Confirmed: the profile of {lab.name} is marked as true until {calendar_day(until)}.")
    return redirect(url_for(".lab", slug=slug))
