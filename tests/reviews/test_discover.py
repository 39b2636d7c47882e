"""Who shares with a lab or agreed to be found: ranked, read and marked by those who read for the lab."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.labs import service as labs
from portal.labs.queries import lab_by_slug
from portal.models import Interests, InterestTopic, Invitation, LabReviewing, LabShare, Resume, User
from portal.moments import format_in_zone
from portal.seeding.records import LabRecord, WorkRecord
from tests.admission import add_admission
from tests.applications.admission_pages import main_text
from tests.labs.pages import Document
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SERVING = LabRecord(
    "serving-lab",
    "Serving Lab",
    interests="Serving large language models on GPU clusters.",
    works=(
        WorkRecord("fair", "Fair serving of large language models", abstract="We schedule GPU requests fairly."),
        WorkRecord("lora", "Serving many adapters", abstract="One GPU kernel serves many low-rank adapters."),
        WorkRecord("cold", "Quick cold starts", abstract="Language model serving starts within seconds."),
    ),
)
WEAVING = LabRecord(
    "weaving-lab",
    "Weaving Lab",
    interests="Looms.",
    works=(WorkRecord("loom", "A loom for silk", abstract="We weave silk on looms."),),
)


@pytest.fixture(autouse=True)
def _two_labs(app: Flask, professor: Person) -> None:
    with app.app_context():
        for record in (SERVING, WEAVING):
            labs.create_lab(db.session(), record, author=None, reason="first", now=NOW)
        lab = lab_by_slug(db.session(), "serving-lab")
        assert lab is not None
        user = db.session.get_one(User, professor.id)
        labs.attach_professor(db.session(), lab, user, "leader", author=None, now=NOW)
        db.session.commit()


@pytest.fixture
def states(app: Flask, person: Callable[..., Person]) -> Callable[..., Person]:
    """Somebody who states a topic, and whether labs may find them or which lab they share with."""

    def make(
        topic: str, *, name: str = "", discoverable: bool = False, shares_with: str = "", resume: str = ""
    ) -> Person:
        one = person("applicant", name=name)
        with app.app_context():
            db.session.add(
                Interests(
                    user_id=one.id,
                    discoverable=discoverable,
                    changed_at=NOW,
                    topics=[InterestTopic(position=0, text=topic)],
                )
            )
            if shares_with:
                lab = lab_by_slug(db.session(), shares_with)
                assert lab is not None
                db.session.add(LabShare(user_id=one.id, lab_id=lab.id, shared_at=NOW))
            if resume:
                app.extensions["portal_files"].put(f"key-{one.id}", resume.encode())
                db.session.add(
                    Resume(
                        user_id=one.id,
                        kind="txt",
                        filename="../../etc/passwd",
                        storage_key=f"key-{one.id}",
                        size=len(resume),
                        text=resume,
                        uploaded_at=NOW,
                        confirmed_at=NOW,
                    )
                )
            db.session.commit()
        return one

    return make


def test_a_professor_of_one_lab_comes_to_its_queue(professor: Person) -> None:
    client = professor.sign_in()
    response = client.get("/reviews/", follow_redirects=True)
    assert response.status_code == 200
    assert "Applicants for Serving Lab" in response.text
    assert "Nobody to review yet" in response.text
    with professor.app.app_context():
        cycle = add_admission(professor.app).cycle
        when = f"after the deadline of {cycle.name} on {format_in_zone(cycle.deadline_at, cycle.zone)} ."
    assert when in main_text(client.get("/reviews/", follow_redirects=True).text)


def test_a_professor_without_a_lab_is_told_whom_to_ask(person: Callable[..., Person]) -> None:
    page = person("professor").sign_in().get("/reviews/").text
    assert "You do not read for a lab yet" in page


def test_the_queue_ranks_those_who_share_with_the_lab_or_may_be_found(
    app: Flask, professor: Person, states: Callable[..., Person]
) -> None:
    states("weaving silk on a loom", name="Silk Weaver", discoverable=True)
    states("serving large language models", name="Model Server", shares_with="serving-lab")
    states("GPU serving", name="Hidden Person")
    states("GPU serving", name="Elsewhere Shared", shares_with="weaving-lab")
    client = professor.sign_in()
    page = client.get("/reviews/serving-lab/discover").text
    assert page.index("Model Server") < page.index("Silk Weaver")
    told = Document(page).text
    assert "1st · shared with you on 20 Nov 2026" in told
    assert "2nd · agreed to be found" in told
    assert "Hidden Person" not in page
    assert "Elsewhere Shared" not in page
    assert "Nothing in common with" in page
    assert ("nobody is named" in page, "Name or e-mail address" in page) == (False, True)
    with app.app_context():
        lab = lab_by_slug(db.session(), "serving-lab")
        assert lab is not None
        db.session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW))
        db.session.commit()
    page = client.get("/reviews/serving-lab/discover").text
    assert ("nobody is named" in page, "Code of an applicant" in page, "Model Server" in page) == (True, True, False)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?q=ann", {"Anna"}),
        ("?q=zz", set()),
    ],
)
def test_the_queue_is_narrowed(professor: Person, states: Callable[..., Person], query: str, shown: set[str]) -> None:
    states("GPU serving", name="Anna", discoverable=True)
    states("GPU serving", name="Berta", shares_with="serving-lab")
    page = professor.sign_in().get(f"/reviews/serving-lab/discover{query}").text
    assert {name for name in ("Anna", "Berta") if name in page} == shown


def test_an_applicant_is_shown_with_evidence_and_marked_resume_words(
    professor: Person, states: Callable[..., Person]
) -> None:
    one = states("GPU serving", name="李华", shares_with="serving-lab", resume="I built <b>GPU</b> serving systems.")
    page = professor.sign_in().get(f"/reviews/serving-lab/discover/{one.id}").text
    assert "李华" in page
    assert "&lt;b&gt;<mark>GPU</mark>&lt;/b&gt;" in page
    assert "Serving Lab published" in page


def test_the_file_comes_as_a_download_without_rights(professor: Person, states: Callable[..., Person]) -> None:
    one = states("GPU serving", shares_with="serving-lab", resume="My resume.")
    response = professor.sign_in().get(f"/reviews/serving-lab/discover/{one.id}/resume")
    assert response.data == b"My resume."
    assert response.headers["Content-Disposition"] == f"attachment; filename=resume-{one.id}.txt"
    assert response.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["", "/resume"])
def test_nobody_elses_applicant_is_reachable(professor: Person, states: Callable[..., Person], path: str) -> None:
    hidden = states("GPU serving", resume="secret")
    elsewhere = states("GPU serving", shares_with="weaving-lab", resume="secret")
    client = professor.sign_in()
    for one in (hidden, elsewhere):
        assert client.get(f"/reviews/serving-lab/discover/{one.id}{path}").status_code == 404
        refused = client.get(f"/reviews/weaving-lab/discover/{one.id}{path}")
        assert refused.status_code == 403
        assert "You do not read for Weaving Lab" in refused.text
    assert client.get(f"/reviews/no-such-lab/discover/{hidden.id}{path}").status_code == 404
    assert client.get(f"/reviews/serving-lab/discover/999999{path}").status_code == 404


def test_nobody_elses_applicant_is_invited(app: Flask, professor: Person, states: Callable[..., Person]) -> None:
    mine, hidden = states("GPU", shares_with="serving-lab"), states("GPU serving")
    client, page = professor.sign_in(), "/reviews/serving-lab/discover"
    for lab, person, status in (("serving-lab", hidden, 404), ("weaving-lab", mine, 403)):
        sent = submit(client, f"/reviews/{lab}/discover/{person.id}/invite", {"message": "Join us."}, page=page)
        assert sent.status_code == status
    with app.app_context():
        assert db.session.scalars(select(Invitation)).all() == []


def test_a_form_without_its_token_changes_nothing(professor: Person, states: Callable[..., Person]) -> None:
    one = states("GPU serving", shares_with="serving-lab")
    response = professor.sign_in().post(f"/reviews/serving-lab/discover/{one.id}/invite", data={"message": "Join us."})
    assert response.status_code == 400
    assert "Your session expired" in response.text


def test_a_resume_whose_file_is_missing_is_not_found(
    app: Flask, professor: Person, states: Callable[..., Person]
) -> None:
    one = states("serving", shares_with="serving-lab", resume="I serve models.")
    client, url = professor.sign_in(), f"/reviews/serving-lab/discover/{one.id}/resume"
    assert client.get(url).data == b"I serve models."
    app.extensions["portal_files"].delete(f"key-{one.id}")
    assert client.get(url).status_code == 404
