"""Whoever reads for a lab and applies to it is kept out of the own application, without declaring anything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.accounts.api_tokens import make_token, scopes_for
from portal.accounts.extension import user_datastore
from portal.applications.interviews.queries import free_slots
from portal.models import Interests, InterviewSlot, Lab, LabProfessor, Referee, Scorecard
from portal.reviews.scorecards.service import means_seen
from tests.admission import Admission, add_admission
from tests.databases import begin_requests_anew
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.models import Choice
    from tests.people import Person

NOW = datetime.now(UTC).replace(microsecond=0)
MARKS = ("zz-letter", "zz-card", "zz-staged")


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    begin_requests_anew(app)  # or a page would be read by whom the request before it was from
    with app.app_context():
        made = add_admission(app, now=NOW - timedelta(days=40), deadline_in=timedelta(days=30))
        made.add_lab("Systems")
        yield made


@pytest.fixture
def ada(admission: Admission) -> Person:
    """She applies to the lab that she leads beside its leader; an offer to her waits for its release."""
    ada = admission.add_applicant("Zzada Muster")
    user = admission.user(ada)
    user_datastore.add_role_to_user(user, "professor")
    admission.session.add(LabProfessor(lab_id=admission.labs["Systems"], user_id=ada.id, position="leader"))
    admission.session.commit()
    return ada


@pytest.fixture
def choice(admission: Admission, ada: Person) -> Choice:
    application = admission.eligible(ada, "Systems")
    choice = admission.choice(application, "Systems")
    admission.move(choice, "start_review", "shortlist", "rank", "offer", as_="leader", message="zz-staged")
    points = {"fit": 4, "potential": 4, "preparation": 4, "writing": 4, "confidence": 2}
    leader = admission.leaders["Systems"]
    admission.session.add_all(
        [
            Referee(
                application_id=application.id,
                name="Ruth Referee",
                email="ruth@example.org",
                received_at=admission.now,
                letter="zz-letter",
                created_at=admission.now,
            ),
            Scorecard(
                choice_id=choice.id,
                reviewer_id=leader.id,
                comment="zz-card",
                locked_at=admission.now,
                changed_at=admission.now,
                **points,
            ),
        ]
    )
    admission.session.commit()
    return choice


def test_no_page_file_feed_or_answer_of_the_lab_tells_of_the_own_application(
    admission: Admission, ada: Person, choice: Choice
) -> None:
    admission.eligible(admission.add_applicant("Bob Both"), "Systems")
    client, lab = ada.sign_in(), "/reviews/systems"
    one = f"{lab}/choices/{choice.id}"
    closed = client.get(one)
    assert (closed.status_code, "This is your own application" in closed.text) == (403, True)
    for more in ("/scorecard", "/resume"):
        assert client.get(f"{one}{more}").status_code == 403
    assert client.get(f"{one}/conflict").status_code == 404
    _, key = make_token(
        admission.session,
        admission.user(ada),
        name="own",
        scopes=[scope.name for scope in scopes_for(admission.user(ada))],
        days=1,
        now=NOW,
    )
    admission.session.commit()
    program = {"Authorization": f"Bearer {key}"}
    assert client.get(f"/api/v1{one}", headers=program).status_code == 403
    lists = ("/", "/?q=Zzada", "/?sort=mean", "/applicants.csv", "/board", "/conflicts")
    answers = [client.get(lab + more) for more in lists]
    answers.append(client.get(f"/api/v1{lab}/choices", headers=program))
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    pages = [answer.text for answer in answers]
    told = "\n".join(pages)
    assert ["Bob Both" in page for page in pages] == [True, False, True, True, True, False, True]
    assert [mark for mark in (*MARKS, f'/choices/{choice.id}"', f'"id":{choice.id},') if mark in told] == []
    assert "Zzada" not in pages[3] + pages[-1]  # other pages have a menu with her name
    assert "Zzada" in admission.leaders["Systems"].sign_in().get(f"{lab}/").text


def test_no_move_card_or_mean_of_the_own_application_is_ones_own(
    admission: Admission, ada: Person, choice: Choice
) -> None:
    client, board = ada.sign_in(), "/reviews/systems/board"
    token = {"csrf_token": csrf_token(client, "/accounts/")}
    card = f"/reviews/systems/choices/{choice.id}/scorecard"
    assert client.post(card, data={**token, "version": "0", "fit": "5"}).status_code == 403
    client.post(f"{board}/do", data={**token, "move": "take_back_offer", "choice": [str(choice.id)]})
    admission.session.expire_all()
    assert choice.state == "offered"
    values = {"fit": 5, "potential": 5, "preparation": 5, "writing": 5, "confidence": 3, "changed_at": admission.now}
    admission.session.add(
        Scorecard(choice_id=choice.id, reviewer_id=ada.id, locked_at=admission.now, comment="Mine", **values)
    )
    admission.session.commit()
    lab = admission.session.get_one(Lab, admission.labs["Systems"])
    means = means_seen(admission.session, lab, admission.cycle_id, admission.user(admission.leaders["Systems"]))
    assert (means.cards[choice.id], means.means[choice.id].raw) == (1, 4.0)


def test_nobody_discovers_or_interviews_oneself(admission: Admission, ada: Person) -> None:
    choice = admission.choice(admission.eligible(ada, "Systems"), "Systems")
    admission.move(choice, "start_review", "shortlist", "invite_to_interview", as_="leader")
    session, lab = admission.session, admission.labs["Systems"]
    slots = [
        InterviewSlot(
            lab_id=lab,
            cycle_id=admission.cycle_id,
            uid=f"{number}@example.org",
            organizer="portal@example.org",
            starts_at=NOW + timedelta(days=9, hours=number),
            minutes=30,
            zone="UTC",
            interviewer_id=interviewer,
            created_at=NOW,
        )
        for number, interviewer in enumerate((ada.id, None))
    ]
    session.add_all(slots)
    session.commit()
    assert list(free_slots(session, choice, NOW)) == slots[1:]
    slots[1].choice_id = choice.id
    session.commit()
    slot = f"/reviews/systems/interviews/{slots[1].id}"
    assert ada.sign_in().get(slot).status_code == 403

    other = admission.add_lab("Vision")
    session.add(LabProfessor(lab_id=other.id, user_id=ada.id, position="reviewer"))
    session.scalars(select(Interests).where(Interests.user_id == ada.id)).one().discoverable = True
    colleague = admission.leaders["Vision"]
    session.commit()
    assert f"discover/{ada.id}" in colleague.sign_in().get("/reviews/vision/discover").text
    client = ada.sign_in()
    assert f"discover/{ada.id}" not in client.get("/reviews/vision/discover").text
    assert client.get(f"/reviews/vision/discover/{ada.id}").status_code == 404
