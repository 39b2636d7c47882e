"""The words of the audit log: its acts, and what entries are about, as a name and a page. An entry itself holds only a
code, and ids, slugs and addresses.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.models import ApiToken, Application, Choice, Cycle, InterviewSlot, Lab, Referee, Release, User
from portal.web.forms import whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import InstrumentedAttribute, Session
    from sqlalchemy.sql.base import ExecutableOption

    from portal.models import AuditEntry

ACTS = {
    f"{subject}.{name}": words
    for subject, acts in tomllib.loads(Path(__file__).with_name("acts.toml").read_text(encoding="utf-8")).items()
    for name, words in acts.items()
}


def act_in_words(act: str) -> str:
    """An act in words; an unknown one, for example from an older version, by its code."""
    return str(ACTS.get(act, act))


Place = tuple[str, Mapping[str, str | int]]
"""A page of the administrators: its endpoint and the values in its URL."""
Found = dict[tuple[type[Any], str, Any], Any]
"""Rows by table, column and value of the column."""

_KEYS: Mapping[str, tuple[InstrumentedAttribute[Any], ...]] = {
    "account": (User.email,),
    "applicant of lab": (Lab.slug, User.id),
    "application": (Application.id,),
    "assignment round": (Cycle.slug,),
    "choice": (Application.id, Lab.id),
    "conflict": (User.id, User.id),
    "cycle": (Cycle.slug,),
    "interview": (InterviewSlot.id,),
    "lab": (Lab.slug,),
    "lab in cycle": (Lab.slug,),
    "referee": (Referee.id,),
    "release": (Release.id,),
    "scorecard": (Lab.slug, Choice.id),
    "token": (ApiToken.id,),
}
"""By kind of object, the columns that the parts of its key are values of; the parts have a “/” between them."""
_SINCE = {Choice: "listed_since"} | dict.fromkeys((ApiToken, Application, InterviewSlot, Referee), "created_at")
"""Since when a row exists, of tables in which the id of an erased row may be given again."""
_OF_APPLICATION = (joinedload(Application.applicant), joinedload(Application.cycle))
_OF_CHOICE = joinedload(Choice.application).options(*_OF_APPLICATION)
_WITH: Mapping[type[Any], tuple[ExecutableOption, ...]] = {
    ApiToken: (joinedload(ApiToken.user),),
    Application: _OF_APPLICATION,
    Choice: (_OF_CHOICE,),
    InterviewSlot: (joinedload(InterviewSlot.lab), joinedload(InterviewSlot.choice).options(_OF_CHOICE)),
    Referee: (joinedload(Referee.application).options(*_OF_APPLICATION),),
}


@dataclass(frozen=True, slots=True)
class AuditObject:
    """What an entry is about: names as far as they are known, else its type and key; and its page, if there is one."""

    words: str
    place: Place | None


def objects_of(session: Session, entries: Sequence[AuditEntry]) -> dict[int, AuditObject]:
    """What each entry is about, by the id of the entry. Nothing is named after a row that is younger than its entry."""
    found = _found(session, entries)
    return {entry.id: _object(entry, found) for entry in entries}


def _kind(entry: AuditEntry) -> str:
    """The kind of object. Entries about scorecards call it a choice, with another key than those about moves."""
    is_card = entry.object_type == "choice" and entry.act.startswith("scorecard.")
    return "scorecard" if is_card else entry.object_type


def _references(entry: AuditEntry) -> list[tuple[type[Any], str, Any]]:
    """The rows that the key of an entry names."""
    parts = zip(_KEYS.get(_kind(entry), ()), entry.object_key.split("/"), strict=False)
    return [
        (column.parent.class_, column.key, whole_number(part) if column.key == "id" else part) for column, part in parts
    ]


def _found(session: Session, entries: Sequence[AuditEntry]) -> Found:
    wanted: dict[tuple[type[Any], str], set[Any]] = defaultdict(set)
    for entry in entries:
        for table, column, value in _references(entry):
            wanted[table, column].add(value)
    found: Found = {}
    for (table, column), values in wanted.items():
        rows = select(table).where(getattr(table, column).in_(values - {None})).options(*_WITH.get(table, ()))
        found |= {(table, column, getattr(row, column)): row for row in session.scalars(rows)}
    return found


def _object(entry: AuditEntry, found: Found) -> AuditObject:
    rows = [_if_there_then(found.get(reference), entry) for reference in _references(entry)]
    names = ", ".join(name for name in map(_name, rows) if name)
    as_written = f"{entry.object_type} {entry.object_key}".strip()
    return AuditObject(names or as_written, _place(entry, rows[0] if rows else None))


def _if_there_then(row: Any, entry: AuditEntry) -> Any:  # noqa: ANN401  (a row of any table)
    """The row, if it existed when the entry was written."""
    if type(row) not in _SINCE:
        return row
    since = getattr(row, _SINCE[type(row)])
    return row if since is not None and since <= entry.at else None


def _name(row: Any) -> str:  # noqa: ANN401  (as above)
    """The name by which administrators know a row; empty if it has none."""
    name = ""
    match row:
        case User():
            name = row.display_name
        case Lab() | Cycle():
            name = row.name
        case Application():
            name = row.applicant.display_name
        case Choice():
            name = row.application.applicant.display_name
        case InterviewSlot():
            name = f"{row.lab.name}, {_name(row.choice)}" if row.choice else row.lab.name
        case Referee():
            name = f"{row.name} for {_name(row.application)}"
        case ApiToken():
            name = f"“{row.name}” of {row.user.display_name}"
    return name


def _place(entry: AuditEntry, row: Any) -> Place | None:  # noqa: ANN401  (as above)
    place: Place | None = None
    match row:
        case User() if entry.object_type == "account":
            place = ("admin.person", {"person_id": row.id})
        case Cycle():
            is_round = entry.object_type == "assignment round"
            place = ("admin.assignment" if is_round else "admin.cycle", {"slug": row.slug})
        case Lab():
            place = ("admin.lab", {"slug": row.slug})
        case Release():
            place = ("admin.release", {"release_id": row.id})
        case Application():
            place = _page_of(row)
        case Referee():
            place = _page_of(row.application)
    return place


def _page_of(application: Application) -> Place:
    return "admin.application", {"slug": application.cycle.slug, "application_id": application.id}
