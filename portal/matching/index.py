"""The live index of labs: fit, rank, explain, edit."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, overload

from portal.matching import storage
from portal.matching.additions import additions
from portal.matching.apart import fit_apart
from portal.matching.explaining import explanations
from portal.matching.fitting import fit, layer_of
from portal.matching.language.spelling import Speller
from portal.matching.layers import State, docs
from portal.matching.pool import numbered, rank_stream
from portal.matching.ranking import Scores
from portal.matching.reading import Reader
from portal.matching.results import Gap, Match
from portal.matching.storage import Saved
from portal.matching.suggest import Suggester
from portal.matching.typical import first_typical, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from os import PathLike

    from scipy.sparse import csr_array

    from portal.matching.concepts import Concept
    from portal.matching.fitting import Weights
    from portal.matching.language.spelling import Correction
    from portal.matching.layers import Layer
    from portal.matching.ranking import Scored
    from portal.matching.records import LabDoc, Query
    from portal.matching.results import Explanation

_READ = 64
"""Queries whose scores are kept until the next edit; a page asks for the same ones several times."""
_MOST_LAYERS = 12
"""So many layers of edited labs are joined to one."""
_GAPS = 5


class LabIndex:
    """Ranks labs for queries and explains why.

    Reading is safe from any number of threads at any time: an edit builds a new state and swaps it in, so every answer
    comes from a single state. Edits wait for one another. Term weights stay as fitted.
    """

    def __init__(
        self, weights: Weights, state: State, concepts: Sequence[Concept], suggester: Suggester | None = None
    ) -> None:
        self._weights = weights
        self._concepts = tuple(concepts)
        self._additions = additions(weights.abbreviations, self._concepts)
        frequency = zip(weights.forms.astype(str).tolist(), weights.counts.tolist(), strict=True)
        self._speller = Speller(dict(frequency), weights.texts)
        self._suggester = suggester or Suggester()
        self._editing = threading.Lock()
        self._swap(state)

    @classmethod
    def fit(
        cls,
        labs: Iterable[LabDoc],
        *,
        concepts: Sequence[Concept] = (),
        progress: Callable[[int], None] | None = None,
        apart: bool = False,
    ) -> LabIndex:
        """An index of `labs`; `concepts` are those of the concept file.

        Takes labs one by one. `progress` is called with the number read so far. With `apart`, another process fits, so
        that queries that this one answers meanwhile are not held up.

        Raises:
            ValueError: two labs have the same key.
            FitFailed: the other process ended without an index.
        """
        if apart:
            saved = fit_apart(labs, progress)
            return cls(saved.weights, saved.state, concepts)
        weights, layer = fit(labs, progress)
        return cls(weights, State((layer,)), concepts)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index, with the edits since it was fitted, to the folder `path`.

        Raises:
            IndexRefused: `path` holds something other than an index.
        """
        storage.save(Saved(self._weights, self._state, self._concepts), Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str], *, verify: bool = True) -> LabIndex:
        """The index saved in the folder `path`, memory-mapped; `verify` compares the checksums of all files.

        Raises:
            IndexRefused: the folder is not an index, is damaged, is of an unknown version, or was replaced meanwhile.
        """
        saved = storage.load(Path(path), verify=verify)
        return cls(saved.weights, saved.state, saved.concepts)

    def with_concepts(self, concepts: Sequence[Concept]) -> LabIndex:
        """An index of the current labs with these concepts instead."""
        return LabIndex(self._weights, self._state, concepts, self._suggester)

    def copy(self) -> LabIndex:
        """Another index of the same labs; an edit of one does not change the other."""
        new = object.__new__(LabIndex)
        new.__setstate__(self.__getstate__())
        return new

    def __getstate__(self) -> dict[str, object]:
        """Everything but the lock and what is kept of queries, for copies and joblib's processes."""
        return {name: value for name, value in self.__dict__.items() if name not in {"_editing", "_scores_of"}}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state, _editing=threading.Lock())
        self._swap(self._state)

    def __len__(self) -> int:
        return len(self._state)

    @property
    def terms(self) -> int:
        """The number of terms that were learned when the index was fitted."""
        return len(self._weights.terms)

    def additions_in_use(self) -> int:
        """How many of the terms that can be added to queries occur in some lab; only these are added.

        As long as it stays the same, an edit of one lab does not change what is added for other labs.
        """
        return sum(self._reader.uses(self._additions.keys))

    def keys(self) -> tuple[str, ...]:
        """The keys of all labs, in order."""
        return self._state.keys

    def lab(self, key: str) -> LabDoc:
        """The lab with this key, its works sorted by key.

        Raises:
            UnknownLab: no lab has this key.
        """
        layer, place = self._state.find(key)
        return layer.lab(place)

    def rank(self, query: Query, k: int = 20) -> list[Match]:
        """At most `k` labs that fit, best first, equal scores by key. Empty if nothing fits."""
        scores = self._scores(query)
        return _matches(scores, scores.best(k))

    def related(self, query: Query, k: int = 20) -> list[Match]:
        """At most `k` labs that do not fit, but that concepts suggest for the query, best first; `fits` is False."""
        scores = self._scores(query)
        return _matches(scores, scores.related(k), fits=False)

    def score(self, query: Query, lab: str) -> float:
        """The score of one lab, whether it fits or not.

        Raises:
            UnknownLab: no lab has this key.
        """
        return self.scores(query, [lab])[0]

    def scores(self, query: Query, labs: Sequence[str]) -> list[float]:
        """`score` of each of several labs. The query is read once.

        Raises:
            UnknownLab: no lab has one of these keys.
        """
        scores = self._scores(query)
        return [self._find(scores, lab).score for lab in labs]

    def explain(self, query: Query, lab: str) -> Explanation:
        """Explain the match of `query` and `lab`, whether it fits or not.

        Raises:
            UnknownLab: no lab has this key.
        """
        scores = self._scores(query)
        found = self._find(scores, lab)
        return self._explained(scores, [found], query, fits=scores.fits(found))[0]

    def rank_explained(self, query: Query, k: int = 20, *, related: bool = False) -> list[tuple[Match, Explanation]]:
        """`rank` with the explanation of each match, or `related` with those."""
        scores = self._scores(query)
        found = scores.related(k) if related else scores.best(k)
        explained = self._explained(scores, found, query, fits=not related)
        return list(zip(_matches(scores, found, fits=not related), explained, strict=True))

    def rank_reverse(self, lab: str, queries: Mapping[str, Query] | Iterable[Query]) -> list[Match]:
        """All `queries` ranked for one lab, best first; each Match has the query's key as its `lab`.

        Queries without keys are numbered from 0. Queries that the lab does not fit are included, with `fits` False.

        Raises:
            UnknownLab: no lab has this key.
        """
        state, reader = self._state, self._reader
        keyed = queries.items() if isinstance(queries, Mapping) else numbered(queries)
        scored: list[tuple[float, str, bool]] = []
        layer, place = state.find(lab)
        alone = State((layer,))
        for key, query in keyed:
            scores = Scores(alone, reader.read(query))
            found = scores.of(0, place)
            scored.append((-found.score, key, scores.fits(found)))
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
            waiting = ((key, queries[key]) for key in sorted(queries) if key not in done)
            return rank_stream(self.rank, waiting, k, n_jobs=n_jobs)
        return (matches for _, matches in rank_stream(self.rank, numbered(queries), k, n_jobs=n_jobs))

    def replace(self, lab: LabDoc) -> None:
        """Replace the lab with the key of `lab`, or add it. The next query sees the change."""
        with self._editing:
            fitted, *edited = self._without(lab.key)
            edited.append(layer_of([lab], self._weights, fitted))
            if len(edited) == _MOST_LAYERS:
                edited = [layer_of(list(docs(edited)), self._weights, fitted)]
            self._swap(State((fitted, *edited)))

    def remove(self, key: str) -> None:
        """Remove a lab. The next query no longer sees it.

        Raises:
            UnknownLab: no lab has this key.
        """
        with self._editing:
            self._state.find(key)
            self._swap(State(tuple(self._without(key))))

    def corrections(self, query: Query) -> tuple[Correction, ...]:
        """The misspelt words of a query and their corrections; `Query.correct_spelling` turns them off."""
        parts = self._scores(query).reading.parts
        return tuple(dict.fromkeys(correction for part in parts for correction in part.corrections))

    def left_out(self, query: Query) -> tuple[str, ...]:
        """Everyday words and letters of a query that were not looked for. In quotation marks, a word is."""
        return tuple(dict.fromkeys(word for part in self._scores(query).reading.parts for word in part.left_out))

    def suggest(self, prefix: str, limit: int = 8, *, wait: bool = True) -> list[str]:
        """Topics of the corpus that begin with `prefix`, as written there, most frequent first.

        Those of many labs take seconds to collect. Without `wait` a thread does, and until then nothing is suggested.
        """
        return self._suggester.starting_with(prefix, limit, self._state, wait=wait)

    def typical_terms(self, lab: str, k: int = 3) -> list[str]:
        """The `k` most typical terms of a lab, in its own spelling.

        Raises:
            UnknownLab: no lab has this key.
        """
        layer, place = self._state.find(lab)
        return first_typical(layer, place, k)

    def fitted_vectors(self) -> tuple[tuple[str, ...], csr_array]:
        """The keys of the labs that were fitted, and a row of length 1 for each as it was then, empty without terms."""
        fitted = self._state.layers[0]
        return fitted.labs, fitted.foci

    def _without(self, key: str) -> list[Layer]:
        """The layers without a lab, and without layers of which nothing is left."""
        layers = [layer if layer.place(key) is None else layer.without(key) for layer in self._state.layers]
        return [layer for number, layer in enumerate(layers) if number == 0 or len(layer)]

    def _swap(self, state: State) -> None:
        """Make `state` the current one."""
        self._state = state
        self._reader = Reader(self._weights, state, self._additions, self._speller)
        reader = self._reader
        self._scores_of = lru_cache(maxsize=_READ)(lambda asked: Scores(state, reader.read(asked.query)))

    def _scores(self, query: Query) -> Scores:
        return self._scores_of(_Asked(query))

    def _find(self, scores: Scores, lab: str) -> Scored:
        for number, of_layer in enumerate(scores.layers):
            place = of_layer.layer.place(lab)
            if place is not None:
                return scores.of(number, place)
        self._state.find(lab)
        raise AssertionError(lab)

    def _explained(self, scores: Scores, found: Sequence[Scored], query: Query, *, fits: bool) -> list[Explanation]:
        return list(explanations(scores, found, query.facets, fits=fits, gaps=partial(_gaps, scores)))


class _Asked:
    """A query as a key: two of the same content are equal."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self._content = (query.topics, query.statement, query.resume, query.resume_weight, query.correct_spelling)

    def __hash__(self) -> int:
        return hash(self._content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._content == other._content


def _gaps(scores: Scores, one: Scored) -> tuple[Gap, ...]:
    """The lab's typical terms that the query lacks, most typical first."""
    have = {key for ways in scores.reading.terms for way in ways for key in way}
    found = missing(scores.layers[one.layer].layer, one.place, have)
    return tuple(Gap(term.text, term.works) for term in islice(found, _GAPS))


def _matches(scores: Scores, found: Sequence[Scored], *, fits: bool = True) -> list[Match]:
    return [
        Match(one.key, one.score, rank, percentile(rank, scores.labs), fits) for rank, one in enumerate(found, start=1)
    ]


def percentile(rank: int, labs: int) -> float:
    """The percentile of a rank in a list of `labs` labs; the first has 100."""
    return 100 * (labs - rank + 1) / labs
