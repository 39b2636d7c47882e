"""What SQLite's driver does differently, and the portal evens out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.db import db
from portal.models import Lab

if TYPE_CHECKING:
    from flask import Flask


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
