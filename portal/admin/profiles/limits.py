"""Limits of the fields of a profile: the lengths of the tables' columns, and our own limits for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import String, inspect

from portal.models import Activity, Lab, LabRevision, Member, Opening, System, User, Work

if TYPE_CHECKING:
    from portal.db import Base

TEXT = 20_000  # characters of a text in paragraphs
LINE = 300  # characters of a short text that no column holds
URL = 2_000
PHRASE = 120  # characters of a topic, a kind of hardware, the label of a figure
LINES = 200  # entries of a list that is typed line by line
MOST_WORKS_OF_A_SYSTEM = 999
LARGEST_FIGURE = 1_000_000_000
MOST_SEATS = 1_000
FIRST_YEAR, LAST_YEAR = 1900, 2100


def _length(table: type[Base], column: str) -> int:
    kind = inspect(table).columns[column].type
    if not isinstance(kind, String) or kind.length is None:
        raise TypeError(f"{table.__name__}.{column} has no length")
    return kind.length


LAB_NAME = _length(Lab, "name")
LAB_SLUG = _length(Lab, "slug")
LEADER = _length(Lab, "leader")
INSTITUTION = _length(Lab, "institution")
DEPARTMENT = _length(Lab, "department")
PLACE = _length(Lab, "place")
MEMBER_NAME = _length(Member, "name")
WORK_TITLE = _length(Work, "title")
VENUE = _length(Work, "venue")
QUESTION = _length(Work, "question")
SYSTEM_NAME = _length(System, "name")
ACTIVITY_TITLE = _length(Activity, "title")
FUNDING = _length(Opening, "funding")
START = _length(Opening, "start")
REASON = _length(LabRevision, "reason")
PERSON_NAME = _length(User, "name")
