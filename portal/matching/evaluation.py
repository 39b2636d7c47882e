"""How good is the matcher? Figures on judged queries and on ratings, with intervals.

Judged queries are JSON lines: `{"text": …, "labs": [acceptable lab keys]}`, an empty list where nothing
should fit; optional are `"kind"` (figures are given per kind), `"evidence"` (one of these texts must stand in
the first work of evidence) and `"same_as"` (the text of a query that must get the same first lab).

Ratings are JSON lines: `{"lab": key, "text": …, "rating": number}`, how well the text is in the lab's field.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from portal.matching.records import Query, Topic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from portal.matching.index import LabIndex
    from portal.matching.results import Explanation, Match

_KNOWN = frozenset({"text", "labs", "kind", "evidence", "same_as"})
_RESAMPLES = 1000
_DEPTH = 10


class JudgedFileError(ValueError):
    """A file of judged queries or ratings is not as it should be; the message names the line."""


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with the labs that are right for it (none: nothing should fit)."""

    text: str
    labs: tuple[str, ...]
    kind: str = ""
    evidence: tuple[str, ...] = ()
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Rating:
    """How well `text` is in the field of `lab`, on any scale."""

    lab: str
    text: str
    rating: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over `count` queries with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class PairwiseLoss:
    """How often a lab's score orders two texts against its ratings.

    `loss` weighs each pair by the difference of its ratings, a tie of scores counts half (0 is best, 0.5 is
    chance). `easy` and `hard` are the shares of pairs in right order: easy ones are a text rated at most 2
    beside one rated at least 4, hard ones two texts rated at least 4 (on a scale of 1 to 5).
    """

    loss: float
    easy: float
    hard: float
    pairs: int


def read_judged(text: str) -> tuple[JudgedQuery, ...]:
    """Read judged queries.

    Raises:
        JudgedFileError: a line is no JSON object, lacks "text" or "labs", or has an unknown field.
    """
    found = []
    for number, line in _lines(text):
        unknown = sorted(line.keys() - _KNOWN)
        if unknown:
            raise JudgedFileError(
                f"line {number}: unknown field {', '.join(unknown)}; known: {', '.join(sorted(_KNOWN))}"
            )
        labs, evidence = line.get("labs"), line.get("evidence", [])
        if not isinstance(line.get("text"), str) or not _is_texts(labs) or not _is_texts(evidence):
            raise JudgedFileError(f'line {number}: needs "text" and a list "labs"; "evidence" is a list of texts')
        found.append(
            JudgedQuery(
                line["text"], tuple(labs), str(line.get("kind", "")), tuple(evidence), str(line.get("same_as", ""))
            )
        )
    return tuple(found)


def read_ratings(text: str) -> tuple[Rating, ...]:
    """Read ratings.

    Raises:
        JudgedFileError: a line is no JSON object or lacks "lab", "text" or a number "rating".
    """
    found = []
    for number, line in _lines(text):
        rating = line.get("rating")
        if not (isinstance(line.get("lab"), str) and isinstance(line.get("text"), str)) or not isinstance(
            rating, int | float
        ):
            raise JudgedFileError(f'line {number}: needs "lab", "text" and a number "rating"')
        found.append(Rating(line["lab"], line["text"], float(rating)))
    return tuple(found)


def evaluate(
    index: LabIndex, judged: Sequence[JudgedQuery], *, recall_at: int = 3, seed: int = 0
) -> dict[str, dict[str, Figure]]:
    """Figures per kind of query and, under "all", over all of them.

    "first lab": the first lab is right (nothing, where nothing should fit). "recall": the share of the right
    labs among the first `recall_at`. "nDCG": of the first ten. "evidence": the first work is a right one.
    "agreement": the first lab is that of the query it should be the same as. `seed` fixes the bootstrap.
    """
    answers = {query.text: index.rank_explained(Query((Topic(query.text),)), _DEPTH) for query in judged}
    values: dict[str, dict[str, list[float]]] = {}
    for query in judged:
        for name, value in _judge(index, query, answers, recall_at).items():
            for kind in dict.fromkeys(("all", query.kind or "other")):
                values.setdefault(kind, {}).setdefault(name, []).append(value)
    return {kind: {name: _figure(found, seed) for name, found in named.items()} for kind, named in values.items()}


