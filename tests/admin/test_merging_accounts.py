"""Two accounts of one person become one: nothing is lost without a word, nobody gains what nobody gave."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from portal.accounts.token_service import make_token
from portal.applications.drafting.service import submit as send
from portal.applications.interviews.feed import renew_feed
from portal.db import db
from portal.models import (
    ApiToken,
    Application,
    AuditEntry,
    Conflict,
    Interests,
    Lab,
    LabProfessor,
    LabShare,
    Notification,
    Release,
    Resume,
    ReviewMark,
    SavedView,
    Scorecard,
    User,
)
from tests.admission import Admission, add_admission
from tests.people import Person, submit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

RADIO = re.compile(r'type="radio" id="[^"]*" name="([^"]*)" value="([^"]*)"')
PLAN = re.compile(r'name="plan" value="([0-9a-f]{64})"')


@dataclass
class Merging:
    """An administrator with two accounts of one person before them."""

    admission: Admission
    client: FlaskClient

    def page(self, kept: Person, other: Person) -> str:
        return self.client.get(f"/admin/people/{kept.id}/merge?other={other.email}").text

    def merge(self, kept: Person, other: Person, **more: Any) -> TestResponse:  # noqa: ANN401
        """Send the form of the page with everything that it asks for."""
        url = f"/admin/people/{kept.id}/merge"
        page = self.page(kept, other)
        plan = PLAN.search(page)
        data = {"other": other.id, "plan": plan.group(1) if plan else "", "reason": "One CV", "sure": "yes", **more}
        return submit(self.client, url, data, page=f"/admin/people/{kept.id}")

    @property
    def session(self) -> Any:  # noqa: ANN401
        db.session.expire_all()
        return db.session()


@pytest.fixture
def merging(app: Flask) -> Iterator[Merging]:
    with app.app_context():
        admission = add_admission(app, now=datetime.now(UTC) - timedelta(days=3), deadline_in=timedelta(days=30))
        admission.add_lab("Systems")
        admission.add_lab("Vision", "Recognising pictures")
        yield Merging(admission, admission.admin.sign_in())


def owners(session: Any, table: Any, column: str) -> set[int]:  # noqa: ANN401
    return set(session.scalars(select(getattr(table, column))))


def test_an_applicants_second_account_is_closed_and_all_of_it_moves(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.add_applicant("Li Wei"), admission.add_applicant("Li Wei again")
    admission.submitted(other, "Systems")
    for one in (Interests, Resume):
        merging.session.delete(merging.session.scalars(select(one).where(one.user_id == kept.id)).one())
    user = admission.user(other)
    _, token = make_token(merging.session, user, name="x", scopes=["labs:read"], days=9, now=datetime.now(UTC))
    feed = renew_feed(merging.session, user, now=datetime.now(UTC))
    for person in (kept, other):
        lab = merging.session.scalars(select(Lab)).first()
        merging.session.add(LabShare(user_id=person.id, lab_id=lab.id, shared_at=admission.now))
    merging.session.commit()
    theirs, stranger = other.sign_in(), admission.app.test_client()
    page = merging.page(kept, other)
    for words in (
        "Applications, with choices",
        "Labs it shares with",
        "Tokens for programs",
        "Calendar address",
        "Interests",
    ):
        assert words in page
    assert merging.merge(kept, other).location == f"/admin/people/{kept.id}"
    session = merging.session
    for table, column in (
        (Application, "applicant_id"),
        (Interests, "user_id"),
        (Resume, "user_id"),
        (LabShare, "user_id"),
    ):
        assert owners(session, table, column) == {kept.id}
    assert kept.sign_in().get("/me/application/").status_code in {200, 302}
    # Nobody gets in by the old way, and no answer says more than for an address without an account.
    assert theirs.get("/accounts/").status_code == 302
    assert stranger.get("/api/v1/labs", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert stranger.get(f"/calendar/{feed}.ics").status_code == 404
    tries = [
        submit(stranger, "/accounts/login", {"email": email, "password": other.password})
        for email in (other.email, "nobody@example.edu")
    ]
    assert [one.status_code for one in tries] == [200, 200]
    assert all("The address or the password is not right." in one.text for one in tries)
    before = len(admission.app.extensions["mailman"].outbox)
    assert submit(stranger, "/accounts/reset", {"email": other.email}).location == "/accounts/check-mail"
    mails = admission.app.extensions["mailman"].outbox[before:]
    assert [(mail.to, kept.email in mail.body, "no link can be sent" in mail.body) for mail in mails] == [
        ([other.email], False, True)
    ]
    told = {(mail.to[0], mail.subject) for mail in admission.app.extensions["mailman"].outbox}
    assert (kept.email, "Your two accounts have been merged") in told
    assert (other.email, "Your account was merged into another one") in told
    entries = session.scalars(
        select(AuditEntry).where(AuditEntry.act.in_(("account.merge_into", "account.close_merged")))
    )
    assert {(entry.object_key, entry.after["reason"]) for entry in entries} == {
        (kept.email, "One CV"),
        (other.email, "One CV"),
    }
    # Closed for good.
    refused = submit(
        merging.client, f"/admin/people/{other.id}/restore", {"reason": "x"}, page=f"/admin/people/{kept.id}"
    )
    assert (refused.status_code, "It stays closed." in refused.text) == (403, True)
    assert "Closed; merged into" in merging.client.get(f"/admin/people/{other.id}").text
    give = {"role": "admin"}
    page_of = f"/admin/people/{kept.id}"
    assert submit(merging.client, f"/admin/people/{other.id}/give-role", give, page=page_of).status_code == 403


@pytest.mark.parametrize("side", ["kept", "other"])
def test_interests_and_resumes_of_both_are_chosen_and_never_lost_unasked(merging: Merging, side: str) -> None:
    admission = merging.admission
    kept, other = admission.add_applicant(topics=("mine",)), admission.add_applicant(topics=("theirs",))
    radios = RADIO.findall(merging.page(kept, other))
    assert radios == [(f"choice-{key}", one) for key in ("interests", "resume") for one in ("kept", "other")]
    unasked = merging.merge(kept, other)
    assert (unasked.status_code, "Choose an answer: Both accounts have interests." in unasked.text) == (422, True)
    assert [each in unasked.text for each in ('href="#choice-interests"', 'id="choice-interests-error"')] == [True] * 2
    assert owners(merging.session, Interests, "user_id") == {kept.id, other.id}
    answers = {"choice-interests": side, "choice-resume": side}
    assert merging.merge(kept, other, **answers).status_code == 302
    session = merging.session
    assert [interests.topics[0].text for interests in session.scalars(select(Interests))] == [
        "mine" if side == "kept" else "theirs"
    ]
    assert (owners(session, Interests, "user_id"), owners(session, Resume, "user_id")) == ({kept.id}, {kept.id})


def test_two_applications_in_one_cycle_are_refused_unless_one_is_a_mere_draft(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.add_applicant(), admission.add_applicant()
    submitted = admission.submitted(kept, "Systems")
    admission.draft(other, "Vision")
    assert RADIO.findall(merging.page(kept, other))[-1] == (f"choice-application-{admission.cycle_id}", "kept")
    admission.submitted(admission.add_applicant(), "Systems")
    submit_draft(admission, other)
    page = merging.page(kept, other)
    assert ("two would have to become one" in page, "This cannot be done" in page) == (True, True)
    assert merging.merge(kept, other).status_code == 409
    assert len(owners(merging.session, Application, "applicant_id")) == 3
    assert submitted.applicant_id == kept.id


def submit_draft(admission: Admission, person: Person) -> None:
    row = admission.session.scalars(select(Application).where(Application.applicant_id == person.id)).one()
    send(admission.session, None, row, actor=admission.user(person), now=admission.while_open())
    admission.session.commit()


def test_a_draft_goes_only_when_that_was_chosen(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.add_applicant(), admission.add_applicant()
    admission.draft(kept, "Vision")
    submitted = admission.submitted(other, "Systems")
    key = f"choice-application-{admission.cycle_id}"
    stay = {"choice-interests": "kept", "choice-resume": "kept"}
    assert merging.merge(kept, other, **stay, **{key: "kept"}).status_code == 422
    assert merging.merge(kept, other, **stay, **{key: "other"}).status_code == 302
    rows = [(row.id, row.applicant_id) for row in merging.session.scalars(select(Application))]
    assert rows == [(submitted.id, kept.id)]


def test_who_judged_the_other_account_or_could_is_no_case_for_a_merge(merging: Merging) -> None:
    admission = merging.admission
    applicant, leader = admission.add_applicant(), admission.leaders["Systems"]
    admission.submitted(applicant, "Systems")
    assert "One account applies to Systems, and one reads for it." in merging.page(applicant, leader)
    other = admission.leaders["Vision"]
    lab = admission.labs["Vision"]
    row = ReviewMark(lab_id=lab, applicant_id=applicant.id, reviewer_id=other.id, mark="yes", marked_at=admission.now)
    merging.session.add(row)
    merging.session.commit()
    assert "One of these accounts has reviewed the other as an applicant." in merging.page(other, applicant)
    assert merging.merge(other, applicant).status_code == 409


def test_rights_are_joined_only_if_that_is_said(merging: Merging, person: Callable[..., Person]) -> None:
    kept, other = person("applicant"), merging.admission.leaders["Systems"]
    assert "would gain the role professor, leader of Systems" in merging.page(kept, other)
    assert merging.merge(kept, other).status_code == 422
    assert merging.merge(kept, other, rights="leave").status_code == 302
    assert {role.name for role in merging.session.get(User, kept.id).roles} == {"applicant"}
    assert other.id not in owners(merging.session, LabProfessor, "user_id")
    third, fourth = merging.admission.reviewers["Vision"], merging.admission.leaders["Vision"]
    assert merging.merge(third, fourth, rights="join").status_code == 302
    seat = merging.session.get(LabProfessor, (merging.admission.labs["Vision"], third.id))
    assert (seat.position, merging.session.get(User, fourth.id).roles) == ("leader", [])


def test_nobody_merges_their_own_account_and_the_last_administrator_stays(
    merging: Merging, person: Callable[..., Person]
) -> None:
    admin, other = merging.admission.admin, person("admin")
    for kept, gone in ((admin, other), (other, admin)):
        assert "One of these accounts is your own." in merging.page(kept, gone)
        assert merging.merge(kept, gone).status_code == 409
    plain = person("applicant")
    assert merging.merge(plain, other, rights="leave").status_code == 302
    holders = merging.session.scalar(select(func.count()).select_from(User).where(User.roles.any(name="admin")))
    assert holders == 1
    unknown = merging.client.get(f"/admin/people/{plain.id}/merge?other=nobody@example.edu")
    assert (unknown.status_code, "Nobody has an account with the address" in unknown.text) == (422, True)
    assert "These are one account already." in merging.page(plain, plain)


def test_reviews_of_two_accounts_become_one_reviewers(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.leaders["Systems"], admission.reviewers["Systems"]
    application = admission.eligible(admission.add_applicant(), "Systems", "Vision")
    choice, lab, now = admission.choice(application, "Systems"), admission.labs["Systems"], admission.now
    values = {"fit": 4, "potential": 4, "preparation": 4, "writing": 4, "confidence": 2, "changed_at": now}
    session = merging.session
    session.add(Scorecard(choice_id=choice.id, reviewer_id=kept.id, **values))
    session.add(Scorecard(choice_id=choice.id, reviewer_id=other.id, locked_at=now, **values))
    someone = application.applicant_id
    session.add(Conflict(reviewer_id=kept.id, applicant_id=someone, state="dismissed", changed_at=now))
    session.add(Conflict(reviewer_id=other.id, applicant_id=someone, state="declared", changed_at=now))
    for reviewer, mark in ((kept, "yes"), (other, "no")):
        row = ReviewMark(lab_id=lab, applicant_id=someone, reviewer_id=reviewer.id, mark=mark, marked_at=now)
        view = SavedView(lab_id=lab, reviewer_id=reviewer.id, name="Mine", query=mark, created_at=now)
        session.add_all((row, view))
    for person in (kept, other):
        session.add(Notification(user_id=person.id, kind="new_choices", text="x", dedupe_key="same", created_at=now))
    session.add(Release(cycle_id=admission.cycle_id, state="prepared", prepared_by_id=other.id, prepared_at=now))
    session.commit()
    answers = {"choice-marks": "other", "choice-scorecards": "kept"}
    assert merging.merge(kept, other, **answers).status_code == 302
    session = merging.session
    assert [
        (scorecard.reviewer_id, scorecard.locked_at is not None) for scorecard in session.scalars(select(Scorecard))
    ] == [(kept.id, True)]
    assert [(conflict.reviewer_id, conflict.state) for conflict in session.scalars(select(Conflict))] == [
        (kept.id, "declared")
    ]
    assert [(one.reviewer_id, one.mark) for one in session.scalars(select(ReviewMark))] == [(kept.id, "no")]
    views = session.scalars(select(SavedView).order_by(SavedView.name))
    assert [(one.reviewer_id, one.name, one.query) for one in views] == [
        (kept.id, "Mine", "yes"),
        (kept.id, "Mine (2)", "no"),
    ]
    assert session.scalar(select(func.count()).select_from(Notification).where(Notification.dedupe_key == "same")) == 1
    # Who prepared a release with one account cannot approve it with the other one.
    assert owners(session, Release, "prepared_by_id") == {kept.id}


def test_two_locked_scorecards_on_one_choice_are_refused(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.leaders["Systems"], admission.reviewers["Systems"]
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    for person in (kept, other):
        values = {"abstained": True, "abstain_reason": "x", "changed_at": admission.now, "locked_at": admission.now}
        merging.session.add(Scorecard(choice_id=choice.id, reviewer_id=person.id, **values))
    merging.session.commit()
    assert "Both accounts have locked a scorecard on the same choice (1)." in merging.page(kept, other)


def test_what_changed_since_the_page_was_shown_is_shown_again(merging: Merging, person: Callable[..., Person]) -> None:
    kept, other = person("applicant"), person("applicant")
    page = merging.page(kept, other)
    found = PLAN.search(page)
    assert found is not None
    merging.session.add(
        LabShare(user_id=other.id, lab_id=merging.admission.labs["Vision"], shared_at=merging.admission.now)
    )
    merging.session.commit()
    answer = merging.merge(kept, other, plan=found.group(1))
    assert (answer.status_code, "has changed meanwhile" in answer.text, "Labs it shares with" in answer.text) == (
        409,
        True,
        True,
    )
    assert merging.session.get(User, other.id).active
    for missing in ("sure", "reason"):
        assert merging.merge(kept, other, **{missing: ""}).status_code == 422
    assert merging.session.scalars(select(ApiToken)).all() == []
