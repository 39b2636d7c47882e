"""The live index of labs: fit, rank, explain, edit."""

from __future__ import annotations

import heapq
import threading
from itertools import islice
from typing import TYPE_CHECKING

from portal.matching.abbreviations import learn_abbreviations
from portal.matching.expansion import Expander
from portal.matching.explain import explain
from portal.matching.fitting import fit
from portal.matching.floor import Floor
from portal.matching.layers import Layer, State
from portal.matching.pool import rank_chunks
from portal.matching.query import AnalysedQuery, Lexicon, analyse
from portal.matching.records import Query, Topic
from portal.matching.results import Explanation, Match
from portal.matching.scoring import asked, best_first, lab_score
from portal.matching.storage import Saved, load, save
from portal.matching.suggest import Suggestions
from portal.matching.typical import typical

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from portal.matching.concepts import Concept
    from portal.matching.records import LabDoc
    from portal.matching.scoring import Asked
    from portal.matching.segment import Segment
    from portal.matching.spelling import Correction, Speller
    from portal.matching.vocabulary import Vocabulary


class LabIndex:
    """Labs ranked for queries, with reasons.

    Reading is safe from any number of threads at any time: an edit builds a new state and swaps it in, so an
    answer is always that of one state. Edits wait for one another. The weights of terms stay as fitted.
    """

    def __init__(self, vocabulary: Vocabulary, base: Segment, expander: Expander, speller: Speller) -> None:
        self._vocabulary = vocabulary
        self._expander = expander
        self._speller = speller
        self._state = State((Layer(base),))
        self._editing = threading.Lock()
        self._suggestions: tuple[State, Suggestions] | None = None

    @classmethod
    def fit(cls, labs: Iterable[LabDoc], *, concepts: Sequence[Concept] = ()) -> LabIndex:
        """An index of `labs`; `concepts` are those of the concept file.

        Raises:
            ValueError: two labs have the same key.
        """
        vocabulary, base, speller = fit(labs)
        texts = (text for lab in base.labs for work in lab.works for text in (work.title, work.abstract))
        abbreviations = learn_abbreviations((*texts, *(lab.profile for lab in base.labs)))
        return cls(vocabulary, base, Expander.build(abbreviations, concepts), speller)

    def save(self, path: Path) -> None:
        """Write the index, with the edits since it was fitted, to the folder `path`.

        Raises:
            IndexRefused: something that is no index is at `path`.
        """
        state = self._state
        base = state.layers[0]
        edited = tuple(state.edited())
        save(Saved(self._vocabulary, base.segment, self._expander, self._speller, edited, base.gone), path)

    @classmethod
    def load(cls, path: Path, *, verify: bool = True) -> LabIndex:
        """The index saved in the folder `path`, memory-mapped; `verify` compares the checksums of all files.

        Raises:
            IndexRefused: the folder is no index, is damaged, or of a version that is not known here.
        """
        saved = load(path, verify=verify)
        index = cls(saved.vocabulary, saved.base, saved.expander, saved.speller)
        state = State((Layer(saved.base, saved.gone),))
        for lab in saved.edited:
            state = state.with_lab(lab, saved.vocabulary)
        index._state = state
        return index

    def refitted(self) -> LabIndex:
        """A new index of the labs as they are now, with weights, abbreviations and words learnt anew."""
        state = self._state
        labs = [segment.labs[position] for segment, position in map(state.place, state.keys())]
        return LabIndex.fit(labs, concepts=self._expander.concepts)

    def __getstate__(self) -> dict[str, object]:
        """Without the lock, for joblib's processes."""
        return {name: value for name, value in self.__dict__.items() if name != "_editing"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state, _editing=threading.Lock())

    def __len__(self) -> int:
        return len(self._state)

    def keys(self) -> tuple[str, ...]:
        """The keys of all labs, in order."""
        return self._state.keys()

    def lab(self, key: str) -> LabDoc:
        """The lab with this key, its works in the order of their keys.

        Raises:
            UnknownLab: no lab has this key.
        """
        segment, position = self._state.place(key)
        return segment.labs[position]

    def rank(self, query: Query, k: int = 20) -> list[Match]:
        """The labs that fit, the best first, at most `k`; equal scores by key. Empty when nothing fits."""
        state = self._state
        return [match for match, _, _ in islice(self._ranked(self._analysed(query, state), state), k)]

    def score(self, query: Query, lab: str) -> float:
        """The score of one lab, whether it fits or not.

        Raises:
            UnknownLab: no lab has this key.
        """
        state = self._state
        return lab_score(*state.place(lab), asked(self._analysed(query, state).vector, self._vocabulary))

    def explain(self, query: Query, lab: str) -> Explanation:
        """Why `query` and `lab` match as they do, whether they fit or not.

        Raises:
            UnknownLab: no lab has this key.
        """
        state = self._state
        return self._explained(query, self._analysed(query, state), state, *state.place(lab))

    def rank_explained(self, query: Query, k: int = 20) -> list[tuple[Match, Explanation]]:
        """`rank` with the explanation of each match."""
        state = self._state
        analysed = self._analysed(query, state)
        return [
            (match, self._explained(query, analysed, state, segment, position))
            for match, segment, position in islice(self._ranked(analysed, state), k)
        ]

    def rank_reverse(self, lab: str, queries: Mapping[str, Query]) -> list[Match]:
        """All `queries` ranked for one lab, the best first; each Match bears the query's key as `lab`.

        Nobody is left out: `fits` tells who is below the floor.

        Raises:
            UnknownLab: no lab has this key.
        """
        state = self._state
        segment, position = state.place(lab)
        scored: list[tuple[float, str, bool]] = []
        for key, query in queries.items():
            analysed = self._analysed(query, state)
            score = lab_score(segment, position, asked(analysed.vector, self._vocabulary))
            scored.append((-score, key, Floor.of(analysed, self._vocabulary).fits(segment, position, score)))
        return [
            Match(key, -score, rank, _percentile(rank, len(scored)), fit)
            for rank, (score, key, fit) in enumerate(sorted(scored), start=1)
        ]

    def rank_pool(
        self, queries: Mapping[str, Query], k: int = 20, *, n_jobs: int = -1, done: Container[str] = ()
    ) -> Iterator[tuple[str, list[Match]]]:
        """`rank` for a whole pool: yields (key, matches) in the order of the keys, chunk by chunk.

        Stop taking to interrupt; give the keys already answered as `done` to resume. `n_jobs` is joblib's;
        with a backend of joblib's choosing other than threads the index travels to the workers.
        """
        return rank_chunks(self.rank, queries, k, n_jobs, done)

    def replace(self, lab: LabDoc) -> None:
        """Put `lab` in the place of the one with its key, or add it; the next query sees it."""
        with self._editing:
            self._state = self._state.with_lab(lab, self._vocabulary)

    def remove(self, key: str) -> None:
        """Take a lab out; the next query does not see it.

        Raises:
            UnknownLab: no lab has this key.
        """
        with self._editing:
            self._state.place(key)
            self._state = self._state.without(key)

    def corrections(self, query: Query) -> tuple[Correction, ...]:
        """The misspelt words of a query and what they are read as; turn off with `Query.correct_spelling`."""
        parts = self._analysed(query, self._state).parts
        return tuple(dict.fromkeys(correction for part in parts for correction in part.corrections))

    def suggest(self, prefix: str, limit: int = 8) -> list[str]:
        """Topics of the corpus, as written there, that begin with `prefix`, the most frequent first."""
        state = self._state
        if self._suggestions is None or self._suggestions[0] is not state:
            labs = [segment.labs[position] for segment, position in map(state.place, state.keys())]
            self._suggestions = state, Suggestions.collect(labs)
        return self._suggestions[1].starting_with(prefix, limit)

    def typical_terms(self, lab: str, k: int = 3) -> list[str]:
        """The `k` most typical terms of a lab, as it writes them.

        Raises:
            UnknownLab: no lab has this key.
        """
        segment, position = self._state.place(lab)
        return [term.form.text for term in islice(typical(segment, position, self._vocabulary), k)]

    def _analysed(self, query: Query, state: State) -> AnalysedQuery:
        return analyse(query, Lexicon(self._vocabulary, state.names, self._expander, self._speller))

    def _ranked(self, query: AnalysedQuery, state: State) -> Iterator[tuple[Match, Segment, int]]:
        vector = asked(query.vector, self._vocabulary)
        floor = Floor.of(query, self._vocabulary)
        least = floor.least_score()
        labs = len(state)
        found = heapq.merge(*(_candidates(layer, vector) for layer in state.layers))
        rank = 0
        for minus_score, key in found:
            if -minus_score < least:
                return
            segment, position = state.place(key)
            if floor.fits(segment, position, -minus_score):
                rank += 1
                yield Match(key, -minus_score, rank, _percentile(rank, labs)), segment, position

    def _explained(
        self, query: Query, analysed: AnalysedQuery, state: State, segment: Segment, position: int
    ) -> Explanation:
        def topic_vector(text: str) -> Mapping[str, float]:
            return self._analysed(Query((Topic(text),)), state).vector

        return explain(analysed, query.facets, topic_vector, segment, position, self._vocabulary)


def _percentile(rank: int, count: int) -> float:
    return 100 * (count - rank + 1) / count


def _candidates(layer: Layer, query: Asked) -> Iterator[tuple[float, str]]:
    """(−score, key) of the labs of a layer, the best first."""
    for score, position in best_first(layer.segment, query):
        key = layer.segment.keys[position]
        if key not in layer.gone:
            yield -score, key
