"""The index that answers queries, kept in step with the profiles in the database, in every process."""

from __future__ import annotations

import threading
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.config import RESOURCES
from portal.labs.docs import lab_doc
from portal.matching import LabIndex, read_concepts
from portal.models import Lab, LabRevision
from portal.seeding.snapshots import from_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.seeding.records import LabRecord

EXTENSION = "portal_live_index"
READ_AT_ONCE = 500  # profiles
FITTED_QUICKLY = 2_000  # works
MOST_EDITS_AT_ONCE = 200  # labs; beyond that a fit is no slower than the edits
CONCEPTS = RESOURCES / "seeds" / "concepts.toml"


@dataclass(frozen=True)
class IndexedLabs:
    """An index and the profiles it was made from, by slug. `version` is the id of the newest revision in it."""

    index: LabIndex
    profiles: Mapping[str, LabRecord]
    version: int


@dataclass(frozen=True)
class _Stamp:
    """Tells one state of all profiles from another.

    The newest id alone would not do: of two saves at the same time, the later id may be committed first.
    """

    labs: int
    saves: int
    newest: int


@dataclass(frozen=True)
class _Held:
    stamp: _Stamp
    revisions: Mapping[str, int]
    labs: IndexedLabs


class LiveIndex:
    """One per process. Asks the database whether a profile changed before each answer, and follows it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: _Held | None = None

    def current(self, session: Session) -> IndexedLabs:
        """The labs as they are saved now.

        Side effect: where a profile was saved since the last call, by any process, the index is fitted anew, or,
        where that takes long, edited; profiles that did not change are not read again.
        """
        stamp = _stamp(session)
        held = self._held
        if held is not None and held.stamp == stamp:
            return held.labs
        with self._lock:
            if self._held is None or self._held.stamp != stamp:
                self._held = _follow(session, stamp, self._held)
            return self._held.labs

    def held(self) -> IndexedLabs | None:
        """What the last query of this process was answered from, which may be older than what is saved; None
        before the first one.
        """
        return self._held.labs if self._held else None


def index_records(records: Iterable[LabRecord], version: int = 0) -> IndexedLabs:
    """An index over these profiles, which also knows the field's terms for plain words (seeds/concepts.toml)."""
    profiles = {record.key: record for record in records}
    concepts = read_concepts(CONCEPTS.read_text(encoding="utf-8"))
    return IndexedLabs(LabIndex.fit(map(lab_doc, profiles.values()), concepts=concepts), profiles, version)


def _stamp(session: Session) -> _Stamp:
    labs, saves = session.execute(select(func.count(Lab.id), func.coalesce(func.sum(Lab.revision_number), 0))).one()
    return _Stamp(labs, saves, session.scalar(select(func.max(LabRevision.id))) or 0)


def _follow(session: Session, stamp: _Stamp, held: _Held | None) -> _Held:
    profiles = held.labs.profiles if held else {}
    known = held.revisions if held else {}
    newest = select(Lab.slug, LabRevision.id).join(
        LabRevision, (LabRevision.lab_id == Lab.id) & (LabRevision.number == Lab.revision_number)
    )
    revisions = {row.slug: row.id for row in session.execute(newest.order_by(Lab.slug))}
    changed = [revision for slug, revision in revisions.items() if known.get(slug) != revision]
    fresh: dict[str, LabRecord] = {}
    for batch in _batched(changed, READ_AT_ONCE):
        snapshots = session.scalars(select(LabRevision.snapshot).where(LabRevision.id.in_(batch)))
        fresh.update((record.key, record) for record in map(from_json, snapshots))
    current = {slug: fresh[slug] if slug in fresh else profiles[slug] for slug in revisions}
    if held is None or _is_fitted_quickly(current) or len(fresh) > MOST_EDITS_AT_ONCE:
        return _Held(stamp, revisions, index_records(current.values(), stamp.newest))
    index = _edited(held.labs.index, fresh.values(), gone=profiles.keys() - current.keys())
    return _Held(stamp, revisions, IndexedLabs(index, current, stamp.newest))


def _is_fitted_quickly(profiles: Mapping[str, LabRecord]) -> bool:
    return sum(len(profile.works) for profile in profiles.values()) <= FITTED_QUICKLY


def _edited(index: LabIndex, changed: Iterable[LabRecord], gone: Iterable[str]) -> LabIndex:
    """An index with the edits, beside the one that queries under way are answered from. Weights stay as fitted."""
    edited = copy(index)
    for key in gone:
        edited.remove(key)
    for record in changed:
        edited.replace(lab_doc(record))
    return edited


def _batched(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """`items` in pieces of at most `size`: a database takes only so many parameters at once."""
    return (items[start : start + size] for start in range(0, len(items), size))


def live_index(app: Flask) -> LiveIndex:
    """The live index of an application."""
    held = app.extensions[EXTENSION]
    if not isinstance(held, LiveIndex):
        raise TypeError(f"{EXTENSION} holds a {type(held).__name__}")
    return held
