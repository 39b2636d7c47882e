"""Two accounts of one person become one: nothing is lost without a word, and what cannot be joined is refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from portal.accounts.api_tokens import make_token
from portal.admin.people.merging import ENDS, MOVES_TOO, RIGHTS, STAYS_TOO, moving_columns
from portal.db import Base, db
from portal.models import (
    Application,
    AuditEntry,
    ChoiceNote,
    Conflict,
    Interests,
    Lab,
    LabProfessor,
    LabShare,
    MergedAccount,
    Notification,
    Release,
    Resume,
    SavedLab,
    Scorecard,
    User,
)
from tests.admission import Admission, add_admission
from tests.people import Person, submit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result
    from flask import Flask


@dataclass
class Merging:
    """Whoever runs the portal, with two accounts of one person."""

    admission: Admission

    def merge(self, kept: Person, other: Person, *more: str) -> Result:
        return self.admission.app.test_cli_runner().invoke(args=["merge-accounts", kept.email, other.email, *more])

    def refusal(self, kept: Person, other: Person) -> str:
        """Why it is refused; proves that a dry run says the same, and that neither changes anything."""
        refused, tried = self.merge(kept, other), self.merge(kept, other, "--dry-run")
        assert (refused.exit_code, tried.exit_code, tried.stderr) == (1, 1, refused.stderr)
        assert self.session.scalars(select(MergedAccount)).all() == []
        return refused.stderr

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
        yield Merging(admission)


def owners(session: Any, table: Any, column: str) -> set[int]:  # noqa: ANN401
    return set(session.scalars(select(getattr(table, column))))


def test_every_column_that_refers_to_an_account_is_decided() -> None:
    keys = [(table.name, key.parent.name, key) for table in Base.metadata.sorted_tables for key in table.foreign_keys]
    of_accounts = {
        (table, column): key.ondelete for table, column, key in keys if key.column.table.name == "user_account"
    }
    moving = {(table.name, column) for table, column in moving_columns()}
    named = MOVES_TOO | ENDS | RIGHTS | STAYS_TOO
    assert named <= of_accounts.keys()
    assert {key for key, fate in of_accounts.items() if fate == "CASCADE"} <= moving | named
    assert {key for key in moving if of_accounts[key] != "CASCADE"} == MOVES_TOO
    assert ("application", "applicant_id") in moving


def test_an_applicants_second_account_is_closed_and_all_of_it_moves(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.add_applicant("Li Wei"), admission.add_applicant("Li Wei again")
    admission.submitted(other, "Systems")
    for one in (Interests, Resume):
        merging.session.delete(merging.session.scalars(select(one).where(one.user_id == kept.id)).one())
    user = admission.user(other)
    _, token = make_token(merging.session, user, name="x", scopes=["labs:read"], days=9, now=datetime.now(UTC))
    for person in (kept, other):
        lab = merging.session.scalars(select(Lab)).first()
        merging.session.add(LabShare(user_id=person.id, lab_id=lab.id, shared_at=admission.now))
        merging.session.add(SavedLab(user_id=person.id, lab_id=lab.id, saved_at=admission.now))
    merging.session.commit()
    theirs, stranger = other.sign_in(), admission.app.test_client()
    tried = merging.merge(kept, other, "--dry-run")
    assert owners(merging.session, Application, "applicant_id") == {other.id}
    assert merging.session.get(User, other.id).active
    merged = merging.merge(kept, other)
    lines = merged.stdout.splitlines()[:-1]
    assert lines == tried.stdout.splitlines()[:-1]
    assert {"application: 1 moved", "interests: 1 moved", "resume: 1 moved"} < set(lines)
    assert "lab share: both have 1; that of the kept account stays" in lines
    assert "saved lab: both have 1; that of the kept account stays" in lines
    session = merging.session
    for table, column in (
        (Application, "applicant_id"),
        (Interests, "user_id"),
        (Resume, "user_id"),
        (LabShare, "user_id"),
        (SavedLab, "user_id"),
    ):
        assert owners(session, table, column) == {kept.id}
    assert kept.sign_in().get("/me/").status_code in {200, 302}
    # Nobody gets in by the old way, and no answer says more than for an address without an account.
    assert theirs.get("/accounts/").status_code == 302
    assert stranger.get("/api/v1/labs", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    tries = [
        submit(stranger, "/accounts/login", {"email": email, "password": other.password})
        for email in (other.email, "nobody@example.edu")
    ]
    assert [one.status_code for one in tries] == [200, 200]
    assert all("Wrong e-mail address or password." in one.text for one in tries)
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
    assert {(entry.object_key, entry.actor_label) for entry in entries} == {
        (kept.email, "command line"),
        (other.email, "command line"),
    }
    # Closed for good.
    desk = admission.admin.sign_in()
    refused = submit(desk, f"/admin/people/{other.id}/restore", {"reason": "x"}, page=f"/admin/people/{kept.id}")
    assert (refused.status_code, "It stays closed." in refused.text) == (403, True)
    assert "Closed; merged into" in desk.get(f"/admin/people/{other.id}").text
    give = {"role": "admin"}
    page_of = f"/admin/people/{kept.id}"
    assert submit(desk, f"/admin/people/{other.id}/give-role", give, page=page_of).status_code == 403


def test_of_what_both_have_that_of_the_kept_account_stays_and_this_is_said(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.add_applicant(topics=("mine",)), admission.add_applicant(topics=("theirs",))
    lines = merging.merge(kept, other).stdout
    assert "interests: both have 1; that of the kept account stays" in lines
    assert "resume: both have one; that of the kept account stays" in lines
    session = merging.session
    assert [interests.topics[0].text for interests in session.scalars(select(Interests))] == ["mine"]
    assert (owners(session, Interests, "user_id"), owners(session, Resume, "user_id")) == ({kept.id}, {kept.id})


def test_two_applications_in_one_cycle_cannot_be_joined(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.add_applicant(), admission.add_applicant()
    admission.submitted(kept, "Systems")
    admission.draft(other, "Vision")
    assert f"Both accounts have an application in {admission.cycle.name}" in merging.refusal(kept, other)
    assert owners(merging.session, Application, "applicant_id") == {kept.id, other.id}


def test_who_judged_the_other_account_or_could_is_no_case_for_a_merge(merging: Merging) -> None:
    admission = merging.admission
    applicant, leader = admission.add_applicant(), admission.leaders["Systems"]
    admission.submitted(applicant, "Systems")
    assert "One account applies to Systems, and one is attached to it." in merging.refusal(applicant, leader)
    other = admission.leaders["Vision"]
    choice = admission.choice(merging.session.scalars(select(Application)).one(), "Systems")
    merging.session.add(Scorecard(choice_id=choice.id, reviewer_id=other.id, changed_at=admission.now))
    merging.session.commit()
    assert "One of these accounts has reviewed the other as an applicant." in merging.refusal(other, applicant)


def test_roles_and_labs_move_and_a_leader_stays_one(merging: Merging, person: Callable[..., Person]) -> None:
    admission, kept, other = merging.admission, person("applicant"), merging.admission.leaders["Systems"]
    assert merging.merge(kept, other).stdout.splitlines()[:2] == ["the role professor", "leader of Systems"]
    assert {role.name for role in merging.session.get(User, kept.id).roles} == {"applicant", "professor"}
    assert other.id not in owners(merging.session, LabProfessor, "user_id")
    third, fourth = admission.reviewers["Vision"], admission.leaders["Vision"]
    assert "leader of Vision" in merging.merge(third, fourth).stdout
    seat = merging.session.get(LabProfessor, (admission.labs["Vision"], third.id))
    assert (seat.position, merging.session.get(User, fourth.id).roles) == ("leader", [])
    assert "leader of Vision" not in merging.merge(third, person("professor")).stdout


def test_what_is_not_two_open_accounts_is_refused(merging: Merging, person: Callable[..., Person]) -> None:
    kept, other = person("applicant"), person("applicant")
    assert "These are one account already." in merging.refusal(kept, kept)
    unknown = merging.admission.app.test_cli_runner().invoke(args=["merge-accounts", kept.email, "nobody@example.edu"])
    assert (unknown.exit_code, "has no account" in unknown.stderr) == (1, True)
    session = merging.session
    session.get(User, kept.id).confirmed_at = None
    session.get(User, other.id).active = False
    session.commit()
    refusal = merging.refusal(kept, other)
    assert f"{other.email} is closed. Restore it first." in refusal
    assert f"Nobody has confirmed {kept.email}. Merge the other way round." in refusal


def test_reviews_of_two_accounts_become_one_reviewers(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.leaders["Systems"], admission.reviewers["Systems"]
    application = admission.eligible(admission.add_applicant(), "Systems", "Vision")
    choice, now = admission.choice(application, "Systems"), admission.now
    values = {"fit": 4, "potential": 4, "preparation": 4, "writing": 4, "confidence": 2, "changed_at": now}
    session = merging.session
    session.add(Scorecard(choice_id=choice.id, reviewer_id=kept.id, **values))
    session.add(Scorecard(choice_id=choice.id, reviewer_id=other.id, locked_at=now, **values))
    someone = application.applicant_id
    session.add(Conflict(reviewer_id=kept.id, applicant_id=someone, state="dismissed", changed_at=now))
    session.add(Conflict(reviewer_id=other.id, applicant_id=someone, state="declared", changed_at=now))
    for person in (kept, other):
        session.add(Notification(user_id=person.id, kind="new_choices", text="x", dedupe_key="same", created_at=now))
    session.add(Release(cycle_id=admission.cycle_id, state="prepared", prepared_by_id=other.id, prepared_at=now))
    session.add(ChoiceNote(choice_id=choice.id, author_id=other.id, text="Met at a workshop.", written_at=now))
    session.commit()
    assert "scorecard: both have one on a choice; the locked one stays" in merging.merge(kept, other).stdout
    session = merging.session
    assert [
        (scorecard.reviewer_id, scorecard.locked_at is not None) for scorecard in session.scalars(select(Scorecard))
    ] == [(kept.id, True)]
    assert [(conflict.reviewer_id, conflict.state) for conflict in session.scalars(select(Conflict))] == [
        (kept.id, "declared")
    ]
    assert session.scalar(select(func.count()).select_from(Notification).where(Notification.dedupe_key == "same")) == 1
    # Who prepared a release with one account cannot approve it with the other one.
    assert owners(session, Release, "prepared_by_id") == {kept.id}
    assert owners(session, ChoiceNote, "author_id") == {kept.id}  # who alone may remove it


def test_two_locked_scorecards_on_one_choice_are_refused(merging: Merging) -> None:
    admission = merging.admission
    kept, other = admission.leaders["Systems"], admission.reviewers["Systems"]
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    for person in (kept, other):
        values = {"abstained": True, "abstain_reason": "x", "changed_at": admission.now, "locked_at": admission.now}
        merging.session.add(Scorecard(choice_id=choice.id, reviewer_id=person.id, **values))
    merging.session.commit()
    assert "Both accounts have locked a scorecard on the same choice" in merging.refusal(kept, other)
