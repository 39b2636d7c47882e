from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask_migrate import upgrade
from sqlalchemy import create_engine, text

from portal import create_app, instance
from portal.config import SettingsError
from portal.db import db

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

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


def test_tables_of_an_earlier_version_are_not_ready_those_of_a_later_one_are(
    later_version: str, app: Flask, client: FlaskClient
) -> None:
    assert later_version != "first"
    answer = client.get("/readyz")
    assert (answer.status_code, answer.get_json()["reason"]) == (503, "the tables are of an earlier version")
    with app.app_context():
        upgrade()
    assert client.get("/readyz").status_code == 200
    with app.app_context():
        db.session.execute(text("UPDATE alembic_version SET version_num = 'of the next version'"))
        db.session.commit()
    assert client.get("/readyz").status_code == 200


def _started_before_its_database(settings: Settings, folder: Path) -> Flask:
    """A portal in production whose database lies in a folder that is not there yet."""
    address = f"sqlite:///{folder}/portal.sqlite"
    return create_app(
        {**settings, "PORTAL_MODE": "production", "PORTAL_SECRET_KEY": "k" * 40, "PORTAL_DATABASE_URL": address}
    )


def _appear(database: Path, folder: Path) -> None:
    """Have a folder with this database, whole at once: threads that look for it may not find half of it."""
    ready = folder.with_name("ready")
    ready.mkdir()
    shutil.copy(database, ready)
    ready.rename(folder)


def test_a_process_that_starts_before_its_database_serves_once_it_is_there(
    settings: Settings, tmp_path: Path, migrated_database: Path
) -> None:
    client = _started_before_its_database(settings, tmp_path / "later").test_client()
    assert (client.get("/healthz").status_code, client.get("/readyz").status_code) == (200, 503)
    assert client.get("/readyz").get_json()["reason"] == "the database does not answer or has no tables yet"
    assert client.get("/workz").get_json()["reason"] == "the database does not answer or has no tables yet"
    assert client.get("/labs/").status_code == 503
    _appear(migrated_database, tmp_path / "later")
    assert (client.get("/readyz").status_code, client.get("/labs/").status_code) == (200, 200)


@pytest.mark.sqlite
def test_a_demo_database_that_appears_later_is_refused_as_well(app: Flask, settings: Settings, tmp_path: Path) -> None:
    with app.app_context():
        instance.mark_as_demo(db.session(), NOW)
        db.session.commit()
        db.session.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
    client = _started_before_its_database(settings, tmp_path / "later").test_client()
    _appear(Path(settings["PORTAL_INSTANCE"]) / "portal.sqlite", tmp_path / "later")
    assert [client.get(url).status_code for url in ("/", "/accounts/login", "/readyz")] == [503, 503, 503]
    assert client.get("/healthz").status_code == 200


def test_a_database_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ("sqlite://", "sqlite:///:memory:"):
        create_engine(address).connect().close()
    assert list(tmp_path.iterdir()) == []


def test_a_database_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """Whoever made the folder, and whatever the umask: systemd makes folders that everybody may enter."""
    folder = tmp_path / "instance"
    folder.mkdir(mode=0o755)
    production = {"PORTAL_MODE": "production", "PORTAL_SECRET_KEY": "k" * 40, "PORTAL_INSTANCE": str(folder)}
    app = create_app(production)
    with app.app_context():
        upgrade()
        assert {file.stat().st_mode & 0o777 for file in folder.glob("portal.sqlite*")} == {0o600}
        db.engine.dispose()


@pytest.mark.parametrize(
    ("setting", "value", "warning"),
    [
        ("PORTAL_BASE_URL", "", "Set it to the public https address."),
        ("PORTAL_BASE_URL", "http://phd.example.edu", "Set it to the public https address."),
        ("PORTAL_MAIL_URL", "", "mails are written as files into"),
        ("PORTAL_BASE_URL", "https://phd.example.edu", None),
    ],
)
def test_production_without_https_or_mail_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, setting: str, value: str, warning: str | None
) -> None:
    production = {
        "PORTAL_MODE": "production",
        "PORTAL_SECRET_KEY": "k" * 40,
        "PORTAL_INSTANCE": str(tmp_path),
        "PORTAL_BASE_URL": "https://a.example.edu",
        "PORTAL_MAIL_URL": "memory:",
    }
    create_app({**production, setting: value})
    messages = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert [message.startswith(setting) for message in messages] == ([True] if warning else [])
    assert all((warning or "") in message for message in messages)
