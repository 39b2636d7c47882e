"""Writes into tables what the database looks for, counts and offers as facets of a profile."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import String, inspect

from portal.db import folded_letters
from portal.models import Lab, Opening, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.orm import Session

    from portal.db import Base
    from portal.seeding.records import LabRecord

_SENTENCE_END = re.compile(r"(?<=[^\s.][^\s.][.!?])(?<!Prof\.)(?<!Dr\.)\s")  # not that of "Ph.D. students"
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
    names = ("name", "leader", "institution", "place")
    for name, value in _fitting(Lab, {name: getattr(record, name) for name in names}).items():
        setattr(lab, name, value)
    lab.slug = record.key
    lab.hardware = list(record.hardware)
    lab.search_text = _search_text(record)
    _sync(lab.works, Work, {work.key: {"title": work.title, "question": work.question} for work in record.works})
    _sync(
        lab.openings,
        Opening,
        {one.key: {"degree": one.degree, "funding": one.funding, "start": one.start} for one in record.openings},
    )
    session.flush()


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


def summary_of(record: LabRecord) -> str:
    """One line on what the lab does: its recruiting focus, or the beginning of its interests or text."""
    for text in (record.recruiting_focus, record.interests, record.about):
        first = _SENTENCE_END.split(text.strip(), maxsplit=1)[0]
        if first:
            return _cut(first, LONGEST_SUMMARY)
    return ""


def _search_text(record: LabRecord) -> str:
    parts: Iterable[str] = (
        folded_letters(f"{record.name} {record.leader}"),
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
        *(work.title for work in record.works if not work.question),
    )
    return "\n".join(part for part in parts if part).casefold()
