"""How a change of the concepts would affect one query, computed with the index as it will be after saving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.concepts.rules import has_phrase
from portal.matching import Query, Topic
from portal.matching.language.abbreviations import long_keys
from portal.matching.language.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.labs.live_index.live import IndexedLabs
    from portal.matching import Concept, Explanation, LabIndex, Match

SHOWN = 20  # labs


@dataclass(frozen=True, slots=True)
class Chain:
    """Words of the query and the terms that concepts add for them, as the matcher shows them."""

    words: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """A concept whose words are in the query. `index` is its index in the changed set."""

    index: int
    phrases: tuple[str, ...]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A lab before and after; a rank of None means that it does not fit."""

    slug: str
    name: str
    rank_before: int | None
    rank_after: int | None
    score_before: float
    score_after: float
    chains: tuple[Chain, ...]

    @property
    def moved(self) -> int | None:
        """Positions up (positive) or down (negative); None if it fits only before or only after."""
        if self.rank_before is None or self.rank_after is None:
            return None
        return self.rank_before - self.rank_after


@dataclass(frozen=True, slots=True)
class Trial:
    """One query before and after, ranked among all `labs`."""

    text: str
    rows: tuple[TrialRow, ...]
    applied: tuple[Applied, ...]
    labs: int

    @property
    def changes_nothing(self) -> bool:
        """Whether no rank and no score changes."""
        return all(row.moved == 0 and row.score_before == row.score_after for row in self.rows)


def try_concepts(labs: IndexedLabs, text: str, before: Sequence[Concept], after: Sequence[Concept]) -> Trial:
    """Rank the labs for `text` with the present and with the changed concepts.

    Raises:
        IndexPreparing: The index is being built for the first time.
    """
    query = Query((Topic(text),))
    old = labs.index if labs.corpus.concepts == tuple(before) else labs.index.with_concepts(before)
    new = labs.index.with_concepts(after)
    ranked_before, ranked_after = (_by_lab(index, query) for index in (old, new))
    keys = [*ranked_after, *(key for key in ranked_before if key not in ranked_after)][:SHOWN]
    return Trial(
        text,
        tuple(
            TrialRow(
                key,
                labs.profiles[key].name,
                ranked_before[key].rank if key in ranked_before else None,
                ranked_after[key].rank if key in ranked_after else None,
                old.score(query, key),
                new.score(query, key),
                _chains(new.explain(query, key), after),
            )
            for key in keys
        ),
        tuple(_applied(_as_read(new, query, text), after)),
        len(labs.index),
    )


def _by_lab(index: LabIndex, query: Query) -> Mapping[str, Match]:
    return {match.lab: match for match in index.rank(query, k=max(1, len(index)))}


def _chains(explanation: Explanation, concepts: Iterable[Concept]) -> tuple[Chain, ...]:
    """Which words added which terms: a whole term where the lab has all of it, otherwise the parts that it has."""
    words: dict[str, list[str]] = {}
    for share in explanation.terms:
        if share.source == "concept":
            words.setdefault(share.via, []).append(share.term)
    terms = sorted({term for concept in concepts for term in concept.terms}, key=len, reverse=True)
    return tuple(Chain(via, tuple(_whole(parts, terms))) for via, parts in words.items())


def _whole(parts: Sequence[str], known_terms: Iterable[str]) -> Iterable[str]:
    remaining = dict.fromkeys(parts)
    for term in known_terms:
        spans = list(terms(term))
        pairs = [span for span in spans if span.kind == "pair"] or spans
        if pairs and all(term[span.start : span.end] in remaining for span in pairs):
            for span in spans:
                remaining.pop(term[span.start : span.end], None)
            yield term
    yield from (part for part in remaining if not any(part != other and part in other for other in remaining))


def _as_read(index: LabIndex, query: Query, text: str) -> str:
    """The text with its misspelt words corrected as the matcher corrects them."""
    for correction in index.corrections(query):
        text = text.replace(correction.typed, correction.used)
    return text


def _applied(text: str, concepts: Iterable[Concept]) -> Iterable[Applied]:
    words = long_keys(text)
    for index, concept in enumerate(concepts):
        phrases = tuple(phrase for phrase in concept.phrases if has_phrase(words, phrase))
        if phrases:
            yield Applied(index, phrases, concept.terms)
