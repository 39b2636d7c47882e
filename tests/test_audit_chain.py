"""The chain of the audit log: whole after anything that people do, broken by anything done past the portal."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, select, text, update

from portal import audit
from portal.admin.system.audit_log.pages import csv_lines
from portal.db import db
from portal.models import AuditEntry, AuditHead

if TYPE_CHECKING:
    from flask import Flask
    from sqlalchemy.orm import Session

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def _act(session: Session, key: str) -> None:
    audit.record(session, "a test", "test.act", "thing", key, NOW, after={"key": key, "n": 0.1})


def _acts(session: Session, count: int) -> None:
    for number in range(count):
        _act(session, f"thing {number}")
    session.commit()


def test_every_entry_is_sealed_when_it_is_committed(session: Session) -> None:
    assert audit.verify(session) == audit.Verdict(0, "", "")
    _acts(session, 3)
    _acts(session, 2)
    verdict = audit.verify(session)
    assert (verdict.entries, verdict.holds) == (5, True)
    head = session.scalars(select(AuditHead)).one()
    assert (head.position, head.seal) == (5, verdict.seal)


def test_half_a_surrogate_pair_does_not_keep_the_log_from_being_exported(session: Session) -> None:
    audit.record(session, None, "test.act", "thing", "one", NOW, before={"names": ("王", "x\udcff")}, after="\ud800")
    session.commit()
    assert audit.verify(session).holds
    assert "王" in "".join(csv_lines(session)).encode().decode()
    entry = session.scalars(select(AuditEntry)).one()
    assert (entry.before, entry.after) == ({"names": ["王", "x?"]}, "?")


def test_what_is_rolled_back_leaves_no_gap(session: Session) -> None:
    _acts(session, 1)
    _act(session, "rolled back")
    session.flush()
    session.rollback()
    _act(session, "kept")
    with session.begin_nested() as savepoint:
        _act(session, "taken back to the savepoint")
        savepoint.rollback()
    with session.begin_nested():
        _act(session, "within a savepoint")
    session.commit()
    keys = session.scalars(select(AuditEntry.object_key).order_by(AuditEntry.position)).all()
    assert keys == ["thing 0", "kept", "within a savepoint"]
    assert audit.verify(session).holds


@pytest.mark.parametrize(
    ("tampering", "said"),
    [
        (update(AuditEntry).where(AuditEntry.position == 2).values(actor_label="somebody else"), "Entry 2 (test.act"),
        (update(AuditEntry).where(AuditEntry.position == 2).values(after={"key": "other"}), "Entry 2 (test.act"),
        (update(AuditEntry).where(AuditEntry.position == 3).values(at=datetime(2020, 1, 1, tzinfo=UTC)), "Entry 3"),
        (delete(AuditEntry).where(AuditEntry.position == 2), "Entry 2 is missing."),
        (delete(AuditEntry).where(AuditEntry.position == 4), "The log ends after entry 3, but 4 were written."),
        (delete(AuditHead), "The log ends after entry 4, but 0 were written."),
        (
            text(
                "INSERT INTO audit_entry (at, actor_label, act, object_type, object_key, before, after) "
                "VALUES ('2026-01-01 00:00:00', 'x', 'x', 'x', 'x', 'null', 'null')"
            ),
            "An entry has no place in the chain",
        ),
    ],
)
def test_tampering_is_found(app: Flask, session: Session, tampering: object, said: str) -> None:
    _acts(session, 4)
    session.execute(tampering)  # type: ignore[call-overload]  # any statement
    session.commit()
    assert said in audit.verify(session).wrong
    outcome = app.test_cli_runner().invoke(args=["audit", "verify"])
    assert (outcome.exit_code, said in outcome.output) == (1, True)


def test_the_chain_stays_whole_when_many_write_at_once(app: Flask, session: Session) -> None:
    errors: list[Exception] = []

    def write(number: int) -> None:
        try:
            with app.app_context():
                for step in range(5):
                    _act(db.session(), f"{number}.{step}")
                    db.session.commit()
        except Exception as error:  # noqa: BLE001 - whatever a thread raises is told below
            errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    verdict = audit.verify(session)
    assert (verdict.entries, verdict.wrong) == (40, "")


def test_the_log_is_exported_whole_and_without_formulas(session: Session) -> None:
    _act(session, "=cmd()")
    session.commit()
    lines = list(csv_lines(session))
    assert len(lines) == 2
    assert "'=cmd()" in lines[1]
