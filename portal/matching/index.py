"""The live index of labs: fit, rank, explain, edit."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, overload

from portal.matching import compiled
from portal.matching.answers import Answers, percentile
from portal.matching.explanation.explain import explanations
from portal.matching.explanation.typical import typical
from portal.matching.pool import numbered, rank_chunks, rank_list
from portal.matching.query.expansion import Expander
from portal.matching.query.lexicon import Lexicon
from portal.matching.query.questions import Questions
from portal.matching.ranking import for_kernels
from portal.matching.results import Explanation, Match
from portal.matching.scoring import scores_of_lab, scores_of_labs
from portal.matching.segments.fitting import fit, segment_of
from portal.matching.segments.layers import Layer, State
from portal.matching.segments.storage import Saved, load, save
from portal.matching.suggest import Suggester, Suggestions, is_small

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from os import PathLike

    from portal.matching.language.spelling import Correction, Speller
    from portal.matching.query.concepts import Concept
    from portal.matching.query.questions import Question
    from portal.matching.records import LabDoc, Query
    from portal.matching.segments.weights import Weights


class LabIndex:
    """Ranks labs for queries and explains why.

    Reading is safe from any number of threads at any time: an edit builds a new state and swaps it in, so every answer
    comes from a single state. Edits wait for one another. Term weights stay as fitted.
    """

    def __init__(
        self, weights: Weights, state: State, expander: Expander, speller: Speller, suggester: Suggester | None = None
    ) -> None:
        self._weights = weights
        self._expander = expander
        self._speller = speller
        for_kernels(state.layers)
        self._state = state
        self._editing = threading.Lock()
        self._suggester = suggester or Suggester()
        self._cached_answers: Answers | None = None

    @classmethod
    def fit(
        cls,
        labs: Iterable[LabDoc],
        *,
        concepts: Sequence[Concept] = (),
        progress: Callable[[int], None] | None = None,
    ) -> LabIndex:
        """An index of `labs`; `concepts` are those of the concept file.

        Takes labs one by one and holds few in memory at a time. `progress` is called with the number read so far.

        Raises:
            ValueError: two labs have the same key.
        """
        fitted = fit(labs, progress)
        expander = Expander.build(fitted.abbreviations, concepts)
        return cls(fitted.weights, State((Layer(fitted.segment),)), expander, fitted.speller)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index, with the edits since it was fitted, to the folder `path`.

        Raises:
            IndexRefused: `path` holds something other than an index.
        """
        state = self._state
        base = state.layers[0]
        edited = tuple(state.edited())
        suggestions = self._suggester.fitted
        phrases = suggestions.phrases if suggestions else None
        save(Saved(self._weights, base.segment, self._expander, self._speller, edited, base.gone, phrases), Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str], *, verify: bool = True) -> LabIndex:
        """The index saved in the folder `path`, memory-mapped; `verify` compares the checksums of all files.

        Raises:
            IndexRefused: the folder is not an index, is damaged, is of an unknown version, or was replaced meanwhile.
        """
        saved = load(Path(path), verify=verify)
        compiled.start_for(len(saved.base.rows))
        state = State((Layer(saved.base, saved.gone),))
        for lab in saved.edited:
            state = state.with_lab(segment_of([lab], saved.weights))
        suggestions = None if saved.phrases is None else Suggestions.of(saved.phrases)
        return cls(saved.weights, state, saved.expander, saved.speller, Suggester(suggestions))

    def with_concepts(self, concepts: Sequence[Concept]) -> LabIndex:
        """An index of the current labs with these concepts instead."""
        expander = Expander.build(self._expander.abbreviations, concepts)
        return LabIndex(self._weights, self._state, expander, self._speller, self._suggester)

    def __getstate__(self) -> dict[str, object]:
        """Everything but the lock and what is cached, for joblib's processes."""
        state = {name: value for name, value in self.__dict__.items() if name != "_editing"}
        return state | {"_cached_answers": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state, _editing=threading.Lock())

    def __len__(self) -> int:
        return len(self._state)

    @property
    def terms(self) -> int:
        """The number of terms that were learned when the index was fitted."""
        return len(self._weights)

    def additions_in_use(self) -> int:
        """How many of the terms that can be added to queries occur in some lab; only these are added.

        As long as it stays the same, an edit of one lab does not change what is added for other labs.
        """
        return sum(map(self._state.uses, self._expander.added_keys))

    def keys(self) -> tuple[str, ...]:
        """The keys of all labs, in order."""
        return self._state.keys()

    def lab(self, key: str) -> LabDoc:
        """The lab with this key, its works sorted by key.

        Raises:
            UnknownLab: no lab has this key.
        """
        segment, position = self._state.place(key)
        return segment.labs[position]

    def rank(self, query: Query, k: int = 20) -> list[Match]:
        """At most `k` labs that fit, best first, equal scores by key. Empty if nothing fits."""
        answers = self._answers(self._state)
        return answers.ranked(answers.question(query), k)

    def score(self, query: Query, lab: str) -> float:
        """The score of one lab, whether it fits or not.

        Raises:
            UnknownLab: no lab has this key.
        """
        state = self._state
        prepared = self._question(query, state).prepared
        return float(scores_of_lab(*state.place(lab), prepared.query_vectors).scores[0, 0])

    def scores(self, query: Query, labs: Sequence[str]) -> list[float]:
        """`score` of each of several labs. The query is read once.

        Raises:
            UnknownLab: no lab has one of these keys.
        """
        state = self._state
        return scores_of_labs(list(map(state.place, labs)), self._question(query, state).prepared.query_vectors)

    def explain(self, query: Query, lab: str) -> Explanation:
        """Explain the match of `query` and `lab`, whether it fits or not.

        Raises:
            UnknownLab: no lab has this key.
        """
        state = self._state
        segment, position = state.place(lab)
        question = self._question(query, state)
        scored = scores_of_lab(segment, position, question.prepared.query_vectors)
        fits = bool(question.prepared.floor.fits(scored)[0])
        return explanations(question, query.facets, segment, [position], [float(scored.scores[0, 0])], fits=fits)[0]

    def rank_explained(self, query: Query, k: int = 20) -> list[tuple[Match, Explanation]]:
        """`rank` with the explanation of each match."""
        answers = self._answers(self._state)
        return answers.explained(answers.question(query), k, query.facets)

    def rank_reverse(self, lab: str, queries: Mapping[str, Query] | Iterable[Query]) -> list[Match]:
        """All `queries` ranked for one lab, best first; each Match has the query's key as its `lab`.

        Queries without keys are numbered from 0. Queries below the floor are included, with `fits` False.

        Raises:
            UnknownLab: no lab has this key.
        """
        state = self._state
        segment, position = state.place(lab)
        scored: list[tuple[float, str, bool]] = []
        keyed = queries.items() if isinstance(queries, Mapping) else numbered(queries)
        for key, query in keyed:
            prepared = self._question(query, state).prepared
            lab_scores = scores_of_lab(segment, position, prepared.query_vectors)
            scored.append((-float(lab_scores.scores[0, 0]), key, bool(prepared.floor.fits(lab_scores)[0])))
        return [
            Match(key, -score, rank, percentile(rank, len(scored)), fit)
            for rank, (score, key, fit) in enumerate(sorted(scored), start=1)
        ]

    @overload
    def rank_pool(
        self, queries: Mapping[str, Query], k: int = 20, *, n_jobs: int = -1, done: Container[str] = ()
    ) -> Iterator[tuple[str, list[Match]]]: ...

    @overload
    def rank_pool(self, queries: Iterable[Query], k: int = 20, *, n_jobs: int = -1) -> Iterator[list[Match]]: ...

    def rank_pool(
        self,
        queries: Mapping[str, Query] | Iterable[Query],
        k: int = 20,
        *,
        n_jobs: int = -1,
        done: Container[str] = (),
    ) -> Iterator[tuple[str, list[Match]]] | Iterator[list[Match]]:
        """`rank` for a whole pool, chunk by chunk.

        Yields (key, matches) in the order of the keys; of queries without keys, their matches in the given order.
        To interrupt, stop iterating; to resume, pass the keys already answered as `done`. `n_jobs` is that of joblib.
        With a joblib backend other than threads, the index is sent to the workers.
        """
        if isinstance(queries, Mapping):
            return rank_chunks(self.rank, queries, k, n_jobs, done)
        return rank_list(self.rank, queries, k, n_jobs)

    def replace(self, lab: LabDoc) -> None:
        """Replace the lab with the key of `lab`, or add it. The next query sees the change."""
        with self._editing:
            self._swap(self._state.with_lab(segment_of([lab], self._weights)))

    def remove(self, key: str) -> None:
        """Remove a lab. The next query no longer sees it.

        Raises:
            UnknownLab: no lab has this key.
        """
        with self._editing:
            self._state.place(key)
            self._swap(self._state.without(key))

    def corrections(self, query: Query) -> tuple[Correction, ...]:
        """The misspelt words of a query and their corrections; `Query.correct_spelling` turns them off."""
        parts = self._question(query, self._state).query.parts
        return tuple(dict.fromkeys(correction for part in parts for correction in part.corrections))

    def suggest(self, prefix: str, limit: int = 8, *, wait: bool = True) -> list[str]:
        """Topics of the corpus that begin with `prefix`, as written there, most frequent first.

        Those of many labs take seconds to collect, unless `collect_suggestions` did. Without `wait` a thread does, and
        until then nothing of these labs is suggested.
        """
        return self._suggester.starting_with(prefix, limit, self._state, wait=wait)

    def collect_suggestions(self) -> None:
        """Collect what `suggest` answers for the fitted labs, where that takes long. `save` then saves it."""
        if not is_small(self._state):
            self._suggester.collect(self._state)

    def typical_terms(self, lab: str, k: int = 3) -> list[str]:
        """The `k` most typical terms of a lab, in its own spelling.

        Raises:
            UnknownLab: no lab has this key.
        """
        segment, position = self._state.place(lab)
        return [term.text for term in islice(typical(segment, position), max(k, 0))]

    def _swap(self, state: State) -> None:
        """Make `state` the current one. Prepares it for kernels first, so that no query has to."""
        for_kernels(state.layers)
        self._state = state

    def _question(self, query: Query, state: State) -> Question:
        return self._answers(state).question(query)

    def _answers(self, state: State) -> Answers:
        """The answers from `state`; those from the latest state are cached."""
        answers = self._cached_answers
        if answers is None or answers.state is not state:
            answers = self._cached_answers = Answers(
                Questions(Lexicon(self._weights, state, self._expander, self._speller))
            )
        return answers


def _labs_of(state: State) -> list[LabDoc]:
    """The labs of a state, in the order of their keys."""
    return [segment.labs[position] for segment, position in map(state.place, state.keys())]
