"""A move of many is taken back as a whole: who is still where it brought them, and nobody else."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from portal.applications.states import move_named
from portal.db import db
from portal.models import AuditEntry, Conflict, Cycle, Lab, LabReviewing, MoveRecord, User
from portal.reviews.moves.service import UNDOES, undo_all, undoing_move
from tests.people import csrf_token
from tests.reviews.cards import send
from tests.reviews.desk import TICKET, Desk, new_desk

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from portal.models import Choice


UNDO = re.compile(r'<form method="post" action="([^"]+/board/undo)"[^>]*>(.*?)</form>', re.DOTALL)
FIELD = re.compile(r'name="([^"]+)" value="([^"]*)"')


def undo_form(page: str) -> dict[str, str]:
    """What the undo button of a page sends; fails where there is none."""
    found = UNDO.search(page)
    assert found is not None, "no undo"
    return {name: unescape(value) for name, value in FIELD.findall(found[2]) if name != "csrf_token"}


def do(desk: Desk, client: FlaskClient, name: str, choices: list[Choice], **data: str) -> str:
    """Do a bulk move by its preview; the page after it."""
    return desk.do(client, name, desk.tickets(client, name, choices), **data)


def undo(desk: Desk, client: FlaskClient, form: dict[str, str]) -> str:
    """Press undo; the page after it as text."""
    assert desk.post(client, "undo", **form).status_code == 302
    return unescape(client.get(desk.board).text)


def test_a_move_of_many_is_taken_back_as_a_whole_through_the_one_door(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo", "Cy")
    client = desk.leader.sign_in()
    page = do(desk, client, "shortlist", choices[:2])
    assert "2 applicants: Shortlisted." in page
    said = undo(desk, client, undo_form(page))
    assert "2 applicants: Taken off the shortlist." in said
    assert desk.columns() == {"in_review": ["Ada", "Bo", "Cy"]}
    record = db.session.query(MoveRecord).filter_by(choice_id=choices[0].id).order_by(MoveRecord.id.desc()).first()
    assert record is not None
    assert (record.move, record.actor_id, record.actor_role) == ("take_off_shortlist", desk.leader.id, "leader")
    key = f"{choices[0].application_id}/{choices[0].lab_id}"
    acts = [entry.act for entry in db.session.query(AuditEntry).filter_by(object_key=key).order_by(AuditEntry.id)]
    assert acts[-2:] == ["choice.shortlist", "choice.take_off_shortlist"]
    # And once more, the other way.
    assert "2 applicants: Shortlisted." in undo(desk, client, undo_form(said))


def test_who_was_moved_since_stays_and_is_named_with_the_reason(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo", "Cy", "Di", "Ed")
    ada, bo, cy, di, ed = choices
    client = desk.leader.sign_in()
    form = undo_form(do(desk, client, "shortlist", choices))
    desk.admission.move(bo, "rank", as_="leader")
    desk.admission.move(cy, "rank", as_="leader")
    desk.admission.move(di, "take_off_shortlist", "shortlist", as_="reviewer")  # shortlisted, but by somebody else
    who = {"reviewer_id": desk.leader.id, "applicant_id": ed.application.applicant_id}
    db.session.add(Conflict(**who, state="declared", changed_at=desk.admission.now))
    db.session.commit()
    said = undo(desk, client, form)
    assert "Ada: Taken off the shortlist." in said
    assert "Bo and Cy were not taken back. It was moved meanwhile: it is “Ranked” now." in said
    assert "Di was not taken back. It was moved meanwhile: it is “Shortlisted” now." in said
    assert "1 applicant is not open to you any more" in said
    assert "Ed" not in re.findall(r"\w+", said)
    assert [choice.state for choice in choices] == ["in_review", "ranked", "ranked", "shortlisted", "shortlisted"]
    assert ada.preference is None


def test_of_one_who_withdrew_before_the_move_it_is_said_that_they_were_not_moved(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    sent = desk.tickets(client, "shortlist", [ada, bo])
    desk.admission.move(bo.application, "withdraw", as_="applicant")
    page = desk.do(client, "shortlist", sent)
    assert "Ada: Shortlisted." in page
    assert "1 applicant is not open to you any more, as after a withdrawal, and not moved." in page


def test_undo_of_one_leads_to_the_card(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    client = desk.leader.sign_in()
    back = desk.post(client, "undo", **undo_form(do(desk, client, "shortlist", [ada])))
    assert back.location.endswith(f"card={ada.id}#card-{ada.id}")


def test_what_became_of_the_move_of_one_is_said_on_its_card_with_the_undo_outside_of_the_form_of_the_board(
    desk: Desk,
) -> None:
    ada, bo = desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    moved = desk.post(client, "do", move="shortlist", choice=desk.tickets(client, "shortlist", [ada]))
    page = client.get(moved.location).text
    cards = dict(
        re.findall(r'<li class="board-card" id="card-(\d+)"(.*?)</li>\s*(?=<li class="board|</ol>)', page, re.DOTALL)
    )
    assert "Ada: Shortlisted." in cards[str(ada.id)]
    assert "Shortlisted." not in cards[str(bo.id)]
    assert page.count("Ada: Shortlisted.") == 1
    button = re.search(r'type="submit" form="([^"]+)">Undo<', cards[str(ada.id)])
    assert button is not None
    before = page.split('<form id="board-form"')[0]
    assert re.search(rf'<form method="post" action="[^"]+/board/undo" id="{button[1]}">', before)
    assert desk.post(client, "undo", **undo_form(page)).status_code == 302
    assert ada.state == "in_review"


def test_undo_pressed_twice_takes_back_once_and_says_so(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    form = undo_form(do(desk, client, "shortlist", choices))
    undo(desk, client, form)
    assert "2 taken back before, and not again." in undo(desk, client, form)
    assert db.session.query(MoveRecord).filter_by(choice_id=choices[0].id, move="take_off_shortlist").count() == 1


def test_a_move_sent_twice_still_offers_to_undo_it(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    sent = desk.tickets(client, "shortlist", choices)
    desk.post(client, "do", move="shortlist", choice=sent)
    # The browser gave up on the first answer and what it said.
    client.get(desk.board)
    page = desk.do(client, "shortlist", sent)
    assert "2 moved before, and not again." in page
    assert "2 applicants: Taken off the shortlist." in undo(desk, client, undo_form(page))


def test_where_somebody_else_moved_them_there_is_nothing_of_mine_to_undo(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    client = desk.leader.sign_in()
    sent = desk.tickets(client, "shortlist", [ada])
    desk.admission.move(ada, "shortlist", as_="reviewer")
    page = desk.do(client, "shortlist", sent)
    assert "1 moved before, and not again." in page
    assert UNDO.search(page) is None


def test_decisions_are_taken_back_until_they_are_released(desk: Desk) -> None:
    ada, bo, cy = choices = desk.people("Ada", "Bo", "Cy")
    desk.admission.move(cy, "shortlist", as_="leader")
    client = desk.leader.sign_in()
    preview = unescape(desk.post(client, "preview", move="decline", choice=[str(choice.id) for choice in choices]).text)
    assert "You can undo this until the decision is released." in preview
    form = undo_form(do(desk, client, "decline", choices, message="No place this year."))
    desk.admission.move(bo, "release", as_="admin")
    said = undo(desk, client, form)
    assert "2 applicants: The decline is taken back" in said
    assert "Bo was not taken back. No decision is waiting here: it has been released already." in said
    assert [(choice.state, choice.shown_state) for choice in choices] == [
        ("in_review", "in_review"), ("declined", "declined"), ("shortlisted", "in_review"),
    ]  # fmt: skip
    assert ada.preference is None


def test_a_decline_of_many_that_is_undone_gives_each_their_place_in_the_order_back(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo", "Cy", "Di")
    ranking = [choices[place] for place in (2, 0, 3, 1)]
    for choice in ranking:
        desk.admission.move(choice, "shortlist", "rank", as_="leader")
    client = desk.leader.sign_in()
    form = undo_form(do(desk, client, "decline", [choices[0], choices[1], choices[2]], message="Not those."))
    assert [choice.preference for choice in ranking] == [None, None, 3, None]
    undo(desk, client, form)
    assert [choice.preference for choice in ranking] == [1, 2, 3, 4]


def test_undo_of_one_says_where_they_are_now(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    desk.admission.move(ada, "shortlist", "invite_to_interview", "mark_interviewed", as_="leader")
    client = desk.leader.sign_in()
    said = undo(desk, client, undo_form(do(desk, client, "decline", [ada], message="Sorry.")))
    assert "Ada: The decline is taken back before anybody outside saw it." in said
    assert desk.columns() == {"interviewed": ["Ada"]}


def test_the_button_of_a_card_that_takes_back_leads_to_the_column_before(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    desk.admission.move(ada, "shortlist", "invite_to_interview", "mark_interviewed", "decline", as_="leader")
    desk.admission.move(bo, "decline", as_="leader")
    page = desk.leader.sign_in().get(desk.board).text
    leads = {}
    for number, column in re.findall(r'value="take_back_decline:(\d+)" data-to="(\w+)"', page):
        leads[int(number)] = column
    assert leads == {ada.id: "interviewed", bo.id: "in_review"}


@pytest.mark.parametrize("name", sorted(UNDOES))
def test_each_way_back_starts_where_its_move_ends_and_whoever_may_make_the_one_may_make_the_other(name: str) -> None:
    one, back = move_named("choice", name), move_named("choice", UNDOES[name])
    assert one.targets <= back.sources
    assert back.targets <= one.sources
    assert {"reviewer", "leader"} & set(one.actors) == {"reviewer", "leader"} & set(back.actors)
    assert one.shown != "at once"


def test_before_a_move_without_a_way_back_the_preview_says_so_and_none_is_offered(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo")
    desk.admission.move(choices[0], "shortlist", as_="leader")
    desk.admission.move(choices[1], "decline", as_="leader")
    client = desk.leader.sign_in()
    for name, one, why, done in (
        (
            "invite_to_interview",
            choices[0],
            "This cannot be undone: applicants are told at once.",
            "Invited to an interview;",
        ),
        ("take_back_decline", choices[1], "This cannot be undone by a button", "The decline is taken back"),
    ):
        assert why in desk.post(client, "preview", move=name, choice=[str(one.id)]).text
        page = do(desk, client, name, [one])
        assert done in page
        assert UNDO.search(page) is None


def test_only_who_made_a_move_in_this_lab_and_cycle_undoes_it_and_with_a_token(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    client, reviewer = desk.leader.sign_in(), desk.reviewer.sign_in()
    form = undo_form(do(desk, client, "shortlist", [ada]))
    assert client.post(f"{desk.board}/undo", data=form).status_code == 400
    assert desk.post(reviewer, "undo", **form).status_code == 404
    other = new_desk(desk.admission)
    assert send(client, f"{other.board}/undo", form).status_code == 403
    assert send(other.leader.sign_in(), f"{other.board}/undo", form).status_code == 404
    for wrong in ({"at": "yesterday"}, {"at": "2026-01-01T00:00:00"}, {"move": "invite_to_interview"}, {"move": "x"}):
        assert desk.post(client, "undo", **(form | wrong)).status_code == 404
    assert ada.state == "shortlisted"
    assert csrf_token(client, desk.board)


def test_an_earlier_move_of_the_same_kind_stays(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    do(desk, client, "shortlist", [ada])
    later = undo_form(do(desk, client, "shortlist", [bo]))
    assert "Bo: Taken off the shortlist." in undo(desk, client, later)
    assert desk.columns() == {"in_review": ["Bo"], "shortlisted": ["Ada"]}


def test_what_was_done_elsewhere_or_otherwise_at_that_time_is_none_of_this_move(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    do(desk, desk.leader.sign_in(), "shortlist", [ada])
    session = db.session()
    record = session.query(MoveRecord).filter_by(choice_id=ada.id, move="shortlist").one()
    leader, lab, cycle = session.get_one(User, desk.leader.id), ada.lab, ada.application.cycle
    other_lab = session.query(Lab).filter(Lab.id != lab.id).first()
    assert other_lab is not None
    asked = [
        (other_lab, cycle, "shortlist"),
        (lab, Cycle(id=cycle.id + 1), "shortlist"),
        (lab, cycle, "decline"),
    ]
    for of_lab, of_cycle, name in asked:
        assert undoing_move(move_named("choice", name)) is not None
        assert undo_all(session, of_lab, of_cycle, leader, move_named("choice", name), record.at, now=record.at) is None


def test_a_blind_lab_names_nobody_whom_undo_leaves(desk: Desk) -> None:
    choices = desk.people("Wanjiru Kamau", "Aroha Ngata")
    db.session.add(LabReviewing(lab_id=choices[0].lab_id, blind_first=True, changed_at=desk.admission.now))
    db.session.commit()
    client = desk.leader.sign_in()
    form = undo_form(do(desk, client, "shortlist", choices))
    desk.admission.move(choices[0], "rank", as_="leader")
    said = undo(desk, client, form)
    assert re.search(r"Applicant \S+ was not taken back\.", said)
    assert [word for word in ("Wanjiru", "Kamau", "Aroha", "Ngata") if word in said] == []


def test_who_were_ticked_in_the_queue_are_taken_back_there(desk: Desk) -> None:
    choices = desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    sent = desk.tickets(client, "shortlist", choices)
    answer = desk.post(client, "do", move="shortlist", choice=sent, queue="sort=reply")
    page = client.get(answer.headers["Location"]).text
    back = desk.post(client, "undo", **undo_form(page))
    assert back.headers["Location"].startswith(f"{desk.address}/?")
    assert "sort=reply" in back.headers["Location"]


def test_who_is_ticked_in_the_list_is_moved_and_the_list_shown_again_as_it_was(desk: Desk) -> None:
    ada, bo, cy = desk.people("Ada", "Bo", "Cy")
    client, slug = desk.leader.sign_in(), desk.admission.cycle.slug
    shown = client.get(f"{desk.address}/?state=in_review&sort=newest").text
    assert [f'name="choice" value="{one.id}" aria-label="Tick' in shown for one in (ada, bo, cy)] == [True] * 3
    assert f'name="queue" value="cycle={slug}&amp;state=in_review&amp;sort=newest"' in shown
    left = {"queue": f"cycle={slug}&state=in_review&sort=newest", "cycle": slug}
    back = f"{desk.address}/?cycle={slug}&state=in_review&sort=newest"
    page = desk.post(client, "preview", move="shortlist", choice=[str(ada.id), str(cy.id)], **left).text
    assert f'href="{back.replace("&", "&amp;")}">Back to the list</a>' in page
    done = desk.post(client, "do", move="shortlist", choice=TICKET.findall(page), **left)
    assert (done.status_code, done.location) == (302, back)
    assert desk.columns() == {"in_review": ["Bo"], "shortlisted": ["Ada", "Cy"]}


def test_nothing_chosen_leads_back_to_the_list_and_no_list_to_the_board(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    client, slug = desk.leader.sign_in(), desk.admission.cycle.slug
    ticked = {"cycle": slug, "choice": [str(ada.id)]}
    assert desk.post(client, "preview", queue="page=3", **ticked).location == f"{desk.address}/?cycle={slug}&page=3"
    for strange in ("", "//example.org/", "page"):
        assert desk.post(client, "preview", queue=strange, **ticked).location == f"{desk.board}?cycle={slug}"
    tagged = desk.post(client, "preview", queue="tag=Waits+for+funding&reviewer=3", **ticked).location
    assert tagged == f"{desk.address}/?cycle={slug}&reviewer=3&tag=Waits+for+funding"


def test_no_time_that_is_sent_breaks_what_takes_back(desk: Desk) -> None:
    desk.people("Ada")
    client = desk.leader.sign_in()
    for at in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-12-01", "x"):
        assert desk.post(client, "undo", move="shortlist", at=at).status_code == 404


def test_a_reviewer_ticks_as_well_and_is_offered_the_moves_of_a_reviewer(desk: Desk) -> None:
    desk.people("Ada")
    shown = desk.reviewer.sign_in().get(f"{desk.address}/").text
    assert ('<option value="shortlist">' in shown, '<option value="decline">' in shown) == (True, False)


def test_only_moves_of_somebody_in_the_list_are_offered(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    client, slug = desk.leader.sign_in(), desk.admission.cycle.slug
    desk.admission.move(bo, "shortlist", as_="reviewer")

    def offered(address: str) -> set[str]:
        select = client.get(address).text.partition('id="bulk-move"')[2].partition("</select>")[0]
        return set(re.findall(r'<option value="(\w+)">', select))

    in_review, of_shortlist = {"shortlist", "decline"}, {"take_off_shortlist", "invite_to_interview", "rank"}
    for address in (f"{desk.address}/", f"{desk.board}?cycle={slug}"):
        assert (in_review | of_shortlist <= offered(address), "mark_interviewed" in offered(address)) == (True, False)
    assert offered(f"{desk.address}/?state={ada.state}") == in_review
