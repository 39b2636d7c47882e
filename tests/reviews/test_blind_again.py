"""A lab that reviewed blind, then with open names, and blind again: what was open shows no more.

Forms that were opened with names are sent, the views and addresses of then are asked for again, and nothing fails.
"""

from __future__ import annotations

import re
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.models import InterviewSlot, Notification, Resume, Scorecard
from portal.reviews.blind_review import pseudonym
from tests.admission import Admission, admission_of
from tests.people import csrf_token, submit
from tests.test_leaks import addresses, read, token_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask
    from flask.testing import FlaskClient

    from portal.models import Choice
    from tests.people import Person

MARKS = ("Zzada", "Zzbob", "Muster", "Zzedburg")
LABS = ("Systems", "Vision")
TYPED = re.compile(r'value="[^"]*"|“(?:Zzbob|Muster)”|(?:href|content|action)="[^"]*"')  # what the address says itself
BLIND = "/reviews/vision/settings/blind"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, *LABS, deadline_in=timedelta(days=30)) as made:
        yield made


@pytest.fixture
def choices(admission: Admission) -> list[Choice]:
    """Two applicants of Vision who are invited to an interview; one has a time."""
    found = []
    for name in ("Zzada Muster", "Zzbob Muster"):
        person = admission.add_applicant(name)
        resume = admission.session.scalars(select(Resume).where(Resume.user_id == person.id)).one()
        resume.text = f"{name}\nUniversity of Zzedburg\n{person.email}\nI built a serving system."
        application = admission.eligible(person, *LABS)
        choice = admission.choice(application, "Vision")
        admission.move(choice, "start_review", "shortlist", "invite_to_interview", as_="leader")
        found.append(choice)
    starts = admission.now + timedelta(days=20)
    slot = InterviewSlot(
        lab_id=admission.labs["Vision"],
        cycle_id=admission.cycle_id,
        choice_id=found[0].id,
        uid="one",
        starts_at=starts,
        zone="UTC",
        picked_at=admission.now,
        created_at=admission.now,
    )
    admission.session.add(slot)
    admission.session.commit()
    return found


def switch(admission: Admission, leader: FlaskClient, *, blind: bool) -> None:
    sent = submit(leader, BLIND, {"blind": "on" if blind else "off", "sure": "yes"}, page="/reviews/vision/settings")
    assert sent.status_code == 302
    leader.get("/reviews/vision/settings")  # what it said was said
    admission.session.expire_all()


def marks_in(text: str) -> set[str]:
    return {mark for mark in MARKS if mark in text}


def answering(admission: Admission, client: FlaskClient) -> list[str]:
    """The addresses that answer `client`; all of the API, which asks for a token. None of the other lab."""
    asked = [one for one in addresses(admission) if not one.startswith(("/accounts/log", "/reviews/systems"))]
    return [
        one
        for one in asked
        if ("systems" not in one if one.startswith("/api/") else client.get(one).status_code < HTTPStatus.BAD_REQUEST)
    ]


def everything(admission: Admission, person: Person, client: FlaskClient, asked: list[str]) -> dict[str, set[str]]:
    """What each address tells of who somebody is: pages, files, answers of the API, news."""
    key = {"Authorization": f"Bearer {token_of(admission, person)}"}
    more = ["?q=Zzbob", "?q=Muster", "?sort=newest", "applicants/print", "board?card=2", "discover?q=Zz"]
    told = {
        address: marks_in(TYPED.sub("" if "q=" in address else r"\g<0>", read(client, address)))
        for address in [*asked, *(f"/reviews/vision/{one}" for one in more)]
        if not address.startswith("/api/")
    }
    program = admission.app.test_client()
    told |= {address: marks_in(read(program, address, key)) for address in asked if address.startswith("/api/")}
    news = admission.session.scalars(select(Notification.text).where(Notification.user_id == person.id))
    told["news"] = marks_in("\n".join(news))
    return {address: marks for address, marks in told.items() if marks}


