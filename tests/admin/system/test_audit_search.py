"""Entries of the audit log are found by the names that the log shows, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal import audit
from portal.admin.system.audit_log.queries import read_filter
from portal.admin.system.audit_log.words import objects_of
from portal.db import db
from portal.models import ApiToken, AuditEntry, InterviewSlot, Referee
from tests.admission import Admission, admission_of
from tests.databases import application_over_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.models import Application

app = application_over_each()


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Systems", now=datetime.now(UTC).replace(microsecond=0) - timedelta(days=40)) as one:
        yield one


def _record(actor: object, kind: str, key: object, now: datetime) -> None:
    act = "scorecard.lock" if str(key).startswith("systems/") and kind == "choice" else "test.act"
    audit.record(db.session(), actor, act, kind, str(key), now)  # type: ignore[arg-type]


def _add_things(admission: Admission, application: Application) -> dict[tuple[str, str], str]:
    """Things of each kind that belong to an applicant, and an entry about each: what the log says of it, by its key."""
    session, person, now = db.session(), application.applicant, admission.now
    choice, cycle = admission.choice(application, "Systems"), admission.cycle
    slot = InterviewSlot(lab_id=choice.lab_id, cycle_id=cycle.id, starts_at=now, zone="UTC", created_at=now)
    slot.uid, slot.choice_id = "with Zoë", choice.id
    token = ApiToken(user_id=person.id, name="CI", digest="0", hint="0", scopes=[], created_at=now, expires_at=now)
    referee = Referee(application_id=application.id, name="Ada Lovelace", email="ada@example.org", created_at=now)
    session.add_all([slot, token, referee])
    session.flush()
    leader = admission.leaders["Systems"]
    names = {
        ("account", person.email): person.name,
        ("applicant of lab", f"systems/{person.id}"): f"Systems, {person.name}",
        ("choice", f"systems/{choice.id}"): f"Systems, {person.name}",
        ("conflict", f"{leader.id}/{person.id}"): f"Leader Systems, {person.name}",
        ("interview", str(slot.id)): f"Systems, {person.name}",
        ("referee", str(referee.id)): f"Ada Lovelace for {person.name}",
        ("token", str(token.id)): f"“CI” of {person.name}",
    }
    for kind, key in names:
        _record(person, kind, key, now)
    session.commit()
    return names


def _found(**typed: str) -> dict[tuple[str, str], str]:
    session = db.session()
    entries = session.scalars(select(AuditEntry).where(*read_filter(typed).conditions(session))).all()
    about = objects_of(session, entries)
    return {(entry.object_type, entry.object_key): about[entry.id].words for entry in entries}


def test_what_belongs_to_a_person_is_said_and_found_by_the_name(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant("Zoë Łabędź"), "Systems")
    other = admission.eligible(admission.add_applicant("Bin Yuan"), "Systems")
    said = _add_things(admission, application)
    for kind, key in (("account", other.applicant.email), ("cycle", "autumn")):
        _record(other.applicant, kind, key, admission.now)
    db.session.commit()
    moved = ("application", str(application.id))
    for typed in ("Łabędź", "labedz", "zoe ŁABĘDŹ", application.applicant.email):
        found = _found(about=typed)
        assert moved in found
        assert {key: found[key] for key in found if key != moved} == said
    assert ("account", other.applicant.email) in _found(about="yuan bin")
    assert _found(about="Nobody") == {}
    assert _found(person="zoe labedz").keys() == said.keys() | {moved}
    assert ("cycle", "autumn") in _found(person="Bin Yuan")


def test_what_belongs_to_a_lab_is_found_by_its_name_and_words_narrow(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant("Zoë Łabędź"), "Systems")
    admission.choice(application, "Systems").lab.name = "Système Réparti"
    said = _add_things(admission, application)
    _record(None, "lab", "systems", admission.now)
    _record(None, "lab in cycle", "systeme-2/autumn", admission.now)
    db.session.commit()
    found = _found(about="reparti").keys()
    assert found >= {key for key in said if key[0] in {"applicant of lab", "choice", "interview"}}
    assert ("lab", "systems") in found
    assert ("lab in cycle", "systeme-2/autumn") in _found(about="Système")
    both = _found(about="reparti zoe").keys()
    assert both
    assert both < found
    assert ("account", application.applicant.email) not in both


def test_a_number_that_was_given_again_is_found_by_no_name(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant("Zoë Łabędź"), "Systems")
    choice, earlier = admission.choice(application, "Systems"), application.created_at - timedelta(days=1)
    keys = {
        ("application", str(application.id)),
        ("choice", f"{application.id}/{choice.lab_id}"),
        ("choice", f"systems/{choice.id}"),
    }
    db.session.execute(AuditEntry.__table__.delete())  # type: ignore[attr-defined]
    for kind, key in keys:
        _record(None, kind, key, earlier)
    db.session.commit()
    assert _found(about="zoe") == {}
    for kind, key in keys:
        _record(None, kind, key, admission.now)
    db.session.commit()
    assert _found(about="zoe").keys() == keys
