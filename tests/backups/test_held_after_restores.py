"""What a restored portal does not do by itself, because it may have been done since the backup."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.accounts.api_tokens import make_token, revoke_token, token_with, usable
from portal.applications.files import NAMING
from portal.backups.backup import STORED_UNDER
from portal.backups.database import shapes_of
from portal.backups.manifest import KINDS, UnknownKindError, from_cell, kind_of, to_cell
from portal.db import db
from portal.models import AuditEntry, Job, OutboxMail, Release, User
from portal.web.work import job_queue
from tests.backups.contents import archive_of, changed, rows, run_backup, run_restore, sealed
from tests.databases import application_over
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from flask import Flask

pytestmark = pytest.mark.sqlite

HELD = (
    "Held, because they may have been done after the backup was made: 2 mails (send them in Admin › Outbox), 1 job and "
    "1 release of decisions."
)


def test_mail_jobs_and_releases_are_held_and_can_be_begun_again(source: Flask, target: Flask, tmp_path: Path) -> None:
    before = rows(source)
    done = run_restore(target, archive_of(source, tmp_path / "kept.zip"))
    assert HELD in done.stdout
    with target.app_context():
        session = db.session()
        mails = session.execute(
            select(OutboxMail.message_id, OutboxMail.state, OutboxMail.error)
            .where(OutboxMail.message_id.startswith("odd-"))
            .order_by(OutboxMail.message_id)
        ).all()
        assert [mail.state for mail in mails] == ["dead", "dead", "sent", "dead"]
        says_so = [mail.error.startswith("It was waiting when the backup of 20") for mail in mails]
        assert says_so == [True, True, False, False]
        job = session.scalars(select(Job).where(Job.kind == "no such kind")).one()
        assert (job.state, job.error.split(" of ")[0]) == ("cancelled", "It was under way when the backup")
        release = session.scalars(select(Release)).one()
        assert (release.state, release.held_by_id, release.held_at is None) == ("held", None, False)
        entry = session.scalars(select(AuditEntry).where(AuditEntry.act == "backup.restore")).one()
        assert (entry.actor_label, entry.after["files"]) == ("command line", 2)
        db.session.remove()
    after = rows(target)
    for name in set(before) - {"outbox_mail", "job", "release", "api_token"}:
        assert after[name] == before[name]


def test_with_go_on_they_are_left_as_they_were(source: Flask, target: Flask, tmp_path: Path) -> None:
    done = run_restore(target, archive_of(source, tmp_path / "kept.zip"), "--go-on")
    assert "Held" not in done.stdout
    assert rows(target) == rows(source)


def test_pages_say_what_held_a_release_and_offer_the_mails(source: Flask, target: Flask, tmp_path: Path) -> None:
    run_restore(target, archive_of(source, tmp_path / "kept.zip"))
    client = add_person(target, "admin").sign_in()
    with target.app_context():
        release_id = db.session.scalars(select(Release.id)).one()
        db.session.remove()
    assert ": a backup was restored, whoever" in client.get(f"/admin/releases/{release_id}").text
    assert "It was waiting when the backup of" in client.get("/admin/outbox?state=dead").text


def test_sessions_of_before_do_not_hold(source: Flask, target: Flask, tmp_path: Path) -> None:
    run_restore(target, archive_of(source, tmp_path / "kept.zip"))
    keys = []
    for app in (source, target):
        with app.app_context():
            keys.append(set(db.session.scalars(select(User.fs_uniquifier))))
            db.session.remove()
    assert len(keys[0]) == len(keys[1]) > 4
    assert keys[0] & keys[1] == set()


def tokens_made(app: Flask) -> list[str]:
    """The texts of three tokens: one that is used, one that is revoked already, one that expired."""
    with app.app_context():
        session, now = db.session(), datetime.now(UTC)
        person = session.scalars(
            select(User).where(User.active, User.confirmed_at.is_not(None)).order_by(User.id)
        ).first()
        assert person is not None
        ages = (("CI", 0), ("Old", 0), ("Expired", 20))  # days
        made = [
            make_token(session, person, name=name, scopes=["rank"], days=9, now=now - timedelta(days=age))
            for name, age in ages
        ]
        revoke_token(session, person, made[1][0], now=now)
        session.commit()
        db.session.remove()
    return [text for _, text in made]


def usable_of(app: Flask, texts: list[str]) -> list[bool]:
    with app.app_context():
        tokens = [token_with(db.session(), text) for text in texts]
        found = [token is not None and token in usable([token], datetime.now(UTC)) for token in tokens]
        db.session.remove()
    return found


@pytest.mark.parametrize("go_on", [False, True])
def test_tokens_do_not_hold_unless_nothing_was_done_since(
    source: Flask, target: Flask, tmp_path: Path, *, go_on: bool
) -> None:
    texts = tokens_made(source)
    archive = archive_of(source, tmp_path / "kept.zip")
    assert usable_of(source, texts) == [True, False, False]
    done = run_restore(target, archive, *(["--go-on"] if go_on else []))
    assert done.exit_code == 0
    said = (
        "Revoked, because they may have been revoked after the backup was made: 1 API token. Their owners can make new"
    )
    assert (said in done.stdout, usable_of(target, texts)) == (not go_on, [go_on, False, False])
    with target.app_context():
        entry = db.session.scalars(select(AuditEntry).where(AuditEntry.act == "backup.restore")).one()
        assert entry.after["revoked_tokens"] == (0 if go_on else 1)
        db.session.remove()


def test_files_that_are_lost_are_told(source: Flask, target: Flask, tmp_path: Path) -> None:
    source.extensions["portal_files"].delete("resumes/2/a-_B9")
    done = run_backup(source, tmp_path / "kept.zip")
    assert done.exit_code == 0
    assert "Files that the database refers to but the store does not have: 1.\n  resumes/2/a-_B9\n" in done.stderr
    assert "Files that were missing when the backup was made: 1." in run_restore(target, tmp_path / "kept.zip").stdout


def test_a_log_that_was_broken_before_is_restored_and_told(source: Flask, target: Flask, tmp_path: Path) -> None:
    def forge(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
        part = "tables/audit_entry.jsonl"
        parts[part] = parts[part].replace(b"command line", b"somebody else", 1)
        sealed(manifest, parts)

    forged = changed(archive_of(source, tmp_path / "kept.zip"), tmp_path / "forged.zip", forge)
    done = run_restore(target, forged)
    assert done.exit_code == 0
    assert "The chain of the audit log was broken before the backup: Entry " in done.stdout


@pytest.fixture
def application(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Flask]:
    with application_over(request, settings) as app:
        yield app


@pytest.mark.parametrize("application", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_every_column_is_of_a_known_kind_and_tables_come_after_those_they_refer_to(application: Flask) -> None:
    assert application
    with db.engine.connect() as connection:
        shapes = shapes_of(connection)
    tables = db.metadata.tables
    assert {shape.name for shape in shapes} == set(tables)
    for index, shape in enumerate(shapes):
        columns = {column.name: kind_of(column.type) for column in tables[shape.name].columns}
        assert dict(shape.columns) == columns
        assert shape.key
        referred = {key.column.table.name for key in tables[shape.name].foreign_keys}
        assert referred <= {before.name for before in shapes[:index]}


def test_every_column_that_names_a_file_is_called_so() -> None:
    assert {column.key for column in NAMING} == {STORED_UNDER}
    tables = {table.name for table in db.metadata.sorted_tables if STORED_UNDER in table.columns}
    assert {column.class_.__tablename__ for column in NAMING} == tables


def test_every_kind_has_a_way_there_and_back() -> None:
    values = {
        "text": "a\u2028𝔘\0",
        "integer": -(2**63),
        "number": 0.1 + 0.2,
        "boolean": False,
        "moment": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
        "day": date(2026, 1, 2),
        "json": '{"a": 1.10}',
        "bytes": b"\x00\xff",
    }
    assert tuple(values) == KINDS
    for kind in KINDS:
        assert from_cell(kind, to_cell(kind, values[kind])) == values[kind]
        assert to_cell(kind, None) is None
        with pytest.raises(ValueError, match=r"."):
            from_cell(kind, {"another": "thing"})
    with pytest.raises(UnknownKindError, match="Archives have no kind for"):
        kind_of(db.Interval())


def test_the_queue_of_a_restored_portal_sends_nothing(source: Flask, target: Flask, tmp_path: Path) -> None:
    run_restore(target, archive_of(source, tmp_path / "kept.zip"))
    before = rows(target)["outbox_mail"]
    with target.app_context():
        job_queue(target)._do_clockwork("deliver mail")
        db.session.remove()
    assert rows(target)["outbox_mail"] == before
