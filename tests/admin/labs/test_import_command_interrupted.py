"""`portal import` when somebody presses Ctrl-C: what is stored stays whole, and the same command does the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from portal.admin.labs.imports import command
from portal.admin.labs.imports.command import INTERRUPTED
from portal.db import db
from portal.labs import imports as imports_service
from portal.models import AuditEntry
from tests.admin.labs.import_runs import ADMIN, MANY, counts, profile, run
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask


def interrupted(*_arguments: object, **_more: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("where", ["read_import", "propose_file"])
def test_stopped_before_it_stored_anything_it_says_so(
    app: Flask, accepting: list[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    before = counts(app)
    with monkeypatch.context() as patch:
        patch.setattr(command, where, interrupted)
        result = run(app, *accepting)
    assert (result.exit_code, result.stdout) == (INTERRUPTED, "")
    assert result.stderr.splitlines()[-1] == "Stopped. Nothing was stored."
    assert counts(app) == before


def test_stopped_while_it_stores_or_accepts_the_same_command_does_the_rest(
    app: Flask, accepting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = counts(app)
    with monkeypatch.context() as patch:
        patch.setattr(imports_service, "record_reading", interrupted)
        assert run(app, *accepting).exit_code == INTERRUPTED
    assert counts(app) == before
    with monkeypatch.context() as patch:
        patch.setattr(imports_service, "save_profile", interrupted)
        result = run(app, *accepting)
    assert result.stderr.endswith("Stopped. What was accepted stays. To accept the rest, run the same command again.\n")
    assert counts(app) == {**before, "LabImport": 1, "LabProposal": 2}
    assert run(app, *accepting).stdout.endswith("2 proposals accepted. This is revision 2.\n")
    assert counts(app) == {**before, "LabImport": 1, "LabProposal": 2, "LabRevision": 2}
    assert len(profile(app).works) == 2


def press_ctrl_c_in_commit(which: int) -> Callable[[Session], None]:
    """Press Ctrl-C while the session commits for the `which`-th time, when the database has committed already."""
    commits = 0

    def press(session: Session) -> None:
        nonlocal commits
        commits += not session.in_nested_transaction()
        if commits == which:
            signal.raise_signal(signal.SIGINT)

    event.listen(Session, "after_commit", press)
    return press


@pytest.mark.parametrize(("commit", "labs"), [(1, 1), (3, 3)])
def test_ctrl_c_in_the_middle_of_a_commit(app: Flask, table_of_labs: Path, commit: int, labs: int) -> None:
    add_person(app, "admin", email=ADMIN)
    press = press_ctrl_c_in_commit(commit)
    try:
        result = run(app, str(table_of_labs), "--accept", "--as", ADMIN)
    finally:
        event.remove(Session, "after_commit", press)
    assert (result.exit_code, result.stdout) == (INTERRUPTED, "")
    rest = "What was accepted stays. To accept the rest, run the same command again."
    assert result.stderr.splitlines()[-1] == f"Stopped. {rest}"
    assert counts(app) == {"LabImport": 0, "LabProposal": 0, "Lab": labs, "LabRevision": labs}


def test_ctrl_c_leaves_whole_labs_and_the_same_command_makes_the_others(
    app: Flask, settings: dict[str, str], table_of_labs: Path
) -> None:
    add_person(app, "admin", email=ADMIN)
    arguments = [str(table_of_labs), "--accept", "--as", ADMIN]
    process = subprocess.Popen(
        [sys.executable, "-m", "portal", "import", *arguments],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not 5 <= counts(app)["Lab"] < MANY:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    last_line = errors.splitlines()[-1]
    assert last_line == "Stopped. What was accepted stays. To accept the rest, run the same command again."
    assert (process.returncode, output) == (INTERRUPTED, "")
    left = counts(app)
    assert 5 <= left["Lab"] < MANY
    assert left["Lab"] == left["LabRevision"]
    answer = json.loads(run(app, *arguments, "--json").stdout)
    assert (answer["made"], answer["left_open"], answer["import"]) == (MANY - left["Lab"], 0, None)
    assert counts(app) == {"LabImport": 0, "LabProposal": 0, "Lab": MANY, "LabRevision": MANY}
    with app.app_context():
        made = select(func.count(AuditEntry.id)).where(AuditEntry.act == "lab.create")
        assert db.session.scalar(made) == MANY
