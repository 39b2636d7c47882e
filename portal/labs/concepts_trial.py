"""What a change of the concepts would do to one query, computed with the matcher before anything is saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.concepts_rules import has_phrase
from portal.matching import LabIndex, Query, Topic
from portal.matching.abbreviations import long_keys
from portal.matching.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.labs.live_index import IndexedLabs
    from portal.matching import Concept, Explanation, LabDoc, Match

MOST_WORKS = 400  # of the labs that are compared: two indexes are fitted while a person waits
SHOWN = 20  # labs
FOUND_BY_A_TERM = 10  # labs


@dataclass(frozen=True, slots=True)
class Chain:
    """Words of the query and the terms that the concepts add for them, as the matcher shows them."""

    words: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """A concept whose words are in the query. `place` is its place among those of the changed set."""

    place: int
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
        """Places up (over 0) or down (under 0); None where it fits only before or only after."""
        if self.rank_before is None or self.rank_after is None:
            return None
        return self.rank_before - self.rank_after


@dataclass(frozen=True, slots=True)
class Trial:
    """One query before and after. `compared` of all `labs` were ranked: the nearest ones, where there are many."""

    text: str
    rows: tuple[TrialRow, ...]
    applied: tuple[Applied, ...]
    compared: int
    labs: int

    @property
    def changes_nothing(self) -> bool:
        """Whether no lab moves and no score changes."""
        return all(row.moved == 0 and row.score_before == row.score_after for row in self.rows)


def try_concepts(labs: IndexedLabs, text: str, before: Sequence[Concept], after: Sequence[Concept]) -> Trial:
    """Rank the labs for `text` with the concepts as they are and as they would be."""
    query = Query((Topic(text),))
    docs = _compared(labs.index, query, [concept for concept in after if concept not in set(before)])
    new = LabIndex.fit(docs, concepts=after)
    old = labs.index if _is_fitted_so(labs, docs, before) else LabIndex.fit(docs, concepts=before)
    ranked_before, ranked_after = (_by_lab(index, query, len(docs)) for index in (old, new))
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
        len(docs),
        len(labs.profiles),
    )


def _compared(index: LabIndex, query: Query, changed: Iterable[Concept]) -> list[LabDoc]:
    """All labs; where they hold too many works, those nearest to the query and to the terms that would be added."""
    everything = list(map(index.lab, index.keys()))
    if sum(len(lab.works) for lab in everything) <= MOST_WORKS:
        return everything
    nearest = [match.lab for match in index.rank(query, k=SHOWN)]
    for concept in changed:
        for term in concept.terms:
            nearest += [match.lab for match in index.rank(Query((Topic(term),)), k=FOUND_BY_A_TERM)]
    nearest += [lab.key for lab in everything[: 2 * SHOWN]]  # others to compare with, so that words have weights
    kept: list[LabDoc] = []
    works = 0
    for key in dict.fromkeys(nearest):
        lab = index.lab(key)
        works += len(lab.works)
        if works > MOST_WORKS and len(kept) >= SHOWN:
            break
        kept.append(lab)
    return sorted(kept, key=lambda lab: lab.key)


def _is_fitted_so(labs: IndexedLabs, docs: Sequence[LabDoc], concepts: Sequence[Concept]) -> bool:
    """Whether the index of all labs is what a fit of these would give."""
    as_fitted = not labs.edited and not labs.other_concepts
    return as_fitted and len(docs) == len(labs.profiles) and labs.corpus.concepts == tuple(concepts)


def _by_lab(index: LabIndex, query: Query, labs: int) -> Mapping[str, Match]:
    return {match.lab: match for match in index.rank(query, k=max(1, labs))}


def _chains(explanation: Explanation, concepts: Iterable[Concept]) -> tuple[Chain, ...]:
    """Which words brought which terms: whole terms where the lab has all of one, else the parts that it has."""
    words: dict[str, list[str]] = {}
    for share in explanation.terms:
        if share.source == "concept":
            words.setdefault(share.via, []).append(share.term)
    known = sorted({term for concept in concepts for term in concept.terms}, key=len, reverse=True)
    return tuple(Chain(via, tuple(_whole(parts, known))) for via, parts in words.items())


def _whole(parts: Sequence[str], known: Iterable[str]) -> Iterable[str]:
    left = dict.fromkeys(parts)
    for term in known:
        spans = list(terms(term))
        pairs = [span for span in spans if span.kind == "pair"] or spans
        if pairs and all(term[span.start : span.end] in left for span in pairs):
            for span in spans:
                left.pop(term[span.start : span.end], None)
            yield term
    yield from (part for part in left if not any(part != other and part in other for other in left))


def _as_read(index: LabIndex, query: Query, text: str) -> str:
    """The text with its misspelt words as the matcher reads them."""
    for correction in index.corrections(query):
        text = text.replace(correction.typed, correction.used)
    return text


def _applied(text: str, concepts: Iterable[Concept]) -> Iterable[Applied]:
    words = long_keys(text)
    for place, concept in enumerate(concepts):
        phrases = tuple(phrase for phrase in concept.plain if has_phrase(words, phrase))
        if phrases:
            yield Applied(place, phrases, concept.terms)
