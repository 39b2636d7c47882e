from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event

from portal.db import db
from portal.models import Choice, Conflict, Decision, LabIntake, LabReviewing, MoveRecord
from portal.reviews.board import board_of
from tests.admission import Admission, add_admission
from tests.reviews.cards import POINTS, lock, save, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

BOARD = "/reviews/lab-a/board"
TICKET = re.compile(r'name="choice" value="(\d+\.[^"]+)"')


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        made = add_admission(app)
        made.add_lab("Lab A")
        yield made


def people(admission: Admission, *names: str) -> list[Choice]:
    """Applicants of Lab A whom the leader reviews."""
    found = []
    for name in names:
        application = admission.eligible(admission.add_applicant(name), "Lab A")
        choice = admission.choice(application, "Lab A")
        admission.move(choice, "start_review", as_="leader")
        found.append(choice)
    return found


def columns(admission: Admission, who: str = "leader") -> dict[str, list[str]]:
    person = (admission.leaders if who == "leader" else admission.reviewers)["Lab A"]
    lab = admission.session.get_one(Choice, 1).lab
    board = board_of(db.session(), lab, admission.cycle, admission.user(person))
    return {column.key: [card.shown.label for card in column.cards] for column in board.columns if column.cards}


def post(client: FlaskClient, path: str, **data: object) -> TestResponse:
    return send(client, f"{BOARD}/{path}", data)  # type: ignore[arg-type]  # lists of values as well


def do(client: FlaskClient, move: str, tickets: list[str], **data: str) -> str:
    """Do a bulk move as its preview would; what is said after it."""
    post(client, "do", move=move, choice=tickets, **data)
    return client.get(BOARD).text


def tickets(client: FlaskClient, move: str, choices: list[Choice]) -> list[str]:
    page = post(client, "preview", move=move, choice=[str(choice.id) for choice in choices]).text
    return TICKET.findall(page)


def test_cards_stand_in_columns_and_move_by_their_button(admission: Admission) -> None:
    ada, bo, _ = people(admission, "Ada", "Bo", "Cy")
    client = admission.leaders["Lab A"].sign_in()
    post(client, "move", one=f"shortlist:{ada.id}")
    post(client, "move", one=f"shortlist:{bo.id}")
    post(client, "move", one=f"rank:{bo.id}")
    assert columns(admission) == {"in_review": ["Cy"], "shortlisted": ["Ada"], "ranked": ["Bo"]}
    again = post(client, "move", one=f"rank:{bo.id}")
    assert again.status_code == 302
    assert "1 moved before, and not again." in client.get(BOARD).text
    assert db.session.query(MoveRecord).filter_by(choice_id=bo.id, move="rank").count() == 1
    assert post(client, "move", one=f"accept:{bo.id}").status_code == 404


def test_what_applicants_are_told_of_is_shown_before_it_is_done(admission: Admission) -> None:
    (ada,) = people(admission, "Ada")
    client = admission.leaders["Lab A"].sign_in()
    page = post(client, "move", one=f"decline:{ada.id}")
    assert (page.status_code, ada.state) == (200, "in_review")
    assert TICKET.findall(page.text) != []
    assert "1 applicant moves" in page.text


def test_a_bulk_move_names_who_moves_and_who_does_not_and_does_nothing_twice(admission: Admission) -> None:
    ada, bo, cy = people(admission, "Ada", "Bo", "Cy")
    client = admission.leaders["Lab A"].sign_in()
    admission.move(cy, "decline", as_="leader")
    page = post(client, "preview", move="shortlist", choice=[str(one.id) for one in (ada, bo, cy)]).text
    assert "2 applicants move" in page
    assert "“Shortlist” is not possible now: the choice is “Declined”." in page
    sent = TICKET.findall(page)
    assert "2 applicants: Shortlisted." in do(client, "shortlist", sent)
    admission.move(bo, "take_off_shortlist", as_="leader")
    # The same form once more: nobody moves, neither who is there nor who was taken off since.
    said = do(client, "shortlist", sent)
    assert "1 moved before, and not again." in said
    assert "Bo was not moved. It was moved meanwhile" in said
    assert columns(admission) == {"in_review": ["Bo"], "shortlisted": ["Ada"], "closed": ["Cy"]}


def test_offers_take_the_free_seats_in_the_order_of_preference_and_can_be_taken_back(admission: Admission) -> None:
    ada, bo = people(admission, "Ada", "Bo")
    for choice in (bo, ada):
        admission.move(choice, "shortlist", "rank", as_="leader")
    client = admission.leaders["Lab A"].sign_in()
    send(client, "/reviews/lab-a/settings/intake", {"cycle": admission.cycle.slug, "seats": "1", "open": "yes"})
    page = post(client, "preview", move="offer", choice=[str(ada.id), str(bo.id)]).text
    assert re.findall(r"<h2>(\d applicant \w+)|<strong>(\w+)</strong>", page) == [
        ("1 applicant moves", ""), ("", "Bo"), ("1 applicant does", ""), ("", "Ada"),
    ]  # fmt: skip
    assert "All free seats go to those above." in page
    sent = TICKET.findall(page)
    refused = post(client, "do", move="offer", choice=sent, days="0", message="Welcome.")
    assert (refused.status_code, "Welcome." in refused.text, bo.state) == (422, True, "ranked")
    do(client, "offer", sent, days="10", message="Welcome.")
    staged = db.session.query(Decision).one()
    assert (staged.message, staged.reply_days, staged.released_at) == ("Welcome.", 10, None)
    page = client.get(BOARD).text
    assert "waits for release" in page
    assert f'value="offer:{ada.id}"' not in page  # no seat is free
    post(client, "move", one=f"take_back_offer:{bo.id}")
    assert (bo.state, bo.shown_state) == ("ranked", "in_review")


