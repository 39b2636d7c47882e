"""The output of the matcher: matches and explanations as plain immutable data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

Span = tuple[int, int]
"""Start and end (exclusive) of a passage in a text, in characters."""

Source = Literal["topic", "statement", "resume", "expansion", "correction", "concept"]
"""Where in the query a term came from.

"expansion" is the other form of an abbreviation, "correction" a corrected word, "concept" a term of the field that the
concept file gives for the applicant's plain words. The matcher adds these three.
"""
ADDED: frozenset[Source] = frozenset({"expansion", "concept"})
"""Sources of terms that are added to the query's own words; a correction replaces them instead."""


class Match(NamedTuple):
    """One candidate of a ranked list.

    `lab` is the lab's key (in the reverse ranking, the key of the query). `score` lies in [0, 1]. `rank`
    counts from 1. `percentile` is the position within this list in per cent: the first of n has 100, the
    last 100/n. `fits` is False below the floor, where the score is noise.
    """

    lab: str
    score: float
    rank: int
    percentile: float
    fits: bool = True


class TermShare(NamedTuple):
    """What one term of the query contributes to the score.

    `term` is written as the applicant wrote it (for added terms, as the field writes it). `via` names, for
    added terms, the words of the query that they stand for. `works` are the keys of the works that carry
    the term into the score, the strongest first; empty when only the lab's overall focus does.
    """

    term: str
    share: float
    source: Source
    works: tuple[str, ...]
    via: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
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


@dataclass(frozen=True, slots=True)
class ProfileEvidence:
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
    """A strong term of the lab that the query does not mention.

    `gain` is how much the score would rise if the query had `term` as one more topic of weight 1, computed
    by scoring that query. `works` are the lab's works that carry the term.
    """

    term: str
    gain: float
    works: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FacetCheck:
    """A wanted facet next to the lab's values; `lab_values` is empty if the lab states none."""

    name: str
    wanted: tuple[str, ...]
    lab_values: tuple[str, ...]


class LabTexts(Protocol):
    """Reads the texts of labs for explanations; labs are given by position."""

    def evidence(self, position: int) -> tuple[Evidence, ...]:
        """`Explanation.evidence` of a lab."""

    def profile_evidence(self, position: int) -> ProfileEvidence | None:
        """`Explanation.profile_evidence` of a lab."""

    def missing(self, position: int) -> tuple[Gap, ...]:
        """`Explanation.missing` of a lab."""


class _ExplanationFields(NamedTuple):
    lab: str
    score: float
    fits: bool
    terms: tuple[TermShare, ...]
    facets_met: tuple[FacetCheck, ...]
    facets_missed: tuple[FacetCheck, ...]
    texts: LabTexts
    position: int


class Explanation(_ExplanationFields):
    """Why a query and a lab match as they do; the shares of `terms` add up to `score`.

    Evidence and gaps are computed on first access, which reads the texts of the lab at `position` through `texts`. A
    tuple because creating one takes a fifth of the time of other objects, and every list needs twenty.
    """

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """The best works that match. Their order combines score and the share of the query's own words they have."""
        return self.texts.evidence(self.position)

    @cached_property
    def profile_evidence(self) -> ProfileEvidence | None:
        """The sentence of the lab's profile that matches best; None if none matches."""
        return self.texts.profile_evidence(self.position)

    @cached_property
    def missing(self) -> tuple[Gap, ...]:
        """What the lab works on and the query does not mention, largest gain first."""
        return self.texts.missing(self.position)

    def whole(self) -> tuple[object, ...]:
        """Everything in it."""
        return (*self[:_COMPUTED], self.evidence, self.profile_evidence, self.missing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanation) and self.whole() == other.whole()

    def __ne__(self, other: object) -> bool:
        # Otherwise that of tuples would be used.
        return not self == other

    def __hash__(self) -> int:
        return hash((self.lab, self.score, self.terms))

    def __repr__(self) -> str:
        names = _ExplanationFields._fields[:_COMPUTED]
        fields = (f"{name}={value!r}" for name, value in zip(names, self, strict=False))
        return f"Explanation({', '.join(fields)})"


_COMPUTED = _ExplanationFields._fields.index("texts")
"""The number of fields that are computed in advance; they come first."""
