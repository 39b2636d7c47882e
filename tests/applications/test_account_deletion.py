"""Deleting the account as well: what goes at once, what stays until the retention of a cycle ends, and who may not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.accounts.service import grant_role
from portal.applications.erasure import erase_what_is_due
from portal.applications.files import file_store
from portal.db import db
from portal.models import ApiToken, Application, AuditEntry, Interests, User
from tests.accounts.mailbox import mails
from tests.admission import Admission, add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


PAGE = "/me/delete-account"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        one = add_admission(app, now=datetime.now(UTC))
        one.add_lab("Ada Lab")
        yield one
        db.session.remove()


def test_an_account_without_applications_is_gone_at_once_and_its_address_is_free(
    app: Flask, admission: Admission
) -> None:
    person = admission.add_applicant("Li Wei")
    other, client = person.sign_in(), person.sign_in()
    page = client.get("/accounts/").text
    assert f'href="{PAGE}"' in page
    assert "Nothing of yours." in client.get(PAGE).text
    assert (submit(client, PAGE, {}).status_code, "Tick the box" in submit(client, PAGE, {}).text) == (422, True)
    answer = submit(client, PAGE, {"sure": "yes"})
    assert (answer.status_code, answer.location) == (302, "/")
    assert "Your account is deleted." in client.get("/").text
    assert [each.get("/accounts/").status_code for each in (client, other)] == [302, 302]
    assert mails(app, person.email)[-1].subject == "Your account was deleted"
    db.session.expire_all()
    assert db.session.scalars(select(User.id).where(User.id == person.id)).all() == []
    assert db.session.scalars(select(Interests.user_id).where(Interests.user_id == person.id)).all() == []
    log = db.session.scalars(select(AuditEntry).where(AuditEntry.act == "account.delete")).one()
    assert (log.actor_label, log.object_key) == (person.email, person.email)


def test_what_was_submitted_is_withdrawn_and_stays_with_its_name_until_the_retention_ends(
    app: Flask, admission: Admission
) -> None:
    person = admission.add_applicant("Li Wei")
    application = admission.submitted(person, "Ada Lab")
    later = add_admission(app, now=datetime.now(UTC))
    later.labs = admission.labs
    later.draft(person, "Ada Lab")
    db.session.add(
        ApiToken(
            user_id=person.id,
            name="Mine",
            digest="d" * 64,
            hint="phd_",
            scopes=[],
            created_at=admission.now,
            expires_at=admission.now + timedelta(days=9),
        )
    )
    db.session.commit()
    client = person.sign_in()
    said = client.get(PAGE).text
    kept = f"Your application for {admission.cycle.name}, with your name and what you submitted, until "
    assert (kept in said, later.cycle.name in said.partition("What stays")[2]) == (True, False)
    assert f"{admission.cycle.retention_days} days after the cycle is closed" in said
    assert submit(client, PAGE, {"sure": "yes"}).status_code == 302
    assert "until the retention period" in mails(app, person.email)[-1].body
    db.session.expire_all()
    user = db.session.get_one(User, person.id)
    assert (user.active, user.password, user.name, person.email in user.email) == (False, None, "Li Wei", False)
    assert [each.state for each in db.session.scalars(select(Application))] == ["withdrawn"]
    assert db.session.scalars(select(ApiToken.revoked_at)).one() is not None
    restored = submit(admission.admin.sign_in(), f"/admin/people/{person.id}/restore", {"reason": "By mistake."})
    assert (restored.status_code, user.active) == (403, False)
    assert "Deleted by its owner" in admission.admin.sign_in().get(f"/admin/people/{person.id}").text

    application.cycle.closed_at = now = datetime.now(UTC)
    db.session.commit()
    for days, left in ((-1, [person.id]), (1, [])):
        at = now + timedelta(days=application.cycle.retention_days + days)
        erase_what_is_due(db.session(), file_store(app), at)
        assert db.session.scalars(select(User.id).where(User.id == person.id)).all() == left


def test_whoever_decides_about_others_asks_an_administrator_first(admission: Admission) -> None:
    person = admission.add_applicant("Li Wei")
    client = person.sign_in()
    grant_role(db.session(), db.session.get_one(User, person.id), "professor", author=None, now=admission.now)
    db.session.commit()
    why_not = "Your account also has the role professor."
    assert why_not in client.get(PAGE).text
    refused = submit(client, PAGE, {"sure": "yes"}, page="/accounts/")
    assert (refused.status_code, why_not in refused.text) == (422, True)
    assert db.session.get_one(User, person.id).active


def test_the_password_is_asked_for_again_before(admission: Admission) -> None:
    client = admission.add_applicant("Li Wei").sign_in()
    with client.session_transaction() as session:
        session["fs_paa"] = (datetime.now(UTC) - timedelta(hours=1)).timestamp()
        session.pop("fs_gexp", None)
    answer = client.get(PAGE)
    assert (answer.status_code, answer.location.startswith("/accounts/verify")) == (302, True)
