"""The application over SQLite, and over a PostgreSQL database that is empty before and after."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from flask_migrate import downgrade, upgrade

from portal.app import create_app
from portal.db import db

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from flask import Flask


@contextmanager
def application_over(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Flask]:
    """The application over the database that `request.param` names, "sqlite" or "postgres", in its context."""
    database = {"PORTAL_DATABASE_URL": request.getfixturevalue("postgres_url")} if request.param == "postgres" else {}
    application = create_app({**settings, **database})
    with application.app_context():
        if database:
            upgrade()
        yield application
        db.session.remove()
        if database:
            downgrade(revision="base")
        db.engine.dispose()