def pairwise_loss(index: LabIndex, ratings: Sequence[Rating]) -> PairwiseLoss:
    """How well scores order the rated texts of each lab.

    Raises:
        UnknownLab: a rating is for a lab that is not in the index.
        JudgedFileError: no two texts of a lab are rated differently.
    """
    by_lab: dict[str, list[tuple[float, float]]] = {}
    for item in ratings:
        score = index.score(Query((Topic(item.text),), correct_spelling=False), item.lab)
        by_lab.setdefault(item.lab, []).append((item.rating, score))
    pairs = [
        (better, worse) for rated in by_lab.values() for better in rated for worse in rated if better[0] > worse[0]
    ]
    if not pairs:
        raise JudgedFileError("no lab has two texts that are rated differently: there is nothing to compare")
    weights = [better[0] - worse[0] for better, worse in pairs]
    wrong = [_wrong(better[1], worse[1]) for better, worse in pairs]
    loss = math.fsum(w * x for w, x in zip(weights, wrong, strict=True)) / math.fsum(weights)

    def right(is_of_kind: Callable[[float, float], bool]) -> float:
        chosen = [1 - x for (b, w), x in zip(pairs, wrong, strict=True) if is_of_kind(b[0], w[0])]
        return math.fsum(chosen) / len(chosen) if chosen else math.nan

    return PairwiseLoss(
        loss,
        right(lambda better, worse: better >= 4 and worse <= 2),  # noqa: PLR2004 - the published definition
        right(lambda better, worse: worse >= 4),  # noqa: PLR2004, ARG005 - the published definition
        len(pairs),
    )


def _wrong(better: float, worse: float) -> float:
    return 0.0 if better > worse else 0.5 if better == worse else 1.0


def _judge(
    index: LabIndex, query: JudgedQuery, answers: Mapping[str, Sequence[tuple[Match, Explanation]]], recall_at: int
) -> dict[str, float]:
    ranked = answers[query.text]
    labs = [match.lab for match, _ in ranked]
    if not query.labs:
        return {"first lab": float(not labs)}
    values = {
        "first lab": float(bool(labs) and labs[0] in query.labs),
        "recall": len(set(labs[:recall_at]) & set(query.labs)) / min(recall_at, len(query.labs)),
        "nDCG": _ndcg([lab in query.labs for lab in labs], len(query.labs)),
    }
    if query.evidence and labs and labs[0] in query.labs:
        shown = {item.work for item in ranked[0][1].evidence[:1]}
        works = [work for work in index.lab(labs[0]).works if work.key in shown]
        text = " ".join(part for work in works for part in (work.title, *work.systems, work.abstract)).casefold()
        values["evidence"] = float(any(wanted.casefold() in text for wanted in query.evidence))
    if query.same_as in answers:
        other = answers[query.same_as]
        values["agreement"] = float([match.lab for match, _ in other[:1]] == labs[:1])
    return values


def _ndcg(right: Sequence[bool], possible: int) -> float:
    gained = math.fsum(1 / math.log2(place + 2) for place, is_right in enumerate(right[:_DEPTH]) if is_right)
    best = math.fsum(1 / math.log2(place + 2) for place in range(min(possible, _DEPTH)))
    return gained / best


def _figure(values: Sequence[float], seed: int) -> Figure:
    found = np.array(values)
    picks = np.random.default_rng(seed).integers(0, len(found), (_RESAMPLES, len(found)))
    low, high = np.percentile(found[picks].mean(axis=1), [2.5, 97.5])
    return Figure(float(found.mean()), float(low), float(high), len(found))


def _lines(text: str) -> list[tuple[int, dict[str, Any]]]:
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise JudgedFileError(f"line {number} is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise JudgedFileError(f"line {number} is no JSON object")
        found.append((number, value))
    return found


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
