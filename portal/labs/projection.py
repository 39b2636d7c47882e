"""Writes a profile into the tables behind lists, facets and counts."""

from __future__ import annotations

import hashlib
import re
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import String, delete, inspect

from portal.models import Activity, Lab, Member, Opening, System, SystemWork, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy.orm import Session

    from portal.db import Base
    from portal.seeding.records import LabRecord, OpeningRecord, WorkRecord

_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_NO_LETTER = re.compile(r"[\W_]+")
LONGEST_SUMMARY = 300  # characters


class _Row(Protocol):
    """A row of one of a lab's collections."""

    key: Any

    def __init__(self, **values: Any) -> None: ...  # noqa: ANN401  (column values)


R = TypeVar("R", bound=_Row)


def project(session: Session, lab: Lab, record: LabRecord) -> None:
    """Make the lab's rows match `record`; rows of items that stay keep their ids.

    A text that is longer than its column, such as an abstract that a file gives as a title, is cut; the revision keeps
    the whole.
    """
    linked_before = [system.id for system in lab.systems]
    _set_columns(lab, record)
    _sync(lab.members, Member, {m.key: {"name": m.name, "role": m.role, "current": m.current} for m in record.members})
    _sync(lab.works, Work, {work.key: _columns_of_work(work) for work in record.works})
    _sync(
        lab.systems,
        System,
        {s.key: {"name": s.name, "description": s.description, "url": s.url} for s in record.systems},
    )
    _sync(
        lab.activities, Activity, {a.key: {"kind": a.kind, "title": a.title, "year": a.year} for a in record.activities}
    )
    _sync(lab.openings, Opening, {opening.key: _columns_of_opening(opening) for opening in record.openings})
    session.flush()
    if linked_before:
        session.execute(delete(SystemWork).where(SystemWork.system_id.in_(linked_before)))
    session.add_all(_links(lab, record))


def _set_columns(lab: Lab, record: LabRecord) -> None:
    lab.slug = record.key
    names = ("name", "leader", "institution", "department", "place")
    for name, value in _fitting(Lab, {name: getattr(record, name) for name in names}).items():
        setattr(lab, name, value)
    lab.summary = summary_of(record)
    lab.topics = list(record.topics)
    lab.hardware = list(record.hardware)
    lab.search_text = _search_text(record)


def _columns_of_work(work: WorkRecord) -> dict[str, Any]:
    return {
        "title": work.title,
        "venue": work.venue,
        "year": work.year,
        "fingerprint": work_fingerprint(work),
        "question": work.question,
    }


def _columns_of_opening(opening: OpeningRecord) -> dict[str, Any]:
    return {
        "degree": opening.degree,
        "text": opening.text,
        "seats": opening.seats,
        "funding": opening.funding,
        "start": opening.start,
        "deadline": date.fromisoformat(opening.deadline) if opening.deadline else None,
    }


def _sync(rows: list[R], table: type[R], values_by_key: dict[str, dict[str, Any]]) -> None:
    """Update, add and remove rows of a lab's collection so that they have these keys and values."""
    present = {row.key: row for row in rows}
    for key in present.keys() - values_by_key.keys():
        rows.remove(present[key])
    for key, whole_values in values_by_key.items():
        row, values = present.get(key), _fitting(table, whole_values)
        if row is None:
            rows.append(table(key=key, **values))
        else:
            for name, value in values.items():
                setattr(row, name, value)


def _fitting(table: type[Base | _Row], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, with texts that are longer than their columns cut."""
    lengths = _lengths(table)
    return {name: _cut(value, lengths[name]) if name in lengths else value for name, value in values.items()}


@cache
def _lengths(table: type[Base | _Row]) -> dict[str, int]:
    """How many characters the columns of a table hold, where that is limited."""
    kinds = {column.key: column.type for column in inspect(table).columns}
    return {name: kind.length for name, kind in kinds.items() if isinstance(kind, String) and kind.length}


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _links(lab: Lab, record: LabRecord) -> Iterator[SystemWork]:
    """The links from the lab's systems to its works, whose rows have ids by now."""
    system_ids = {system.key: system.id for system in lab.systems}
    work_ids = {work.key: work.id for work in lab.works}
    for system in record.systems:
        for position, work in enumerate(system.works):
            yield SystemWork(system_id=system_ids[system.key], work_id=work_ids[work], position=position)


def summary_of(record: LabRecord) -> str:
    """One line on what the lab does: its recruiting focus, or the beginning of its interests or text."""
    for text in (record.recruiting_focus, record.interests, record.about):
        first = _SENTENCE_END.split(text.strip(), maxsplit=1)[0]
        if first:
            return _cut(first, LONGEST_SUMMARY)
    return ""


def _search_text(record: LabRecord) -> str:
    parts: Iterable[str] = (
        record.name,
        record.leader,
        record.institution,
        record.department,
        record.place,
        record.interests,
        record.recruiting_focus,
        *record.topics,
        *record.hardware,
        *(member.name for member in record.members),
        *(system.name for system in record.systems),
        *(work.title for work in record.works),
    )
    return "\n".join(part for part in parts if part).casefold()


def work_fingerprint(work: WorkRecord) -> str:
    """Equal for two records of the same work: by title or, if there is none, by authors, venue and year."""
    content = work.title or "|".join((*work.authors, work.venue, str(work.year), work.abstract[:200]))
    return hashlib.sha256(_NO_LETTER.sub("", content.casefold()).encode()).hexdigest()