def stale_forms(choice: Choice, other: Choice, cycle: str) -> Mapping[str, tuple[Mapping[str, object], ...]]:
    """What tabs that were opened with names may send, right and wrong: by its address in the lab."""
    one = f"choices/{choice.id}"
    card = {"version": "0", "page": "applicant", "comment": "Good.", "cycle": cycle}
    return {
        f"{one}/scorecard": (card, card | {"fit": "9"}, card | {"then": "lock", "version": "1", "fit": "4"}),
        f"{one}/conflict": ({"reason": ""}, {"reason": "x" * 2_000}),
        "board/move": (
            {"one": f"rank:{choice.id}", "cycle": cycle},
            {"one": f"offer:{other.id}", "cycle": cycle},
            {"one": f"offer:{choice.id}.9", "cycle": cycle, "applicant": str(choice.id)},
        ),
        "board/preview": ({"move": "shortlist", "choice": [str(choice.id), str(other.id)], "cycle": cycle},),
        "board/do": (
            {"move": "shortlist", "choice": [f"{choice.id}.9", f"{other.id}.in_review"], "cycle": cycle},
            {"move": "offer", "choice": [f"{choice.id}.1"], "days": "no", "cycle": cycle},
            {"move": "shortlist", "choice": [f"{choice.id}.1"], "message": "x", "cycle": cycle},
        ),
        "board/order": ({f"place-{choice.id}": "2", "seen": "1-2", "cycle": cycle},),
        "interviews/offer": ({"first": "no", "cycle": cycle},),
        "interviews/1": ({"begins": "no", "minutes": "1"},),
        "interviews/1/cancel": ({"reason": ""},),
        f"discover/{choice.application.applicant_id}/invite": ({"message": "x"},),
    }


@pytest.mark.parametrize("who", [pytest.param("leader", marks=pytest.mark.thorough), "reviewer"])
def test_what_was_open_is_hidden_again_in_every_page_file_feed_and_answer(
    admission: Admission, choices: list[Choice], who: str
) -> None:
    person = (admission.leaders if who == "leader" else admission.reviewers)["Vision"]
    client, leader = person.sign_in(), admission.leaders["Vision"].sign_in()
    asked = answering(admission, client)  # with open names, as a lab begins
    switch(admission, leader, blind=True)
    assert everything(admission, person, client, asked) == {}

    switch(admission, leader, blind=False)
    ada, bob = choices
    for choice in choices:
        page = f"/reviews/vision/choices/{choice.id}"
        submit(client, f"{page}/scorecard", {"version": "0", "fit": "4", "comment": "Begun."}, page=page)
    named = everything(admission, person, client, asked)
    page = f"/reviews/vision/choices/{ada.id}"
    expected = {page, "/reviews/vision/", "/reviews/vision/applicants.csv", "/reviews/vision/board"}
    assert {address for address in expected if "Zzada" in named.get(address, set())} == expected
    assert any(address.startswith("/api/") for address in named)
    # A colleague's locked card names somebody.
    colleague = (admission.reviewers if who == "leader" else admission.leaders)["Vision"]
    values = {"fit": 4, "potential": 4, "preparation": 4, "writing": 4, "confidence": 2, "changed_at": admission.now}
    texts = {"comment": "Zzbob Muster is good.", "locked_at": admission.now}
    admission.session.add(Scorecard(choice_id=bob.id, reviewer_id=colleague.id, **values, **texts))
    admission.session.commit()

    switch(admission, leader, blind=True)
    assert everything(admission, person, client, asked) == {}
    token, told = csrf_token(client, "/accounts/"), []
    forms = stale_forms(ada, bob, admission.cycle.slug)
    for path, sent in forms.items():
        for data in sent:
            for headers in ({}, {"Accept": "application/json"}):
                answer = client.post(f"/reviews/vision/{path}", data={"csrf_token": token, **data}, headers=headers)
                assert answer.status_code < 500, (path, data, answer.status_code)
                told += [(path, mark) for mark in marks_in(answer.text + (answer.location or ""))]
                # What it says is said on the page it leads to.
                told += [(path, mark) for mark in marks_in(client.get("/reviews/vision/board").text)]
    assert told == []
    assert everything(admission, person, client, asked) == {}
    label = pseudonym("choice", ada.id)
    assert label in client.get(page).text
    assert re.search(rf'<h1 id="applicant">{re.escape(label)}</h1>', client.get(page).text)

    switch(admission, leader, blind=False)
    assert "Zzada" in client.get(page).text
