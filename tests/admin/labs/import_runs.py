"""Runs of `portal import`, and what they leave in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.admin.labs.imports.command import import_file
from portal.db import db
from portal.labs.queries import lab_by_slug, profile_of
from portal.models import Lab, LabImport, LabProposal, LabRevision

if TYPE_CHECKING:
    from click.testing import Result
    from flask import Flask

    from portal.seeding.records import LabRecord

ADMIN = "admin@example.edu"
WORKS = "".join(
    f"@article{{w{n}, title={{Topic {n} seen anew}}, author={{Ada Lovelace}}, year={{20{n}}}}}\n" for n in (24, 25)
)
MANY = 80


def run(app: Flask, *arguments: str) -> Result:
    result = app.test_cli_runner().invoke(import_file, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def counts(app: Flask) -> dict[str, int]:
    tables = (LabImport, LabProposal, Lab, LabRevision)
    with app.app_context():
        return {table.__name__: db.session.scalar(select(func.count(table.id))) or 0 for table in tables}


def profile(app: Flask) -> LabRecord:
    with app.app_context():
        lab = lab_by_slug(db.session(), "systems")
        assert lab is not None
        return profile_of(db.session(), lab)
