"""The labs of the seed pages against the judged queries in judged.jsonl, which are a regression test and no target."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from portal.labs.lab_docs import lab_doc
from portal.matching import LabIndex, Query, Topic, read_concepts
from portal.matching.evaluation.judged_queries import AGREEMENT, EVIDENCE, FIRST_LAB, REFUSAL, RELATED, figures, judge
from portal.matching.evaluation.lines import read_material
from portal.seeding.reader import seed_from

SEEDS = Path(__file__).parents[2] / "seeds"
LEAST = {
    "system": 0.98,
    "topic": 0.95,
    "abbreviation": 0.96,
    "misspelt": 0.96,
    "paraphrase": 0.85,
    "unrelated": 0.95,
    "name in another field": 0.9,
    "system, spelt otherwise": 0.96,
    "Chinese": 0.8,
    "statement": 1.0,
    "near miss": 0.9,
}


@pytest.fixture(scope="module")
def index() -> LabIndex:
    labs = seed_from(SEEDS / "pages", SEEDS / "corrections.toml").labs
    concepts = read_concepts((SEEDS / "concepts.toml").read_text(encoding="utf-8"))
    return LabIndex.fit(map(lab_doc, labs), concepts=concepts)


def test_every_kind_of_query_reaches_its_mark_and_shows_its_evidence(index: LabIndex) -> None:
    judged = read_material(Path(__file__).with_name("judged.jsonl").read_bytes().splitlines()).judged
    assert len(judged) <= 400
    judgements = [judge(index, query) for query in judged]
    right: defaultdict[str, list[float]] = defaultdict(list)
    for judgement in judgements:
        query = judgement.judged
        figure = REFUSAL if not query.labs else RELATED if query.kind in {"paraphrase", "Chinese"} else FIRST_LAB
        right[query.kind].append(judgement.values[figure])
    reached = {kind: sum(results) / len(results) for kind, results in right.items()}
    assert {kind: share for kind, share in reached.items() if share < LEAST[kind]} == {}
    overall = figures(judgements).overall
    assert overall[EVIDENCE].value >= 0.95
    assert overall[AGREEMENT].value >= 0.95


@pytest.mark.parametrize(
    ("text", "labs"),
    [
        ("graph neural networks training at scale", ["danyang-zhuo-lab"]),  # the only one with a GNN
        ("differential privacy", []),
        ("medical image segmentation with MRI", []),
        ("cardiology surgery", []),
    ],
)
def test_labs_fit_by_the_words_that_were_written(index: LabIndex, text: str, labs: list[str]) -> None:
    assert [match.lab for match in index.rank(Query([Topic(text)]))] == labs


def test_a_short_form_is_replaced_by_its_long_form_only_as_a_whole(index: LabIndex) -> None:
    for _, why in index.rank_explained(Query([Topic("RDMA networking in datacenters")]), related=True):
        assert not {"access", "memory access", "remote"} & {term.term.casefold() for term in why.terms}
