"""Registers the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.api import admin, applications, documentation, labs, ranking, reviews
from portal.api.blueprint import PortalApi
from portal.api.callers import init_callers
from portal.api.problems import init_problems
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from flask import Flask
    from flask_wtf import CSRFProtect

SUBJECTS = (labs.blueprint, ranking.blueprint, applications.blueprint, reviews.blueprint, admin.blueprint)


def init_api(app: Flask, csrf: CSRFProtect) -> None:
    """Register the API. It reads no cookie, so its requests need no form token."""
    init_problems(app)
    init_callers(app)
    api = PortalApi(app, settings_of(app).name)
    for blueprint in SUBJECTS:
        api.add(blueprint)
        csrf.exempt(blueprint)
    app.register_blueprint(documentation.blueprint)
    app.extensions[documentation.EXTENSION] = api
