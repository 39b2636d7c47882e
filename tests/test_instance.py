from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal import create_app, instance
from portal.config import SettingsError
from portal.db import db

if TYPE_CHECKING:
    from flask import Flask

    from tests.conftest import Settings
    from tests.people import Person

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def test_a_demo_database_is_refused_in_production(app: Flask, settings: Settings) -> None:
    with app.app_context():
        instance.mark_as_demo(db.session(), NOW)
        instance.mark_as_demo(db.session(), NOW)
        db.session.commit()
    with pytest.raises(SettingsError, match="made by the demo"):
        create_app({**settings, "PORTAL_MODE": "production", "PORTAL_SECRET_KEY": "k" * 40})


def test_a_database_with_real_people_is_refused_by_the_demo(app: Flask, applicant: Person) -> None:
    assert applicant.id
    with app.app_context():
        assert "real accounts" in (instance.why_not_demo(db.session()) or "")
        instance.mark_as_demo(db.session(), NOW)
        assert instance.why_not_demo(db.session()) is None


def test_production_starts_on_a_database_without_the_mark(settings: Settings) -> None:
    production = {**settings, "PORTAL_MODE": "production", "PORTAL_SECRET_KEY": "k" * 40}
    assert create_app(production).test_client().get("/readyz").status_code == 200


def test_production_starts_before_its_tables_are_made(tmp_path: object) -> None:
    production = {"PORTAL_MODE": "production", "PORTAL_SECRET_KEY": "k" * 40, "PORTAL_INSTANCE": str(tmp_path)}
    response = create_app(production).test_client().get("/readyz")
    assert (response.status_code, response.get_json()["status"]) == (503, "unavailable")
