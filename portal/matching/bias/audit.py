"""The bias audit: does a ranking move when a resume says that somebody else wrote it?

In every resume, words are swapped kind by kind and of all kinds at once, in both directions. The labs are ranked before
and after: for the whole query, and for the resume alone, where it counts most. The matcher leaves such words out of
resumes, so nothing is expected to move; if something does, some word was not left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.bias.swaps import DIRECTIONS, KINDS, Kind, swap, swap_one
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
MOST_WORDS = 60  # of one resume that are tried one at a time


@dataclass(frozen=True, slots=True)
class Person:
    """Whose resume is audited: the name in it, and the query it is part of."""

    name: str
    query: Query


class Shift(NamedTuple):
    """How far one ranking moved. Labs that fit only before or only after count as ranked after all that fit.

    `rank` and `score` are the largest changes of any lab; `overlap` is the share of the first five labs that are the
    same.
    """

    rank: int
    score: float
    overlap: float


@dataclass(slots=True)
class Movement:
    """The effect of one kind of swap on all rankings.

    `rankings` were compared, of which `changed` are not the same. `people` counts the people with any such change,
    `reordered` those for whom any lab changed its place.
    """

    rankings: int = 0
    changed: int = 0
    people: int = 0
    reordered: int = 0
    largest_rank: int = 0
    largest_score: float = 0.0
    least_overlap: float = 1.0

    def add(self, shifts: Sequence[Shift]) -> None:
        """Count the rankings of one person."""
        self.rankings += len(shifts)
        self.changed += sum(map(_has_moved, shifts))
        self.people += any(map(_has_moved, shifts))
        self.reordered += any(shift.rank > 0 for shift in shifts)
        for shift in shifts:
            self.largest_rank = max(self.largest_rank, shift.rank)
            self.largest_score = max(self.largest_score, shift.score)
            self.least_overlap = min(self.least_overlap, shift.overlap)


@dataclass(slots=True)
class BiasReport:
    """The results of an audit: per kind and for all kinds at once, and how many people each word affected."""

    people: int = 0
    labs: int = 0
    kinds: dict[Kind | Literal["all"], Movement] = field(
        default_factory=lambda: {kind: Movement() for kind in (*KINDS, ALL)}
    )
    words: Counter[Word] = field(default_factory=Counter)


def audit(people: Sequence[Person], index: LabIndex) -> BiasReport:
    """Swap and rank the resumes of `people`. The report contains no words except those of the lists."""
    report = BiasReport(len(people), len(index))
    for person_number, person in enumerate(people):
        moved_by: set[Word] = set()
        for kind in (*KINDS, ALL):
            kinds: tuple[Kind, ...] = KINDS if kind == "all" else (kind,)
            shifts: list[Shift] = []
            for direction in DIRECTIONS:
                swapped = swap(
                    person.query.resume, kinds, direction=direction, own_name=person.name, number=person_number
                )
                shifts_of_swap = _shifts(person.query, swapped.before, swapped.after, index)
                shifts += shifts_of_swap
                if kind != "all" and any(map(_has_moved, shifts_of_swap)):
                    moved_by |= _culprits(person, swapped, direction, person_number, index)
            report.kinds[kind].add(shifts)
        report.words.update(moved_by)
    return report


def compare(before: Sequence[Match], after: Sequence[Match], score: Callable[[str], tuple[float, float]]) -> Shift:
    """How far a ranking moved; `score` returns both scores of a lab that fits only before or only after."""
    matches_before, matches_after = ({match.lab: match for match in ranking} for ranking in (before, after))
    labs = sorted(matches_before.keys() | matches_after.keys())
    # A lab that fits in only one of the rankings always moves, from or to a place after all others.
    last_rank = len(labs) + 1
    ranks = [(_rank(matches_before, lab, last_rank), _rank(matches_after, lab, last_rank)) for lab in labs]
    scores = [
        (matches_before[lab].score, matches_after[lab].score)
        if lab in matches_before and lab in matches_after
        else score(lab)
        for lab in labs
    ]
    top = [{match.lab for match in ranking[:TOP]} for ranking in (before, after)]
    largest_top = max(map(len, top))
    return Shift(
        max((abs(was - now) for was, now in ranks), default=0),
        max((abs(was - now) for was, now in scores), default=0.0),
        len(top[0] & top[1]) / largest_top if largest_top else 1.0,
    )


def _has_moved(shift: Shift) -> bool:
    """Whether any score or any rank changed."""
    return shift.score > NOTHING or shift.rank > 0


def _rank(ranking: Mapping[str, Match], lab: str, last_rank: int) -> int:
    return ranking[lab].rank if lab in ranking else last_rank


def _shifts(query: Query, before: str, after: str, index: LabIndex) -> list[Shift]:
    """How far two rankings move from `before` to `after`: for the whole query, and for the resume alone."""
    shifts = []
    for base in (query, Query(resume_weight=1.0)):
        query_before, query_after = replace(base, resume=before), replace(base, resume=after)
        rankings = [index.rank(swapped_query, k=max(1, len(index))) for swapped_query in (query_before, query_after)]

        def score(
            lab: str, query_before: Query = query_before, query_after: Query = query_after
        ) -> tuple[float, float]:
            return index.score(query_before, lab), index.score(query_after, lab)

        shifts.append(compare(rankings[0], rankings[1], score))
    return shifts


def _culprits(person: Person, swapped: Swapped, direction: Direction, number: int, index: LabIndex) -> set[Word]:
    """The words of a swap that move a ranking when only they are swapped."""
    culprits = set()
    for word in swapped.words[:MOST_WORDS]:
        after = swap_one(swapped.before, word, direction=direction, own_name=person.name, number=number)
        if any(map(_has_moved, _shifts(person.query, swapped.before, after, index))):
            culprits.add(word)
    return culprits
