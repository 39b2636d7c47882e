"""Numbers of thousands of digits, which Python refuses to read: no form and no address breaks on them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.models import AssignmentRound, Interests, LabImport, LabIntake
from tests.admission import Admission, add_admission
from tests.people import csrf_token, submit
from tests.test_roles_and_routes import address, rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

    from portal.models import Choice
    from tests.people import Person

LONG = "9" * 5_000
HUGE = "-" + "9" * 400  # Python reads it, but can compare it with no fraction
BIBTEX = "@article{one, title={Serving models on few GPUs}, author={Ada Lovelace}, year={2025}}"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle whose deadline has passed, and a lab with one seat."""
    with app.app_context():
        one = add_admission(app, now=datetime.now(UTC) - timedelta(days=40))
        lab = one.add_lab("Systems")
        one.session.add(LabIntake(lab_id=lab.id, cycle_id=one.cycle_id, seats=1))
        one.session.commit()
        yield one
        db.session.remove()


def _ranked(admission: Admission) -> Choice:
    application = admission.eligible(admission.add_applicant(), "Systems")
    choice = admission.choice(application, "Systems")
    admission.move(choice, "start_review", "shortlist", "rank", as_="leader")
    return choice


def _refused(person: Person, *forms: tuple[str, dict[str, str]]) -> None:
    """Send the forms; each is answered with a page or goes on to one."""
    client = person.sign_in()
    token = csrf_token(client, "/accounts/")
    for path, data in forms:
        answer = client.post(path, data={"csrf_token": token, **data})
        assert (path, answer.status_code) == (path, min(answer.status_code, 499))
        assert answer.status_code not in {400, 403, 404}, path


@pytest.mark.parametrize("role", ["applicant", "professor", "admin"])
def test_no_page_of_a_list_breaks(app: Flask, person: Callable[..., Person], role: str) -> None:
    client = person(role).sign_in()
    for rule in rules(app, "GET"):
        url = address(rule)
        assert (url, client.get(url, query_string={"page": LONG}).status_code < 500) == (url, True)


def test_no_form_of_an_administrator_breaks(admission: Admission) -> None:
    choice = _ranked(admission)
    cycle, lab, admin = f"/admin/cycles/{admission.cycle.slug}", "/admin/labs/systems", admission.admin
    client = admin.sign_in()
    submit(client, f"{lab}/imports", {"text": BIBTEX})
    brought = db.session.query(LabImport).one().id
    submit(client, f"{cycle}/assignment/draft", {"seed": "a draw"}, page=f"{cycle}/assignment")
    assert db.session.query(AssignmentRound).count() == 1
    _refused(
        admin,
        (f"{cycle}/missing/remind", {"application": LONG}),
        (f"{cycle}/applications/mark", {"application": LONG, "move": "mark_eligible"}),
        (f"{lab}/imports/{brought}/decide", {"proposal": LONG, "decision": "accept", "reason": "Because."}),
        (f"{cycle}/assignment/1/stage", {"reply_days": LONG}),
        (f"{lab}/confirm", {"base": LONG}),
        (f"{lab}/edit", {"base": LONG}),
        (cycle, {"version": LONG, "most_choices": LONG}),
    )
    for page, asked in (
        (f"{cycle}/assignment/1", {"lab": "systems", "seats": LONG}),
        (f"{lab}/history/compare", {"before": LONG, "after": LONG}),
    ):
        assert client.get(page, query_string=asked).status_code in {200, 422}, page
    assert choice.state == "ranked"


def test_no_form_of_a_leader_breaks(admission: Admission) -> None:
    choice = _ranked(admission)
    board, one = "/reviews/systems/board", f"/reviews/systems/choices/{choice.id}"
    leader = admission.leaders["Systems"]
    _refused(
        leader,
        (f"{board}/order", {f"place-{choice.id}": LONG}),
        (f"{board}/preview", {"move": "offer", "choice": f"{LONG}.1"}),
        (f"{board}/do", {"move": "offer", "choice": f"{choice.id}.1", "days": LONG}),
        (f"{board}/do", {"move": "offer", "choice": f"{choice.id}.1", "days": "0" * 5_000 + "7"}),
        (f"{board}/do", {"move": "offer", "choice": f"{choice.id}.1", "days": "000000007" + LONG}),
        (f"{board}/move", {"one": f"offer:{LONG}", "applicant": LONG}),
        (f"{one}/scorecard", {"version": LONG}),
        ("/reviews/systems/settings/intake", {"seats": LONG, "cycle": admission.cycle.slug}),
        ("/reviews/systems/assignment", {"choice": LONG, "reviewer": LONG, "each": LONG}),
    )
    assert choice.state == "ranked"


def test_no_number_to_type_is_beyond_comparing(admission: Admission) -> None:
    cycle = f"/admin/cycles/{admission.cycle.slug}"
    _refused(admission.admin, (cycle, {"most_choices": HUGE}), ("/admin/new-cycle", {"most_choices": HUGE}))
    _refused(admission.leaders["Systems"], ("/reviews/systems/interviews/offer", {"minutes": HUGE}))
    _refused(admission.add_applicant(), ("/accounts/tokens/", {"name": "Mine", "days": HUGE}))
    assert admission.cycle.most_choices > 0


def test_no_form_of_an_applicant_breaks(admission: Admission) -> None:
    applicant = admission.add_applicant()
    admission.cycle.deadline_at = datetime.now(UTC) + timedelta(days=1)
    draft = admission.draft(applicant, "Systems")
    mine = f"/me/application/{admission.cycle.slug}"
    _refused(
        applicant,
        ("/me/interests", {"version": LONG, f"topics-{LONG}-text": "GPUs", "add_topic": "yes"}),
        ("/me/matches/weights", {"version": LONG}),
        (f"{mine}/edit", {"version": LONG, "choices-0-lab": "systems"}),
    )
    db.session.expire_all()
    assert [(topic.text, topic.weight) for topic in _interests(applicant).topics] == [("language models on GPUs", 1.0)]
    assert [(choice.lab_id, choice.position) for choice in draft.choices] == [(admission.labs["Systems"], 1)]


def _interests(person: Person) -> Interests:
    return db.session.scalars(select(Interests).where(Interests.user_id == person.id)).one()
