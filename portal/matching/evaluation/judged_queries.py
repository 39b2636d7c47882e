"""How good is the ranking? Figures on judged queries, with intervals (docs/evaluation.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.matching.evaluation.figures import Figure, mean
from portal.matching.records import Query, Topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.matching.index import LabIndex
    from portal.matching.results import Explanation

RECALL_AT = (1, 3, 5, 10)
FIRST_LAB = "first lab"
RELATED = "first or related"
NDCG = "nDCG@10"
PRECISION = "mean AP"
REFUSAL = "refusal"
EVIDENCE = "evidence shown"
KEPT_OUT = "evidence kept out"
NOT_FIRST = "not first"
AGREEMENT = "agreement"
RECALLS = tuple(f"recall@{k}" for k in RECALL_AT)
FIGURES = (FIRST_LAB, RELATED, *RECALLS, NDCG, PRECISION, REFUSAL, EVIDENCE, KEPT_OUT, NOT_FIRST, AGREEMENT)
_GAIN_DEPTH = 10
_RANKED = 1000
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with its right labs (if there are none, nothing should fit).

    `evidence`: one of these texts must appear in the first evidence of the first lab. `not_evidence`: none of them may
    appear in the evidence of the first ten labs. `not_first`: labs that must not come first. `same_as`: a text that
    must get the same first lab. `line` is the query's line in its file.
    """

    text: str
    labs: tuple[str, ...]
    kind: str = ""
    evidence: tuple[str, ...] = ()
    not_evidence: tuple[str, ...] = ()
    not_first: tuple[str, ...] = ()
    same_as: str = ""
    topics: tuple[Topic, ...] = ()
    statement: str = ""
    resume: str = ""
    line: int = 0

    @property
    def query(self) -> Query:
        """The query as the matcher reads it."""
        topics = (Topic(self.text), *self.topics) if self.text else self.topics
        return Query(topics, self.statement, self.resume)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The figures of one query, by name."""

    judged: JudgedQuery
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures by name: over all queries, and by kind of query in the order of their first query."""

    overall: Mapping[str, Figure]
    by_kind: Mapping[str, Mapping[str, Figure]]


def evaluate(index: LabIndex, judged: Iterable[JudgedQuery]) -> Figures:
    """The figures of `judged` on `index`."""
    return figures([judge(index, query) for query in judged])


def figures(judgements: Iterable[Judgement]) -> Figures:
    """The means of all judgements and of each kind; a figure that no query has is left out.

    "first lab": a right lab comes first. "first or related": first among those that fit, or among those only related.
    "recall@k": the share of the right labs among the first k. "nDCG@10": with gain 1 for each right lab. "mean AP":
    mean average precision over the first 1,000. These cover the queries that have a right lab. "refusal": labs are
    found if some are right, and none if nothing should fit. "evidence shown", "evidence kept out", "not first",
    "agreement": over the queries that ask for it.
    """
    values: dict[str, list[float]] = {}
    kinds: dict[str, dict[str, list[float]]] = {}
    for judgement in judgements:
        of_kind = kinds.setdefault(judgement.judged.kind, {})
        for name, value in judgement.values.items():
            values.setdefault(name, []).append(value)
            of_kind.setdefault(name, []).append(value)
    return Figures(_means(values), {kind: _means(values_of_kind) for kind, values_of_kind in kinds.items()})


def judge(index: LabIndex, judged: JudgedQuery) -> Judgement:
    """The figures of one query by name, without those that it does not ask for."""
    labs = [match.lab for match in index.rank(judged.query, _RANKED)]
    values = {REFUSAL: float(bool(labs) == bool(judged.labs))}
    if judged.labs:
        values |= _of_order([lab in judged.labs for lab in labs], len(judged.labs))
        suggested = (*labs[:1], *(match.lab for match in index.related(judged.query, 1)))
        values[RELATED] = float(any(lab in judged.labs for lab in suggested))
    if judged.not_first:
        values[NOT_FIRST] = float(not set(labs[:1]) & set(judged.not_first))
    if judged.same_as:
        other = [match.lab for match in index.rank(Query((Topic(judged.same_as),)), 1)]
        values[AGREEMENT] = float(other == labs[:1])
    if judged.evidence or judged.not_evidence:
        explained = index.rank_explained(judged.query, _SHOWN if judged.not_evidence else 1)
        shown = [_shown(index, explanation) for _, explanation in explained]
        if judged.evidence:
            first = shown[0][:1] if shown else []
            values[EVIDENCE] = float(any(_occurs_in(wanted, first) for wanted in judged.evidence))
        if judged.not_evidence:
            values[KEPT_OUT] = float(
                not any(_occurs_in(text, texts) for text in judged.not_evidence for texts in shown)
            )
    return Judgement(judged, values)


def _shown(index: LabIndex, explanation: Explanation) -> list[str]:
    """What a page shows as evidence: title, systems and sentence of each work, and the profile's sentence.

    That sentence is last, since works are the better evidence, unless there are none; where it adds nothing to the
    works, pages leave it out.
    """
    works = {work.key: work for work in index.lab(explanation.lab).works}
    shown = []
    for item in explanation.evidence:
        work = works[item.work]
        shown.append(" – ".join(dict.fromkeys(part for part in (work.title, *work.systems, item.sentence) if part)))
    profile = explanation.profile_evidence
    return [*shown, profile.sentence] if profile and (profile.adds or not shown) else shown


def _occurs_in(wanted: str, texts: Sequence[str]) -> bool:
    return any(wanted.casefold() in text.casefold() for text in texts)


def _of_order(right: Sequence[bool], possible: int) -> dict[str, float]:
    """The figures of a ranking; `right` says for each place whether its lab is one of the `possible` right ones."""
    places = [place for place, is_right in enumerate(right, start=1) if is_right]
    gained = math.fsum(1 / math.log2(place + 1) for place in places if place <= _GAIN_DEPTH)
    best = math.fsum(1 / math.log2(place + 1) for place in range(1, min(possible, _GAIN_DEPTH) + 1))
    return {
        FIRST_LAB: float(1 in places),
        **{name: sum(right[:k]) / possible for name, k in zip(RECALLS, RECALL_AT, strict=True)},
        NDCG: gained / best,
        PRECISION: math.fsum(right_so_far / place for right_so_far, place in enumerate(places, start=1)) / possible,
    }


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, Figure]:
    return {name: mean(values[name]) for name in FIGURES if name in values}
