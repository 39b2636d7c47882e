"""The typical terms of a lab, computed for all its texts at once, are those computed term by term."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.explanation import typical as module
from portal.matching.explanation.surfaces import phrases, usual
from portal.matching.explanation.typical import typical
from portal.matching.language.hashing import term_number, term_numbers
from portal.matching.language.stemming import stem
from portal.matching.language.terms import terms
from portal.matching.language.words import fold
from portal.matching.scoring import QueryVectors, entries_of_lab
from tests.matching.corpus import LABS, SERVING, corpora

if TYPE_CHECKING:
    from collections.abc import Collection

    from portal.matching.segments.segment import Segment

ShownTerm = tuple[str, tuple[str, ...]]


def commit_each(segment: Segment, position: int, without: Collection[str], most: int) -> list[ShownTerm]:
    lab = segment.labs[position]
    least = 2 if len(lab.works) >= 4 else 1
    rows = [("", [lab.profile]), *((work.key, [work.title, work.abstract]) for work in lab.works)]
    written: dict[str, Counter[str]] = {}
    longer: dict[str, Counter[str]] = {}
    works: dict[str, dict[str, None]] = {}
    having: Counter[str] = Counter()
    for work, texts in rows:
        having.update({term.key for text in texts for term in terms(text) if term.kind != "part"})
        for key, phrase, longer_phrase in chain.from_iterable(map(phrases, texts)):
            written.setdefault(key, Counter())[phrase] += 1
            works.setdefault(key, {})[work] = None
            if longer_phrase:
                longer.setdefault(key, Counter())[longer_phrase] += 1
    ranked: list[tuple[float, str, frozenset[str], ShownTerm]] = []
    for key, works_of_term in works.items():
        text = usual(written[key], longer.get(key))
        words = frozenset(stem(fold(word)) for word in text.replace("-", " ").split())
        weight = (2.0 if len(words) > 1 else 1.0) * focus(segment, position, key)
        if weight and min(having[key], len(works_of_term)) >= least:
            ranked.append((-weight, key, words, (text, tuple(work for work in works_of_term if work))))
    chosen: list[ShownTerm] = []
    used: set[str] = set()
    for _, key, words, term in sorted(ranked)[:most]:
        if key not in without and not words & used:
            used |= words
            chosen.append(term)
    return chosen


def focus(segment: Segment, position: int, key: str) -> float:
    slots, entries = entries_of_lab(segment, position, QueryVectors([key], term_numbers([key]), np.zeros((0, 1))))
    values = (slots.factors() * segment.inverse_focus[position])[entries.slots] * entries.values
    return float(np.bincount(np.zeros(len(values), np.int64), values, 1)[0])


def at_once(segment: Segment, position: int, without: Collection[str]) -> list[ShownTerm]:
    return [(term.text, term.works) for term in typical(segment, position, set(map(term_number, without)))]


@pytest.mark.parametrize("most", [3, pytest.param(120, marks=pytest.mark.thorough)])
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(corpora)
def test_the_same_terms_are_typical_as_term_by_term(
    monkeypatch: pytest.MonkeyPatch, most: int, labs: list[LabDoc]
) -> None:
    monkeypatch.setattr(module, "_MOST", most)
    state = LabIndex.fit(labs)._state
    for lab in labs:
        segment, position = state.place(lab.key)
        for without in ((), ("gpu", "learn", "cach", "kv")):
            assert at_once(segment, position, without) == commit_each(segment, position, without, most)


def test_only_the_first_so_many_terms_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 4)
    index = LabIndex.fit(LABS)
    segment, position = index._state.place("serving")
    chosen = at_once(segment, position, ())
    assert chosen == commit_each(segment, position, (), 4)
    assert 0 < len(chosen) < len(commit_each(segment, position, (), 120))


def test_an_edited_lab_and_one_asked_again_have_their_own_terms() -> None:
    index = LabIndex.fit(LABS)
    before = index.typical_terms("serving", 50)
    assert index.typical_terms("serving", 50) == before
    index.replace(LabDoc("serving", SERVING.profile, [WorkDoc("s9", "Robots fold laundry", "Robots fold laundry.")]))
    assert "fold laundry" in index.typical_terms("serving", 50)
    assert "fold laundry" not in before


def test_names_of_systems_weigh_but_are_not_put_into_words() -> None:
    lab = LabDoc("lab", "", [WorkDoc("w", "Fast schedulers", "", systems=("Zebra crossing",))])
    index = LabIndex.fit([lab])
    assert index.typical_terms("lab", 9) == ["Fast schedulers"]


def test_evidence_is_the_same_before_and_after_the_gaps_of_a_lab_were_looked_at() -> None:
    query = Query([Topic("sparsity of large language models")])
    first, after = LabIndex.fit(LABS).explain(query, "serving"), LabIndex.fit(LABS)
    assert list(islice(after.explain(query, "serving").missing, 1))
    assert after.explain(query, "serving").evidence == first.evidence
    assert after.explain(query, "serving").profile_evidence == first.profile_evidence
