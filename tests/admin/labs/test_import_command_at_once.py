"""`portal import` while others work: what is stored stays whole, nothing comes twice."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, text

from portal.admin.labs.imports import command
from portal.admin.labs.imports import service as unattended
from portal.db import db
from portal.labs import imports as imports_service
from portal.labs.imports import FileProposals, accept_fitting
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.service import save_profile
from portal.models import LabProposal, User
from tests.admin.labs.import_runs import ADMIN, MANY, counts, profile, run
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.seeding.records import LabRecord


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


def test_what_somebody_else_proposes_or_saves_in_the_same_moment_is_looked_at_again(
    app: Flask, accepting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[str] = []

    def planned_before(*arguments: Any) -> FileProposals:  # noqa: ANN401  (those of the function it stands for)
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

    planned = imports_service.planned
    monkeypatch.setattr(unattended, "planned", planned_before)
    monkeypatch.setattr(unattended, "accept_fitting", accepted_late)
    assert run(app, *accepting).stdout.endswith("2 proposals accepted. This is revision 3.\n")
    assert times == ["planned", "planned", "accepted", "accepted"]
    assert (profile(app).place, len(profile(app).works)) == ("Lake Ontario", 2)
    assert counts(app)["LabImport"] == 1


@pytest.mark.parametrize("about", ["a lab", "a table of labs"])
def test_what_somebody_else_accepts_in_the_same_moment_is_not_said_to_be_open(
    app: Flask, accepting: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, about: str
) -> None:
    table = tmp_path / "labs.csv"
    table.write_text("name,leader\nLab One,Ada One\nLab Two,Ada Two\n")
    arguments = accepting if about == "a lab" else [str(table), *accepting[3:]]
    name = "accept_fitting" if about == "a lab" else "make_lab"
    acts = getattr(unattended, name)

    def late(session: Session, *values: Any, **more: Any) -> Any:  # noqa: ANN401  (those of the function it stands for)
        monkeypatch.setattr(unattended, name, acts)
        session.rollback()
        assert run(app, *arguments).exit_code == 0
        return acts(session, *values, **more)

    monkeypatch.setattr(unattended, name, late)
    result = run(app, *arguments)
    done = "0 proposals accepted." if about == "a lab" else "0 labs made."
    ending = f"{done}\n2 were made or decided by somebody else meanwhile.\n"
    assert (result.exit_code, result.stdout.endswith(ending)) == (0, True), result.stdout


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
def test_a_terminal_gets_a_bar_of_the_labs_that_are_made(
    app: Flask, settings: dict[str, str], table_of_labs: Path
) -> None:
    add_person(app, "admin", email=ADMIN)
    master, terminal = pty.openpty()
    output = b""
    arguments = [sys.executable, "-m", "portal", "import", str(table_of_labs), "--accept", "--as", ADMIN]
    with subprocess.Popen(
        arguments, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=terminal
    ) as process:
        os.close(terminal)
        with contextlib.suppress(OSError):  # the terminal is closed
            while part := os.read(master, 4096):
                output += part
        assert process.stdout is not None
        assert process.stdout.read().endswith(f"{MANY} labs made.\n".encode())
    os.close(master)
    assert process.returncode == 0
    steps = [int(number) for number in re.findall(rf"(\d+)/{MANY}", output.decode())]
    assert (steps[0], steps[-1], steps) == (0, MANY, sorted(steps))
    assert len(steps) > 40
