"""Backups and restores on PostgreSQL, where they differ from those on SQLite."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import text

from portal.db import db
from portal.labs.commands.console import CommandStages
from tests.backups.contents import archive_of, changed, rows, run_restore, sealed

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from click.testing import Result
    from flask import Flask

    from tests.backups.conftest import OpenPortal

pytestmark = [pytest.mark.postgres, pytest.mark.sqlite]


@pytest.fixture
def on_postgres(open_portal: OpenPortal, postgres_url: str) -> Flask:
    return open_portal("postgres", PORTAL_DATABASE_URL=postgres_url)


def test_what_is_written_during_a_backup_is_whole_or_not_in_it(
    source: Flask,
    on_postgres: Flask,
    target: Flask,
    postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_restore(on_postgres, archive_of(source, tmp_path / "kept.zip"), "--go-on")
    before = rows(on_postgres)

    def write_meanwhile(_stages: CommandStages, _done: int, _of: int) -> None:
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute("UPDATE user_account SET name = 'changed meanwhile'")
            other.execute("DELETE FROM notification")

    with monkeypatch.context() as patch:
        patch.setattr(CommandStages, "done", write_meanwhile)
        archive = archive_of(on_postgres, tmp_path / "again.zip")
    assert rows(on_postgres) != before
    run_restore(target, archive, "--go-on")
    assert rows(target) == before


def test_a_text_that_postgres_cannot_hold_is_said_so_and_leaves_no_row(
    source: Flask, on_postgres: Flask, tmp_path: Path
) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")

    def with_a_nul(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
        parts["tables/role.jsonl"] = parts["tables/role.jsonl"].replace(b'"admin"', b'"a\\u0000"')
        sealed(manifest, parts)

    refused = run_restore(on_postgres, changed(archive, tmp_path / "odd.zip", with_a_nul))
    assert refused.exit_code == 1
    assert "The database does not accept a row of role: PostgreSQL text fields cannot contain NUL" in refused.stderr
    assert rows(on_postgres)["user_account"] == []
    assert run_restore(on_postgres, archive).exit_code == 0


def test_a_restore_waits_for_whoever_writes_and_finds_what_they_wrote(
    source: Flask, on_postgres: Flask, postgres_url: str, tmp_path: Path
) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")
    results: list[Result] = []
    with psycopg.connect(postgres_url) as other:
        other.execute(
            "INSERT INTO user_account (name, email, active, fs_uniquifier, zone) VALUES ('', 'first', true, 'x', '')"
        )
        restoring = threading.Thread(target=lambda: results.append(run_restore(on_postgres, archive)))
        restoring.start()
        with psycopg.connect(postgres_url, autocommit=True) as looking:
            waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE%'"
            while restoring.is_alive() and looking.execute(waits).fetchone() == (0,):
                restoring.join(0.02)
        assert restoring.is_alive()
        other.commit()
    restoring.join(300)
    (refused,) = results
    assert (refused.exit_code, "(rows in user_account: 1)" in refused.stderr) == (1, True)
    with on_postgres.app_context():
        assert db.session.scalar(text("SELECT email FROM user_account")) == "first"
