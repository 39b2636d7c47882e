"""Ctrl-C in the moment in which `portal restore` commits: once it waits, twice it does not, and what is said is so."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from flask_migrate import upgrade
from sqlalchemy import event
from sqlalchemy.orm import Session

from portal.db import db
from tests.backups.contents import archive_of, rows, run_restore
from tests.filled_tables import fill_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask

    from tests.backups.conftest import OpenPortal

pytestmark = pytest.mark.sqlite

AT_ONCE = "Stopped while it was stored. Run the same command again: it says whether something is left to do.\n"


@pytest.fixture(params=[1])
def ctrl_c_in_a_commit(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ctrl-C is pressed whenever a session commits, once or as often as the parameter says, when the database has
    committed already.
    """

    def press(_session: Session) -> None:
        for _ in range(request.param):
            signal.raise_signal(signal.SIGINT)

    event.listen(Session, "after_commit", press)
    yield
    event.remove(Session, "after_commit", press)


@pytest.fixture
def older_archive(open_portal: OpenPortal, tmp_path: Path, later_version: str) -> Path:
    """An archive of tables of an older version, with an account."""
    assert later_version != "first"
    old = open_portal("old")
    with old.app_context():
        upgrade(revision="first")
        fill_tables(db.engine, "user_account", "audit_entry")
    return archive_of(old, tmp_path / "old.zip")


@pytest.mark.usefixtures("ctrl_c_in_a_commit")
def test_ctrl_c_while_the_last_step_is_committed_comes_too_late(source: Flask, target: Flask, tmp_path: Path) -> None:
    restored = run_restore(target, archive_of(source, tmp_path / "kept.zip"))
    assert restored.exit_code == 0, restored.stderr
    assert restored.stdout.startswith("Restored. ")


@pytest.mark.usefixtures("ctrl_c_in_a_commit")
def test_ctrl_c_while_rows_are_committed_into_older_tables_says_how_to_finish(
    bare_target: Flask, older_archive: Path
) -> None:
    stopped = run_restore(bare_target, older_archive)
    assert stopped.exit_code == 130
    assert "into tables of an older version. Run portal db upgrade.\n" in stopped.stderr
    with bare_target.app_context():
        upgrade()
    assert len(rows(bare_target)["user_account"]) == 1


@pytest.mark.parametrize("ctrl_c_in_a_commit", [2], indirect=True)
@pytest.mark.usefixtures("ctrl_c_in_a_commit")
def test_a_second_ctrl_c_does_not_wait_and_the_same_command_says_that_nothing_is_left_to_do(
    source: Flask, target: Flask, tmp_path: Path
) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")
    stopped = run_restore(target, archive)
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert stopped.stderr.endswith(AT_ONCE)
    assert len(rows(target)["user_account"]) == len(rows(source)["user_account"])
    again = run_restore(target, archive)
    assert again.exit_code == 1
    assert again.stderr.endswith("There is nothing left to do.\n")


@pytest.mark.parametrize("ctrl_c_in_a_commit", [2], indirect=True)
@pytest.mark.usefixtures("ctrl_c_in_a_commit")
def test_after_a_second_ctrl_c_with_older_tables_the_same_command_says_how_to_finish(
    bare_target: Flask, older_archive: Path
) -> None:
    stopped = run_restore(bare_target, older_archive)
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert stopped.stderr.endswith(AT_ONCE)
    again = run_restore(bare_target, older_archive)
    assert again.exit_code == 1
    assert again.stderr.endswith("it brought them up to date, run portal db upgrade to complete it.\n")
