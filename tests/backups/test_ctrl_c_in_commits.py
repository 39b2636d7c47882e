"""Ctrl-C in the moment in which `portal restore` commits: once it waits, twice it does not, and what is said is so."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from tests.backups.contents import archive_of, rows, run_restore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask


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


@pytest.mark.usefixtures("ctrl_c_in_a_commit")
def test_ctrl_c_while_the_last_step_is_committed_comes_too_late(source: Flask, target: Flask, tmp_path: Path) -> None:
    restored = run_restore(target, archive_of(source, tmp_path / "kept.zip"))
    assert restored.exit_code == 0, restored.stderr
    assert restored.stdout.startswith("Restored. ")


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
