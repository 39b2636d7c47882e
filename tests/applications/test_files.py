"""Files that no row names are found and deleted, and files that a row names never are."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from portal.applications.files import NAMING, delete_orphan, file_store, is_used, orphans, sweep_files
from portal.db import Base, db
from portal.models import Resume
from tests.statements import statements_sent

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.storage import FileStore
    from tests.people import Person

NOW = datetime.now(UTC)
NAMED = "resumes/1/named"
ORPHAN = "resumes/1/orphan"
YOUNG = "resumes/1/young"
HALF = "resumes/1/half#1"
ELSEWHERE = "exports/1/file"


@pytest.fixture
def folder(app: Flask) -> Path:
    path: Path = app.config["PORTAL"].instance / "uploads"
    return path


@pytest.fixture
def files(app: Flask, folder: Path, session: Session, applicant: Person) -> FileStore:
    """A store with a file of each kind, all but one of them two days old, and the row that names one of them."""
    store = file_store(app)
    for key in (NAMED, ORPHAN, YOUNG, ELSEWHERE):
        store.put(key, b"resume")
    (folder / HALF).write_bytes(b"re")
    old = (NOW - timedelta(days=2)).timestamp()
    for key in (NAMED, ORPHAN, HALF, ELSEWHERE):
        os.utime(folder / key, (old, old))
    session.add(resume_row(applicant, NAMED))
    session.commit()
    return store


def resume_row(person: Person, key: str) -> Resume:
    return Resume(user_id=person.id, kind="pdf", storage_key=key, text="words", uploaded_at=NOW)


def give_row(person: Person, key: str) -> None:
    """Let the person's resume name another file, in a transaction of its own."""
    with db.engine.begin() as other:
        other.execute(update(Resume).where(Resume.user_id == person.id).values(storage_key=key))


def left(folder: Path) -> set[str]:
    """The keys of all files there are."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def run(app: Flask, *arguments: str) -> tuple[int, str]:
    result = app.test_cli_runner().invoke(sweep_files, arguments)
    return result.exit_code, result.output


def test_orphans_are_the_old_files_of_resumes_that_no_row_names(session: Session, files: FileStore) -> None:
    assert [file.key for file in orphans(session, files, now=NOW)] == [HALF, ORPHAN]


def test_the_command_lists_and_deletes_nothing_unless_told_to(app: Flask, folder: Path, files: FileStore) -> None:
    assert isinstance(files.get(ORPHAN), bytes)
    code, said = run(app)
    assert (code, left(folder)) == (0, {NAMED, ORPHAN, YOUNG, HALF, ELSEWHERE})
    assert [line.split()[0] for line in said.splitlines()[:2]] == [HALF, ORPHAN]
    assert said.splitlines()[2:] == ["2 that nothing refers to. Nothing was deleted; --delete does it."]


@pytest.mark.usefixtures("files")
def test_told_to_it_deletes_orphans_alone(app: Flask, folder: Path) -> None:
    code, said = run(app, "--delete")
    assert (code, said.splitlines()[-1], left(folder)) == (0, "2 deleted.", {NAMED, YOUNG, ELSEWHERE})
    assert run(app, "--delete") == (0, "0 deleted.\n")


def test_a_file_that_gets_its_row_after_it_was_found_stays(
    session: Session, files: FileStore, folder: Path, applicant: Person
) -> None:
    found = orphans(session, files, now=NOW)
    session.rollback()
    # Another process, with a connection of its own, gives the file its row before it is its turn.
    give_row(applicant, ORPHAN)
    gone = {file.key: delete_orphan(session, files, file) for file in found}
    assert gone == {HALF: True, ORPHAN: False}
    assert ORPHAN in left(folder)


def test_a_row_that_comes_between_listing_and_reading_counts(
    session: Session, files: FileStore, applicant: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = list(files.list("resumes"))

    def list_then_commit(prefix: str) -> list[object]:
        if prefix != "resumes":
            return []
        give_row(applicant, ORPHAN)
        return list(listed)

    monkeypatch.setattr(files, "list", list_then_commit)
    assert [file.key for file in orphans(session, files, now=NOW)] == [HALF, NAMED]


def test_the_command_is_one_of_the_portal(app: Flask) -> None:
    assert app.test_cli_runner().invoke(args=["sweep-files", "--help"]).exit_code == 0


def test_a_database_without_tables_is_not_asked_which_files_are_in_use(
    app: Flask, session: Session, files: FileStore, folder: Path
) -> None:
    assert isinstance(files.get(ORPHAN), bytes)
    session.close()
    Base.metadata.drop_all(db.engine)
    code, said = run(app, "--delete")
    assert (code, "has no tables" in said) == (1, True)
    assert left(folder) == {NAMED, ORPHAN, YOUNG, HALF, ELSEWHERE}


MANY = [f"resumes/1/many-{number}" for number in range(11)]


def add_many(store: FileStore, folder: Path) -> None:
    """Eleven old files that no row names, beside the four there are."""
    old = (NOW - timedelta(days=2)).timestamp()
    for key in MANY:
        store.put(key, b"resume")
        os.utime(folder / key, (old, old))


def test_the_database_of_another_portal_deletes_nothing(app: Flask, files: FileStore, folder: Path) -> None:
    add_many(files, folder)
    before = left(folder)
    code, said = run(app, "--delete")
    assert (code, left(folder)) == (1, before)
    assert "Nothing refers to 12 of the 14 files" in said
    assert "delete the listed files by hand" in said


@pytest.mark.usefixtures("files")
def test_nothing_is_deleted_while_an_archive_is_being_restored(app: Flask, folder: Path) -> None:
    before = left(folder)
    with app.app_context():
        for table in reversed(Base.metadata.sorted_tables):
            db.session.execute(table.delete())
        db.session.commit()
    code, said = run(app, "--delete")
    assert (code, left(folder)) == (1, before)
    assert "The database has no accounts" in said


def test_whether_a_row_names_a_file_is_looked_up_by_an_index(app: Flask, session: Session) -> None:
    """Erasing the applications of a cycle asks for each of their files."""
    with statements_sent(app) as sent:
        assert not is_used(session, NAMED)
    assert len(sent) == len(NAMING)
    for statement in sent:
        plan = session.connection().exec_driver_sql(
            f"EXPLAIN QUERY PLAN {statement}", (NAMED, 1, 0)[: statement.count("?")]
        )
        assert [line[3] for line in plan if "SCAN" in line[3]] == [], statement
