"""A table of labs: rows make labs or change them only when somebody accepts, and each is asked once."""

from __future__ import annotations

import io
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select, update

from portal.admin.imports import table_work
from portal.applications.files import file_store
from portal.db import db
from portal.jobs.progress import CancelledError
from portal.labs.imports import tables as table_imports
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.service import create_lab
from portal.models import Job, Lab, LabImport, LabProposal, NewLabProposal
from portal.web.work import job_queue
from tests.admin.desk import NOW, PROFILE
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

    from portal.seeding.records import LabRecord
    from tests.admin.desk import Desk

PAGE = "/admin/imports"
TABLE = (
    "Lab,PI,University,Website,Topics,Openings,About,Topics\r\n"
    'Systems of Mäder,Ueli Mäder,ETH,https://maeder.example,"LLM serving; NPUs","2 PhD, 1 postdoc",'
    '"Two\n\nlines.",Compilers\r\n'
    "Relaxed Lab,Bin Yuan,HKUST,https://new.example,Pipelines,,,\r\n"
    "Vision 王,王小明,清华大学,,视觉,yes,,\r\n"
    "Too,many,cells,in,this,row,of,the,table\r\n"
    ",,only a place,,,,,\r\n"
)


def _bring(client: FlaskClient, data: bytes, name: str = "labs.csv") -> str:
    """Upload a table, anyway if it was uploaded before; the address of its import."""
    response = submit(client, PAGE, {"file": (io.BytesIO(data), name), "text": ""})
    if response.location.startswith(f"{PAGE}/"):
        response = submit(client, PAGE, {"again": response.location.rpartition("/")[2]})
    assert response.location.startswith("/jobs/"), response.text
    found = re.search(PAGE + r"/\d+", client.get(response.location).text)
    assert found is not None
    return found.group()


def _decide(client: FlaskClient, page: str, decision: str, **ticked: object) -> str:
    """Preview a decision, confirm it; what the job says. The preview itself changes nothing."""
    shown = client.get(page).text
    upto = {name: _value(shown, name) for name in ("upto_new", "upto_change")}
    preview = submit(client, f"{page}/decide", {"decision": decision, **upto, **ticked}, page=page)
    assert preview.status_code == 200, preview.location
    values = {"decision": decision, "confirmed": "yes", "reason": "From the faculty.", **upto, **ticked}
    return client.get(submit(client, f"{page}/decide", values, page=page).location).text


