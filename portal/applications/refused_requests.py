"""Requests that are refused before a view runs: the form comes back with what was typed in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from portal.applications.pages import application as routes_application
from portal.applications.pages.interests import show_again_unsaved
from portal.applications.pages.resume import show_again_too_large, show_again_unsent
from portal.db import db
from portal.models.user import APPLICANT
from portal.web.access import actor_or_none
from portal.web.errors import http_error, wants_json

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

OUT_OF_DATE = (
    "This form was out of date, as happens when you sign out or in in another tab. Nothing was saved yet. "
    "Everything you typed is still here: check it and send it again."
)


def keep_what_was_typed(error: HTTPException) -> ResponseReturnValue:
    """Answer a stale form or an upload that is too large with the form itself; anything else as usual.

    These errors are raised before the package's guard has checked the role, so it is checked here.
    """
    db.session.rollback()
    person = actor_or_none()
    if person is not None and person.has_role(APPLICANT) and request.method == "POST" and not wants_json():
        if isinstance(error, RequestEntityTooLarge) and request.endpoint == "applications.resume":
            return show_again_too_large()
        if isinstance(error, CSRFError) and request.endpoint == "applications.interests":
            return show_again_unsaved(OUT_OF_DATE)
        if isinstance(error, CSRFError) and request.endpoint == "applications.application":
            return routes_application.show_again_unsaved(OUT_OF_DATE) or http_error(error)
        if isinstance(error, CSRFError) and request.endpoint == "applications.resume":
            return show_again_unsent(OUT_OF_DATE)
    return http_error(error)
