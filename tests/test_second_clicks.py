"""Of two clicks on one button, a browser shows the answer to the second, with the cookie it had before the first."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.admin.cycles.assignment.service import draft_round
from portal.db import db
from portal.models import AuditEntry, Decision, InterviewSlot, MoveRecord, Release
from tests.admin.cycles.releases import past_deadline, staged
from tests.admission import add_admission
from tests.people import add_person, csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.admission import Admission

UNDO = "Undo</button>"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        yield past_deadline(app)


def twice(client: FlaskClient, address: str, data: dict[str, str | list[str]], *, page: str) -> tuple[str, str]:
    """Press a button of `page` twice: where the second answer leads, and what stands there."""
    sent = {"csrf_token": csrf_token(client, page), **data}
    before = client.get_cookie("session")
    assert before is not None
    first = client.post(address, data=sent)
    client.set_cookie("session", before.value)
    second = client.post(address, data=sent)
    assert (second.status_code, second.location) == (302, first.location), second.text
    db.session.expire_all()
    return second.location, unescape(client.get(second.location).text)


def moves(name: str) -> int:
    return db.session.scalar(select(func.count()).select_from(MoveRecord).where(MoveRecord.move == name)) or 0


@pytest.mark.parametrize(
    ("name", "message", "said", "first"),
    [
        ("mark_eligible", "", "Ada: eligible.", ""),
        ("mark_ineligible", "No degree.", "Ada: not eligible.", ""),
        ("ask_for_more", "Send the letter.", "Ada: something is missing.", ""),
        ("reconsider", "", "Ada: submitted.", "mark_eligible"),
        ("take_back_request", "It has arrived.", "Ada: submitted.", "ask_for_more"),
    ],
)
def test_a_decision_on_an_application_says_what_it_did_and_leads_on(
    admission: Admission, name: str, message: str, said: str, first: str
) -> None:
    one = admission.submitted(admission.add_applicant("Ada"), "Systems")
    admission.submitted(admission.add_applicant("Bo"), "Systems")
    admission.after_deadline()
    if first:
        admission.move(one, first, as_="admin")
    base = f"/admin/cycles/{admission.cycle.slug}/applications/{one.id}"
    before = moves(name)
    client = admission.admin.sign_in()
    _, page = twice(client, f"{base}/move", {"move": name, "message": message}, page=base)
    assert (said in page, "Next to check (1 left)" in page, "already" in page) == (True, True, False)
    assert moves(name) == before + 1


def test_who_was_not_the_first_learns_that_it_was_so_already_and_keeps_what_they_wrote(admission: Admission) -> None:
    one = admission.submitted(admission.add_applicant("Ada"), "Systems")
    admission.after_deadline()
    base = f"/admin/cycles/{admission.cycle.slug}/applications/{one.id}"
    other = add_person(admission.app, "admin").sign_in()
    token = csrf_token(other, base)
    admission.move(one, "ask_for_more", as_="admin", message="Send the letter.")
    asked = {"csrf_token": token, "move": "ask_for_more", "message": "Send your grades."}
    refused = other.post(f"{base}/move", data=asked)
    assert (refused.status_code, "did not go with it" in refused.text) == (409, True)
    assert "Send your grades.</textarea>" in refused.text
    other.post(f"{base}/move", data={**asked, "message": ""})
    assert "Ada: something is missing already." in other.get(base).text
    assert moves("ask_for_more") == 1


def test_many_that_were_marked_twice_are_said_to_be_so(admission: Admission) -> None:
    ids = [str(admission.submitted(admission.add_applicant(), "Systems").id) for _ in range(2)]
    admission.after_deadline()
    base = f"/admin/cycles/{admission.cycle.slug}/applications"
    client = admission.admin.sign_in()
    _, page = twice(
        client, f"{base}/mark", {"application": ids, "move": "mark_eligible", "confirmed": "yes"}, page=base
    )
    assert "2 applications were “eligible” already." in page
    assert moves("mark_eligible") == 2


@pytest.mark.parametrize(
    ("path", "name", "said", "undone"),
    [
        (("start_review",), "shortlist", "Shortlisted.", True),
        ((), "start_review", "The review has begun.", False),
        (("start_review", "shortlist"), "take_off_shortlist", "Taken off the shortlist.", True),
        (("start_review", "shortlist", "rank", "offer"), "take_back_offer", "The offer is taken back before", False),
    ],
)
def test_a_move_of_one_choice_says_what_it_did_and_keeps_its_undo(
    admission: Admission,
    path: tuple[str, ...],
    name: str,
    said: str,
    undone: bool,  # noqa: FBT001
) -> None:
    choice = admission.choice(admission.eligible(admission.add_applicant("Ada"), "Systems"), "Systems")
    admission.move(choice, *path, as_="leader")
    base = f"/reviews/systems/choices/{choice.id}"
    sent: dict[str, str | list[str]] = {"one": f"{name}:{choice.id}"}
    sent |= {"applicant": str(choice.id), "cycle": admission.cycle.slug}
    client = admission.leaders["Systems"].sign_in()
    _, page = twice(client, "/reviews/systems/board/move", sent, page=base)
    assert (said in page, "done already" in page, UNDO in page) == (True, False, undone)
    assert moves(name) == 1


def test_a_release_is_prepared_once_and_both_clicks_lead_to_it(admission: Admission) -> None:
    decision, _ = staged(admission)
    base = f"/admin/cycles/{admission.cycle.slug}"
    client = admission.admin.sign_in()
    for which, ticked in (("ticked", [str(decision)]), ("all", [])):
        page = client.get(f"{base}/releases").text
        after = page.partition('name="after" value="')[2].partition('"')[0]
        sent: dict[str, str | list[str]] = {"which": which, "decision": ticked, "due_at": "", "after": after}
        where, page = twice(client, f"{base}/release", sent, page=f"{base}/releases")
        newest = db.session.scalar(select(func.max(Release.id)))
        assert (where, "This release is prepared already" in page) == (f"/admin/releases/{newest}", True)
    assert db.session.scalar(select(func.count(Release.id))) == 2
    # Nothing is left, and no click came before this one.
    sent = {"csrf_token": csrf_token(client, f"{base}/releases"), "which": "all", "after": str(newest)}
    assert client.post(f"{base}/release", data=sent).status_code == 422


@pytest.mark.parametrize(
    ("due_at", "acts"),
    [
        ("", (("approve", "The decisions are released already."),)),
        (
            "2031-01-01T12:00",
            (("approve", "It goes out at its time."), ("hold", "The release is held."), ("discard", "is discarded;")),
        ),
    ],
)
def test_each_act_on_a_release_is_done_once_and_told_twice(
    admission: Admission, due_at: str, acts: tuple[tuple[str, str], ...]
) -> None:
    decision, _ = staged(admission)
    base = f"/admin/cycles/{admission.cycle.slug}"
    sent = {"which": "ticked", "decision": [str(decision)], "due_at": due_at}
    first = admission.admin.sign_in()
    sent["csrf_token"] = csrf_token(first, f"{base}/releases")
    release = first.post(f"{base}/release", data=sent).location
    second = add_person(admission.app, "admin").sign_in()
    for act, said in acts:
        assert said in twice(second, f"{release}/{act}", {}, page=release)[1]
        recorded = select(func.count(AuditEntry.id)).where(AuditEntry.act == f"release.{act}")
        assert db.session.scalar(recorded) == 1


def test_the_offers_of_a_round_are_staged_once_and_both_clicks_lead_to_the_releases(admission: Admission) -> None:
    one = admission.eligible(admission.add_applicant(), "Systems")
    admission.move(admission.choice(one, "Systems"), "start_review", "shortlist", "rank", as_="leader")
    me = admission.user(admission.admin)
    held = draft_round(admission.session, admission.cycle, seed="s", actor=me, now=admission.now)
    address = f"/admin/cycles/{admission.cycle.slug}/assignment/{held.number}"
    admission.session.commit()
    client = admission.admin.sign_in()
    where, page = twice(client, f"{address}/stage", {"reply_days": "10"}, page=address)
    assert where.endswith("/releases")
    assert "The offers of this round are staged already. They go out with a release." in page
    assert len(db.session.scalars(select(Decision)).all()) == 1


def test_a_time_for_an_interview_is_cancelled_once_and_said_to_be_so(admission: Admission) -> None:
    lab, later = admission.labs["Systems"], admission.later(days=900)
    slot = InterviewSlot(
        lab_id=lab,
        cycle_id=admission.cycle_id,
        uid="u",
        starts_at=later,
        minutes=30,
        zone="UTC",
        created_at=admission.now,
    )
    db.session.add(slot)
    db.session.commit()
    address = f"/reviews/systems/interviews/{slot.id}"
    client = admission.leaders["Systems"].sign_in()
    _, page = twice(client, f"{address}/cancel", {"reason": ""}, page=address)
    assert "The time is cancelled already." in page


@pytest.mark.parametrize(("name", "said"), [("edit", "You can edit the application."), ("withdraw", "is withdrawn.")])
def test_an_applicants_own_move_says_what_it_did(app: Flask, name: str, said: str) -> None:
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Systems")
        person = admission.add_applicant()
        admission.submitted(person, "Systems")
        client, base = person.sign_in(), f"/me/application/{admission.cycle.slug}"
        _, page = twice(client, f"{base}/{name}", {}, page="/accounts/")
        assert (said in page, moves(name)) == (True, 1)
