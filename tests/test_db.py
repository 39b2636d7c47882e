"""What SQLite does differently, and the portal evens out."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from alembic import op
from flask_migrate import downgrade, upgrade
from sqlalchemy import (
    create_engine,
    func,
    inspect,
    select,
    table,
    text,
)

from portal.app import create_app
from portal.applications.files import file_store
from portal.applications.service import erase
from portal.db import Base, db
from portal.models import Lab
from tests.admission import add_admission
from tests.filled_tables import fill_tables

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask
    from sqlalchemy import Engine

RENAMED = {"named_lab": "lab_share", "look": "impersonation"}


def _labs() -> int:
    return db.session.scalar(select(func.count()).select_from(Lab)) or 0


def test_what_a_savepoint_wrote_goes_with_the_transaction_around_it(app: Flask) -> None:
    """Also where nothing was written before it."""
    with app.app_context():
        assert _labs() == 0
        with db.session.begin_nested():
            db.session.add(Lab(slug="ada", name="Ada Lab", changed_at=datetime.now(UTC)))
        db.session.rollback()
        assert _labs() == 0
        with db.session.begin_nested():
            db.session.add(Lab(slug="ada", name="Ada Lab", changed_at=datetime.now(UTC)))
        db.session.commit()
        assert _labs() == 1


def test_the_number_of_an_application_that_was_erased_is_not_given_to_another(app: Flask) -> None:
    """It stands in addresses, forms, the audit log and the names of mails, which would then be about another one."""
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Systems")
        ada, bob = (admission.add_applicant(name) for name in ("Ada", "Bob"))
        first = admission.draft(ada, "Systems")
        numbers = [first.id, first.choices[0].id]
        erase(db.session(), file_store(app), admission.user(ada), now=admission.now)
        db.session.commit()
        second = admission.draft(bob, "Systems")
        assert [second.id, second.choices[0].id] == [number + 1 for number in numbers]


def _tables(engine: Engine) -> dict[str, set[str]]:
    """The columns and constraints of each table, as SQLite wrote them down."""
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all()
    return {name: set(_parts(sql)) for name, sql in found if name not in {"alembic_version", "sqlite_sequence"}}


def _parts(sql: str) -> list[str]:
    """What stands between the commas of the outermost brackets; whether ids are given once only comes first."""
    parts, depth = [""], 0
    for sign in sql[sql.index("(") + 1 : sql.rindex(")")]:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [str("AUTOINCREMENT" in sql), *(re.sub(r"\s+", " ", part.replace('"', "")).strip() for part in parts)]


def test_the_migrations_keep_every_constraint_that_the_tables_have(migrated_database: Path) -> None:
    """Where a migration writes a table anew, what it does not name is lost without a word."""
    migrated = create_engine(f"sqlite:///{migrated_database}", module=sqlite3)
    fresh = create_engine("sqlite://")
    Base.metadata.create_all(fresh)
    assert _tables(migrated) == _tables(fresh)
    migrated.dispose()


@pytest.mark.sqlite
def test_a_writer_waits_half_a_minute_for_another_one(app: Flask) -> None:
    """So that in a deadline hour saves are late rather than refused."""
    with app.app_context():
        assert db.session.execute(text("PRAGMA busy_timeout")).scalar_one() == 30_000


@pytest.mark.sqlite
def test_an_upgrade_keeps_every_row(settings: dict[str, str], tmp_path: Path) -> None:
    """Where a table is written anew, the rows that refer to it stay."""
    app = create_app({**settings, "PORTAL_INSTANCE": str(tmp_path)})
    with app.app_context():
        upgrade(revision="admission")
        fill_tables(db.engine)
        before = _counts(db.engine)
        assert set(before.values()) == {1}
        upgrade()
        after = _counts(db.engine)
        assert {name: after[RENAMED.get(name, name)] for name in before} == before
        assert db.session.execute(text("PRAGMA foreign_key_check")).all() == []
        db.engine.dispose()


@pytest.mark.sqlite
def test_an_upgrade_that_breaks_off_has_changed_nothing(
    settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where its process is killed: with a table dropped and its copy not yet in its place, none could follow."""
    app = create_app({**settings, "PORTAL_INSTANCE": str(tmp_path)})
    with app.app_context():
        upgrade(revision="admission")
        fill_tables(db.engine)
        upgrade(revision="redactions")
        before = _counts(db.engine)
        drop = itertools.chain([False] * 2, itertools.repeat(True))
        execute = op.execute

        def broken(statement: Any) -> None:  # noqa: ANN401  (as Alembic has it)
            execute(statement)
            if str(statement).startswith("DROP TABLE") and next(drop):
                raise OSError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(op, "execute", broken)
            with pytest.raises(OSError, match="the disk is full"):
                upgrade()
        assert _counts(db.engine) == before
        upgrade()
        after = _counts(db.engine)
        assert {name: after[RENAMED.get(name, name)] for name in before} == before
        db.engine.dispose()


@pytest.mark.sqlite
def test_jobs_whose_outcome_was_a_refusal_are_refused_after_the_upgrade_and_done_after_a_downgrade(
    settings: dict[str, str], tmp_path: Path
) -> None:
    app = create_app({**settings, "PORTAL_INSTANCE": str(tmp_path)})
    with app.app_context():
        upgrade(revision="replies_that_are_late")
        states = ("done", "done", "failed")
        for number, tone in enumerate(("good", "warn", ""), start=1):
            row = {"number": number, "state": states[number - 1], "outcome": json.dumps({"text": "No.", "tone": tone})}
            db.session.execute(text(JOB_BEFORE), row)
        db.session.commit()
        states_now = text("SELECT state, error FROM job ORDER BY id")
        upgrade()
        assert db.session.execute(states_now).all() == [("done", ""), ("refused", "No."), ("failed", "")]
        db.session.rollback()
        downgrade(revision="replies_that_are_late")
        assert db.session.execute(states_now).all() == [("done", ""), ("done", ""), ("failed", "")]
        db.session.remove()
        db.engine.dispose()


JOB_BEFORE = """
INSERT INTO job (id, kind, title, arguments, state, done, now_doing, outcome, error, cancel_asked, tries, created_at)
VALUES (:number, 'k', 't', '{}', :state, 0, '', :outcome, '', 0, 1, '2026-11-20 00:00:00')
"""


def _counts(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table(name))).scalar_one()
            for name in inspect(engine).get_table_names()
            if name != "alembic_version"
        }