def test_the_order_is_saved_as_a_whole_and_a_second_leader_notices(admission: Admission) -> None:
    choices = people(admission, "Ada", "Bo", "Cy")
    for choice in choices:
        admission.move(choice, "shortlist", "rank", as_="leader")
    client = admission.leaders["Lab A"].sign_in()
    seen = re.search(r'name="seen" value="([^"]+)"', client.get(BOARD).text)
    assert seen is not None
    ada, _, cy = choices
    post(client, "order", seen=seen[1], shift=f"{cy.id}.up")
    assert columns(admission)["ranked"] == ["Ada", "Cy", "Bo"]
    post(client, "order", seen=seen[1], **{f"place-{ada.id}": "3"})  # the other leader still saw Ada, Bo, Cy
    assert columns(admission)["ranked"] == ["Ada", "Cy", "Bo"]
    assert "The ranking was changed meanwhile" in client.get(BOARD).text
    assert sorted(one.preference or 0 for one in choices) == [1, 2, 3]
    # Whoever is in conflict with the middle one does not see it, and it stays in the middle.
    leader = admission.leaders["Lab A"]
    who = {"reviewer_id": leader.id, "applicant_id": cy.application.applicant_id}
    db.session.add(Conflict(**who, state="declared", changed_at=admission.now))
    db.session.commit()
    page = client.get(BOARD).text
    assert "Cy" not in page
    seen = re.search(r'name="seen" value="([^"]+)"', page)
    assert seen is not None
    post(client, "order", seen=seen[1], **{f"place-{ada.id}": "2"})
    assert [one.preference for one in choices] == [3, 1, 2]


def test_means_show_where_the_own_card_is_locked_and_nowhere_else(admission: Admission) -> None:
    (ada,) = people(admission, "Ada")
    leader, reviewer = admission.leaders["Lab A"].sign_in(), admission.reviewers["Lab A"].sign_in()
    save(reviewer, ada, **POINTS)
    lock(reviewer, ada)
    assert "3.5" in reviewer.get(BOARD).text
    page = leader.get(BOARD).text
    assert "3.5" not in page
    assert "1 card<" in page


def test_a_blind_lab_shows_no_names_on_board_preview_or_messages(admission: Admission) -> None:
    (ada,) = people(admission, "Wanjiru Kamau")
    db.session.add(LabReviewing(lab_id=ada.lab_id, blind_first=True, changed_at=admission.now))
    db.session.commit()
    client = admission.leaders["Lab A"].sign_in()
    pages = [
        client.get(BOARD).text,
        post(client, "preview", move="shortlist", choice=[str(ada.id)]).text,
        do(client, "shortlist", tickets(client, "shortlist", [ada])),
        client.get("/reviews/lab-a/compare").text,
    ]
    assert ada.state == "shortlisted"
    for page in pages:
        assert "Applicant " in page
        assert [word for word in ("Wanjiru", "Kamau") if word in page] == []


def test_a_board_of_many_takes_as_many_statements_as_one_of_few(admission: Admission) -> None:

    people(admission, "Ada", "Bo")
    client = admission.leaders["Lab A"].sign_in()
    statements: list[str] = []

    def count(*args: object) -> None:
        statements.append(str(args[2]))

    event.listen(db.engine, "before_cursor_execute", count)
    client.get(BOARD)
    few = len(statements)
    people(admission, "Cy", "Di", "Ed", "Flo")
    statements.clear()
    client.get(BOARD)
    event.remove(db.engine, "before_cursor_execute", count)
    assert len(statements) == few


def test_nobody_on_the_board_is_said(admission: Admission) -> None:
    assert "Nobody on the board yet" in admission.leaders["Lab A"].sign_in().get(BOARD).text


def test_seats_are_the_leaders_and_are_kept_with_the_applications_switch(admission: Admission) -> None:
    people(admission, "Ada")
    client = admission.leaders["Lab A"].sign_in()
    intake = "/reviews/lab-a/settings/intake"
    assert send(client, intake, {"cycle": admission.cycle.slug, "seats": "two"}).status_code == 422
    send(client, intake, {"cycle": admission.cycle.slug, "seats": "2"})
    row = db.session.query(LabIntake).one()
    assert (row.seats, row.open) == (2, False)
    send(client, intake, {"cycle": admission.cycle.slug, "seats": "", "open": "yes"})
    assert (row.seats, row.open) == (None, True)
