"""One state of the live index: all profiles as stored at one moment, the concepts, and the index over them.

Immutable; an edit makes a new state, for which only what changed is read again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import func, select
from werkzeug.exceptions import ServiceUnavailable

from portal.config import RESOURCES
from portal.labs.lab_docs import lab_doc
from portal.labs.queries import IS_LISTED, IS_NEWEST
from portal.matching import ConceptError, LabIndex, read_concepts
from portal.models import Lab, LabRevision, Work
from portal.seeding.records import from_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sqlalchemy.orm import Session

    from portal.matching import Concept, LabDoc
    from portal.seeding.records import LabRecord

    ScoredAs = tuple["Fit", int, tuple[Concept, ...], LabDoc]


logger = logging.getLogger(__name__)

SHIPPED_CONCEPTS = RESOURCES / "seeds" / "concepts.toml"
"""The concepts (plain words and the field's terms for them) that come with the portal."""


def read_concept_file(path: Path) -> tuple[Concept, ...]:
    """The concepts of a file.

    Raises:
        ConceptError: It cannot be read, or is no concept file.
    """
    try:
        return read_concepts(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ConceptError) as error:
        raise ConceptError(f"{path}: {error}") from None


class ConceptFile:
    """The concepts of one file, which may be replaced at any time. One per process."""

    def __init__(self, path: Path) -> None:
        """`path` is read when the concepts are first asked for."""
        self._path = path
        self._known: tuple[object, tuple[Concept, ...]] | None = None

    def current(self) -> tuple[Concept, ...]:
        """The concepts of the file, the same object while it does not change. Costs one look at the file's state.

        Side effects: reads the file after a change. If it cannot be used then, that is logged once, and the concepts
        that were read before stay in use.

        Raises:
            ConceptError: The file cannot be used, and none was read before.
        """
        state, known = self._state(), self._known
        if known is not None and state == known[0]:
            return known[1]
        try:
            concepts = read_concept_file(self._path)
        except ConceptError as error:
            if known is None:
                raise
            logger.error("The changed concept file is not used: %s", error)  # noqa: TRY400  (the message says it all)
            concepts = known[1]
        self._known = state, concepts
        return concepts

    def _state(self) -> object:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino


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
    """All profiles by slug, in order, with the revisions they come from.

    `complete` is False if there are saved changes that were not read yet.
    """

    profiles: Mapping[str, LabRecord]
    revisions: Mapping[str, Revision]
    stamp: Stamp
    complete: bool = True

    @property
    def concepts(self) -> tuple[Concept, ...]:
        """The concepts of that moment."""
        return self.stamp.concepts

    def works(self) -> int:
        """The number of works without an open question in the profiles."""
        return sum(not work.question for profile in self.profiles.values() for work in profile.works)


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
    """The number of listed labs and of their works without an open question."""
    listed = select(func.count(Lab.id)).where(IS_LISTED)
    settled = select(func.count(Work.id)).join(Lab, Lab.id == Work.lab_id).where(IS_LISTED, Work.question == "")
    labs, works = session.execute(select(listed.scalar_subquery(), settled.scalar_subquery())).one()
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
    return Corpus(profiles, revisions, stamp, complete=len(fresh) == len(changed))


def read_revisions(session: Session) -> dict[str, Revision]:
    """The newest revision of every listed lab, by slug, in order."""
    newest = select(Lab.slug, LabRevision.id, LabRevision.saved_at).join(LabRevision, IS_NEWEST).where(IS_LISTED)
    return {row.slug: (row.id, row.saved_at.isoformat()) for row in session.execute(newest.order_by(Lab.slug))}


def _profiles(session: Session, slugs: Mapping[int, str]) -> dict[str, LabRecord]:
    """The profiles of these revisions, by slug, without those that were just deleted."""
    profiles: dict[str, LabRecord] = {}
    ids = tuple(slugs)
    for start in range(0, len(ids), READ_AT_ONCE):
        batch = LabRevision.id.in_(ids[start : start + READ_AT_ONCE])
        rows = session.execute(select(LabRevision.id, LabRevision.snapshot).where(batch))
        profiles.update((slugs[row.id], from_json(row.snapshot)) for row in rows)
    return profiles


FITTED_APART = 20_000  # works from which another process fits, so that requests do not wait for this one
PROFILE_IN_WORKS = 3  # weight of a profile's text in the match, see docs/matching.md


class IndexPreparing(ServiceUnavailable):
    """The index is being built; try again in a moment. Pages answer with 503 and say so."""

    description = "Matches are being prepared."


class Stages(Protocol):
    """Receives the progress of long work."""

    def begin(self, label: str, /) -> None:
        """The next stage, described by the label, begins."""

    def done(self, count: int, total: int, /) -> None:
        """So many of all items (when fitting: labs) of the present stage are done."""


@dataclass(frozen=True, eq=False)
class Fit:
    """One fit of the weights. Two states of the same fit score unchanged labs alike.

    `generation` names the folder it was saved in; empty if it was not saved.
    """

    at: datetime
    works: int
    generation: str = ""


@dataclass(frozen=True, eq=False)
class IndexedLabs:
    """The profiles of one moment and the index over them.

    `edited` maps labs that changed since the fit to their fitted version (None for new ones). `words` counts edits that
    change how queries are read for all labs: the first and the last use of a term that is added to queries.
    """

    searchable: LabIndex | None
    corpus: Corpus
    fit: Fit
    edited: Mapping[str, LabDoc | None] = field(default_factory=dict)
    words: int = 0

    @property
    def index(self) -> LabIndex:
        """The index.

        Raises:
            IndexPreparing: It is being built for the first time.
        """
        if self.searchable is None:
            raise IndexPreparing
        return self.searchable

    @property
    def is_searchable(self) -> bool:
        """Whether there is an index yet; the profiles are there before it."""
        return self.searchable is not None

    @property
    def profiles(self) -> Mapping[str, LabRecord]:
        """The profiles by slug, in order."""
        return self.corpus.profiles

    def scored_as(self, slug: str) -> ScoredAs:
        """What a lab's score depends on besides the query: while this is equal, so is the score.

        One exception until the next fit: an edit of another lab may make a word known that is misspelt in a query, or
        capitalised in a resume.

        Raises:
            IndexPreparing: The index is being built, or the lab is among many that were just saved.
            UnknownLab: The index has no such lab.
        """
        if slug not in self.profiles and not self.corpus.complete:
            raise IndexPreparing
        return self.fit, self.words, self.corpus.concepts, self.index.lab(slug)

    def typical_terms(self, slug: str, k: int) -> list[str]:
        """The most typical terms of a lab; none while the index is being built."""
        return self.searchable.typical_terms(slug, k) if self.searchable is not None else []

    def drift(self) -> float:
        """How much changed since the fit, as a fraction of the fitted works; 1 if a fit is needed."""
        if self.searchable is None:
            return 1.0
        changed = 0
        for slug, fitted in self.edited.items():
            current = self.searchable.lab(slug) if slug in self.corpus.revisions else None
            changed += _changed_works(fitted, current)
        return changed / max(1, self.fit.works)


def index_records(records: Iterable[LabRecord]) -> IndexedLabs:
    """An index over these profiles alone, with the shipped concepts (seeds/concepts.toml)."""
    profiles = {record.key: record for record in records}
    revisions = dict.fromkeys(profiles, (0, ""))
    return fit_labs(Corpus(profiles, revisions, Stamp(concepts=read_concept_file(SHIPPED_CONCEPTS))))


def fit_labs(corpus: Corpus, stages: Stages | None = None) -> IndexedLabs:
    """The corpus with an index fitted to it. Takes a second for every few thousand works."""

    def progress(read: int) -> None:
        if stages is not None:
            stages.done(read, len(corpus.profiles))
            if read == len(corpus.profiles):
                stages.begin("Weighing their words")

    if stages is not None:
        stages.begin(f"Reading {corpus.works()} works")
    docs, works = map(lab_doc, corpus.profiles.values()), corpus.works()
    index = LabIndex.fit(docs, concepts=corpus.concepts, progress=progress, apart=works > FITTED_APART)
    return IndexedLabs(index, corpus, Fit(datetime.now(UTC), works))


def unsearchable(corpus: Corpus) -> IndexedLabs:
    """The profiles without an index, for pages that only show them while it is being built."""
    return IndexedLabs(None, corpus, Fit(datetime.now(UTC), 0))


def changed_between(before: Mapping[str, Revision], after: Mapping[str, Revision]) -> int:
    """How many labs were saved, added or removed between the two."""
    return sum(before.get(slug) != after.get(slug) for slug in before.keys() | after.keys())


def with_corpus(labs: IndexedLabs, corpus: Corpus) -> IndexedLabs:
    """`labs` brought up to `corpus`, as a new state beside the one in use. The fitted weights stay."""
    if labs.searchable is None:
        return replace(labs, corpus=corpus)
    if corpus.concepts == labs.corpus.concepts:
        index = labs.searchable.copy()
    else:
        index = labs.searchable.with_concepts(corpus.concepts)
    edited, words, additions = dict(labs.edited), labs.words, index.additions_in_use()
    before, after = labs.corpus.revisions, corpus.revisions
    for slug in before.keys() - after.keys():
        edited.setdefault(slug, index.lab(slug))
        index.remove(slug)
    for slug, revision in after.items():
        if before.get(slug) == revision:
            continue
        old = index.lab(slug) if slug in before else None
        new = _in_order(lab_doc(corpus.profiles[slug]))
        if new == old:  # the change does not affect the match
            continue
        edited.setdefault(slug, old)
        index.replace(new)
    return IndexedLabs(index, corpus, labs.fit, edited, words + (index.additions_in_use() != additions))


def _in_order(doc: LabDoc) -> LabDoc:
    """The lab in the form in which the index returns it, so that both can be compared."""
    return replace(doc, works=tuple(sorted(doc.works, key=lambda work: work.key)))


def _changed_works(old: LabDoc | None, new: LabDoc | None) -> int:
    before, after = (set(doc.works) if doc else set() for doc in (old, new))
    texts = {doc.profile if doc else "" for doc in (old, new)}
    return max(len(before - after), len(after - before)) + PROFILE_IN_WORKS * (len(texts) - 1)
