"""Importing files into a lab: proposed, accepted together or one by one, never twice, never unseen."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from portal.db import db
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.service import create_lab, save_profile
from portal.models import LabImport, LabProposal, LabRevision
from portal.seeding.records import LabRecord, WorkRecord
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.people import Person

PAGE = "/admin/labs/systems/imports"
BIBTEX = """
@article{one, title={Serving models on few GPUs}, author={Ada Lovelace and Bo Li}, year={2025}, journal={MLSys}}
@article{two, title={A paper that the lab has}, author={Ada Lovelace}, year={2024}}
@article{broken, title={Unfinished,
@inproceedings{three, title={Training over slow networks}, author={Bo Li}, year={2026}, booktitle={ICML}}
"""
AGAIN = f"{BIBTEX}\n"


@pytest.fixture
def client(app: Flask, admin: Person) -> FlaskClient:
    now = datetime.now(UTC)
    with app.app_context():
        record = LabRecord(
            key="systems", name="Systems", works=(WorkRecord("w", "A paper that the lab has", ("Ada Lovelace",)),)
        )
        create_lab(db.session(), record, author=None, reason="for a test", now=now)
        db.session.commit()
    return admin.sign_in()


def _bring(client: FlaskClient, text: str, **more: object) -> str:
    """Paste a text, which is read at once; the address of its import."""
    response = submit(client, PAGE, {"text": text, **more})
    assert re.fullmatch(PAGE + r"/\d+", response.location), response.text
    return str(response.location)


def _decide(client: FlaskClient, page: str, decision: str, *numbers: int, reason: str = "Because.") -> TestResponse:
    ticked = {"proposal": [str(number) for number in numbers], "decision": decision, "reason": reason}
    return submit(client, f"{page}/decide", ticked, page=page)


def _titles(app: Flask) -> list[str]:
    with app.app_context():
        lab = lab_by_slug(db.session(), "systems")
        assert lab is not None
        return sorted(work.title for work in profile_of(db.session(), lab).works)


def _open(app: Flask) -> list[int]:
    with app.app_context():
        return list(
            db.session.scalars(select(LabProposal.id).where(LabProposal.state == "open").order_by(LabProposal.id))
        )


def test_a_file_proposes_lists_what_is_broken_and_changes_nothing(app: Flask, client: FlaskClient) -> None:
    page = client.get(_bring(client, BIBTEX)).text
    assert "Serving models on few GPUs" in page
    assert "Training over slow networks" in page
    assert "Problem: " in page
    assert _titles(app) == ["A paper that the lab has"]
    with app.app_context():
        kept = db.session.scalars(select(LabImport)).one()
        assert kept.kind == "bibtex"


def test_ticked_changes_are_accepted_as_one_revision_and_the_same_file_then_proposes_the_rest_only(
    app: Flask, client: FlaskClient
) -> None:
    page = _bring(client, BIBTEX)
    before = _open(app)
    works = [number for number in before if f"change-{number}" in client.get(page).text]
    with app.app_context():
        of_works = list(db.session.scalars(select(LabProposal.id).where(LabProposal.path.like("works/%"))))
        revisions = len(db.session.scalars(select(LabRevision)).all())
    assert set(of_works) <= set(works)
    assert _decide(client, page, "accept", *of_works).status_code == 302
    assert "Serving models on few GPUs" in _titles(app)
    with app.app_context():
        assert len(db.session.scalars(select(LabRevision)).all()) == revisions + 1
    _bring(client, AGAIN)
    assert set(_open(app)) == set(before) - set(of_works)


def test_a_file_whose_changes_wait_is_one_question(client: FlaskClient, app: Flask) -> None:
    page = _bring(client, BIBTEX)
    listed = client.get("/admin/questions").text
    assert f'<a href="{page}">Systems: pasted text</a> <span class="quiet">{len(_open(app))} changes, ' in listed
    assert "Serving models on few GPUs" not in listed
    _decide(client, page, "refuse", *_open(app))
    assert page not in client.get("/admin/questions").text


def test_what_was_refused_is_not_proposed_again(app: Flask, client: FlaskClient) -> None:
    page = _bring(client, BIBTEX)
    _decide(client, page, "refuse", *_open(app))
    assert _open(app) == []
    assert "It proposes nothing" in client.get(_bring(client, AGAIN)).text
    assert _titles(app) == ["A paper that the lab has"]


def test_all_are_accepted_at_once(app: Flask, client: FlaskClient) -> None:
    page = _bring(client, BIBTEX)
    response = _decide(client, page, "accept all")
    assert "changes are accepted" in client.get(response.location, follow_redirects=True).text
    assert _open(app) == []
    assert '<a href="/admin/labs/systems/history">its history</a>' in client.get(page).text
    assert len(_titles(app)) == 3


def test_all_of_many_are_accepted_but_those_that_no_longer_fit(app: Flask, client: FlaskClient) -> None:
    titles = [f"Topic number {number} seen anew" for number in range(205)]
    page = _bring(
        client, "".join(f"@misc{{w{n}, title={{{title}}}, year={{2024}}}}\n" for n, title in enumerate(titles))
    )
    with app.app_context():
        lab = lab_by_slug(db.session(), "systems")
        assert lab is not None
        profile = profile_of(db.session(), lab)
        mine = WorkRecord("topic-number-7-seen-anew", "Something else", ("Bo Li",))
        record, now = replace(profile, works=(*profile.works, mine)), datetime.now(UTC)
        save_profile(db.session(), lab, record, base=1, author=None, reason="by hand", now=now, source="form")
        db.session.commit()
    said = client.get(_decide(client, page, "accept all").location, follow_redirects=True).text
    assert (
        "204 changes are accepted. 1 no longer fits the profile; refuse what is of no use. This is revision 3." in said
    )
    assert _titles(app) == sorted(["A paper that the lab has", "Something else", *titles[:7], *titles[8:]])


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("works.bib", "works.bib"),
        ("papers/wo\0rks\u202e\x1b.bib", "wo rks .bib"),
        ("\0", "file without a name"),
    ],
)
def test_an_upload_is_read_and_kept_by_its_name(app: Flask, client: FlaskClient, name: str, kept: str) -> None:
    upload = (io.BytesIO(BIBTEX.encode()), name)
    response = submit(client, PAGE, {"file": upload, "text": ""})
    assert response.status_code == 302
    with app.app_context():
        assert db.session.scalars(select(LabImport.filename)).one() == kept


def test_the_same_content_again_leads_to_its_first_import_for_a_day(
    app: Flask, client: FlaskClient, person: Callable[..., Person]
) -> None:
    def bring(who: FlaskClient, name: str = "works.bib", **more: object) -> str:
        upload = (io.BytesIO(BIBTEX.encode()), name)
        return submit(who, PAGE, {"file": upload, "text": "", **more}).location

    def imported() -> list[int]:
        with app.app_context():
            return sorted(lab_import.id for lab_import in db.session.query(LabImport))

    assert [bring(client), bring(client), bring(client, "copy.bib")] == [f"{PAGE}/1"] * 3
    assert len(imported()) == 1
    page = client.get(f"{PAGE}/1").text
    assert "You imported the same content as works.bib within the last day." in page
    assert bring(client, kind="bibtex") == f"{PAGE}/2"  # read as something else
    assert bring(person("admin").sign_in()) == f"{PAGE}/3"  # somebody else's
    assert len(imported()) == 3
    with app.app_context():
        db.session.execute(update(LabImport).values(created_at=datetime.now(UTC) - timedelta(days=1)))
        db.session.commit()
    assert bring(client) == f"{PAGE}/4"


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("   ", "", "There is nothing to read."),
        ("%PDF-1.7 …", "", "The file is a PDF, which cannot be imported"),
        ("No entry at all, only prose.", "bibtex", "There is no BibTeX entry in the file."),
    ],
)
def test_what_cannot_be_read_says_why_and_stays_typed(
    app: Flask, client: FlaskClient, text: str, kind: str, reason: str
) -> None:
    response = submit(client, PAGE, {"text": text, "kind": kind})
    assert (response.status_code, reason in response.text, f"{text}</textarea>" in response.text) == (422, True, True)
    with app.app_context():
        assert db.session.query(LabImport).count() == 0


def test_works_are_a_table_of_new_changed_and_same_with_one_tick_for_all_that_are_new(
    app: Flask, client: FlaskClient
) -> None:
    titles = [f"Topic number {number} seen anew" for number in range(60)]
    entries = [f"@misc{{w{n}, title={{{title}}}, year={{2024}}}}\n" for n, title in enumerate(titles)]
    changed = "@misc{c, title={A paper that the lab has}, author={Ada Lovelace}, year={2021}}\n"
    _decide(client, _bring(client, "".join(entries[:3])), "accept all")
    page = _bring(client, "".join(entries) + changed)
    shown = client.get(page).text
    assert "3 works are in the profile already, as the file has them" in shown
    assert f"<li>{titles[2]}</li>" in shown
    (row,) = re.findall(r"<tr>(?:(?!</tr>).)*A paper that the lab has.*?</tr>", shown, re.DOTALL)
    assert re.search(r">Changed.*Year:</span> 2021", row, re.DOTALL)
    assert "All 57 new works, on every page" in shown
    assert _decide(client, page, "accept").status_code == 302
    assert len(_titles(app)) == 4
    submit(client, f"{page}/decide", {"all_new": "yes", "decision": "accept", "reason": "Ours."}, page=page)
    assert len(_titles(app)) == 61
    assert len(_open(app)) == 1


def test_a_decision_needs_a_reason_and_something_ticked(app: Flask, client: FlaskClient) -> None:
    page = _bring(client, BIBTEX)
    waiting = _open(app)
    _decide(client, page, "accept", *waiting, reason=" ")
    _decide(client, page, "accept")
    assert _open(app) == waiting


def test_of_two_who_decide_the_second_is_told(app: Flask, client: FlaskClient) -> None:
    page = _bring(client, BIBTEX)
    first = _open(app)[0]
    _decide(client, page, "refuse", first)
    _decide(client, page, "accept", first)
    assert "Select changes that are still open, to accept or refuse." in client.get(page).text
    assert _titles(app) == ["A paper that the lab has"]


def test_files_with_changes_that_wait_are_told_apart_and_the_same_file_again_leads_to_them(
    app: Flask, client: FlaskClient
) -> None:
    first, again = _bring(client, BIBTEX), _bring(client, AGAIN)
    files = client.get(PAGE).text.partition("Files imported so far")[2]
    waits = re.findall(r'<a href="([^"]+)">pasted text</a>\s*<span class="quiet">.*?( for a decision)?</span>', files)
    assert waits == [(again, ""), (first, " for a decision")]
    assert f", {len(_open(app))} changes wait for a decision" in files
    link = f'<a href="{PAGE}">{len(_open(app))} changes of other files</a> wait for a decision.'
    assert link in client.get(again).text
    _decide(client, first, "refuse", *_open(app))
    assert "of other files" not in client.get(again).text
