"""Who erases an application and begins anew does not get new mails to strangers with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import unescape
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.locks import MoveRefused
from portal.applications.referees import rules
from portal.applications.referees.service import ask, name_referee
from portal.db import db
from portal.models import AuditEntry, OutboxMail, Referee
from tests.admission import add_admission
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_requests_for_letters_count_beyond_an_erasure(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MOST_ASKED", 2)
    with app.app_context():
        admission = add_admission(app, now=NOW, deadline_in=timedelta(days=90), referees=1)
        admission.add_lab("Ada Lab")
        person, another = admission.add_applicant(), admission.add_applicant()
        session, user = db.session(), admission.user(person)

        def ask_in_a_new_application() -> None:
            erase_everything(session, file_store(app), user, now=admission.now)
            draft = admission.draft(person, "Ada Lab")
            referee = name_referee(session, draft, "Ada", "ada@example.edu", "My thesis", now=admission.now)
            ask(session, referee, actor=user, now=admission.now)
            session.commit()

        ask_in_a_new_application()
        ask_in_a_new_application()
        with pytest.raises(MoveRefused, match="You asked 2 times for a letter within 30 days, which is the limit"):
            ask_in_a_new_application()
        session.rollback()
        theirs = admission.draft(another, "Ada Lab")
        referee = name_referee(session, theirs, "Ada", "ada@example.edu", "My thesis", now=admission.now)
        assert ask(session, referee, actor=admission.user(another), now=admission.now)
        admission.later(days=30, seconds=1)
        ask_in_a_new_application()
        asked = select(func.count(AuditEntry.id)).where(AuditEntry.act == "referee.ask")
        assert session.scalar(asked) == 4


def test_who_is_added_can_be_asked_in_one_step_and_stays_on_the_list_where_that_is_refused(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_ASKED", 1)
    with app.app_context():
        admission = add_admission(app, referees=1)
        client = admission.add_applicant("Li Wei").sign_in()
        page = f"/me/application/{admission.cycle.slug}/referees"

        def add(name: str, **button: str) -> str:
            sent = {"name": name, "email": f"{name}@example.edu", "relation": "", **button}
            assert submit(client, page, sent).status_code == 302
            return unescape(client.get(page).text)

        def asked() -> list[str]:
            return list(db.session.scalars(select(OutboxMail.address).where(OutboxMail.kind == "referee_request")))

        assert "Ada is on your list, and a mail with a link of their own goes to ada@example.edu." in add(
            "Ada", then="ask"
        )
        assert asked() == ["ada@example.edu"]
        assert "Ada was asked already" in add("Ada", then="ask")
        assert "Bo is on your list. Ask them when you are ready; nothing was sent yet." in add("Bo")
        assert "Cy is on your list, but was not asked. You asked 1 times for a letter" in add("Cy", then="ask")
        assert asked() == ["ada@example.edu"]
        names = list(db.session.scalars(select(Referee.name).order_by(Referee.id)))
        assert names == ["Ada", "Bo", "Cy"]
