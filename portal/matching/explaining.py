"""Why a query and a lab match: the share of each term, the works that carry it, and the sentences that show it."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import formula
from portal.matching.evidence import SentencesOfQuery, SentencesOfRows, without_bullet
from portal.matching.results import Evidence, Explanation, FacetCheck, ProfileEvidence, TermShare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.evidence import Matched
    from portal.matching.ranking import Scored, Scores
    from portal.matching.reading import Reading
    from portal.matching.records import Facets, LabDoc
    from portal.matching.results import Gap, Source

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SHARE = partial(tuple.__new__, TermShare)
"""The same as `TermShare._make`, but entirely in C."""


class _Names:
    """The terms of a query under the names with which they are shown; some of these have several terms.

    `first` has the first of the sorted `terms` and `weights` of each name. `kinds` are 0 for the query's own words, 1
    for those that are added.
    """

    def __init__(self, reading: Reading) -> None:
        by_name: defaultdict[tuple[int, str, Source, str], list[tuple[int, float]]] = defaultdict(list)
        own_length, added_length = reading.lengths
        for part in reading.parts:
            for term, text, weight, via, _ in part.terms:
                by_name[0, text, part.source, via].append((term, part.share * weight / own_length))
            for term, text, weight, via, _ in part.added:
                by_name[1, text, "concept", via].append((term, part.share * weight / added_length))
        self.texts = [text for _, text, _, _ in by_name]
        self.sources = [source for _, _, source, _ in by_name]
        self.vias = [via for _, _, _, via in by_name]
        self.kinds = np.array([kind for kind, _, _, _ in by_name], dtype=np.int64)
        self.terms = np.array([term for shares in by_name.values() for term, _ in shares], dtype=np.int64)
        self.weights = np.array([weight for shares in by_name.values() for _, weight in shares])
        counts = np.array([len(shares) for shares in by_name.values()], dtype=np.int64)
        self.first = counts.cumsum() - counts
        order = sorted(range(len(self.texts)), key=lambda name: (self.texts[name], self.sources[name]))
        self.rank = np.empty(len(order), dtype=np.int64)
        self.rank[order] = np.arange(len(order))


class Why:
    """The values behind the scores of some labs of one layer, for one query.

    `works` has the rows of the best works of each lab by the query's own words, and then by what is added; -1 where
    there is none. Of each work and each focus, `cells` and `focus` have the values of the query's terms.
    """

    def __init__(self, scores: Scores, number: int, found: Sequence[Scored]) -> None:
        self._reading = scores.reading
        of_layer = scores.layers[number]
        self.layer = of_layer.layer
        self._labs = np.array([one.place for one in found], dtype=np.int64)
        first = self.layer.first_work
        of_own = formula.best_works(of_layer.own_works, first, self._labs)
        of_added = np.full((len(found), formula.BEST_WORKS), -1)
        own, added, total = np.array([(one.own, one.added, one.score) for one in found]).T
        self._factors = np.divide(total - own, added, out=np.zeros(len(found)), where=added > 0)
        if self._factors.any():
            of_added = formula.best_works(of_layer.added_works, first, self._labs)
        # Rising, so that works that carry the same stand in the order of their keys.
        self._works = np.sort(np.stack((of_own, of_added)), axis=2)
        self._columns = of_layer.columns
        self._rows = np.unique(self._works)
        self._rows = self._rows[self._rows >= 0]
        self._cells = self._columns.cells("rows", self._rows)

    @cached_property
    def shares(self) -> list[tuple[TermShare, ...]]:
        """The shares of the terms of each lab, largest first; they add up to its score."""
        names = _Names(self._reading)
        if not len(names.terms):
            return [()] * len(self._labs)
        focus = self._columns.cells("foci", self._labs)
        cells = np.concatenate((self._cells, np.zeros((1, self._cells.shape[1]))))
        places = np.where(self._works >= 0, self._rows.searchsorted(self._works), len(self._rows))
        of_works = cells[places][..., names.terms]
        largest = np.maximum.reduceat(of_works, names.first, axis=3)
        kind = np.repeat(names.kinds, np.diff(np.append(names.first, len(names.terms))))
        of_kinds = formula.FOCUS * focus[:, names.terms] + formula.OF_EACH_WORK * np.where(
            kind == 0, of_works[0].sum(axis=1), of_works[1].sum(axis=1)
        )
        factors = np.where(kind == 0, 1.0, self._factors[:, None])
        carried = np.add.reduceat(factors * names.weights * of_kinds, names.first, axis=1)
        largest = np.where(names.kinds == 0, largest[0], largest[1])
        order = np.argsort(-largest, axis=1, kind="stable")
        order[np.take_along_axis(largest, order, axis=1) <= 0] = formula.BEST_WORKS
        # Which works carry a term of a lab, and in which order, is one number.
        codes = order[:, 0] + 4 * (order[:, 1] + 4 * (order[:, 2] + 4 * names.kinds))
        labs, having = np.nonzero(carried)
        values = carried[labs, having]
        by_share = np.lexsort((names.rank[having], -values, labs))
        labs, having, values = labs[by_share], having[by_share], values[by_share]
        codes = 128 * labs + codes[labs, having]
        works = {code: self._work_keys(code) for code in np.unique(codes).tolist()}
        numbers = having.tolist()
        shares = list(
            map(
                _SHARE,
                zip(
                    map(names.texts.__getitem__, numbers),
                    values.tolist(),
                    map(names.sources.__getitem__, numbers),
                    map(works.__getitem__, codes.tolist()),
                    map(names.vias.__getitem__, numbers),
                    strict=True,
                ),
            )
        )
        bounds = labs.searchsorted(np.arange(len(self._labs) + 1)).tolist()
        return [tuple(shares[begin:end]) for begin, end in pairwise(bounds)]

    def _work_keys(self, code: int) -> tuple[str, ...]:
        """The keys of the works that `code` says carry a term."""
        rows = self._works[code // 64 % 2, code // 128].tolist()
        places = code % 4, code // 4 % 4, code // 16 % 4
        return tuple([self._keys[rows[place]] for place in places if place < formula.BEST_WORKS])

    @cached_property
    def _keys(self) -> dict[int, str]:
        rows = self._rows.tolist()
        return dict(zip(rows, self.layer.work_keys(rows), strict=True))

    @cached_property
    def _carried(self) -> Floats:
        """What each term carries in each of the works `_rows`."""
        reading = self._reading
        of_added = self._factors[self._place_of_rows] * np.isin(self._rows, self._works[1])
        is_own = np.isin(self._rows, self._works[0])
        carried: Floats = self._cells * (is_own[:, None] * reading.own + of_added[:, None] * reading.added)
        return carried

    @cached_property
    def _place_of_rows(self) -> Ints:
        """The place of the lab of each of the works `_rows` among the labs that are explained."""
        labs = self.layer.first_work.searchsorted(self._rows, side="right") - 1
        order = np.argsort(self._labs)
        places: Ints = order[self._labs[order].searchsorted(labs)]
        return places

    @cached_property
    def _sentences(self) -> tuple[Ints, Ints, Floats, list[Matched | None], list[bool]]:
        """The works of all labs that carry most of the scores, at most three of each, then the profiles.

        With the place of the lab of each, what each term carries, the sentence, and whether it adds to the works.
        """
        place, carried = self._place_of_rows, self._carried
        order = np.lexsort((self._rows, -carried.sum(axis=1), place))
        in_lab = np.arange(len(order)) - place[order].searchsorted(place[order])
        chosen = order[in_lab < formula.BEST_WORKS]
        profiles = self.layer.profiles[self._labs]
        having = np.flatnonzero(profiles >= 0)
        of_profiles = self._columns.cells("rows", profiles[having]) * (self._reading.own + self._reading.added)
        in_works = np.zeros((len(self._labs), carried.shape[1]), dtype=bool)
        np.logical_or.at(in_works, place, carried > 0)
        alone = np.zeros((len(chosen) + len(having), carried.shape[1]))
        alone[len(chosen) :] = np.where(in_works[having], 0.0, of_profiles)
        rows = np.concatenate((self._rows[chosen], profiles[having]))
        all_carried = np.concatenate((carried[chosen], of_profiles))
        matched, adds = SentencesOfRows(self.layer, rows, self._reading).best(all_carried, alone)
        return rows, np.concatenate((place[chosen], having)), all_carried, matched, adds.tolist()

    @cached_property
    def evidence(self) -> list[tuple[Evidence, ...]]:
        """For each lab, the works that carry most of the score, at most three, each with the sentence that shows it."""
        rows, places, carried, matched, _ = self._sentences
        works = int(np.count_nonzero(rows < self.layer.first_work[-1]))
        mine = SentencesOfQuery(self._reading).best(carried[:works])
        found: list[list[Evidence]] = [[] for _ in self._labs]
        for row, place, score, sentence, (of_query, source) in zip(
            rows[:works].tolist(), places.tolist(), carried.sum(axis=1).tolist(), matched, mine, strict=False
        ):
            text, spans = sentence or (self.layer.texts_of_rows([row])[0].split("\n\n", 1)[0], ())
            found[place].append(Evidence(self._keys[row], score, text, spans, of_query.text, source, of_query.spans))
        return list(map(tuple, found))

    @cached_property
    def profile_evidence(self) -> list[ProfileEvidence | None]:
        """For each lab, the sentence of its profile that shares most with the query."""
        rows, places, carried, matched, adds = self._sentences
        found: list[ProfileEvidence | None] = [None] * len(self._labs)
        for number in np.flatnonzero(rows >= self.layer.first_work[-1]).tolist():
            sentence = matched[number]
            if sentence is not None:
                score = float(carried[number].sum())
                found[places[number]] = ProfileEvidence(score, *without_bullet(sentence), adds[number])
        return found


def explanations(
    scores: Scores,
    found: Sequence[Scored],
    facets: Facets,
    *,
    fits: bool,
    gaps: Callable[[Scored], tuple[Gap, ...]],
) -> Iterator[Explanation]:
    """The explanations of some labs, in their order."""
    by_layer: defaultdict[int, list[Scored]] = defaultdict(list)
    for one in found:
        by_layer[one.layer].append(one)
    whys = {number: Why(scores, number, some) for number, some in by_layer.items()}
    places = {number: iter(range(len(some))) for number, some in by_layer.items()}
    for one in found:
        why, position = whys[one.layer], next(places[one.layer])
        met, missed = facet_checks(facets, why.layer.lab(one.place)) if facets else ((), ())
        terms = why.shares[position]
        yield Explanation(one.key, one.score, fits, terms, met, missed, why, position, partial(gaps, one))


def facet_checks(wanted: Facets, lab: LabDoc) -> tuple[tuple[FacetCheck, ...], tuple[FacetCheck, ...]]:
    """The wanted facets that the lab meets, and those that it misses, by name."""
    met: list[FacetCheck] = []
    missed: list[FacetCheck] = []
    for name in sorted(wanted):
        if wanted[name]:
            values = tuple(lab.facets.get(name, ()))
            check = FacetCheck(name, tuple(wanted[name]), values)
            folded = {value.casefold() for value in values}
            (met if any(value.casefold() in folded for value in wanted[name]) else missed).append(check)
    return tuple(met), tuple(missed)
