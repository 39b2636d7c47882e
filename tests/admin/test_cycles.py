"""Cycles, eligibility and release, as administrators do them in the browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.releases.service import approve_release, carry_out, prepare_release
from portal.admin.releases.work import start_due_releases
from portal.db import db
from portal.models import Application, Cycle, Decision, Notification, Release
from tests.admission import Admission, add_admission
from tests.people import add_person, submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from werkzeug.test import TestResponse

FORM = {
    "name": "Fall 2027",
    "zone": "Europe/Berlin",
    "opens_at": "2026-10-01T09:00",
    "deadline_at": "2026-12-15T23:59",
    "reply_by_at": "2027-03-01T12:00",
    "most_choices": "3",
    "referees": "2",
    "retention_days": "365",
    "questions": "Why a Ph.D.? *\nAnything else?",
}


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle whose deadline has passed for whoever looks now."""
    with app.app_context():
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        one = add_admission(app, now=now - timedelta(days=40), deadline_in=timedelta(days=30))
        one.add_lab("Systems")
        one.add_lab("Vision", "Recognising pictures")
        yield one


def test_a_cycle_is_made_with_its_dates_in_its_zone(admission: Admission) -> None:
    client = admission.admin.sign_in()
    response = submit(client, "/admin/new-cycle", FORM)
    assert response.location == "/admin/cycles/fall-2027"
    made = admission.session.scalars(select(Cycle).where(Cycle.slug == "fall-2027")).one()
    assert made.deadline_at == datetime(2026, 12, 15, 22, 59, tzinfo=UTC)
    assert [(one["text"], one["required"]) for one in made.questions] == [
        ("Why a Ph.D.?", True),
        ("Anything else?", False),
    ]
    page = client.get("/admin/cycles/fall-2027").text
    assert "15 Dec 2026, 23:59 (Berlin, UTC+01:00)" in page
    assert 'value="2026-12-15T23:59"' in page


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": ""}, "Give the cycle a name."),
        ({"zone": "Atlantis/Old"}, "There is no such zone."),
        ({"deadline_at": "2026-09-01T00:00"}, "The deadline comes after the opening."),
        ({"reply_by_at": "2026-11-01T00:00"}, "Replies are due after the deadline."),
        ({"deadline_at": "soon"}, "Not a valid datetime"),
        ({"most_choices": "0"}, "Give a whole number from 1 to 50."),
        ({"questions": "\n".join(f"Question {number}?" for number in range(21))}, "The form takes 20 questions"),
    ],
)
def test_what_cannot_be_is_refused_with_everything_typed_kept(
    admission: Admission, change: dict[str, str], reason: str
) -> None:
    response = submit(admission.admin.sign_in(), "/admin/new-cycle", FORM | change)
    assert response.status_code == 422
    assert reason in response.text
    assert "Anything else?" in response.text or "questions" in change
    assert admission.session.scalar(select(Cycle).where(Cycle.slug == "fall-2027")) is None


def test_of_two_who_change_a_cycle_the_second_is_told_and_loses_nothing(admission: Admission) -> None:
    slug = admission.cycle.slug
    client = admission.admin.sign_in()
    form = {
        **FORM,
        "opens_at": "2026-01-01T09:00",
        "deadline_at": "2030-12-15T23:59",
        "reply_by_at": "2031-12-15T23:59",
    }
    assert submit(client, f"/admin/cycles/{slug}", form | {"name": "First", "version": "1"}).status_code == 302
    second = submit(client, f"/admin/cycles/{slug}", form | {"name": "Second", "version": "1"})
    assert (second.status_code, 'value="Second"' in second.text) == (409, True)
    admission.session.expire_all()
    assert admission.cycle.name == "First"


def test_a_deadline_that_applicants_were_told_only_moves_later(admission: Admission) -> None:
    admission.submitted(admission.add_applicant(), "Systems")
    slug = admission.cycle.slug
    form = {**FORM, "opens_at": "2026-01-01T09:00", "deadline_at": "2026-01-02T09:00", "version": "1"}
    response = submit(admission.admin.sign_in(), f"/admin/cycles/{slug}", form)
    assert response.status_code == 422
    assert "It can be moved to a later date only." in response.text


def test_applications_are_marked_and_what_is_missing_is_asked_for(admission: Admission) -> None:
    first, second, third = (admission.submitted(admission.add_applicant(), "Systems") for _ in range(3))
    client, base = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    ticked = {"application": [str(first.id), str(second.id), "999999", "x"]}
    assert submit(client, f"{base}/eligible", ticked, page=base).status_code == 302
    refused = submit(client, f"{base}/{third.id}/move", {"move": "ask_for_more"}, page=f"{base}/{third.id}")
    assert (refused.status_code, "Write a sentence that says why" in refused.text) == (422, True)
    asked = {"move": "ask_for_more", "message": "The transcript."}
    assert submit(client, f"{base}/{third.id}/move", asked, page=f"{base}/{third.id}").status_code == 302
    admission.session.expire_all()
    assert [one.state for one in (first, second, third)] == ["eligible", "eligible", "incomplete"]
    assert third.state_reason == "The transcript."


