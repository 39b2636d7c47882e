"""`portal import`: proposes what the pages would, writes nothing on a dry run, and accepts nothing twice."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from portal.admin.labs.imports.command import import_file
from portal.db import db
from portal.labs.imports import refuse_many
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.service import create_lab
from portal.models import AuditEntry, Lab, LabImport, LabProposal, LabRevision, User
from portal.seeding.records import LabRecord
from tests.people import add_person, submit
from tests.revisions import revisions_of
from tests.seeding.exports import BIBTEX, LABS

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from flask import Flask

    from tests.people import Person

WORKS = 5  # of BIBTEX, which also has a double, three broken ones and a volume
CHANGED = "Lab;PI;University;Topics\nFast Data Lab;Jane Doe;University of Zurich;streams\n"


@pytest.fixture
def refs(tmp_path: Path) -> Path:
    return _file(tmp_path, "refs.bib", BIBTEX)


@pytest.fixture
def labs(tmp_path: Path) -> Path:
    return _file(tmp_path, "labs.csv", LABS)


@pytest.fixture
def lab(app: Flask) -> str:
    """The slug of a lab without works."""
    with app.app_context():
        record = LabRecord(key="systems", name="Systems")
        create_lab(db.session(), record, author=None, reason="for a test", now=datetime.now(UTC))
        db.session.commit()
    return "systems"


@pytest.fixture
def admin(app: Flask) -> Person:
    return add_person(app, "admin", email="admin@example.edu")


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def run(app: Flask, *arguments: object, typed: bytes | None = None) -> Result:
    result = app.test_cli_runner().invoke(import_file, [str(argument) for argument in arguments], input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def answer(app: Flask, *arguments: object) -> dict[str, Any]:
    return dict(json.loads(run(app, *arguments, "--json").stdout))


def stored(app: Flask) -> list[int]:
    """How many imports, changes, labs, revisions and audit entries there are."""
    tables = (LabImport, LabProposal, Lab, LabRevision, AuditEntry)
    with app.app_context():
        return [db.session.scalar(select(func.count(table.id))) or 0 for table in tables]


def states(app: Flask) -> list[str]:
    with app.app_context():
        return sorted(set(db.session.scalars(select(LabProposal.state))))


def test_a_dry_run_says_what_would_be_proposed_and_writes_nothing(app: Flask, refs: Path, lab: str) -> None:
    before = stored(app)
    said = run(app, refs, "--lab", lab, "--dry-run").stdout
    assert said.startswith("refs.bib: BibTeX, for systems.\nEntries: 5 taken, 1 merged, 3 problems, 1 ignored.\n")
    assert "  problem  line 43: @article{nothing}: the entry has no title; add one, or enter the work by hand\n" in said
    assert "  merged   line 25: " in said
    assert (
        "  note     line 17: @article{roe2023} A Study of k-means with élan: a comma was missing and was added\n"
        in said
    )
    assert "+ systems, works/a-child-of-the-workshop: A Child of the Workshop (New in refs.bib, line 46.)\n" in said
    assert said.endswith("5 proposals would be made.\nNothing was changed (--dry-run).\n")
    data = answer(app, refs, "--lab", lab, "--dry-run")
    assert (len(data["changes"]), len(data["left_out"]), data["import"], data["accepted"]) == (WORKS, 5, None, 0)
    assert stored(app) == before


def test_proposals_wait_on_the_page_and_a_second_run_stores_nothing(
    app: Flask, refs: Path, lab: str, admin: Person
) -> None:
    before = stored(app)
    said = run(app, refs, "--lab", lab).stdout
    assert said.endswith(f"{WORKS} proposals stored. Decide on the page /admin/labs/systems/imports/1.\n")
    assert [now - then for now, then in zip(stored(app), before, strict=True)] == [1, WORKS, 0, 0, 1]
    page = admin.sign_in().get("/admin/labs/systems/imports/1").text
    assert "A Child of the Workshop" in page
    assert "the entry has no title" in page
    after = stored(app)
    assert run(app, refs, "--lab", lab).stdout.endswith(
        "5 proposals made before still open; look at /admin/questions.\n"
    )
    assert stored(app) == after
    with app.app_context():
        entry = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
        assert entry is not None
        assert (entry.actor_label, entry.act, entry.object_key) == ("command line", "lab.import", lab)


def test_what_was_proposed_before_is_accepted_as_one_revision_in_the_name_of_an_administrator(
    app: Flask, refs: Path, lab: str, admin: Person
) -> None:
    run(app, refs, "--lab", lab)
    accepting = (refs, "--lab", lab, "--accept", "--as", admin.email.upper())
    assert run(app, *accepting).stdout.endswith(f"{WORKS} proposals accepted. This is revision 2.\n")
    with app.app_context():
        one = lab_by_slug(db.session(), lab)
        assert one is not None
        assert len(profile_of(db.session(), one).works) == WORKS
        newest, first = revisions_of(db.session(), one)
        assert (newest.reason, newest.author_id, newest.source, first.number) == (
            f"Imported from {refs.name}",
            admin.id,
            "import",
            1,
        )
        assert set(db.session.scalars(select(LabProposal.decided_by_id))) == {admin.id}
    after = stored(app)
    said = run(app, *accepting).stdout
    assert said.endswith("It proposes nothing: all of it is stored already, or was decided before.\n")
    assert (stored(app), states(app)) == (after, ["accepted"])


def test_the_log_holds_what_the_pages_write(app: Flask, refs: Path, labs: Path, lab: str, admin: Person) -> None:
    run(app, refs, "--lab", lab, "--accept", "--as", admin.email)
    run(app, labs, "--accept", "--as", admin.email)
    by_command = _acts_of(app, admin)
    with app.app_context():
        record = LabRecord(key="other", name="Other")
        create_lab(db.session(), record, author=None, reason="for a test", now=datetime.now(UTC))
        db.session.commit()
    client = admin.sign_in()
    submit(client, "/admin/labs/other/imports", {"text": BIBTEX})
    with app.app_context():
        number = db.session.scalars(select(func.max(LabImport.id))).one()
    page = f"/admin/labs/other/imports/{number}"
    submit(client, f"{page}/decide", {"decision": "accept all", "reason": "Because."}, page=page)
    by_page = _acts_of(app, admin)[len(by_command) :]
    assert by_page == by_command[:2] == ["lab.import", "lab.save"]
    assert by_command[2:] == ["lab.create", "lab.create"]


def _acts_of(app: Flask, admin: Person) -> list[str]:
    with app.app_context():
        mine = select(AuditEntry.act).where(AuditEntry.actor_id == admin.id).order_by(AuditEntry.id)
        return list(db.session.scalars(mine))


def test_what_was_refused_stays_refused(app: Flask, refs: Path, lab: str, admin: Person) -> None:
    run(app, refs, "--lab", lab)
    with app.app_context():
        one = lab_by_slug(db.session(), lab)
        assert one is not None
        refused = db.session.scalars(select(LabProposal).order_by(LabProposal.id).limit(2)).all()
        author = db.session.get_one(User, admin.id)
        refuse_many(db.session(), one, refused, author=author, reason="No.", now=datetime.now(UTC))
        db.session.commit()
    data = answer(app, refs, "--lab", lab, "--accept", "--as", admin.email)
    assert (data["accepted"], data["left_open"], data["import"], data["revision"]) == (WORKS - 2, 0, None, 2)
    assert states(app) == ["accepted", "refused"]
    with app.app_context():
        one = lab_by_slug(db.session(), lab)
        assert one is not None
        assert len(profile_of(db.session(), one).works) == WORKS - 2


def test_a_table_makes_labs_and_changes_those_that_are_there(
    app: Flask, labs: Path, tmp_path: Path, admin: Person
) -> None:
    before = stored(app)
    assert "+ new lab fast-data-lab: Fast; Data Lab, led by Jane Doe (line 2)\n" in run(app, labs, "--dry-run").stdout
    assert stored(app) == before
    assert run(app, labs).stdout.endswith("2 labs are not there yet. --accept makes them; nothing was made.\n")
    assert stored(app) == before
    said = run(app, labs, "--accept", "--as", admin.email).stdout
    assert said.endswith("2 labs made.\n")
    after = stored(app)
    assert (after[2], states(app)) == (2, [])
    assert answer(app, labs, "--accept", "--as", admin.email)["made"] == 0
    assert stored(app) == after
    said = run(app, _file(tmp_path, "more.csv", CHANGED), "--dry-run").stdout
    assert "\nEntries: 1 taken, 0 merged, 0 problems, 0 ignored.\n" in said
    assert "~ fast-data-lab, topics: databases, joins, streams (today: databases, joins; more.csv" in said
    assert run(app, tmp_path / "more.csv").stdout.endswith(" stored. Decide on the page /admin/questions.\n")
    client, changes = admin.sign_in(), "/admin/labs/fast-data-lab/changes"
    assert changes in client.get("/admin/questions").text
    assert "Topics" in client.get(changes).text
    changed = answer(app, tmp_path / "more.csv", "--accept", "--as", admin.email)
    assert (changed["accepted"], changed["left_open"]) == (changed["waiting_from_before"], 0)
    assert changed["accepted"] > 0
    with app.app_context():
        one = lab_by_slug(db.session(), "fast-data-lab")
        assert one is not None
        assert profile_of(db.session(), one).topics == ("databases", "joins", "streams")
        reasons = [revision.reason for revision in revisions_of(db.session(), one)]
    assert reasons == ["Imported from more.csv", "Imported from labs.csv"]


def test_a_file_whose_name_is_no_text_is_imported_under_what_is_left_of_it(
    app: Flask, tmp_path: Path, lab: str, admin: Person
) -> None:
    file = tmp_path / os.fsdecode(b"J\xfcrgen.bib")
    file.write_text(BIBTEX, encoding="utf-8")
    run(app, str(file), "--lab", lab, "--accept", "--as", admin.email)
    with app.app_context():
        revision = db.session.scalars(select(LabRevision).order_by(LabRevision.id.desc())).first()
        assert revision is not None
        assert revision.reason == "Imported from J\ufffdrgen.bib"


def test_standard_input_is_read(app: Flask, lab: str) -> None:
    said = run(app, "-", "--lab", lab, "--dry-run", typed=BIBTEX.encode()).stdout
    assert said.startswith("standard input: BibTeX, for systems.\n")


@pytest.mark.usefixtures("lab", "admin")
@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (BIBTEX, (), "it is BibTeX, not a table of labs. Say with --lab which lab it is about."),
        (BIBTEX, ("--lab", "system"), "There is no lab 'system'. It is the end of a lab’s address, /labs/SLUG."),
        (BIBTEX, ("--lab", "qqqq"), "There is no lab 'qqqq'. It is the end of a lab’s address, /labs/SLUG."),
        (LABS, ("--lab", "systems"), "it is a table of 2 labs. Leave out --lab to import it."),
        (" \n", ("--lab", "systems"), "There is nothing to read."),
        ("%PDF-1.7 …", ("--lab", "systems"), "PDF"),
        ("No kind of file.", ("--lab", "systems"), "the kind of the file is not known"),
        (BIBTEX, ("--lab", "systems", "--accept"), "say with --as which administrator’s"),
        (BIBTEX, ("--kind", "bibtex"), "name it with --lab"),
        (BIBTEX, ("--lab", "systems", "--as", "nobody@example.edu"), "nobody@example.edu has no account."),
        (BIBTEX, ("--lab", "systems", "--as", "nobody"), "'nobody' is no e-mail address"),
        (BIBTEX, ("--lab", "systems", "--as", "reader@example.edu"), "reader@example.edu is no administrator."),
        (BIBTEX, ("--lab", "systems", "--as", "gone@example.edu"), "The account of gone@example.edu is suspended."),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(
    app: Flask, tmp_path: Path, content: str, arguments: tuple[str, ...], said: str
) -> None:
    add_person(app, "professor", email="reader@example.edu")
    gone = add_person(app, "admin", email="gone@example.edu")
    with app.app_context():
        db.session.get_one(User, gone.id).active = False
        db.session.commit()
    before = stored(app)
    result = run(app, _file(tmp_path, "it", content), *arguments)
    assert result.exit_code in {1, 2}
    assert result.stdout == ""
    assert said in result.stderr
    assert stored(app) == before
