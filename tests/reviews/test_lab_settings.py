from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import AuditEntry, Conflict, LabIntake, LabProfessor, LabReviewing
from tests.admission import Admission, add_admission
from tests.reviews.cards import send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

SETTINGS = "/reviews/lab-a/settings"
SECRET = "A sentence that only the lab should read."


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        made = add_admission(app)
        for name in ("Lab A", "Lab B"):
            made.add_lab(name)
        yield made


def test_every_page_opens_to_whom_it_is_for_and_to_nobody_else(admission: Admission) -> None:
    applicant = admission.add_applicant("Ada")
    application = admission.eligible(applicant, "Lab B", "Lab A")
    draft = admission.draft(admission.add_applicant("Bo"), "Lab A")
    one, other, hidden = (
        admission.choice(application, "Lab A").id,
        admission.choice(application, "Lab B").id,
        admission.choice(draft, "Lab A").id,
    )
    admission.add_lab("Lab C")
    conflicted = admission.reviewers["Lab C"]
    people = {
        "leader": admission.leaders["Lab A"].sign_in(),
        "reviewer": admission.reviewers["Lab A"].sign_in(),
        "elsewhere": admission.leaders["Lab B"].sign_in(),
        "conflicted": conflicted.sign_in(),
        "applicant": applicant.sign_in(),
        "visitor": admission.app.test_client(),
    }
    db.session.add(LabProfessor(lab_id=admission.labs["Lab A"], user_id=conflicted.id, position="reviewer"))
    who = {"reviewer_id": conflicted.id, "applicant_id": applicant.id}
    db.session.add(Conflict(**who, state="declared", changed_at=admission.now))
    db.session.commit()
    choice = f"/reviews/lab-a/choices/{one}"
    # address: what leader, reviewer, leader of another lab, reviewer in conflict, applicant and visitor get
    table: dict[str, tuple[int, int, int, int, int, int]] = {
        f"{choice}?part=card": (200, 200, 403, 403, 403, 302),
        f"{choice}/scorecard": (302, 302, 403, 403, 403, 302),  # to the applicant's page; to sign in
        f"{choice}/conflict": (200, 200, 403, 200, 403, 302),
        "/reviews/lab-a/board": (200, 200, 403, 200, 403, 302),
        "/reviews/lab-a/assignment": (200, 200, 403, 200, 403, 302),
        "/reviews/lab-a/applicants/print": (200, 200, 403, 200, 403, 302),
        SETTINGS: (200, 403, 403, 403, 403, 302),
        f"/reviews/lab-a/choices/{other}/scorecard": (404, 404, 403, 404, 403, 302),
        f"/reviews/lab-a/choices/{hidden}/scorecard": (404, 404, 403, 404, 403, 302),
        f"/reviews/lab-a/choices/{hidden}/conflict": (404, 404, 403, 404, 403, 302),
    }
    assert {path: tuple(client.get(path).status_code for client in people.values()) for path in table} == table
    assert "Ada" not in people["conflicted"].get("/reviews/lab-a/board").text
    cycle = admission.cycle.slug
    posts: dict[str, tuple[dict[str, str], tuple[int, ...]]] = {
        "/reviews/lab-a/board/order": ({"cycle": cycle}, (302, 403, 403, 403, 403)),
        "/reviews/lab-a/board/do": ({"cycle": cycle, "move": "accept"}, (404, 404, 403, 404, 403)),
        f"{SETTINGS}/blind": ({"blind": "on"}, (302, 403, 403, 403, 403)),
        f"{choice}/scorecard/reopen": ({"reason": "x"}, (302, 302, 403, 403, 403)),
        f"{SETTINGS}/intake": ({"cycle": cycle}, (302, 403, 403, 403, 403)),
    }
    signed_in = [client for name, client in people.items() if name != "visitor"]
    got = {
        path: tuple(send(client, path, data).status_code for client in signed_in) for path, (data, _) in posts.items()
    }
    assert got == {path: codes for path, (_, codes) in posts.items()}


def test_a_reviewer_makes_no_move_that_is_the_leaders(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant("Ada"), "Lab A")
    choice = admission.choice(application, "Lab A")
    admission.move(choice, "start_review", "shortlist", as_="leader")
    client = admission.reviewers["Lab A"].sign_in()
    data = {"cycle": admission.cycle.slug, "one": f"rank:{choice.id}"}
    send(client, "/reviews/lab-a/board/move", data)
    assert choice.state == "shortlisted"
    assert "“Rank” is done by the lab’s leader." in client.get("/reviews/lab-a/board").text


def test_blind_first_goes_off_only_when_it_is_confirmed_and_is_audited(admission: Admission) -> None:
    client = admission.leaders["Lab A"].sign_in()
    send(client, f"{SETTINGS}/blind", {"blind": "on"})
    send(client, f"{SETTINGS}/blind", {"blind": "off"})
    assert "cannot be unseen" in client.get(SETTINGS).text
    assert [row.blind_first for row in db.session.query(LabReviewing)] == [True]
    for _ in range(2):
        send(client, f"{SETTINGS}/blind", {"blind": "off", "sure": "yes"})
    assert [row.blind_first for row in db.session.query(LabReviewing)] == [False]
    acts = db.session.query(AuditEntry.after).filter_by(act="lab.blind_first").order_by(AuditEntry.id)
    assert [after["blind_first"] for (after,) in acts] == [True, False]


def test_once_the_deadline_has_passed_a_cycle_is_not_said_to_take_applications(admission: Admission) -> None:
    client, cycle = admission.leaders["Lab A"].sign_in(), admission.cycle
    assert "Takes applications</label>" in client.get(SETTINGS).text
    cycle.deadline_at = admission.now
    db.session.commit()
    page = client.get(SETTINGS).text
    assert "Takes applications" not in page
    assert "Takes no more applications: the deadline passed on" in page
    form = page.partition('<form class="intake-form"')[2].partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(cycle|open)" value="([^"]*)"', form))
    send(client, f"{SETTINGS}/intake", {**hidden, "seats": "2"})
    assert [(row.seats, row.open) for row in db.session.query(LabIntake)] == [(2, True)]
