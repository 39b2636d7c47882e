"""How an edit of a profile would change the lab's rank, computed beside the live index without changing it.

Only counts of applicants leave this module, and no count below five.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from portal.config import RESOURCES
from portal.labs.live_index.state import with_corpus
from portal.matching import Query, Topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.labs.live_index.state import IndexedLabs
    from portal.seeding.records import LabRecord


LEAST = 5
"""The smallest group of applicants that is reported; counts are rounded down to multiples of it."""
MOST_INTERESTS = 50
PLACES = 100
"""Positions that are told apart; a lab further down counts as one that does not fit."""
TRIED = (-1, "tried")  # stands for the revision of an edit that is only tried; no save has it


@dataclass(frozen=True, slots=True)
class SampleMove:
    """The lab's position for a sample query; None if it is not among the first `PLACES` that fit."""

    text: str
    before: int | None
    after: int | None

    @property
    def fits(self) -> bool:
        """Whether it has a position before or after."""
        return self.before is not None or self.after is not None


@dataclass(frozen=True, slots=True)
class ApplicantMoves:
    """For at least how many applicants the lab would rank higher or lower: multiples of five, 0 below five."""

    higher: int
    lower: int


@dataclass(frozen=True, slots=True)
class RankPreview:
    """What an edit would change, among all `labs`; `applicants` is None if fewer than five state interests."""

    samples: tuple[SampleMove, ...]
    applicants: ApplicantMoves | None
    labs: int

    @property
    def is_cut(self) -> bool:
        """Whether a lab without a position may still fit, further down."""
        return self.labs > PLACES

    @property
    def moving(self) -> list[SampleMove]:
        """The samples for which the position changes."""
        return [sample for sample in self.samples if sample.before != sample.after]

    @property
    def staying(self) -> list[SampleMove]:
        """The samples for which the lab keeps its position."""
        return [sample for sample in self.samples if sample.fits and sample.before == sample.after]

    @property
    def elsewhere(self) -> int:
        """For how many samples the lab fits neither before nor after."""
        return sum(not sample.fits for sample in self.samples)


def rank_preview(
    labs: IndexedLabs, record: LabRecord, samples: Sequence[str], interests: Sequence[Query]
) -> RankPreview:
    """Rank an edited profile among the present labs, for sample texts and for the interests of a few applicants.

    Raises:
        IndexPreparing: The index is being built for the first time.
    """
    edited = with_profile(labs, record)
    moves = [_move(labs, edited, Query((Topic(text),)), record.key) for text in samples]
    moves_of_applicants = None
    if len(interests) >= LEAST:
        applicant_moves = [_move(labs, edited, query, record.key) for query in interests[:MOST_INTERESTS]]
        steps = [_step(before, after) for before, after in applicant_moves]
        moves_of_applicants = ApplicantMoves(_published(steps.count(1)), _published(steps.count(-1)))
    shown = (SampleMove(text, *move) for text, move in zip(samples, moves, strict=True))
    return RankPreview(tuple(sorted(shown, key=_most_moved)), moves_of_applicants, len(labs.profiles))


def with_profile(labs: IndexedLabs, record: LabRecord) -> IndexedLabs:
    """The labs with one profile edited, as a new state."""
    corpus = replace(
        labs.corpus,
        profiles={**labs.corpus.profiles, record.key: record},
        revisions={**labs.corpus.revisions, record.key: TRIED},
    )
    return with_corpus(labs, corpus)


@cache
def sample_queries() -> tuple[str, ...]:
    """The sample texts that come with the portal."""
    text = (RESOURCES / "seeds" / "sample_queries.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def _move(labs: IndexedLabs, edited: IndexedLabs, query: Query, slug: str) -> tuple[int | None, int | None]:
    return _place(labs, query, slug), _place(edited, query, slug)


def _place(labs: IndexedLabs, query: Query, slug: str) -> int | None:
    return next((match.rank for match in labs.index.rank(query, k=PLACES) if match.lab == slug), None)


def _step(before: int | None, after: int | None) -> int:
    """1 for higher, -1 for lower; no position ranks below every position."""
    was, now = (float("inf") if place is None else place for place in (before, after))
    return (was > now) - (was < now)


def _published(count: int) -> int:
    return count - count % LEAST


def _most_moved(move: SampleMove) -> tuple[bool, bool, int, str]:
    """Moved samples first, then those that fit, by best position."""
    best = min((place for place in (move.before, move.after) if place is not None), default=0)
    return move.before == move.after, not move.fits, best, move.text
