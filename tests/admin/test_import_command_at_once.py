"""`portal import` while others work or somebody presses Ctrl-C: what is stored stays whole, nothing comes twice."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, func, select, text
from sqlalchemy.orm import Session

from portal.admin.imports import command, unattended
from portal.admin.imports.command import INTERRUPTED, import_file
from portal.db import db
from portal.labs import imports_service
from portal.labs.imports_service import accept_fitting
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.service import create_lab, save_profile
from portal.models import AuditEntry, Lab, LabImport, LabProposal, LabRevision, NewLabProposal, User
from portal.seeding.records import LabRecord
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result
    from flask import Flask

ADMIN = "admin@example.edu"
WORKS = "".join(
    f"@article{{w{n}, title={{Topic {n} seen anew}}, author={{Ada Lovelace}}, year={{20{n}}}}}\n" for n in (24, 25)
)
MANY = 80


@pytest.fixture
def accepting(app: Flask, tmp_path: Path) -> list[str]:
    """Arguments to accept two works for a lab."""
    add_person(app, "admin", email=ADMIN)
    with app.app_context():
        record = LabRecord(key="systems", name="Systems")
        create_lab(db.session(), record, author=None, reason="for a test", now=datetime.now(UTC))
        db.session.commit()
    file = tmp_path / "refs.bib"
    file.write_text(WORKS, encoding="utf-8")
    return [str(file), "--lab", "systems", "--accept", "--as", ADMIN]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "labs.csv"
    rows = "".join(f"Laboratory {number},Person Nr{number}\n" for number in range(MANY))
    file.write_text(f"name,leader\n{rows}", encoding="utf-8")
    return file


def run(app: Flask, *arguments: str) -> Result:
    result = app.test_cli_runner().invoke(import_file, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def counts(app: Flask) -> dict[str, int]:
    tables = (LabImport, LabProposal, NewLabProposal, Lab, LabRevision)
    with app.app_context():
        return {table.__name__: db.session.scalar(select(func.count(table.id))) or 0 for table in tables}


def profile(app: Flask) -> LabRecord:
    with app.app_context():
        lab = lab_by_slug(db.session(), "systems")
        assert lab is not None
        return profile_of(db.session(), lab)


def save(app: Flask, change: Callable[[LabRecord], LabRecord]) -> None:
    """Somebody saves the lab by hand."""
    with app.app_context():
        lab = lab_by_slug(db.session(), "systems")
        assert lab is not None
        record = change(profile_of(db.session(), lab))
        now = datetime.now(UTC)
        save_profile(
            db.session(), lab, record, base=lab.revision_number, author=None, reason="by hand", now=now, source="form"
        )
        db.session.commit()


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


def press_ctrl_c_in_commit(which: int, times: int) -> Callable[[Session], None]:
    """Press Ctrl-C while the session commits for the `which`-th time, when the database has committed already."""
    commits = 0

    def press(session: Session) -> None:
        nonlocal commits
        commits += not session.in_nested_transaction()
        for _ in range(times if commits == which else 0):
            signal.raise_signal(signal.SIGINT)

    event.listen(Session, "after_commit", press)
    return press


@pytest.mark.parametrize(
    ("commit", "times", "message", "labs"),
    [
        (1, 1, "What was accepted stays. To accept the rest, run the same command again.", 0),
        (3, 1, "What was accepted stays. To accept the rest, run the same command again.", 1),
        (3, 2, "The last step may be stored or not. Run the same command again: nothing is stored twice.", 1),
    ],
)
def test_ctrl_c_in_the_middle_of_a_commit(
    app: Flask, table: Path, commit: int, times: int, message: str, labs: int
) -> None:
    add_person(app, "admin", email=ADMIN)
    press = press_ctrl_c_in_commit(commit, times)
    try:
        result = run(app, str(table), "--accept", "--as", ADMIN)
    finally:
        event.remove(Session, "after_commit", press)
    assert (result.exit_code, result.stdout) == (INTERRUPTED, "")
    assert result.stderr.splitlines()[-1] == f"Stopped. {message}"
    assert counts(app) == {
        "LabImport": 1,
        "LabProposal": 0,
        "NewLabProposal": MANY,
        "Lab": labs,
        "LabRevision": labs,
    }


def test_ctrl_c_leaves_whole_labs_and_the_same_command_makes_the_others(
    app: Flask, settings: dict[str, str], table: Path
) -> None:
    add_person(app, "admin", email=ADMIN)
    arguments = [str(table), "--accept", "--as", ADMIN]
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
    assert (answer["accepted"], answer["left_open"], answer["import"]) == (MANY - left["Lab"], 0, None)
    assert counts(app) == {"LabImport": 1, "LabProposal": 0, "NewLabProposal": MANY, "Lab": MANY, "LabRevision": MANY}
    with app.app_context():
        made = select(func.count(AuditEntry.id)).where(AuditEntry.act == "lab.new_accepted")
        assert db.session.scalar(made) == MANY


def test_what_somebody_else_proposes_or_saves_in_the_same_moment_is_looked_at_again(
    app: Flask, accepting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[str] = []

    def planned_before(*arguments: Any) -> unattended.FileProposals:  # noqa: ANN401  (those of the function it stands for)
        found = planned(*arguments)
        times.append("planned")
        if times == ["planned"]:
            monkeypatch.setattr(unattended, "planned", planned)
            run(app, *accepting[:3])
            monkeypatch.setattr(unattended, "planned", planned_before)
        return found

    def accepted_late(*arguments: Any, **more: Any) -> Any:  # noqa: ANN401  (those of the function it stands for)
        times.append("accepted")
        if "accepted" not in times[:-1]:
            save(app, lambda record: replace(record, place="Lake Ontario"))
        return accept_fitting(*arguments, **more)

    planned = unattended.planned
    monkeypatch.setattr(unattended, "planned", planned_before)
    monkeypatch.setattr(unattended, "accept_fitting", accepted_late)
    assert run(app, *accepting).stdout.endswith("2 proposals accepted. This is revision 3.\n")
    assert times == ["planned", "planned", "accepted", "accepted"]
    assert (profile(app).place, len(profile(app).works)) == ("Lake Ontario", 2)
    assert counts(app)["LabImport"] == 1


def test_what_a_page_or_a_leader_proposed_in_the_same_words_stays_open(app: Flask, accepting: list[str]) -> None:
    run(app, *accepting[:3])
    with app.app_context():
        asked = db.session.scalars(select(LabProposal).order_by(LabProposal.id)).all()
        asked[0].import_id = None
        db.session.commit()
    result = run(app, *accepting)
    assert result.exit_code == 1
    summary = (
        "1 proposal accepted. This is revision 2.\n1 proposal not accepted and still open; look at /admin/questions.\n"
    )
    assert result.stdout.endswith(summary)
    with app.app_context():
        assert list(db.session.scalars(select(LabProposal.state).order_by(LabProposal.id))) == ["open", "accepted"]


def test_of_two_proposals_of_the_same_item_the_first_is_accepted(app: Flask, accepting: list[str]) -> None:
    run(app, *accepting[:3])
    with app.app_context():
        session, now = db.session(), datetime.now(UTC)
        lab = lab_by_slug(session, "systems")
        author = session.scalars(select(User)).one()
        assert lab is not None
        first, last = session.scalars(select(LabProposal).order_by(LabProposal.id))
        again = LabProposal(
            lab_id=lab.id,
            path=first.path,
            current=None,
            proposed=first.proposed,
            why="",
            fingerprint="x",
            created_at=now,
        )
        session.add(again)
        session.flush()
        done, revision = accept_fitting(session, lab, [first, again, last], author=author, reason="So.", now=now)
        assert (done, [one.state for one in (first, again, last)]) == (2, ["accepted", "open", "accepted"])
        assert revision is not None
        assert accept_fitting(session, lab, [again], author=author, reason="So.", now=now) == (0, None)


def test_an_empty_database_and_a_file_that_is_too_large_are_refused(
    app: Flask, accepting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "BYTE_LIMIT", 40)
    monkeypatch.setattr(imports_service, "BYTE_LIMIT", 40)
    result = run(app, *accepting)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Error: The file has more than 40 bytes, the most that is read. Split it.\n" in result.stderr
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text("DROP TABLE instance_mark"))
    assert (
        run(app, *accepting).stderr
        == "Error: The database has no tables yet. Run portal db upgrade, then portal seed.\n"
    )


@pytest.mark.thorough
def test_a_terminal_gets_a_bar_of_the_labs_that_are_made(app: Flask, settings: dict[str, str], table: Path) -> None:
    add_person(app, "admin", email=ADMIN)
    master, terminal = pty.openpty()
    output = b""
    arguments = [sys.executable, "-m", "portal", "import", str(table), "--accept", "--as", ADMIN]
    with subprocess.Popen(
        arguments, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=terminal
    ) as process:
        os.close(terminal)
        with contextlib.suppress(OSError):  # the terminal is closed
            while part := os.read(master, 4096):
                output += part
        assert process.stdout is not None
        assert process.stdout.read().endswith(f"{MANY} proposals accepted.\n".encode())
    os.close(master)
    assert process.returncode == 0
    steps = [int(number) for number in re.findall(rf"(\d+)/{MANY}", output.decode())]
    assert (steps[0], steps[-1], steps) == (0, MANY, sorted(steps))
    assert len(steps) > 40
