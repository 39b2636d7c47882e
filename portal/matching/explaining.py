"""Why a query and a lab match: the share of each term, the works that carry it, and the sentences that show it."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import formula
from portal.matching.evidence import Carriers, evidence_of, profile_evidence_of
from portal.matching.results import Explanation, FacetCheck, TermShare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.ranking import Scored, Scores
    from portal.matching.reading import Share
    from portal.matching.records import Facets, LabDoc
    from portal.matching.results import Evidence, Gap, ProfileEvidence, Source

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class LabTexts:
    """The parts of an explanation that need the texts of the lab; computed when they are first asked for."""

    def __init__(self, why: Why, position: int, gaps: Callable[[], tuple[Gap, ...]]) -> None:
        self._why = why
        self._position = position
        self._gaps = gaps

    def evidence(self) -> tuple[Evidence, ...]:
        """The works that carry most of the match."""
        return self._why.evidence(self._position)

    def profile_evidence(self) -> ProfileEvidence | None:
        """The sentence of the profile that matches best."""
        return self._why.profile_evidence(self._position)

    def missing(self) -> tuple[Gap, ...]:
        """What the lab works on and the query does not mention."""
        return self._gaps()


class _Weights:
    """What terms weigh in a query, and which of these are said of the same words."""

    def __init__(self, shares: Sequence[Share]) -> None:
        self.weights = np.array([share.weight for share in shares])
        self.places = [share.term for share in shares]
        self.terms = np.array(self.places, dtype=np.int64)
        self.by_name: defaultdict[tuple[str, Source, str], list[int]] = defaultdict(list)
        for number, share in enumerate(shares):
            self.by_name[share.text, share.source, share.via].append(number)


class Why:
    """The values behind the scores of some labs of one layer, for one query.

    `works` has the rows of the best works of each lab by the query's own words, and then by what is added; -1 where
    there is none. Of each work and each focus, `cells` and `focus` have the values of the query's terms.
    """

    def __init__(self, scores: Scores, number: int, found: Sequence[Scored]) -> None:
        self.scores = scores
        self.reading = scores.reading
        of_layer = scores.layers[number]
        self.layer = of_layer.layer
        self.found = found
        self.labs = np.array([one.place for one in found], dtype=np.int64)
        first = self.layer.first_work
        self.own_works = formula.best_works(of_layer.own_works, first, self.labs)
        self.added_works = (
            formula.best_works(of_layer.added_works, first, self.labs)
            if of_layer.has_added
            else np.full((len(found), formula.BEST_WORKS), -1)
        )
        self.focus = of_layer.columns.cells("foci", self.labs)
        self.columns = of_layer.columns
        rows = np.unique(np.concatenate((self.own_works.ravel(), self.added_works.ravel())))
        self.rows = rows[rows >= 0]
        self.cells = self.columns.cells("rows", self.rows)

    def _cells(self, works: Ints) -> Floats:
        """The cells of the works of one lab, as rows."""
        return self.cells[self.rows.searchsorted(works[works >= 0])]

    def shares(self, position: int) -> tuple[TermShare, ...]:
        """The shares of the terms of a lab, largest first; they add up to its score."""
        one = self.found[position]
        shares = self._shares(position, self.own_works[position], self._weights[0], 1.0)
        if one.added and one.score > one.own:
            factor = (one.score - one.own) / one.added
            shares += self._shares(position, self.added_works[position], self._weights[1], factor)
        return tuple(sorted(shares, key=lambda share: (-share.share, share.term, share.source)))

    def _shares(self, position: int, works: Ints, of: _Weights, factor: float) -> list[TermShare]:
        works = np.sort(works[works >= 0])  # by key
        cells = self._cells(works)
        values = formula.FOCUS * self.focus[position] + formula.OF_EACH_WORK * cells.sum(axis=0)
        carried = (factor * of.weights * values[of.terms]).tolist()
        keys = [self.layer.work_key(row) for row in works.tolist()]
        having: dict[tuple[int, ...], tuple[str, ...]] = {}
        found: list[TermShare] = []
        strongest = _strongest(cells)
        for (text, source, via), numbers in of.by_name.items():
            value = carried[numbers[0]] if len(numbers) == 1 else sum([carried[number] for number in numbers])
            if value:
                several = cells[:, of.terms[numbers]].max(axis=1, keepdims=True) if len(numbers) > 1 else None
                places = strongest[of.places[numbers[0]]] if several is None else _strongest(several)[0]
                if places not in having:
                    having[places] = tuple([keys[place] for place in places if place >= 0])
                found.append(TermShare(text, value, source, having[places], via))
        return found

    @cached_property
    def _weights(self) -> tuple[_Weights, _Weights]:
        return _Weights(self.reading.shares), _Weights(self.reading.added_shares)

    @cached_property
    def carried(self) -> list[dict[int, tuple[float, Floats]]]:
        """For each lab, the works that carry the match, the one that carries most first: see `_carried`."""
        return list(map(self._carried, range(len(self.found))))

    def _carried(self, position: int) -> dict[int, tuple[float, Floats]]:
        """For each work that carries the match: its part of the score, and what each term carries in it."""
        one = self.found[position]
        factor = (one.score - one.own) / one.added if one.added else 0.0
        works: dict[int, tuple[float, Floats]] = {}
        for rows, weights in ((self.own_works, self.reading.own), (self.added_works, factor * self.reading.added)):
            chosen = rows[position][rows[position] >= 0]
            for row, cells in zip(chosen.tolist(), self._cells(rows[position]), strict=True):
                carries = cells * weights
                before = works.get(row, (0.0, np.zeros(len(weights))))
                works[row] = before[0] + float(carries.sum()), before[1] + carries
        return dict(sorted(works.items(), key=lambda item: (-item[1][0], item[0])))

    @cached_property
    def _carriers(self) -> Carriers:
        """The sentences of the best works and of the profiles of all labs."""
        carried = {
            row: terms for position in range(len(self.found)) for row, (_, terms) in self.carried[position].items()
        }
        profiles = self.layer.profiles[self.labs]
        profiles = profiles[profiles >= 0]
        weights = self.reading.own + self.reading.added
        of_profiles = self.columns.cells("rows", profiles) * weights
        carried |= dict(zip(profiles.tolist(), of_profiles, strict=True))
        rows = np.array(sorted(carried), dtype=np.int64)
        return Carriers(self.layer, rows, np.array([carried[row] for row in rows.tolist()]), self.reading)

    @cached_property
    def _alone(self) -> Carriers:
        """The sentences of the profiles, with the terms alone that none of the lab's best works has."""
        alone: dict[int, Floats] = {}
        for position, row in enumerate(self.layer.profiles[self.labs].tolist()):
            if row >= 0:
                in_works = np.array([terms for _, terms in self.carried[position].values()]) > 0
                alone[row] = np.where(in_works.any(axis=0), 0.0, self._carriers.of(row))
        rows = sorted(alone)
        return Carriers(self.layer, np.array(rows), np.array([alone[row] for row in rows]), self.reading)

    def evidence(self, position: int) -> tuple[Evidence, ...]:
        """The works that carry most of the score, at most three, each with the sentence that shows it."""
        carried = list(self.carried[position].items())[: formula.BEST_WORKS]
        return tuple(evidence_of(self.layer, row, score, self._carriers) for row, (score, _) in carried)

    def profile_evidence(self, position: int) -> ProfileEvidence | None:
        """The sentence of the lab's profile that shares most with the query."""
        row = int(self.layer.profiles[self.labs[position]])
        if row < 0:
            return None
        return profile_evidence_of(row, self._carriers, self._alone)


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
        texts = LabTexts(why, position, partial(gaps, one))
        yield Explanation(one.key, one.score, fits, why.shares(position), met, missed, texts)


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


def _strongest(cells: Floats) -> list[tuple[int, ...]]:
    """For each column, the rows that have something in it, the largest first, and -1 in place of the others."""
    by_column = np.ascontiguousarray(cells.T)
    order = np.argsort(-by_column, axis=1, kind="stable")
    found = np.where(np.take_along_axis(by_column, order, axis=1) > 0, order, -1)
    return list(map(tuple, found.tolist()))
