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
    """What a parser returns: drafts, the ledger of entries, and the person the file is about."""

    labs: tuple[LabRecord, ...]
    ledger: Ledger
    subject: str = ""
    role: SubjectRole = "leader"


class Keys:
    """Hands out unique keys: "name", "name-2", "name-3"."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: Counter[str] = Counter()

    def give(self, key: str) -> str:
        """`key`, or the next free one with a number."""
        candidate = key
        while candidate in self._taken:
            self._next[key] += 1
            candidate = f"{key}-{self._next[key] + 1}"
        self._taken.add(candidate)
        return candidate


def works_of(found: Sequence[tuple[WorkRecord, int, str]], ledger: Ledger) -> Reading:
    """A draft of works given as (work, line, pointer); every entry is recorded as taken or merged."""
    index = WorkIndex()
    keys = Keys()
    places: list[tuple[int, str]] = []
    for work, line, pointer in found:
        match = index.find(work)
        if match is None:
            index.add(replace(work, key=keys.give(work.key)))
            places.append((line, pointer))
            ledger.note("taken", work.title, line=line, pointer=pointer, item=f"works/{index.works[-1].key}")
            continue
        known = index.works[match.place]
        first_line, first_pointer = places[match.place]
        where = f"entry {first_pointer}" if first_pointer else f"line {first_line}"
        reason = f"the same work as at {where} (by {match.by}); what it adds was taken"
        ledger.note("merged", work.title, reason, line=line, pointer=pointer, item=f"works/{known.key}")
        index.replace(match.place, one_of(known, work))
    return Reading((LabRecord(key="", name="", works=tuple(index.works)),), ledger)


def one_of(known: WorkRecord, other: WorkRecord) -> WorkRecord:
    """Merges two records of one work: a publication takes precedence over a preprint, else the first one."""
    first, second = known, other
    if is_preprint(known.venue) and other.venue and not is_preprint(other.venue):
        first, second = other, known
    work = combined(first, second)
    # The origin is that of the first entry.
    return replace(work, key=known.key, links=distinct_links(work.links), origins=known.origins)
