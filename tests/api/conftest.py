"""One application with labs for all tests of a file, and tokens for people."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from limits import parse

from portal.accounts.api_tokens import make_token, scopes_for
from portal.api import callers
from portal.app import create_app
from portal.db import db
from portal.models import User
from portal.web.limits import limiter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person


@pytest.fixture(autouse=True)
def fresh_limits() -> None:
    """No test uses up the budget of another."""
    limiter.reset()


@pytest.fixture
def wide_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that ask a lot on purpose."""
    for budget in ("READING", "RANKING", "CHANGING"):
        known = getattr(callers, budget)
        wide = callers.Budget(known.name, parse("100000 per minute"), parse("100000 per minute"))
        monkeypatch.setattr(f"portal.api.callers.{budget}", wide)


def bearer(person: Person, scopes: Collection[str] | None = None, *, days: int = 1) -> dict[str, str]:
    """The headers with a new token of a person; for all that the person may give, if nothing is said."""
    with person.app.app_context():
        user = db.session.get_one(User, person.id)
        wanted = {scope.name for scope in scopes_for(user)} if scopes is None else scopes
        _token, text = make_token(
            db.session(), user, name="for a test", scopes=wanted, days=days, now=datetime.now(UTC)
        )
        db.session.commit()
    return {"Authorization": f"Bearer {text}"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, migrated_database: Path) -> Iterator[Flask]:
    """One application for all tests of a module, over a database of its own."""
    instance = tmp_path_factory.mktemp("api")
    shutil.copy(migrated_database, instance / "portal.sqlite")
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def api(served: Flask) -> FlaskClient:
    """A program that keeps no cookies of other tests."""
    return served.test_client()
