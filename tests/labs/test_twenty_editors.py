"""Twenty processes edit one profile at once: every edit is stored, in order, and the audit log's chain is intact."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from portal import audit
from portal.db import db
from portal.labs import service
from portal.labs.queries import lab_by_slug, profile_of
from portal.models import AuditEntry, Lab, LabRevision
from portal.seeding.records import LabRecord, MemberRecord
from tests.databases import application_over

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.synchronize import Barrier

    from flask import Flask
    from sqlalchemy.orm import Session

    from tests.conftest import Settings

PROCESSES, EDITS = 20, 1
MOST_TRIES = 400
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
# Each process changes one field of its own or, where there are no more fields, adds people.
FIELDS = ("about", "interests", "recruiting", "recruiting_focus", "contact", "place")


@pytest.fixture(
    params=[pytest.param("sqlite", marks=pytest.mark.thorough), pytest.param("postgres", marks=pytest.mark.postgres)]
)
def app(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Flask]:
    with application_over(request, settings) as application:
        record = LabRecord("loom-lab", "Loom Lab")
        service.create_lab(db.session(), record, author=None, reason="Created.", now=NOW)
        db.session.commit()
        db.session.remove()
        yield application


def _edited(record: LabRecord, process_index: int, step: int) -> LabRecord:
    if process_index < len(FIELDS):
        values: dict[str, Any] = {
            FIELDS[process_index]: f"{FIELDS[process_index]} as process {process_index} says it, {step}"
        }
        return replace(record, **values)
    member = MemberRecord(f"person-{process_index}-{step}", f"Person {process_index} {step}", "phd_student")
    return replace(record, members=(*record.members, member))


def _save(session: Session, process_index: int, step: int) -> None:
    """One edit, merged with what others saved meanwhile, as the pages do it."""
    lab = lab_by_slug(session, "loom-lab")
    assert lab is not None
    base = lab.revision_number
    record = _edited(profile_of(session, lab), process_index, step)
    for _ in range(MOST_TRIES):
        try:
            saved = service.save_profile(
                session, lab, record, base=base, author=None, reason=f"Edit {process_index}.{step}", now=NOW
            )
            session.commit()
        except service.StaleEdit as stale:
            if stale.merge.conflicts:
                raise
            record, base = stale.merge.record, stale.theirs.number
            session.rollback()
            session.expire_all()
        else:
            assert saved is not None
            return
    raise AssertionError(f"edit {process_index}.{step} found no turn")


def _edit(app: Flask, process_index: int, start: Barrier) -> None:
    """The work of one process. It ends without the clean-up of the tests, which is the parent's task."""
    code = 1
    try:
        with app.app_context():
            db.engine.dispose(close=False)  # the parent's connections stay the parent's
            start.wait(timeout=600)
            for step in range(EDITS):
                _save(db.session(), process_index, step)
            db.session.remove()
            db.engine.dispose()
        code = 0
    except BaseException:  # noqa: BLE001  (whatever it is, the parent's output has to show it)
        traceback.print_exc()
    finally:
        os._exit(code)


def test_no_edit_of_twenty_processes_is_lost(app: Flask) -> None:
    db.engine.dispose()
    fork = multiprocessing.get_context("fork")
    start = fork.Barrier(PROCESSES)
    processes = [fork.Process(target=_edit, args=(app, number, start)) for number in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=600)
    assert [process.exitcode for process in processes] == [0] * PROCESSES

    session = db.session()
    lab = session.scalars(select(Lab)).one()
    revisions = session.scalars(select(LabRevision).order_by(LabRevision.id)).all()
    assert [revision.number for revision in revisions] == list(range(1, PROCESSES * EDITS + 2))
    assert len({revision.reason for revision in revisions}) == PROCESSES * EDITS + 1
    profile = profile_of(session, lab)
    assert {member.key for member in profile.members} == {
        f"person-{number}-{step}" for number in range(len(FIELDS), PROCESSES) for step in range(EDITS)
    }
    assert [getattr(profile, field) for field in FIELDS] == [
        f"{field} as process {number} says it, {EDITS - 1}" for number, field in enumerate(FIELDS)
    ]
    verdict = audit.verify(session)
    assert (verdict.wrong, verdict.entries >= PROCESSES * EDITS) == ("", True)
    entries = session.scalars(select(AuditEntry).order_by(AuditEntry.position)).all()
    numbers = [entry.after["revision"] for entry in entries if entry.after and "revision" in entry.after]
    assert numbers == sorted(numbers)
