"""Who erases an application and begins anew does not get new mails to strangers with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.applications import service
from portal.applications.files import file_store
from portal.applications.moves import MoveRefused
from portal.applications.referees import rules
from portal.applications.referees.service import ask, name_referee
from portal.db import db
from portal.models import AuditEntry
from tests.admission import add_admission

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
            service.erase(session, file_store(app), user, now=admission.now)
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
