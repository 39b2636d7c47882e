"""All profiles and concepts as stored at one moment; only what changed is read again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.labs.queries import IS_LISTED, IS_NEWEST
from portal.models import Lab, LabRevision, Work
from portal.seeding.snapshots import from_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.concept_file import ConceptFile
    from portal.matching import Concept
    from portal.seeding.records import LabRecord

READ_AT_ONCE = 500  # profiles; databases limit the parameters of a statement

Revision = tuple[int, str]
"""Id and time of a save. The id alone is not enough: a database that was restored gives the same ids again."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Identifies one state of all profiles and concepts; reading it costs a few counts and a look at a file.

    The newest id alone is not enough: of two concurrent saves, the later id may commit first. `labs` counts those that
    are listed, `archived` is when the last one was archived.
    """

    labs: int = 0
    saves: int = 0
    newest: int = 0
    archived: datetime | None = None
    concepts: tuple[Concept, ...] = field(default=(), repr=False)


@dataclass(frozen=True, eq=False)
class Corpus:
    """All profiles by slug, in order, with the revisions they come from, and the concepts of that moment.

    `complete` is False if there are saved changes that were not read yet.
    """

    profiles: Mapping[str, LabRecord]
    revisions: Mapping[str, Revision]
    stamp: Stamp
    complete: bool = True

    @property
    def concepts(self) -> tuple[Concept, ...]:
        """The concepts in use."""
        return self.stamp.concepts

    def works(self) -> int:
        """The number of works in the profiles."""
        return sum(len(profile.works) for profile in self.profiles.values())


def read_stamp(session: Session, concepts: ConceptFile) -> Stamp:
    """The stamp of the stored state. Side effect: reads the concept file if it changed."""
    parts = select(
        select(func.count(Lab.id)).where(IS_LISTED).scalar_subquery(),
        select(func.count(LabRevision.id)).scalar_subquery(),
        select(func.coalesce(func.max(LabRevision.id), 0)).scalar_subquery(),
        select(func.max(Lab.archived_at)).scalar_subquery(),
    )
    labs, saves, newest, archived = session.execute(parts).one()
    return Stamp(labs, saves, newest, archived, concepts.current())


def size(session: Session) -> tuple[int, int]:
    """The number of stored labs and works."""
    counts = select(select(func.count(Lab.id)).scalar_subquery(), select(func.count(Work.id)).scalar_subquery())
    labs, works = session.execute(counts).one()
    return labs, works


def read_corpus(session: Session, stamp: Stamp, previous: Corpus | None = None, most: int | None = None) -> Corpus:
    """The stored state, reusing unchanged profiles of `previous`; `stamp` was read before.

    With `most`, only that many changed profiles are read, the last saved ones first; the others stay as in `previous`.
    """
    previous_revisions = previous.revisions if previous else {}
    saved = read_revisions(session)
    changed = sorted(
        (slug for slug in saved if previous_revisions.get(slug) != saved[slug]), key=saved.__getitem__, reverse=True
    )
    to_read = changed if most is None else changed[:most]
    fresh = _profiles(session, {saved[slug][0]: slug for slug in to_read})
    profiles: dict[str, LabRecord] = {}
    revisions: dict[str, Revision] = {}
    for slug, revision in saved.items():
        if slug in fresh:
            profiles[slug], revisions[slug] = fresh[slug], revision
        elif previous is not None and slug in previous.profiles:
            profiles[slug], revisions[slug] = previous.profiles[slug], previous.revisions[slug]
    return Corpus(
        profiles,
        revisions,
        stamp,
        complete=len(fresh) == len(changed),
    )


def read_revisions(session: Session) -> dict[str, Revision]:
    """The newest revision of every listed lab, by slug, in order."""
    newest = select(Lab.slug, LabRevision.id, LabRevision.saved_at).join(LabRevision, IS_NEWEST).where(IS_LISTED)
    return {row.slug: (row.id, row.saved_at.isoformat()) for row in session.execute(newest.order_by(Lab.slug))}


def _profiles(session: Session, slugs: Mapping[int, str]) -> dict[str, LabRecord]:
    """The profiles of these revisions, by slug, without those that were just deleted."""
    profiles: dict[str, LabRecord] = {}
    for batch in _batched(tuple(slugs), READ_AT_ONCE):
        rows = session.execute(select(LabRevision.id, LabRevision.snapshot).where(LabRevision.id.in_(batch)))
        profiles.update((slugs[row.id], from_json(row.snapshot)) for row in rows)
    return profiles


def _batched(items: Sequence[int], most: int) -> Iterable[Sequence[int]]:
    return (items[start : start + most] for start in range(0, len(items), most))
