"""Administrators who act in the same moment, and the pages themselves, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.db import db
from portal.models import AssignmentRound, AuditEntry, LabProposal
from tests.admin.cycles.test_cycles import FORM
from tests.admin.desk import PROFILE, Desk, store
from tests.admin.labs.test_merging import MERGE, fields_of
from tests.admin.labs.test_questions import CHANGES, ask
from tests.admin.test_pages import PAGES
from tests.admission import add_admission
from tests.at_once import at_once
from tests.databases import over
from tests.people import add_person, csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.conftest import Settings

EDIT = "/admin/labs/relaxed-lab/edit"
# One field for each of the people who save at once.
FIELDS = ("about", "interests", "recruiting", "recruiting_focus", "contact", "place")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def app(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Flask]:
    """The application over each database, with the lab."""
    application = over(request, settings)
    store(application, PROFILE)
    yield application
    with application.app_context():
        db.engine.dispose()


def desks(app: Flask, count: int) -> list[Desk]:
    """So many administrators, each signed in with a browser of their own."""
    people = [add_person(app, "admin") for _ in range(count)]
    return [Desk(app, person.sign_in(), person.email) for person in people]


def test_no_edit_is_lost_when_many_save_in_the_same_moment(app: Flask) -> None:
    people = desks(app, len(FIELDS))
    tokens = [csrf_token(desk.client, EDIT) for desk in people]
    statuses: list[list[int]] = [[] for _ in people]

    def save(number: int) -> None:
        data = {"csrf_token": tokens[number], "base": 1, "reason": f"By {number}", FIELDS[number]: f"Text of {number}"}
        response = people[number].client.post(EDIT, data=data)
        statuses[number].append(response.status_code)
        while response.status_code == 409:
            response = people[number].client.post(MERGE, data=fields_of(response.text))
            statuses[number].append(response.status_code)

    at_once(save, len(people))
    assert {codes[-1] for codes in statuses} == {302}
    assert sum(codes == [302] for codes in statuses) == 1
    profile = people[0].profile()
    assert [getattr(profile, name) for name in FIELDS] == [f"Text of {number}" for number in range(len(FIELDS))]
    assert people[0].revision_number() == 1 + len(FIELDS)
    assert sorted(people[0].reasons()) == sorted(
        [*(f"By {number}" for number in range(len(FIELDS))), "Made for a test"]
    )


def test_two_administrators_who_remove_each_other_do_not_both_succeed(app: Flask) -> None:
    first, second = add_person(app, "admin"), add_person(app, "admin")
    clients = [first.sign_in(), second.sign_in()]
    tokens = [csrf_token(client, "/admin/new-lab") for client in clients]
    others = (second.id, first.id)

    def remove(number: int) -> int:
        data = {"csrf_token": tokens[number], "role": "admin"}
        return clients[number].post(f"/admin/people/{others[number]}/take-role", data=data).status_code

    assert sorted(at_once(remove, 2)) == [302, 403]
    assert sorted(client.get("/admin/").status_code for client in clients) == [200, 403]


def test_two_clicks_in_the_same_moment_compute_one_assignment_round(app: Flask) -> None:
    with app.app_context():
        made = add_admission(app, now=datetime.now(UTC) - timedelta(days=40))
        made.add_lab("Systems")
        choice = made.choice(made.eligible(made.add_applicant(), "Systems"), "Systems")
        made.move(choice, "start_review", "shortlist", "rank", as_="leader")
        base = f"/admin/cycles/{made.cycle.slug}/assignment"
    client = made.admin.sign_in()
    token = csrf_token(client, base)
    browsers = [made.admin.sign_in() for _ in range(3)]
    tokens = [csrf_token(browser, base) for browser in browsers]

    def draw(place: int) -> str | None:
        data = {"csrf_token": tokens[place], "seed": "the draw", "after": "0"}
        return browsers[place].post(f"{base}/draft", data=data).location

    assert at_once(draw, 3) == [f"{base}/1"] * 3
    client.post(f"{base}/draft", data={"csrf_token": token, "seed": "another draw"})
    with app.app_context():
        rounds = db.session.scalars(select(AssignmentRound).order_by(AssignmentRound.number))
        assert [(one.number, one.seed) for one in rounds] == [(1, "the draw"), (2, "another draw")]


def test_the_first_cycle_is_made_once_by_clicks_in_the_same_moment(app: Flask) -> None:
    browsers = [desk.client for desk in desks(app, 3)]
    tokens = [csrf_token(browser, "/admin/new-cycle") for browser in browsers]

    def make(place: int) -> str | None:
        return browsers[place].post("/admin/new-cycle", data=FORM | {"csrf_token": tokens[place]}).location

    assert at_once(make, 3) == ["/admin/cycles/fall-2027"] * 3


def test_a_proposal_decided_by_two_at_once_is_decided_once(app: Flask) -> None:
    people = desks(app, 2)
    tokens = [csrf_token(desk.client, EDIT) for desk in people]
    number = ask(app, "about", PROFILE.about, "The page’s text.")

    def decide(place: int) -> int:
        decision = ("accept", "refuse")[place]
        data = {"csrf_token": tokens[place], "proposal": number, "reason": f"To {decision}", "decision": decision}
        return people[place].client.post(f"{CHANGES}/decide", data=data).status_code

    assert at_once(decide, 2) == [302, 302]
    told = [" ".join(one.client.get(CHANGES).text.split()) for one in people]
    # The second is told that it was decided, before or in the same moment.
    late = ["still open, to accept or refuse" in page or "in the same moment" in page for page in told]
    assert sorted(late) == [False, True]
    accepted = people[0].profile().about == "The page’s text."
    assert (people[0].revision_number() == 2) == accepted == (not late[0])


def test_going_back_at_once_makes_one_revision(app: Flask) -> None:
    people = desks(app, 3)
    people[0].saves(about="Second.")
    tokens = [csrf_token(desk.client, EDIT) for desk in people]

    def back(place: int) -> int:
        data = {"csrf_token": tokens[place], "back-base": 2, "back-reason": "Back"}
        return people[place].client.post("/admin/labs/relaxed-lab/history/1/roll-back", data=data).status_code

    statuses = at_once(back, 3)
    assert people[0].profile() == PROFILE
    assert people[0].revision_number() == 3
    # Whoever came later is told, and nothing more is saved.
    assert set(statuses) <= {200, 302}


def test_a_file_and_a_draft_that_are_sent_several_times_at_once_count_once(app: Flask) -> None:
    desk, other = desks(app, 2)
    people = (desk.client, other.client)
    imports, bibtex = "/admin/labs/relaxed-lab/imports", "@misc{x, title={A new thing}, author={Bo Li}, year={2024}}"
    tokens = [csrf_token(client, imports) for client in people]

    def send(number: int) -> int:
        data = {"csrf_token": tokens[number], "text": bibtex}
        return people[number].post(imports, data=data).status_code

    assert set(at_once(send, 2)) == {302}
    with app.app_context():
        number_of_import = db.session.scalars(select(LabProposal.import_id)).one()
    accept = {"decision": "accept all", "reason": "Ours", "all_new": "yes"}

    def decide(number: int) -> int:
        data = {"csrf_token": tokens[number], **accept}
        return people[number].post(f"{imports}/{number_of_import}/decide", data=data).status_code

    assert set(at_once(decide, 2)) == {302}
    assert [work.title for work in desk.profile().works].count("A new thing") == 1
    assert desk.revision_number() == 2

    def make(number: int) -> int:
        data = {"csrf_token": tokens[number], "name": "Quiet Lab"}
        return people[number].post("/admin/new-lab/empty", data=data).status_code

    assert set(at_once(make, 2)) == {302}
    assert desk.revision_number("quiet-lab") == 1

    def publish(number: int) -> int:
        url = "/admin/labs/quiet-lab/publish"
        return people[number].post(url, data={"csrf_token": tokens[number]}).status_code

    assert set(at_once(publish, 2)) == {302}
    with app.app_context():
        published = select(func.count(AuditEntry.id)).where(AuditEntry.act == "lab.publish")
        assert db.session.scalar(published) == 1
        assert db.session.scalar(select(func.count(LabProposal.id))) == 1


def test_every_page_and_act_works(app: Flask) -> None:
    (desk,) = desks(app, 1)
    for url in PAGES:
        assert desk.client.get(url.replace("/people/1", "/people/")).status_code == 200, url
    for query in ("?q=%00%27%25+李", "?sort=questions&order=descending", "?act=lab.save&person=É&about=%25", "?page=7"):
        for url in ("labs/", "people/", "audit", "questions"):
            assert desk.client.get(f"/admin/{url}{query}").status_code == 200, (url, query)
    assert desk.post(EDIT, {"about": "表示 👩‍🔬", "base": 1, "reason": "理由"}).status_code == 302
    assert desk.post(EDIT, {"about": "nul \x00", "base": 2, "reason": "Why"}).status_code == 422
    undo = desk.post("/admin/labs/relaxed-lab/history/2/undo", {"undo-reason": "Back"}, page=EDIT)
    assert undo.status_code == 302
    assert desk.profile() == PROFILE
    assert desk.post("/admin/new-lab/empty", {"name": "Relaxed Lab"}).status_code == 422
