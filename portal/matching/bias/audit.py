"""The bias audit: does a ranking move when a resume says that somebody else wrote it?

Every resume is swapped kind by kind and with all kinds at once, in both directions, and ranked before and after: with
what the person stated beside it, and alone, where it counts most. The matcher leaves such words out of resumes, so
nothing is expected to move; what moves names a word that is not left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.bias.swaps import DIRECTIONS, swap, swap_one
from portal.matching.bias.words import KINDS, Kind
from portal.matching.records import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from portal.matching.bias.swaps import Direction, Swapped, Word
    from portal.matching.index import LabIndex
    from portal.matching.results import Match

ALL: Literal["all"] = "all"
TOP = 5
NOTHING = 1e-9
"""A smaller change of a score is due to rounding."""
MOST_WORDS = 60  # of one resume that are tried one by one


@dataclass(frozen=True, slots=True)
class Person:
    """Whose resume is audited: the name in it, and the query it is part of."""

    name: str
    query: Query


class Shift(NamedTuple):
    """How far one ranking moved. Labs that fit only before or only after count as ranked after all that fit.

    `tau` is Kendall's with ties, from 1 (the same order) to -1; `overlap` is the share of the first five that stay.
    """

    rank: int
    score: float
    tau: float
    overlap: float


@dataclass(slots=True)
class Movement:
    """The effect of one kind of swap on all rankings. `people` counts the people of whom any score changed, `reordered`
    those of whom any lab changed its place.
    """

    rankings: int = 0
    changed: int = 0
    people: int = 0
    reordered: int = 0
    largest_rank: int = 0
    largest_score: float = 0.0
    sum_tau: float = 0.0
    least_tau: float = 1.0
    least_overlap: float = 1.0

    def add(self, shifts: Sequence[Shift]) -> None:
        """Count the rankings of one person."""
        self.rankings += len(shifts)
        self.changed += sum(shift.score > NOTHING or shift.rank > 0 for shift in shifts)
        self.people += any(shift.score > NOTHING or shift.rank > 0 for shift in shifts)
        self.reordered += any(shift.rank > 0 for shift in shifts)
        for shift in shifts:
            self.largest_rank = max(self.largest_rank, shift.rank)
            self.largest_score = max(self.largest_score, shift.score)
            self.sum_tau += shift.tau
            self.least_tau = min(self.least_tau, shift.tau)
            self.least_overlap = min(self.least_overlap, shift.overlap)

    @property
    def mean_tau(self) -> float:
        """Kendall's tau of all rankings on average."""
        return self.sum_tau / self.rankings if self.rankings else 1.0


@dataclass(slots=True)
class BiasReport:
    """The results of an audit: per kind and for all kinds at once, and how many people each word affected."""

    people: int = 0
    labs: int = 0
    kinds: dict[Kind | Literal["all"], Movement] = field(
        default_factory=lambda: {kind: Movement() for kind in (*KINDS, ALL)}
    )
    words: Counter[Word] = field(default_factory=Counter)


def audit(people: Sequence[Person], index: LabIndex, progress: Callable[[int], None]) -> BiasReport:
    """Swap and rank the resumes of `people`; the numbers in the report hold no word that is not on the lists.

    `progress` is told how many people are done, before each one and at the end.
    """
    report = BiasReport(len(people), len(index))
    for number, person in enumerate(people):
        progress(number)
        moved_by: set[Word] = set()
        for kind in (*KINDS, ALL):
            kinds: tuple[Kind, ...] = KINDS if kind == "all" else (kind,)
            shifts: list[Shift] = []
            for direction in DIRECTIONS:
                swapped = swap(person.query.resume, kinds, direction=direction, own_name=person.name, number=number)
                found = _shifts(person.query, swapped.before, swapped.after, index)
                shifts += found
                if kind != "all" and any(shift.score > NOTHING or shift.rank for shift in found):
                    moved_by |= _culprits(person, swapped, direction, number, index)
            report.kinds[kind].add(shifts)
        report.words.update(moved_by)
    progress(len(people))
    return report


def compare(before: Sequence[Match], after: Sequence[Match], score: Callable[[str], tuple[float, float]]) -> Shift:
    """How far a ranking moved; `score` returns both scores of a lab that fits only before or only after."""
    one, other = ({match.lab: match for match in ranking} for ranking in (before, after))
    labs = sorted(one.keys() | other.keys())
    # A lab that fits only once always moves, from or to a place behind all others.
    behind = len(labs) + 1
    ranks = [(_rank(one, lab, behind), _rank(other, lab, behind)) for lab in labs]
    scores = [(one[lab].score, other[lab].score) if lab in one and lab in other else score(lab) for lab in labs]
    first = [{match.lab for match in ranking[:TOP]} for ranking in (before, after)]
    most = max(map(len, first))
    return Shift(
        max((abs(was - now) for was, now in ranks), default=0),
        max((abs(was - now) for was, now in scores), default=0.0),
        kendall_tau(ranks),
        len(first[0] & first[1]) / most if most else 1.0,
    )


def kendall_tau(ranks: Sequence[tuple[int, int]]) -> float:
    """Kendall's tau-b of pairs of ranks; 1 where both are the same, else 0 where one of the two orders nothing."""
    if all(was == now for was, now in ranks):
        return 1.0
    before, after = zip(*ranks, strict=True)
    if len(set(before)) == 1 or len(set(after)) == 1:
        return 0.0
    from scipy.stats import kendalltau

    return float(kendalltau(before, after).statistic)


def _rank(ranking: Mapping[str, Match], lab: str, behind: int) -> int:
    return ranking[lab].rank if lab in ranking else behind


def _shifts(query: Query, before: str, after: str, index: LabIndex) -> list[Shift]:
    """The shifts of the ranking for the whole query, and of that for the resume alone."""
    found = []
    for asked in (query, Query(resume_weight=1.0)):
        was, now = replace(asked, resume=before), replace(asked, resume=after)
        rankings = [index.rank(one, k=max(1, len(index))) for one in (was, now)]

        def score(lab: str, was: Query = was, now: Query = now) -> tuple[float, float]:
            return index.score(was, lab), index.score(now, lab)

        found.append(compare(rankings[0], rankings[1], score))
    return found


def _culprits(person: Person, swapped: Swapped, direction: Direction, number: int, index: LabIndex) -> set[Word]:
    """The words of a swap that change something by themselves."""
    found = set()
    for word in swapped.words[:MOST_WORDS]:
        after = swap_one(swapped.before, word, direction=direction, own_name=person.name, number=number)
        if any(shift.score > NOTHING or shift.rank for shift in _shifts(person.query, swapped.before, after, index)):
            found.add(word)
    return found
