"""Runs tests over SQLite and over PostgreSQL."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from flask import g

from portal.app import create_app
from portal.db import db

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


def over(request: pytest.FixtureRequest, settings: dict[str, str]) -> Flask:
    """The application over the migrated database that `request.param` names, "sqlite" or "postgres"."""
    database = {"PORTAL_DATABASE_URL": request.getfixturevalue("postgres_url")} if request.param == "postgres" else {}
    return create_app({**settings, **database})


@contextmanager
def application_over(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Flask]:
    """The application of `over` in a context that lasts as long as the test."""
    application = over(request, settings)
    with application.app_context():
        yield application
        db.session.remove()
        db.engine.dispose()


def application_over_each(*, requests_anew: bool = False) -> object:
    """A fixture to be named `app` in a module: the application over each database (`application_over`)."""

    @pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
    def app(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Flask]:
        with application_over(request, settings) as application:
            if requests_anew:
                begin_requests_anew(application)
            yield application

    return app


def begin_requests_anew(application: Flask) -> None:
    """Clear `g` before each request. Within an application context that a test holds open, requests share it, and with
    it the user whom the last one found signed in.
    """
    application.before_request_funcs.setdefault(None, []).insert(0, _forget)


def _forget() -> None:
    for name in list(g):
        g.pop(name)
