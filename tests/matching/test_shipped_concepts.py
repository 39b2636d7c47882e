"""The concept file that comes with the portal: each phrase is there once, and ordinary texts set none of them off."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from portal.labs.lab_docs import lab_doc
from portal.matching import Concept, LabIndex, Query, Topic, read_concepts
from portal.matching.language.abbreviations import long_keys
from portal.seeding.reader import seed_from

SEEDS = Path(__file__).parents[2] / "seeds"
OTHER_FIELDS = (
    "During my master's degree I taught refugees, nursed patients at a hospital and learned to read law in French.",
    "Birds migrate faster when the weather is warm; ringing shows where they rest, and radio tracking how high.",
    "Water leaks, broken pipes and the cost of repairs trouble cities; engineers simulate pressure and delays.",
    "The court heard experts and witnesses, weighed their trust, and fined the trader who poisoned the lake.",
    "A cook tastes, seasons and waits; the queue at the market, the budget and the crash of prices worry her.",
    "Teaching music in groups, with rewards and honest feedback, helps children who see and hear differently.",
    "The poet hides bugs, hogs and routers of wood in tables, branches and verses of equal length.",
)


@pytest.fixture(scope="module")
def concepts() -> tuple[Concept, ...]:
    return read_concepts((SEEDS / "concepts.toml").read_text(encoding="utf-8"))


def test_no_phrase_stands_twice_in_any_inflection(concepts: tuple[Concept, ...]) -> None:
    stands = Counter(long_keys(phrase) for concept in concepts for phrase in concept.phrases)
    assert [words for words, times in stands.items() if times > 1] == []


def test_ordinary_words_of_other_fields_set_nothing_off(concepts: tuple[Concept, ...]) -> None:
    labs = seed_from(SEEDS / "pages", SEEDS / "corrections.toml").labs
    index = LabIndex.fit(map(lab_doc, labs), concepts=concepts)
    added = {
        text: [
            (term.term, term.via)
            for lab in labs
            for term in index.explain(Query([Topic(text)]), lab.key).terms
            if term.source == "concept"
        ]
        for text in OTHER_FIELDS
    }
    assert {text: terms for text, terms in added.items() if terms} == {}


@pytest.mark.parametrize(
    ("plain", "field"),
    [
        ("many hospitals train a model without sharing patient files", "federated learning"),
        ("a graphics card in my gaming PC", "GPU"),
        ("guessing several words ahead", "speculative decoding"),
        ("questions in plain English", "SQL"),
        ("machine learning on graphics processing units", "GPU"),
        ("联邦学习", "federated learning"),
        ("神经网络结构搜索", "architecture search"),
        ("combining weights by merging models", "model zoo"),
        ("fine-tuning 13B models", "billion parameters"),
        ("Qwen 1.5B", "billion parameters"),
        ("a 405B model", "billion parameters"),
    ],
)
def test_plain_words_get_the_field_s_terms(concepts: tuple[Concept, ...], plain: str, field: str) -> None:
    labs = [lab_doc(lab) for lab in seed_from(SEEDS / "pages", SEEDS / "corrections.toml").labs]
    index = LabIndex.fit(labs, concepts=concepts)
    added = {
        term.term.casefold()
        for lab in labs
        for term in index.explain(Query([Topic(plain)]), lab.key).terms
        if term.source == "concept"
    }
    assert {word for word in field.casefold().split() if not any(word in term for term in added)} == set()


@pytest.mark.parametrize(
    "text",
    [
        "neighbours exchange seeds in Andean villages",
        "leader election in the Vatican",
        "broadcast among villages",
        "gait analysis of race horses",
        "take turns in conversation of toddlers",
        "drifting apart of continents",
        "parallel tasks of nurses",
        "hundreds of participants in a marathon",
        "page faults in printing",
        "idle cards in poker",
        "knowledge graphs for law",  # the added KG is in no lab
        "music information retrieval",
        "dependent type theory",  # common words that labs have only apart
    ],
)
def test_phrases_of_ordinary_words_bring_no_other_field(concepts: tuple[Concept, ...], text: str) -> None:
    labs = [lab_doc(lab) for lab in seed_from(SEEDS / "pages", SEEDS / "corrections.toml").labs]
    assert LabIndex.fit(labs, concepts=concepts).rank(Query([Topic(text)])) == []