def test_a_draft_is_listed_but_not_what_is_in_it(admission: Admission) -> None:
    draft = admission.draft(admission.add_applicant(), "Systems", reason="zz-secret-reason")
    base = f"/admin/cycles/{admission.cycle.slug}/applications"
    page = admission.admin.sign_in().get(f"{base}/{draft.id}").text
    assert "A draft is its applicant’s own." in page
    assert "zz-secret-reason" not in page


def _staged(admission: Admission) -> tuple[int, int]:
    """Two offers that wait: (id of the decision, id of its applicant) of the first."""
    person = admission.add_applicant("Applicant with an offer")
    for one in (person, admission.add_applicant()):
        choice = admission.choice(admission.eligible(one, "Systems"), "Systems")
        admission.move(choice, "start_review", "shortlist", "rank", "offer", as_="leader", message="zz-welcome")
    return admission.session.scalars(select(Decision.id).order_by(Decision.id)).first() or 0, person.id


def _prepare(admission: Admission, *decisions: int, due_at: str = "") -> TestResponse:
    slug = admission.cycle.slug
    ticked = {"decision": [str(one) for one in decisions], "due_at": due_at}
    client = admission.admin.sign_in()
    return submit(client, f"/admin/cycles/{slug}/release", ticked, page=f"/admin/cycles/{slug}/releases")


def _release(admission: Admission, *decisions: int) -> None:
    """Two administrators: one prepares, the other approves."""
    address = _prepare(admission, *decisions).location
    second = add_person(admission.app, "admin").sign_in()
    assert submit(second, f"{address}/approve", {}, page=address).status_code == 302


def _out(admission: Admission) -> list[int]:
    admission.session.expire_all()
    return list(
        admission.session.scalars(select(Decision.id).where(Decision.released_at.is_not(None)).order_by(Decision.id))
    )


def test_what_one_prepares_another_releases_and_each_applicant_is_told_once(admission: Admission) -> None:
    decision, applicant_id = _staged(admission)
    response = _prepare(admission, decision)
    dry_run = admission.admin.sign_in().get(response.location).text
    assert (dry_run.count("zz-welcome"), "You prepared this release" in dry_run) == (1, True)
    own = submit(admission.admin.sign_in(), f"{response.location}/approve", {}, page=response.location)
    assert (own.status_code, _out(admission)) == (403, [])
    second = add_person(admission.app, "admin").sign_in()
    for _ in range(2):
        submit(second, f"{response.location}/approve", {}, page=response.location)
    assert _out(admission) == [decision]
    news = select(Notification.kind).where(
        Notification.user_id == applicant_id, Notification.kind == "decision_released"
    )
    assert len(admission.session.scalars(news).all()) == 1
    assert "Done" in second.get(response.location).text


def test_a_release_waits_for_its_time_and_can_be_held_until_then(admission: Admission) -> None:
    decision, _ = _staged(admission)
    address = _prepare(admission, decision, due_at="2031-01-01T12:00").location
    second = add_person(admission.app, "admin").sign_in()
    submit(second, f"{address}/approve", {}, page=address)
    later = datetime(2031, 1, 2, 12, tzinfo=UTC)
    assert _out(admission) == []
    submit(admission.admin.sign_in(), f"{address}/hold", {}, page=address)
    start_due_releases(admission.session, later)
    admission.session.commit()
    assert _out(admission) == []
    submit(second, f"{address}/approve", {}, page=address)
    start_due_releases(admission.session, later)
    admission.session.commit()
    assert _out(admission) == [decision]


def test_a_release_that_is_stopped_in_the_middle_goes_on_without_telling_twice(admission: Admission) -> None:
    _staged(admission)
    second = add_person(admission.app, "admin")
    decisions = list(admission.session.scalars(select(Decision).order_by(Decision.id)))
    session = admission.session
    release = prepare_release(
        session,
        admission.cycle,
        decisions,
        actor=admission.user(admission.admin),
        now=admission.now,
        due_at=admission.now + timedelta(days=1),
    )
    approve_release(session, release, actor=admission.user(second), now=admission.now)
    session.commit()
    with pytest.raises(KeyboardInterrupt):
        carry_out(session, release, now=admission.now, progress=_StopsAfter(1))
    session.rollback()
    assert _out(admission) == [decisions[0].id]
    release.due_at = admission.now
    session.commit()
    reader, address = admission.admin.sign_in(), f"/admin/releases/{release.id}"
    page = reader.get(address)
    assert ("1 of 2 are out" in page.text, page.headers["Refresh"]) == (True, "4")
    carry_out(session, release, now=admission.now, progress=_StopsAfter(99))
    session.commit()
    assert _out(admission) == [one.id for one in decisions]
    assert "Refresh" not in reader.get(address).headers
    told = session.scalars(select(Notification).where(Notification.kind == "decision_released")).all()
    assert len({one.user_id for one in told}) == len(told) == 2