def _value(html: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="(\d+)"', html)
    return found[1] if found else "0"


def _profile(app: Flask, slug: str) -> LabRecord:
    with app.app_context():
        lab = lab_by_slug(db.session(), slug)
        assert lab is not None
        return profile_of(db.session(), lab)


def _open(app: Flask) -> tuple[list[int], list[int]]:
    with app.app_context():
        new, changes = (
            list(db.session.scalars(select(table.id).where(table.state == "open").order_by(table.id)))
            for table in (NewLabProposal, LabProposal)
        )
        return new, changes


def _labs(app: Flask) -> int:
    with app.app_context():
        return db.session.scalar(select(func.count(Lab.id))) or 0


@pytest.mark.parametrize(
    ("encoding", "separator"),
    [("utf-8", ","), ("utf-8-sig", ";"), ("gb18030", "\t"), ("utf-16", ",")],
)
def test_rows_are_proposed_listed_when_broken_and_change_nothing(
    app: Flask, desk: Desk, encoding: str, separator: str
) -> None:
    table = TABLE if separator == "," else _with_separator(TABLE, separator)
    page = _bring(desk.client, table.encode(encoding))
    new, changes = desk.client.get(f"{page}?show=new").text, desk.client.get(f"{page}?show=changes").text
    assert "Systems of Mäder" in new
    assert "王小明" in new
    assert "Ph.D. student, 2 seats, 2 PhD" in new
    assert "Compilers" in new  # of the column that stands twice
    assert "https://new.example" in changes
    left_out = desk.client.get(f"{page}?show=left-out").text
    assert "line 7" in left_out
    assert "9 cells, but the first row has 8" in left_out
    assert "names neither a lab nor its leader" in left_out
    assert f"{sum(map(len, _open(app)))} proposals wait for a decision" in desk.client.get(PAGE).text
    assert _labs(app) == 1
    assert _profile(app, PROFILE.key) == PROFILE
    with app.app_context():
        assert list(file_store(app).list("imports")) == []


def test_what_does_not_count_in_matching_is_said_where_it_is_imported(desk: Desk) -> None:
    assert "An “about” text stands on the profile and does not count in matching" in desk.client.get(PAGE).text
    rows = "name,leader,about,topics\nMute Lab,Ada,We build compilers.,\nLoud Lab,Bob,We build compilers.,Compilers\n"
    mute, loud = (
        desk.client.get(_bring(desk.client, rows.encode())).text.split("<strong>Mute Lab")[1].split("<strong>Loud Lab")
    )
    nobody = "Nobody would be matched with this lab: the row has no topics, interests or recruiting text."
    assert f"{nobody} Its “about” text does not count in matching." in mute
    assert nobody not in loud


def test_windows_tables_keep_their_accents(desk: Desk) -> None:
    table = "name;leader;place\nLabor für Löten;Jürgen Müßig;Zürich\nÉcole d’été;Zoë Šimek;Genève\n"
    page = _bring(desk.client, table.encode("cp1252"))
    shown = desk.client.get(page).text
    assert "Labor für Löten" in shown
    assert ("Zoë Šimek" in shown, "2 are open</dd>" in shown) == (True, True)
    assert "2 new labs are proposed." in desk.client.get("/jobs/1").text
    pair = _bring(desk.client, "name;leader\nGröße;Ada Lovelace\n".encode("cp1252"))
    assert "Größe" in desk.client.get(pair).text


def test_ticked_rows_are_made_the_rest_waits_and_the_same_table_asks_nothing_twice(app: Flask, desk: Desk) -> None:
    page = _bring(desk.client, TABLE.encode())
    new, changes = _open(app)
    assert "1 proposal is accepted" in _decide(desk.client, page, "accept ticked", new=[str(new[0])])
    made = _profile(app, "systems-of-mader")
    assert (made.leader, made.topics, made.about) == (
        "Ueli Mäder",
        ("LLM serving", "NPUs", "Compilers"),
        "Two\n\nlines.",
    )
    assert [(opening.degree, opening.seats) for opening in made.openings] == [("phd", 2), ("postdoc", 1)]
    _decide(desk.client, page, "refuse new")
    assert _open(app) == ([], changes)
    assert submit(desk.client, PAGE, {"file": (io.BytesIO(TABLE.encode()), "labs.csv"), "text": ""}).location == page
    again = _bring(desk.client, TABLE.encode("utf-8-sig"), "copy.csv")
    assert _open(app) == ([], changes)
    assert "No row is about a new lab" in desk.client.get(f"{again}?show=new").text
    assert _labs(app) == 2


def test_all_changes_of_a_lab_are_one_revision(app: Flask, desk: Desk) -> None:
    page = _bring(desk.client, TABLE.encode())
    before = desk.revision_number()
    assert "accepted" in _decide(desk.client, page, "accept changes")
    assert desk.revision_number() == before + 1
    assert desk.profile().homepage == "https://new.example"
    assert "Pipelines" in desk.profile().topics
    assert _open(app)[1] == []


def test_a_row_is_changed_before_it_is_accepted_and_not_asked_again(app: Flask, desk: Desk) -> None:
    page = _bring(desk.client, TABLE.encode())
    row = f"{page}/labs/{_open(app)[0][0]}"
    bad = submit(desk.client, row, {"name": " ", "decision": "accept", "reason": "x", "keep": "openings/phd"}, page=row)
    assert bad.status_code == 422
    assert "Give the lab a name." in bad.text
    values = {"name": "Mäder Lab", "decision": "accept", "reason": "Checked.", "keep": ["openings/phd"]}
    assert submit(desk.client, row, values, page=row).status_code == 302
    made = _profile(app, "systems-of-mader")
    assert (made.name, made.members, [opening.key for opening in made.openings]) == ("Mäder Lab", (), ["phd"])
    waiting = _open(app)
    _bring(desk.client, TABLE.encode())
    assert _open(app) == waiting


def test_a_change_of_a_lab_is_changed_before_it_is_accepted(app: Flask, desk: Desk) -> None:
    page = _bring(desk.client, TABLE.encode())
    with app.app_context():
        number = db.session.scalars(select(LabProposal.id).where(LabProposal.path == "homepage")).one()
    one = f"/admin/questions/{number}"
    base = {"base": str(desk.revision_number()), "reason": "Checked.", "decision": "accept"}
    assert submit(desk.client, one, {**base, "homepage": "no address"}, page=one).status_code == 422
    done = submit(desk.client, one, {**base, "homepage": "https://better.example"}, page=one)
    assert done.location.startswith(page)
    assert desk.profile().homepage == "https://better.example"
    waiting = _open(app)
    _bring(desk.client, TABLE.encode())
    assert _open(app) == waiting


def test_a_lab_that_was_made_meanwhile_is_not_made_twice(app: Flask, desk: Desk) -> None:
    page = _bring(desk.client, TABLE.encode())
    other = TABLE.replace("LLM serving", "Serving")  # another row about the same lab
    second = _bring(desk.client, other.encode())
    _decide(desk.client, page, "accept new")
    labs = _labs(app)
    assert "This lab seems to exist by now" in desk.client.get(f"{second}?show=new").text
    shown = submit(desk.client, f"{second}/decide", {"decision": "accept new", "upto_new": "99"}, page=second).text
    assert "1 row is a lab that is there by now" in shown
    assert "could not be and are still open" in _decide(desk.client, second, "accept new")
    assert _labs(app) == labs


def test_a_cancelled_reading_goes_on_where_it_was(app: Flask, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_arguments: object, **_more: object) -> None:
        raise CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(table_work, "read_table", stop)
        submit(desk.client, PAGE, {"text": TABLE})
    with app.app_context():
        assert db.session.scalars(select(Job.state).order_by(Job.id.desc())).first() == "cancelled"
        number = db.session.scalars(select(LabImport.id)).one()
        job = db.session.scalars(select(Job.id).order_by(Job.id.desc()).limit(1)).one()
    page = f"{PAGE}/{number}"
    assert f'href="{page}">Back to what it was about' in desk.client.get(f"/jobs/{job}").text
    assert "has not been read to its end" in desk.client.get(page).text
    for state, leads_to in (("running", f"/jobs/{job}"), ("cancelled", f"/jobs/{job + 1}")):
        with app.app_context():
            db.session.execute(update(Job).where(Job.id == job).values(state=state))
            db.session.commit()
        assert submit(desk.client, f"{page}/read", {}, page=page).location == leads_to
    assert len(_open(app)[0]) == 2


def test_a_kill_leaves_no_half_lab_and_the_next_process_makes_the_rest(
    app: Flask, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"Lab {number:02},Leader {number:02},Place,Topic {number}" for number in range(9)]
    page = _bring(desk.client, "\n".join(["name,leader,place,topics", *rows]).encode())
    made: list[str] = []

    def killed_in_the_seventh(session: Session, record: LabRecord, **values: Any) -> Lab:  # noqa: ANN401  (as of the function itself)
        lab = create_lab(session, record, **values)
        made.append(record.name)
        if len(made) == 7:
            raise SystemExit
        return lab

    def accepted() -> dict[str, int | None]:
        with app.app_context():
            decided = select(NewLabProposal.name, NewLabProposal.lab_id).where(NewLabProposal.state == "accepted")
            return dict(db.session.execute(decided).all())

    def labs() -> dict[str, int]:
        with app.app_context():
            return {name: number for name, number in db.session.execute(select(Lab.name, Lab.id)) if "Lab 0" in name}

    with monkeypatch.context() as patch:
        patch.setattr("portal.jobs.progress.BETWEEN_WRITES", 0.0)
        patch.setattr(table_imports, "create_lab", killed_in_the_seventh)
        with pytest.raises(SystemExit):
            _decide(desk.client, page, "accept new")
    assert len(made) == 7
    assert accepted() == labs()
    assert len(labs()) == 6
    with app.app_context():
        # Nothing was heard from the process for long.
        db.session.execute(update(Job).where(Job.state == "running").values(beat_at=NOW - timedelta(days=1)))
        db.session.commit()
        job_queue(app).do_due()
        job = db.session.scalars(select(Job).order_by(Job.id)).all()[-1]
        said, steps = job.outcome["text"], (job.done, job.total)
    assert (accepted(), said, steps) == (labs(), "9 proposals are accepted.", (9, 9))
    assert (sorted(labs()), _open(app)) == ([f"Lab {number:02}" for number in range(9)], ([], []))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"  ", "There is nothing in it."),
        (b"PK\x03\x04 a workbook", "save it as CSV"),
        (b"@article{a, title={T}, year={2020}}", "not a table of labs"),
        (b"name,leader\n", "no lab below it"),
    ],
)
def test_what_is_no_table_says_why(app: Flask, desk: Desk, data: bytes, reason: str) -> None:
    response = submit(desk.client, PAGE, {"file": (io.BytesIO(data), "x"), "text": ""})
    page = response.text if response.status_code == 422 else desk.client.get(_bring(desk.client, data)).text
    assert reason in page
    assert _open(app) == ([], [])


def _with_separator(table: str, separator: str) -> str:
    """The table with another separator; cells that hold it stay in quotation marks."""
    quoted = re.split(r'("[^"]*")', table)
    return "".join(part if part.startswith('"') else part.replace(",", separator) for part in quoted)
