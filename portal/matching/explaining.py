"""Why a query and a lab match: the share of each term, the works that carry it, and the sentences that show it."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import formula
from portal.matching.evidence import SentencesOfQuery, SentencesOfRows, without_bullet
from portal.matching.results import Evidence, Explanation, FacetCheck, ProfileEvidence, TermShare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.evidence import Matched
    from portal.matching.ranking import Scored, Scores
    from portal.matching.reading import Reading
    from portal.matching.records import Facets, LabDoc
    from portal.matching.results import Gap, Source

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SHARE, _EVIDENCE = partial(tuple.__new__, TermShare), partial(tuple.__new__, Evidence)
"""The same as `TermShare._make` and `Evidence._make`, but entirely in C."""


class _Names:
    """The terms of a query under the names with which they are shown; some of these have several terms.

    `first` has the first of the sorted `terms` and `weights` of each name. They are first the query's own, `own` of
    them under `own_names` names, and then those that are added.
    """

    def __init__(self, reading: Reading, *, with_added: bool) -> None:
        by_name: defaultdict[tuple[int, str, Source, str], list[tuple[int, float]]] = defaultdict(list)
        own_length, added_length = reading.lengths
        for part in reading.parts:
            for term, text, weight, via, _ in part.terms:
                by_name[0, text, part.source, via].append((term, part.share * weight / own_length))
        self.own_names = len(by_name)
        self.own = sum(map(len, by_name.values()))
        for part in reading.parts if with_added else ():
            for term, text, weight, via, _ in part.added:
                by_name[1, text, "concept", via].append((term, part.share * weight / added_length))
        self.texts = [text for _, text, _, _ in by_name]
        self.sources = [source for _, _, source, _ in by_name]
        self.vias = [via for _, _, _, via in by_name]
        self.terms = np.array([term for shares in by_name.values() for term, _ in shares], dtype=np.int64)
        self.weights = np.array([weight for shares in by_name.values() for _, weight in shares])
        counts = np.array([len(shares) for shares in by_name.values()], dtype=np.int64)
        self.first = counts.cumsum() - counts
        order = sorted(range(len(by_name)), key=list(zip(self.texts, self.sources, strict=True)).__getitem__)
        self.rank = np.empty(len(order), dtype=np.int64)
        self.rank[order] = np.arange(len(order))

    def joined(self, by: np.ufunc, values: Floats) -> Floats:
        """The values of the terms of each name as one; `values` has a column for each term."""
        return values if len(self.first) == len(self.terms) else by.reduceat(values, self.first, axis=-1)


@cache
def _strongest(bits: int) -> tuple[int, ...]:
    """Which of three works carry a term, the strongest first: by whether each does, and which are as good as others."""
    *carries, first_second, first_third, second_third = [bits >> bit & 1 for bit in range(7, 1, -1)]
    before = first_second + first_third, 1 - first_second + second_third, 2 - first_third - second_third
    return tuple(sorted((place for place in range(3) if carries[place]), key=lambda place: -before[place]))


class Why:
    """The values behind the scores of some labs of one layer, for one query.

    `works` has the rows of the best works of each lab by the query's own words, rising, and `added` by what is added,
    if anything is; -1 where there is none. `cells` have the values of the query's terms in these and in the profiles.
    """

    def __init__(self, scores: Scores, number: int, found: Sequence[Scored]) -> None:
        self._reading = scores.reading
        self._columns = scores.layers[number].columns
        self.layer = self._columns.layer
        self._labs = np.array([one.place for one in found], dtype=np.int64)
        own, added, total = np.array([(one.own, one.added, one.score) for one in found]).T
        self._factors = np.divide(total - own, added, out=np.zeros(len(found)), where=added > 0)
        self._is_added = bool(self._factors.any())
        of_added = [one.added_works for one in found] if self._is_added else [[] for _ in found]
        self._works = np.array([one.own_works for one in found], dtype=np.int64)
        self._added = np.array(of_added, dtype=np.int64)
        self._profiles = self.layer.profiles[self._labs]
        rows = np.concatenate((self._works, self._added, self._profiles[:, None]), axis=1)
        cells = self._columns.cells("rows", rows.ravel()).reshape(*rows.shape, -1)
        # With an axis for labs, one for their works, and one for terms.
        self._cells, self._of_added = cells[:, : formula.BEST_WORKS], cells[:, formula.BEST_WORKS : -1]
        self._of_profiles = cells[:, -1]

    @cached_property
    def shares(self) -> list[tuple[TermShare, ...]]:
        """The shares of the terms of each lab, largest first; they add up to its score."""
        names = _Names(self._reading, with_added=self._is_added)
        if not len(names.terms):
            return [()] * len(self._labs)
        of_works = self._cells[:, :, names.terms]
        values = formula.FOCUS * self._columns.cells("foci", self._labs)[:, names.terms]
        if self._is_added:
            of_works[:, :, names.own :] = self._of_added[:, :, names.terms[names.own :]]
        values += formula.OF_EACH_WORK * of_works.sum(axis=1)
        values[:, names.own :] *= self._factors[:, None]
        carried = names.joined(np.add, names.weights * values)
        labs, having = carried.nonzero()
        shares = carried[labs, having]
        by_share = np.lexsort((names.rank[having], -shares, labs))
        labs, having, shares = labs[by_share], having[by_share], shares[by_share]
        # Which works of a lab carry a term, and which of two is the stronger, is one number.
        of_works = names.joined(np.maximum, of_works)
        bits = np.concatenate((of_works > 0, of_works[:, (0, 0, 1)] >= of_works[:, (1, 2, 2)]), axis=1)
        orders = np.packbits(bits, axis=1)[labs, 0, having]
        codes = (((having >= names.own_names) * len(self._labs) + labs) * 256 + orders).tolist()
        keys = self._work_keys(set(codes))
        numbers = having.tolist()
        columns = (
            map(names.texts.__getitem__, numbers),
            shares.tolist(),
            map(names.sources.__getitem__, numbers),
            map(keys.__getitem__, codes),
            map(names.vias.__getitem__, numbers),
        )
        terms = list(map(_SHARE, zip(*columns, strict=False)))
        bounds = labs.searchsorted(np.arange(len(self._labs) + 1)).tolist()
        return [tuple(terms[begin:end]) for begin, end in pairwise(bounds)]

    def _work_keys(self, codes: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """The keys of the works that each code says carry a term, the strongest first."""
        works, keys = [*self._works.tolist(), *self._added.tolist()], self._keys
        found = {}
        for code in codes:
            of_lab, bits = divmod(code, 256)
            rows = works[of_lab]
            found[code] = tuple([keys[rows[place]] for place in _strongest(bits)])
        return found

    @cached_property
    def _keys(self) -> dict[int, str]:
        rows = list({*self._works.ravel().tolist(), *self._added.ravel().tolist()} - {-1})
        return dict(zip(rows, self.layer.work_keys(rows), strict=True))

    @cached_property
    def _carried(self) -> tuple[Ints, Floats]:
        """All of these works of each lab, those that carry most of its score first, and what each term carries."""
        works, carried = self._works, self._cells * self._reading.own
        if self._is_added:
            of_added = self._of_added * (self._factors[:, None] * self._reading.added)[:, None]
            is_both = works[:, :, None] == self._added[:, None]
            carried = np.concatenate((carried + is_both @ of_added, of_added), axis=1)
            works = np.concatenate((works, np.where(is_both.any(axis=1), -1, self._added)), axis=1)
        order = np.lexsort((works, -carried.sum(axis=2) * (works >= 0)))
        of_labs = np.arange(len(order))[:, None]
        return works[of_labs, order], carried[of_labs, order]

    @cached_property
    def _sentences(self) -> tuple[Ints, Ints, Floats, list[Matched | None], list[bool]]:
        """The works of all labs that carry most of the scores, at most three of each, then the profiles.

        With the place of the lab of each, what each term carries, the sentence, and whether it adds to the works.
        """
        works, carried = self._carried
        labs, places = (works[:, : formula.BEST_WORKS] >= 0).nonzero()
        having = (self._profiles >= 0).nonzero()[0]
        of_profiles = self._of_profiles[having] * (self._reading.own + self._reading.added)
        alone = np.zeros((len(labs) + len(having), carried.shape[2]))
        alone[len(labs) :] = of_profiles * (carried.max(axis=1)[having] <= 0)
        rows = np.concatenate((works[labs, places], self._profiles[having]))
        all_carried = np.concatenate((carried[labs, places], of_profiles))
        matched, adds = SentencesOfRows(self._columns, rows).best(all_carried, alone)
        return rows, np.concatenate((labs, having)), all_carried, matched, adds.tolist()

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
            text, spans = sentence or (self.layer.title(row), ())
            shown = self._keys[row], score, text, spans, of_query.text, source, of_query.spans
            found[place].append(_EVIDENCE(shown))
        return list(map(tuple, found))

    @cached_property
    def profile_evidence(self) -> list[ProfileEvidence | None]:
        """For each lab, the sentence of its profile that shares most with the query."""
        rows, places, carried, matched, adds = self._sentences
        found: list[ProfileEvidence | None] = [None] * len(self._labs)
        scores = carried.sum(axis=1).tolist()
        for number in np.flatnonzero(rows >= self.layer.first_work[-1]).tolist():
            sentence = matched[number]
            if sentence is not None:
                found[places[number]] = ProfileEvidence(scores[number], *without_bullet(sentence), adds[number])
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
