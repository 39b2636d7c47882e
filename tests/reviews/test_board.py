"""Of long columns of the board a part is shown; counts, moves and the order are those of the whole."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.models import Choice, Conflict, Decision, LabIntake, LabProfessor, LabReviewing, MoveRecord, Notification
from portal.reviews.board import placed, seen_order
from tests.admission import Admission, add_admission
from tests.people import add_person
from tests.reviews.cards import POINTS, lock, save, send
from tests.reviews.desk import TICKET, Desk, new_desk
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.models import Application
    from tests.people import Person
    from tests.reviews.desk import Desk


def test_cards_stand_in_columns_and_move_by_their_button(desk: Desk) -> None:
    ada, bo, _ = desk.people("Ada", "Bo", "Cy")
    client = desk.leader.sign_in()
    desk.post(client, "move", one=f"shortlist:{ada.id}")
    desk.post(client, "move", one=f"shortlist:{bo.id}")
    desk.post(client, "move", one=f"rank:{bo.id}")
    assert desk.columns() == {"in_review": ["Cy"], "shortlisted": ["Ada"], "ranked": ["Bo"]}
    again = desk.post(client, "move", one=f"rank:{bo.id}")
    assert again.status_code == 302
    assert "Bo: Put at the end of your ranking." in client.get(desk.board).text
    assert db.session.query(MoveRecord).filter_by(choice_id=bo.id, move="rank").count() == 1
    assert desk.post(client, "move", one=f"accept:{bo.id}").status_code == 404


def test_what_applicants_are_told_of_is_shown_before_it_is_done(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    client = desk.leader.sign_in()
    page = desk.post(client, "move", one=f"decline:{ada.id}")
    assert (page.status_code, ada.state) == (200, "in_review")
    assert TICKET.findall(page.text) != []
    assert "1 applicant moves" in page.text


def test_a_bulk_move_names_who_moves_and_who_does_not_and_does_nothing_twice(desk: Desk) -> None:
    ada, bo, cy = desk.people("Ada", "Bo", "Cy")
    client = desk.leader.sign_in()
    desk.admission.move(cy, "decline", as_="leader")
    page = desk.post(client, "preview", move="shortlist", choice=[str(one.id) for one in (ada, bo, cy)]).text
    assert "2 applicants move" in page
    assert "1 applicant does not move" in page
    assert "“Shortlist” is not possible now: the choice is “Declined”." in page
    assert 'data-select-all="board-in_review"' in client.get(desk.board).text
    sent = TICKET.findall(page)
    assert "2 applicants: Shortlisted." in desk.do(client, "shortlist", sent)
    desk.admission.move(bo, "take_off_shortlist", as_="leader")
    # The same form once more: nobody moves, neither who is there nor who was taken off since.
    said = desk.do(client, "shortlist", sent)
    assert "1 moved before, and not again." in said
    assert "Bo was not moved. It was moved meanwhile" in said
    assert desk.columns() == {"in_review": ["Bo"], "shortlisted": ["Ada"], "closed": ["Cy"]}


def test_offers_take_the_free_seats_in_the_order_of_preference_and_can_be_taken_back(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    for choice in (bo, ada):
        desk.admission.move(choice, "shortlist", "rank", as_="leader")
    client = desk.leader.sign_in()
    send(client, f"{desk.address}/settings/intake", {"cycle": desk.admission.cycle.slug, "seats": "1", "open": "yes"})
    page = desk.post(client, "preview", move="offer", choice=[str(ada.id), str(bo.id)]).text
    assert re.findall(r"<h2>(\d applicant \w+)|<strong>(\w+)</strong>", page) == [
        ("1 applicant moves", ""), ("", "Bo"), ("1 applicant does", ""), ("", "Ada"),
    ]  # fmt: skip
    assert "All free seats go to those above." in page
    sent = TICKET.findall(page)
    refused = desk.post(client, "do", move="offer", choice=sent, days="0", message="Welcome.")
    assert (refused.status_code, "Welcome." in refused.text, bo.state) == (422, True, "ranked")
    desk.do(client, "offer", sent, days="10", message="Welcome.")
    staged = db.session.query(Decision).filter_by(choice_id=bo.id).one()
    assert (staged.message, staged.reply_days, staged.released_at) == ("Welcome.", 10, None)
    page = client.get(desk.board).text
    assert "waits for release" in page
    assert '<td data-label="Reply"><span class="quiet">waits for release</span>' in client.get(f"{desk.address}/").text
    assert f'value="offer:{ada.id}"' not in page  # no seat is free
    desk.post(client, "move", one=f"take_back_offer:{bo.id}")
    assert (bo.state, bo.shown_state) == ("ranked", "in_review")


def test_the_order_is_saved_as_a_whole_and_a_second_leader_notices(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo", "Cyrus")
    for choice in choices:
        desk.admission.move(choice, "shortlist", "rank", as_="leader")
    client = desk.leader.sign_in()
    seen = re.search(r'name="seen" value="([^"]+)"', client.get(desk.board).text)
    assert seen is not None
    ada, _, cy = choices
    desk.post(client, "order", seen=seen[1], **{f"place-{cy.id}": "2"})
    assert desk.columns()["ranked"] == ["Ada", "Cyrus", "Bo"]
    desk.post(client, "order", seen=seen[1], **{f"place-{ada.id}": "3"})  # the other leader still saw Ada, Bo, Cyrus
    assert desk.columns()["ranked"] == ["Ada", "Cyrus", "Bo"]
    assert "The ranking was changed meanwhile" in client.get(desk.board).text
    assert sorted(one.preference or 0 for one in choices) == [1, 2, 3]
    # Whoever is in conflict with the middle one does not see it, and it stays in the middle.
    leader = desk.leader
    who = {"reviewer_id": leader.id, "applicant_id": cy.application.applicant_id}
    db.session.add(Conflict(**who, state="declared", changed_at=desk.admission.now))
    db.session.commit()
    page = client.get(desk.board).text
    assert "Cyrus" not in page
    seen = re.search(r'name="seen" value="([^"]+)"', page)
    assert seen is not None
    desk.post(client, "order", seen=seen[1], **{f"place-{ada.id}": "2"})
    assert [one.preference for one in choices] == [3, 1, 2]


def test_means_show_where_the_own_card_is_locked_and_nowhere_else(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    leader, reviewer = desk.leader.sign_in(), desk.reviewer.sign_in()
    save(reviewer, ada, **POINTS)
    lock(reviewer, ada)
    assert "3.5" in reviewer.get(desk.board).text
    page = leader.get(desk.board).text
    assert "3.5" not in page
    assert "1 card<" in page


def test_a_blind_lab_shows_no_names_on_board_preview_or_messages(desk: Desk) -> None:
    (ada,) = desk.people("Wanjiru Kamau")
    db.session.add(LabReviewing(lab_id=ada.lab_id, blind_first=True, changed_at=desk.admission.now))
    db.session.commit()
    client = desk.leader.sign_in()
    pages = [
        client.get(desk.board).text,
        desk.post(client, "preview", move="shortlist", choice=[str(ada.id)]).text,
        desk.do(client, "shortlist", desk.tickets(client, "shortlist", [ada])),
    ]
    assert ada.state == "shortlisted"
    for page in pages:
        assert "Applicant " in page
        assert [word for word in ("Wanjiru", "Kamau") if word in page] == []


def test_a_board_of_many_takes_as_many_statements_as_one_of_few(desk: Desk) -> None:
    desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    with statements_sent(desk.admission.app) as few:
        client.get(desk.board)
    desk.people("Cy", "Di", "Ed", "Flo")
    with statements_sent(desk.admission.app) as many:
        client.get(desk.board)
    assert len(many) == len(few)


@pytest.mark.parametrize("move", ["shortlist", "decline"])
def test_a_bulk_move_of_many_takes_as_many_statements_as_one_of_few(desk: Desk, move: str) -> None:
    """SQLite adds rows one by one where their ids are asked for, so that adding them is left out of the count."""
    client = desk.leader.sign_in()

    def taken_by(names: str) -> tuple[int, int]:
        ids = [str(choice.id) for choice in desk.people(*names)]
        with statements_sent(desk.admission.app) as looked:
            page = desk.post(client, "preview", move=move, choice=ids).text
        with statements_sent(desk.admission.app) as done:
            desk.post(client, "do", move=move, choice=TICKET.findall(page))
        moved = db.session.query(MoveRecord).filter(MoveRecord.choice_id.in_(ids), MoveRecord.move == move)
        assert moved.count() == len(ids)
        return len(looked), sum(not statement.startswith("INSERT") for statement in done)

    assert taken_by("AB") == taken_by("CDEFGHI")


def test_who_is_invited_by_two_labs_in_bulk_moves_is_told_of_both(desk: Desk) -> None:
    """Each invitation has a name of its own, after the record of its move, and so is told to its applicant."""
    other = new_desk(desk.admission)
    applications = [desk.admission.eligible(desk.admission.add_applicant(), desk.name, other.name) for _ in range(2)]
    for lab in (desk, other):
        choices = [desk.admission.choice(application, lab.name) for application in applications]
        for choice in choices:
            desk.admission.move(choice, "start_review", "shortlist", as_="leader")
        client = lab.leader.sign_in()
        lab.do(client, "invite_to_interview", lab.tickets(client, "invite_to_interview", choices))
    for application in applications:
        invited = Notification.kind == "interview_invited", Notification.user_id == application.applicant_id
        news = db.session.scalars(select(Notification).where(*invited).order_by(Notification.id)).all()
        records = select(MoveRecord.id).where(
            MoveRecord.application_id == application.id, MoveRecord.move == "invite_to_interview"
        )
        numbers = db.session.scalars(records.order_by(MoveRecord.id)).all()
        assert [one.text.partition(" would")[0] for one in news] == [desk.name, other.name]
        assert [one.dedupe_key for one in news] == [f"application:{application.id}:move:{number}" for number in numbers]


def test_nobody_on_the_board_is_said(desk: Desk) -> None:
    assert "Nobody on the board yet" in desk.leader.sign_in().get(desk.board).text


def test_seats_are_the_leaders_and_are_kept_with_the_applications_switch(desk: Desk) -> None:
    desk.people("Ada")
    client = desk.leader.sign_in()
    intake = f"{desk.address}/settings/intake"
    refused = send(client, intake, {"cycle": desk.admission.cycle.slug, "seats": "two"})
    assert (refused.status_code, 'aria-describedby="seats-help seats-error"' in refused.text) == (422, True)
    assert not re.search(r'name="open" value="yes" checked', refused.text)
    send(client, intake, {"cycle": desk.admission.cycle.slug, "seats": "2"})
    row = db.session.query(LabIntake).filter_by(lab_id=desk.admission.labs[desk.name]).one()
    assert (row.seats, row.open) == (2, False)
    send(client, intake, {"cycle": desk.admission.cycle.slug, "seats": "", "open": "yes"})
    assert (row.seats, row.open) == (None, True)


def test_a_long_column_shows_a_part_and_counts_and_moves_the_whole(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.reviews.board.CARDS_AT_ONCE", 2)
    people = desk.people("Ada", "Bo", "Cy", "Di", "Ed")
    client = desk.leader.sign_in()

    def shown(page: str) -> list[int]:
        return [place for place, one in enumerate(people, start=1) if f'id="card-{one.id}"' in page]

    first = client.get(desk.board).text
    assert len(shown(first)) == 2
    assert '<span class="board-count">5</span>' in first
    assert f'href="/reviews/{desk.board.split("/")[2]}/?cycle={desk.admission.cycle.slug}&amp;state=in_review"' in first
    # A card that is not shown is moved, and one comes back to where it stands then.
    hidden = next(one for place, one in enumerate(people, start=1) if place not in shown(first))
    answer = desk.post(client, "move", one=f"shortlist:{hidden.id}")
    assert f'id="card-{hidden.id}"' in client.get(answer.location).text
    # The ranking is shown as a whole.
    for move in ("shortlist", "rank"):
        desk.do(client, move, desk.tickets(client, move, people))
    assert shown(client.get(desk.board).text) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ({}, [1, 2, 3, 4]),
        ({4: 1}, [4, 1, 2, 3]),
        ({1: 3}, [2, 3, 1, 4]),
        ({1: 99, 4: -5}, [4, 2, 3, 1]),
        ({1: 2, 2: 1}, [2, 1, 3, 4]),
        ({3: 1, 4: 1}, [4, 3, 1, 2]),
        ({7: 1}, [1, 2, 3, 4]),
    ],
)
def test_a_number_puts_a_choice_at_that_place(places: dict[int, int], order: list[int]) -> None:
    assert placed([1, 2, 3, 4], {1: 1, 2: 2, 3: 3, 4: 4} | places) == order


def test_another_order_is_another_fingerprint() -> None:
    assert len({seen_order([1, 2]), seen_order([2, 1]), seen_order([12]), seen_order([])}) == 4


def test_the_queue_and_its_file_give_the_places_of_the_board_although_stored_ones_have_gaps(desk: Desk) -> None:
    choices = desk.people("Ada Quetzal", "Bo Quetzal", "Cy Quetzal")
    for choice in choices:
        desk.admission.move(choice, "shortlist", "rank", as_="leader")
    desk.admission.one_move(choices[0], "take_off_ranking", "leader")
    client = desk.leader.sign_in()
    assert [choice.preference for choice in choices] == [None, 2, 3]
    page = client.get(f"{desk.address}/?sort=preference").text
    shown = re.findall(r">(\w+) Quetzal</a>.*?data-label=\"State\">(.*?)</td>", page, re.DOTALL)
    assert [(name, re.sub(r"<[^>]+>", "", state)) for name, state in shown] == [
        ("Bo", "Ranked 1st"),
        ("Cy", "Ranked 2nd"),
        ("Ada", "Shortlisted"),
    ]
    rows = csv.reader(io.StringIO(client.get(f"{desk.address}/applicants.csv?sort=preference").text))
    assert [row[8] for row in rows] == ["Our order", "1", "2", ""]


NOW = datetime.now(UTC).replace(microsecond=0)
LABS = ("Systems", "Vision")


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        made = add_admission(app, now=NOW - timedelta(days=40), deadline_in=timedelta(days=30))
        for lab in LABS:
            made.add_lab(lab)
        yield made


@pytest.fixture
def rita(admission: Admission) -> Person:
    """She reads for both labs."""
    rita = add_person(admission.app, "professor", name="Rita Reader")
    seats = [LabProfessor(lab_id=admission.labs[lab], user_id=rita.id, position="reviewer") for lab in LABS]
    admission.session.add_all(seats)
    admission.session.commit()
    return rita


def left_behind(admission: Admission, application: Application, rita: Person) -> list[list[str]]:
    """The labs in the order of the numbers of choices, of the news, and of the moves that followed from a move."""
    session, names = admission.session, {number: name for name, number in admission.labs.items()}
    rows = session.scalars(select(Choice).where(Choice.application_id == application.id).order_by(Choice.id)).all()
    of_choice = {choice.id: names[choice.lab_id] for choice in rows}
    news = select(Notification.path).where(Notification.user_id == rita.id).order_by(Notification.id)
    told = [int(path.rpartition("/")[2]) for path in session.scalars(news)]
    closed = select(MoveRecord.choice_id).where(MoveRecord.move == "close").order_by(MoveRecord.id)
    ended = [number for number in session.scalars(closed) if number in of_choice]
    return [
        list(of_choice.values()),
        [of_choice[number] for number in told if number in of_choice],
        [of_choice[number] for number in ended if number],
    ]


def test_what_labs_see_of_an_application_does_not_depend_on_its_order(admission: Admission, rita: Person) -> None:
    found = []
    for order in (LABS, LABS[::-1]):
        application = admission.eligible(admission.add_applicant(), *order)
        assert [choice.lab_id for choice in application.choices] == [admission.labs[lab] for lab in order]
        admission.one_move(application, "withdraw", "applicant")
        found.append(left_behind(admission, application, rita))
    assert found[0] == found[1] == [list(LABS)] * 3
