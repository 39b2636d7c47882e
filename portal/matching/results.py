"""The output of the matcher: matches and explanations as plain immutable data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Span = tuple[int, int]
"""Start and end (exclusive) of a passage in a text, in characters."""

Source = Literal["topic", "statement", "resume", "concept"]
"""Where in the query a term came from: as the person wrote it or in another form of the same words, or, for "concept",
a term of the field that the concept file gives for plain words; only the latter is added.
"""
ADDED: frozenset[Source] = frozenset({"concept"})
"""Sources of terms that are added to the query's own words."""


class Match(NamedTuple):
    """One candidate of a ranked list.

    `lab` is the lab's key (in the reverse ranking, the key of the query). `score` lies in [0, 1]. `rank`
    counts from 1. `percentile` is the position within this list in per cent: the first of n has 100, the
    last 100/n. `fits` is False for a lab that has too few of the query's own words; it is at most related.
    """

    lab: str
    score: float
    rank: int
    percentile: float
    fits: bool = True


class TermShare(NamedTuple):
    """What one term of the query contributes to the score.

    `term` is written as the person wrote it (for added terms, as the field writes it). `via` names, for added terms,
    the words of the query that they stand for, for corrected words what was typed, and for one form of an abbreviated
    term the other. `works` are the keys of the works that carry
    the term into the score, the strongest first; empty when only the lab's overall focus does.
    """

    term: str
    share: float
    source: Source
    works: tuple[str, ...]
    via: str = ""


class Evidence(NamedTuple):
    """A work that speaks for the match.

    `score` is the cosine of the work and the query. `sentence` is the sentence of the work's title or
    abstract that shares most with the query, with the `spans` of the matched words in it;
    `query_sentence` is the sentence of the query that shares most with the work, from `query_source`, with
    its `query_spans`.
    """

    work: str
    score: float
    sentence: str
    spans: tuple[Span, ...]
    query_sentence: str
    query_source: Source
    query_spans: tuple[Span, ...]


class ProfileEvidence(NamedTuple):
    """What a lab says of itself that speaks for the match.

    `score` is the cosine of the profile and the query, `sentence` the sentence of the profile that shares most with
    the query, with the `spans` of the matched words in it. If the profile has terms of the query that none of the
    lab's best works has (`adds`), it is the sentence that has most of these terms.
    """

    score: float
    sentence: str
    spans: tuple[Span, ...]
    adds: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """A typical term of the lab that the query does not mention, and the lab's works that carry it."""

    term: str
    works: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FacetCheck:
    """A wanted facet next to the lab's values; `lab_values` is empty if the lab states none."""

    name: str
    wanted: tuple[str, ...]
    lab_values: tuple[str, ...]


class Sentences(Protocol):
    """The sentences that speak for some labs, read when they are first asked for."""

    @property
    def evidence(self) -> Sequence[tuple[Evidence, ...]]:
        """`Explanation.evidence` of each."""

    @property
    def profile_evidence(self) -> Sequence[ProfileEvidence | None]:
        """`Explanation.profile_evidence` of each."""


@dataclass(frozen=True)
class Explanation:
    """Why a query and a lab match as they do; the shares of `terms` add up to `score`.

    Evidence and gaps are computed on first access: `sentences` has those of this lab at `position`.
    """

    lab: str
    score: float
    fits: bool
    terms: tuple[TermShare, ...]
    facets_met: tuple[FacetCheck, ...]
    facets_missed: tuple[FacetCheck, ...]
    sentences: Sentences = field(repr=False, compare=False)
    position: int = field(repr=False, compare=False)
    gaps: Callable[[], tuple[Gap, ...]] = field(repr=False, compare=False)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The best works that match, the one that carries most of the score first."""
        return self.sentences.evidence[self.position]

    @property
    def profile_evidence(self) -> ProfileEvidence | None:
        """The sentence of the lab's profile that matches best; None if none matches."""
        return self.sentences.profile_evidence[self.position]

    @cached_property
    def missing(self) -> tuple[Gap, ...]:
        """What the lab works on and the query does not mention, most typical first."""
        return self.gaps()
