"""The pages of an application in every state: what they say, what they offer, what they refuse, what they keep back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import Cycle
from tests.admission import Admission, add_admission
from tests.applications.admission_pages import LABS, RANKED, main_text, pages_of, past_admission, with_labs
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.models import Application, Choice

MARKER = "Zebrafinch says nobody may read this yet."


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle that is open for thirty days."""
    with app.app_context():
        yield with_labs(add_admission(app))


@pytest.fixture
def past(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        yield past_admission(app)


def test_every_state_of_an_application_offers_what_can_be_done(admission: Admission) -> None:
    ways: dict[str, tuple[tuple[tuple[str, str], ...], set[str]]] = {
        "draft": ((), {"Save the draft", "Check and submit", "Submit to 2 labs"}),
        "submitted": (
            (("submit", "applicant"),),
            {"Edit the application", "Withdraw the application", "See your receipt"},
        ),
        "edited again": (
            (("submit", "applicant"), ("edit", "applicant")),
            {
                "Save the draft",
                "Check and submit",
                "Submit to 2 labs",
                "Keep what I submitted",
                "Withdraw the application",
            },
        ),
        "incomplete": (
            (("submit", "applicant"), ("ask_for_more", "admin")),
            {"Save the draft", "Submit again", "Withdraw the application"},
        ),
        "eligible": (
            (("submit", "applicant"), ("mark_eligible", "admin")),
            {"Withdraw the application", "See your receipt"},
        ),
        "ineligible": ((("submit", "applicant"), ("mark_ineligible", "admin")), {"See your receipt"}),
        "withdrawn": ((("submit", "applicant"), ("withdraw", "applicant")), {"See your receipt"}),
        "closed": ((("submit", "applicant"), ("mark_eligible", "admin"), ("close", "clock")), {"See your receipt"}),
    }
    everything = set().union(*(offered for _way, offered in ways.values()))
    start = admission.now
    for name, (way, offered) in ways.items():
        admission.now = start
        person = admission.add_applicant()
        application = admission.draft(person, *LABS)
        for move, as_ in way:
            if move.startswith("mark_"):
                admission.after_deadline()
            admission.one_move(application, move, as_, message="The transcript is missing." if as_ == "admin" else "")
        text = main_text(pages_of(person, admission).read())
        assert {one for one in everything if one in text} == offered, name
        assert ("The transcript is missing." in text) == (name in {"incomplete", "ineligible"}), name
        assert "Systems" in text


def test_every_shown_state_of_a_choice_says_where_it_stands(past: Admission) -> None:
    cases: tuple[tuple[tuple[str, ...], str, str, str], ...] = (
        ((), "", "", "Waiting for review"),
        (("start_review", "shortlist"), "", "", "In review"),
        (("start_review", "shortlist", "invite_to_interview"), "", "", "Invited to an interview"),
        (("start_review", "shortlist", "invite_to_interview", "mark_interviewed"), "", "", "Interviewed"),
        ((*RANKED, "waitlist"), "release", "", "On the waitlist"),
        ((*RANKED, "decline"), "release", "", "Declined"),
        ((*RANKED, "offer"), "release", "", "An offer for you"),
        ((*RANKED, "offer"), "release", "accept", "Accepted"),
        ((*RANKED, "offer"), "release", "decline_offer", "Offer declined"),
    )
    for way, release, answer, label in cases:
        person = past.add_applicant()
        application = past.eligible(person, *LABS)
        choice = past.choice(application, "Systems")
        past.move(choice, *way, as_="leader", message=MARKER)
        if release:
            past.one_move(choice, release, "admin")
        if answer:
            past.one_move(choice, answer, "applicant")
        text = main_text(pages_of(person, past).read())
        assert f"Systems {label} since" in text, label
        assert (MARKER in text) == (bool(release) or "invite_to_interview" in way), label
        assert ("Accept the offer of Systems" in text) == (label == "An offer for you"), label


def test_the_overview_of_who_has_replies_says_how_they_ended_and_where_one_can_apply_again(past: Admission) -> None:
    cases = (
        ((*RANKED, "decline"), "", "Every lab has replied. None of them offers you a place."),
        ((*RANKED, "offer"), "decline_offer", "Every lab has replied. You declined the offer of Systems."),
        ((*RANKED, "offer"), "expire", "Every lab has replied. The offer of Systems expired"),
        ((*RANKED, "offer"), "", "{cycle} Eligible Answer the offer of Systems."),
        ((*RANKED, "offer"), "accept", "You accepted the offer of Systems."),
    )
    for number, (way, ending, said) in enumerate(cases):
        person = past.add_applicant()
        application = past.eligible(person, "Systems")
        choice = past.choice(application, "Systems")
        past.move(choice, *way, as_="leader")
        past.one_move(choice, "release", "admin")
        if ending == "expire":
            past.now += timedelta(days=30)
        if ending:
            past.one_move(choice, ending, "clock" if ending == "expire" else "applicant")
        text = main_text(pages_of(person, past).client.get("/me/").text)
        assert said.format(cycle=past.cycle.name) in text, way
        assert text.count("Answer the offer of Systems.") <= 2, way
        if number == 0:
            begun = datetime.now(UTC) - timedelta(days=1)
            until = {"deadline_at": begun + timedelta(days=9), "reply_by_at": begun + timedelta(days=19)}
            spring = Cycle(slug="spring", name="Spring", zone="UTC", opens_at=begun, created_at=begun, **until)
            db.session.add(spring)
            db.session.commit()
            again = main_text(pages_of(person, past).client.get("/me/").text)
            assert "Open for applications Spring Deadline" in again
        else:
            assert "Open for applications Spring" in text, way


def test_submitting_says_what_happens_and_twice_is_once(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.draft(person, *LABS)
    me = pages_of(person, admission)
    before = main_text(me.client.get("/me/").text)
    assert f"{application.cycle.name} Draft Everything is there. Submit it." in before
    on_paper = f'<p class="on-paper-only">Applicant: {application.applicant.display_name}, {person.email}</p>'
    assert on_paper in me.read()
    page = me.read("submit")
    assert "Submit to 2 labs?" in main_text(page)
    assert (me.send("submit", version="99").status_code, state(application)) == (409, "draft")
    sent = me.to_submit()
    answers = [me.send("submit", **sent) for _click in range(2)]
    assert [(answer.status_code, answer.headers["Location"]) for answer in answers] == [(302, f"{me.page}receipt")] * 2
    assert (state(application), application.submissions) == ("submitted", 1)
    assert on_paper in me.read()
    receipt = main_text(me.read("receipt"))
    assert application.receipt is not None
    assert application.receipt in receipt
    assert "(Anywhere on Earth)" in receipt
    record = main_text(me.read("labs/systems/match"))
    parts = [
        record.index(part) for part in ("1st of", "Works behind the match", "Terms, with their share of the score")
    ]
    assert parts == sorted(parts)
    overview = main_text(me.client.get("/me/").text)
    assert f"Your application {application.cycle.name} Submitted You can change it until the deadline." in overview
    assert " Deadline: " in overview.partition("What goes with it")[0]
    assert re.search(r"\) \d+ days left View status : ", overview)
    assert "Not with the lab yet Match" in main_text(me.read())


def state(application: Application | Choice) -> str:
    """The state as it is stored now."""
    db.session.rollback()
    db.session.refresh(application)
    return application.state


def test_what_is_missing_is_named_and_nothing_is_submitted(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.draft(person, "Systems", reason="")
    me = pages_of(person, admission)
    page = main_text(me.read("submit"))
    assert "Not yet: 1 thing is missing." in page
    assert "Say why you choose lab 1." in page
    assert me.send("submit", version=str(application.version)).status_code == 422
    assert state(application) == "draft"


def test_whoever_stated_no_name_learns_what_is_read_in_its_place(admission: Admission) -> None:
    person = admission.add_applicant()
    admission.draft(person, *LABS)
    me, pages = pages_of(person, admission), ("submit", "referees")
    says = f"labs and referees read “{person.email.split('@')[0]}”, the beginning of your e-mail address."
    assert [says in main_text(me.read(page)) for page in pages] == [False] * 2
    admission.user(person).name = ""
    db.session.commit()
    assert [says in main_text(me.read(page)) for page in pages] == [True] * 2


def test_editing_again_and_keeping_what_was_submitted(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.submitted(person, *LABS)
    me = pages_of(person, admission)
    assert me.send("edit").status_code == 302
    me.send(**me.form(), remove="vision")
    assert len(application_now(admission, application).choices) == 1
    assert me.send("restore").status_code == 302
    kept = application_now(admission, application)
    assert (kept.state, [choice.lab.name for choice in kept.choices]) == ("submitted", list(LABS))
    me.send("edit")
    me.send(**me.form(), up="vision")
    assert me.send("submit", version=me.form()["version"]).status_code == 409  # a click from before the first receipt
    me.send("submit", **me.to_submit())
    assert "(2nd submission; it replaces those before)" in main_text(me.read("receipt"))


def application_now(admission: Admission, application: Application) -> Application:
    admission.session.rollback()
    admission.session.expire_all()
    return application


def test_after_the_deadline_what_is_missing_is_added_and_the_labs_stay(past: Admission) -> None:
    person = past.add_applicant()
    application = past.submitted(person, *LABS)
    past.now = datetime.now(UTC)
    past.one_move(application, "ask_for_more", "admin", message="Say more.")
    me = pages_of(person, past)
    assert "Add it and submit again by" in me.read()
    assert "Add what is missing by" in me.read().partition("<h2")[0]  # not the deadline, which has passed
    assert ("Deadline:" in me.read(), "steps done" in me.read()) == (False, False)
    application_now(past, application).state_since -= timedelta(days=8)
    past.session.commit()
    assert ("You can still add it" in me.read(), "submit again by" in me.read()) == (True, False)
    form = me.form()
    assert "Take off" not in me.read()
    assert me.send(**{**form, "answers-0-text": "Much more."}, remove="vision").status_code == 302
    answer = me.send("submit", **me.to_submit())
    assert answer.headers["Location"] == f"{me.page}receipt"
    done = application_now(past, application)
    assert (done.state, done.answers, len(done.choices)) == ("submitted", {"why": "Much more."}, 2)


def test_withdrawing_asks_first_and_is_final(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.submitted(person, *LABS)
    me = pages_of(person, admission)
    page = main_text(me.read("withdraw"))
    assert "This cannot be undone" in page
    assert ("edit the application instead, until" in page, "lapse" in page) == (True, False)
    assert [me.send("withdraw").status_code for _click in range(2)] == [302, 302]
    assert state(application) == "withdrawn"
    assert "Vision Closed since" in main_text(me.read())
    assert me.send("submit", version=str(application.version)).headers["Location"] == me.page
    assert state(application) == "withdrawn"


def test_of_two_offers_one_is_accepted_and_every_other_answer_is_kind(past: Admission) -> None:
    person = past.add_applicant()
    application = past.eligible(person, *LABS)
    for lab in LABS:
        past.move(past.choice(application, lab), *RANKED, "offer", as_="leader", message=MARKER)
        past.one_move(past.choice(application, lab), "release", "admin")
    me = pages_of(person, past)
    page = main_text(me.read("withdraw"))
    assert ("edit the application instead" in page, "interview" in page) == (False, False)
    assert "The offers of Systems and Vision lapse." in page
    assert "Vision: its offer lapses" in main_text(me.read("labs/systems/accept"))
    assert [me.send("labs/systems/accept").status_code for _click in range(2)] == [302, 302]
    for refused in ("labs/vision/accept", "labs/vision/decline"):
        answer = me.send(refused)
        assert answer.status_code == 422
        assert "You accepted the offer of Systems on" in main_text(answer.text)
        assert "You accepted the offer of Systems on" in main_text(me.read(refused))
    assert main_text(me.read()).count("You accepted the offer of Systems; your other choices closed with it.") == 1
    answer = me.send("labs/systems/decline")
    assert (answer.status_code, "You accepted this offer on" in main_text(answer.text)) == (422, True)
    assert [choice.state for choice in application_now(past, application).choices] == ["accepted", "closed"]


def test_an_offer_whose_date_passed_is_refused_with_the_date(past: Admission) -> None:
    person = past.add_applicant()
    application = past.eligible(person, "Systems")
    choice = past.choice(application, "Systems")
    past.move(choice, *RANKED, "offer", as_="leader")
    past.one_move(choice, "release", "admin")
    choice.offer_reply_by_at = datetime.now(UTC) - timedelta(minutes=1)
    past.session.commit()
    me = pages_of(person, past)
    answer = me.send("labs/systems/accept")
    assert (answer.status_code, "The reply date of this offer passed on" in answer.text) == (422, True)
    assert state(choice) == "offered"
    past.one_move(application, "withdraw", "applicant")
    assert "You withdrew your application on" in main_text(me.send("labs/systems/accept").text)


def test_what_is_not_ones_own_is_not_there(admission: Admission) -> None:
    admission.submitted(admission.add_applicant(), "Systems")
    stranger = pages_of(admission.add_applicant(), admission)
    for below in ("receipt", "submit", "withdraw", "labs/systems/match", "labs/systems/accept"):
        assert (below, stranger.client.get(stranger.page + below).status_code) == (below, 404)
    for below in ("submit", "edit", "restore", "withdraw", "labs/systems/accept"):
        assert (below, stranger.send(below).status_code) == (below, 404)
    mine = pages_of(owner := admission.add_applicant(), admission)
    admission.submitted(owner, "Systems")
    assert mine.client.get(f"{mine.page}labs/vision/match").status_code == 404


def test_the_list_says_what_is_open_and_when_the_next_opens(app: Flask) -> None:
    with app.app_context():
        client = add_person(app, "applicant").sign_in()
        assert "none is announced yet" in main_text(client.get("/me/").text)
        soon = datetime.now(UTC) + timedelta(days=3)
        cycle = add_admission(app, now=soon).cycle
        assert f"{cycle.name} opens on" in main_text(client.get("/me/").text)
        assert "You cannot apply in this cycle now" in client.get(f"/me/application/{cycle.slug}/").text
        opened = add_admission(app, zone="Asia/Hong_Kong").cycle
        text = main_text(client.get("/me/").text)
        assert f"Start your application for {opened.name}" in text
        assert "(Hong Kong, UTC+08:00)" in text