class _StopsAfter:
    """Commits at every step, as a job may, and is killed at one of them."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def step(self, done: int, total: int | None, doing: str = "") -> None:  # noqa: ARG002 - as jobs are told
        db.session.commit()
        if done >= self.steps:
            raise KeyboardInterrupt


def test_what_a_lab_takes_back_in_time_does_not_go_out(admission: Admission) -> None:
    decision, _ = _staged(admission)
    address = _prepare(admission, decision).location
    admission.one_move(admission.session.get_one(Decision, decision).choice, "take_back_offer", "leader")
    second = add_person(admission.app, "admin").sign_in()
    submit(second, f"{address}/approve", {}, page=address)
    assert _out(admission) == []
    assert "The lab took it back before the release." in second.get(address).text


def test_a_cycle_is_closed_when_nobody_waits(admission: Admission) -> None:
    _staged(admission)
    client, address = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/close"
    assert "2 decisions wait for their release" in client.get(address).text
    for one in admission.session.scalars(select(Decision)).all():
        admission.one_move(one.choice, "take_back_offer", "leader")
        admission.one_move(one.choice, "decline", "leader")
    _release(admission, *admission.session.scalars(select(Decision.id).where(Decision.taken_back_at.is_(None))))
    assert submit(client, address, {}).status_code == 302
    admission.session.expire_all()
    assert admission.cycle.closed_at is not None
    assert "Nothing in it changes any more." in client.get(f"/admin/cycles/{admission.cycle.slug}").text


def test_a_release_that_is_not_prepared_keeps_what_was_ticked_and_typed(admission: Admission) -> None:
    decision, _ = _staged(admission)
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/releases"
    address = page.removesuffix("s")
    wrong = submit(client, address, {"decision": [str(decision)], "due_at": "tomorrow at noon"}, page=page)
    assert (wrong.status_code, "tomorrow at noon" in wrong.text, "Give a day and a time" in wrong.text) == (
        422,
        True,
        True,
    )
    assert re.search(f'value="{decision}" checked', wrong.text)
    empty = submit(client, address, {"decision": [], "due_at": "2030-01-01T12:00"}, page=page)
    assert re.search(r'name="decision"[^>]*aria-describedby="decisions-error" autofocus', empty.text)
    assert (empty.status_code, "2030-01-01T12:00" in empty.text, "Nothing was ticked" in empty.text) == (
        422,
        True,
        True,
    )
    assert admission.session.scalars(select(Release)).all() == []


@pytest.mark.parametrize("role", ["applicant", "professor", "visitor"])
def test_only_administrators_come_near(admission: Admission, role: str) -> None:
    decision, _ = _staged(admission)
    client = (
        admission.app.test_client()
        if role == "visitor"
        else (admission.add_applicant() if role == "applicant" else admission.leaders["Systems"]).sign_in()
    )
    slug = admission.cycle.slug
    for address in ("cycles/", "new-cycle", f"cycles/{slug}", f"cycles/{slug}/applications", f"cycles/{slug}/releases"):
        assert client.get(f"/admin/{address}").status_code == (302 if role == "visitor" else 403)
    submit(
        client,
        f"/admin/cycles/{slug}/release",
        {"decision": [str(decision)]},
        page="/accounts/login" if role == "visitor" else "/accounts/",
    )
    admission.session.expire_all()
    assert admission.session.get_one(Decision, decision).released_at is None


def test_many_are_marked_as_not_eligible_with_one_reason_after_a_look_at_whom(admission: Admission) -> None:
    ids = [str(admission.submitted(admission.add_applicant(f"Zz{n}"), "Systems").id) for n in range(2)]
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    ticked: dict[str, object] = {"application": ids, "move": "mark_ineligible"}

    def states() -> list[str]:
        admission.session.expire_all()
        return list(admission.session.scalars(select(Application.state).order_by(Application.id)))

    shown = submit(client, f"{page}/eligible", ticked, page=page)
    assert (shown.status_code, "Zz0" in shown.text, "Zz1" in shown.text) == (200, True, True)
    empty = submit(client, f"{page}/eligible", {**ticked, "confirmed": "yes", "message": " "}, page=page)
    assert (empty.status_code, 'id="message-error"><p class="field-error">Write why' in empty.text) == (422, True)
    assert states() == ["submitted"] * 2
    done = {**ticked, "confirmed": "yes", "message": "The degree does not lead to a Ph.D. here."}
    assert submit(client, f"{page}/eligible", done, page=page).status_code == 302
    assert states() == ["ineligible"] * 2
    reasons = set(admission.session.scalars(select(Application.state_reason)))
    assert reasons == {"The degree does not lead to a Ph.D. here."}
