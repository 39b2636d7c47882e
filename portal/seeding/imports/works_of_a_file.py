"""The works of one file without duplicates, with the outcome of every entry."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.seeding.imports.identifiers import distinct_links
from portal.seeding.imports.same_works import WorkIndex
from portal.seeding.imports.venues import is_preprint
from portal.seeding.joining import combined
from portal.seeding.records import LabRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.seeding.imports.imported import Ledger, SubjectRole
    from portal.seeding.records import WorkRecord


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser returns: drafts, the outcomes of all entries, and the person whom the file is about."""

    labs: tuple[LabRecord, ...]
    ledger: Ledger
    subject: str = ""
    role: SubjectRole = "leader"


class Keys:
    """Hands out unique keys: "name", "name-2", "name-3"."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
        self._next: Counter[str] = Counter()

    def give(self, key: str) -> str:
        """`key`, or the next free one with a number."""
        candidate = key
        while candidate in self._used:
            self._next[key] += 1
            candidate = f"{key}-{self._next[key] + 1}"
        self._used.add(candidate)
        return candidate


def works_of(works: Sequence[tuple[WorkRecord, int, str]], ledger: Ledger) -> Reading:
    """A draft of works given as (work, line, pointer); every entry is recorded as taken or merged."""
    index = WorkIndex()
    keys = Keys()
    positions: list[tuple[int, str]] = []
    for work, line, pointer in works:
        match = index.find(work)
        if match is None:
            index.add(replace(work, key=keys.give(work.key)))
            positions.append((line, pointer))
            ledger.note("taken", work.title, line=line, pointer=pointer, item=f"works/{index.works[-1].key}")
            continue
        existing = index.works[match.index]
        first_line, first_pointer = positions[match.index]
        where = f"entry {first_pointer}" if first_pointer else f"line {first_line}"
        reason = f"the same work as at {where} (by {match.by}); what it adds was taken"
        ledger.note("merged", work.title, reason, line=line, pointer=pointer, item=f"works/{existing.key}")
        index.replace(match.index, one_of(existing, work))
    return Reading((LabRecord(key="", name="", works=tuple(index.works)),), ledger)


def one_of(existing: WorkRecord, other: WorkRecord) -> WorkRecord:
    """Merges two records of one work: a publication takes precedence over a preprint, else the first one."""
    first, second = existing, other
    if is_preprint(existing.venue) and other.venue and not is_preprint(other.venue):
        first, second = other, existing
    work = combined(first, second)
    # The origin is that of the first entry.
    return replace(work, key=existing.key, links=distinct_links(work.links), origins=existing.origins)
