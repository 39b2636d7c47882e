"""What went into an archive comes out of it, also into another kind of database."""

from __future__ import annotations

import sqlite3
import stat
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from portal.admin.system.audit_log.pages import audit
from portal.db import db
from portal.labs.commands.console import CommandStages
from portal.models import Application, User
from tests.backups.contents import archive_of, files, rows, run_backup, run_restore

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

    from tests.backups.conftest import OpenPortal

pytestmark = pytest.mark.sqlite


def audit_holds(app: Flask) -> bool:
    return app.test_cli_runner().invoke(audit, ["verify"]).exit_code == 0


def next_application(app: Flask) -> int:
    """The id that a new application gets; it is rolled back."""
    with app.app_context():
        oldest = db.session.query(Application).order_by(Application.id).first()
        assert oldest is not None
        another = db.session.execute(text("SELECT id FROM cycle WHERE slug = 'another'")).scalar_one()
        fresh = Application(
            applicant_id=oldest.applicant_id,
            cycle_id=another,
            created_at=oldest.created_at,
            state_since=oldest.created_at,
        )
        db.session.add(fresh)
        db.session.flush()
        new_id = fresh.id
        db.session.rollback()
        db.session.remove()
    return new_id


def test_a_portal_comes_back_on_sqlite(source: Flask, bare_target: Flask, tmp_path: Path) -> None:
    before = rows(source)
    done = run_backup(source, tmp_path / "kept.zip")
    assert (done.exit_code, done.stdout.split(":")[0]) == (0, str(tmp_path / "kept.zip"))
    assert stat.S_IMODE((tmp_path / "kept.zip").stat().st_mode) == 0o600
    restored = run_restore(bare_target, tmp_path / "kept.zip", "--go-on")
    assert (restored.exit_code, restored.exception) == (0, None)
    assert restored.stdout.startswith("Restored. ")
    assert {name for name, some in before.items() if some} > {"user_account", "application", "outbox_mail", "work"}
    assert rows(bare_target) == before
    assert files(bare_target) == files(source)
    assert len(files(bare_target)) > 1
    assert audit_holds(bare_target)
    assert next_application(bare_target) == next_application(source)


def test_every_stored_value_is_the_same_on_sqlite(source: Flask, target: Flask, tmp_path: Path) -> None:
    run_restore(target, archive_of(source, tmp_path / "kept.zip"), "--go-on")
    with (
        sqlite3.connect(tmp_path / "source/portal.sqlite") as source_database,
        sqlite3.connect(tmp_path / "target/portal.sqlite") as target_database,
    ):
        for name in rows(source):
            query = f"SELECT * FROM {name}"  # noqa: S608
            if name not in {"user_account", "audit_entry", "audit_head"}:
                assert sorted(map(repr, target_database.execute(query))) == sorted(
                    map(repr, source_database.execute(query))
                )
    source_database.close()
    target_database.close()


@pytest.mark.postgres
def test_a_portal_moves_from_sqlite_to_postgres_and_on(
    source: Flask, open_portal: OpenPortal, target: Flask, postgres_url: str, tmp_path: Path
) -> None:
    before = rows(source)
    middle = open_portal("middle", PORTAL_DATABASE_URL=postgres_url)
    restored = run_restore(middle, archive_of(source, tmp_path / "kept.zip"), "--go-on")
    assert (restored.exit_code, restored.exception) == (0, None), restored.output
    assert rows(middle) == before
    assert audit_holds(middle)
    assert next_application(middle) == next_application(source)
    restored = run_restore(target, archive_of(middle, tmp_path / "again.zip"), "--go-on")
    assert (restored.exit_code, restored.exception) == (0, None), restored.output
    assert rows(target) == before
    assert audit_holds(target)


@pytest.mark.postgres
def test_new_rows_follow_restored_ones_on_postgres(
    source: Flask, open_portal: OpenPortal, postgres_url: str, tmp_path: Path
) -> None:
    middle = open_portal("middle", PORTAL_DATABASE_URL=postgres_url)
    run_restore(middle, archive_of(source, tmp_path / "kept.zip"))
    with middle.app_context():
        highest = db.session.execute(text("SELECT max(id) FROM user_account")).scalar_one()
        fresh = User(email="new@example.edu", fs_uniquifier="new")
        db.session.add(fresh)
        db.session.commit()
        assert fresh.id == highest + 1


def test_what_is_written_during_a_backup_is_whole_or_not_in_it(
    source: Flask, target: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(source)

    def write_meanwhile(_stages: CommandStages, done: int, _of: int) -> None:
        with sqlite3.connect(tmp_path / "source/portal.sqlite") as other:
            other.execute("UPDATE user_account SET name = 'changed meanwhile'")
            other.execute(
                "INSERT OR REPLACE INTO clock_mark (name, begun_at) VALUES (?, '2026-01-01')", (f"mark {done}",)
            )
            other.execute("DELETE FROM notification")
        other.close()

    with monkeypatch.context() as patch:
        patch.setattr(CommandStages, "done", write_meanwhile)
        archive = archive_of(source, tmp_path / "kept.zip")
    assert rows(source) != before
    run_restore(target, archive, "--go-on")
    assert rows(target) == before
