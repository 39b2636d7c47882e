"""The labs as a table for spreadsheets. Its columns are those of an import, so that it can be edited and imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.labs.queries import IS_NEWEST
from portal.models import Lab, LabRevision
from portal.seeding.snapshots import from_json
from portal.web.downloads import csv_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.seeding.records import LabRecord

# Openings are no column: a cell cannot say all that a profile says of them.
HEADER = (
    "name",
    "leader",
    "leader title",
    "institution",
    "department",
    "place",
    "homepage",
    "topics",
    "hardware",
    "recruiting",
    "about",
    "contact",
)
BATCH_SIZE = 50  # profiles that are read in one statement


def labs_csv(session: Session, conditions: Sequence[ColumnElement[bool]]) -> bytes:
    """The labs that meet the conditions, by name."""
    return csv_file([HEADER, *map(_cells, _profiles(session, conditions))])


def _profiles(session: Session, conditions: Sequence[ColumnElement[bool]]) -> Iterator[LabRecord]:
    statement = select(LabRevision.snapshot).join(Lab, IS_NEWEST).where(*conditions).order_by(Lab.name, Lab.id)
    with session.scalars(statement.execution_options(yield_per=BATCH_SIZE)) as snapshots:
        yield from map(from_json, snapshots)


def _cells(profile: LabRecord) -> tuple[str, ...]:
    return (
        profile.name,
        profile.leader,
        profile.leader_title,
        profile.institution,
        profile.department,
        profile.place,
        profile.homepage,
        _listed(profile.topics),
        _listed(profile.hardware),
        profile.recruiting,
        profile.about,
        profile.contact,
    )


def _listed(texts: Sequence[str]) -> str:
    """The texts of one cell. An import splits it at semicolons, or else at commas; so a single text with a comma gets a
    semicolon at its end.
    """
    alone = ";" if len(texts) == 1 and "," in texts[0] else ""
    return "; ".join(texts) + alone
