"""Misspelt words are corrected; right words that a small corpus lacks are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal.labs.lab_docs import lab_doc
from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.language.spelling import Correction, Speller, is_common, slips
from portal.seeding.reader import seed_from
from tests.matching.corpus import LABS

SEEDS = Path(__file__).parents[3] / "seeds"
WORDS = (
    "quantization language model models scheduling communication receiver flexgen heterogeneous parallelism wait "
    "caching reduction quantitative compression hydra same intel decentralized activation mlkv features"
)


@pytest.fixture(scope="module")
def speller() -> Speller:
    return Speller(dict.fromkeys(WORDS.split(), 1), 20)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("quantizaton", "quantization"),
        ("langauge", "language"),
        ("modle", "model"),
        ("schdeuling", "scheduling"),
        ("comunication", "communication"),
        ("reciever", "receiver"),
        ("flexgenn", "flexgen"),
        ("heterogeneus", "heterogeneous"),
        ("paralelizm", "parallelism"),
        ("decentralzied", "decentralized"),
        ("ctivation", "activation"),
        ("hydar", "hydra"),
        ("mlvk", "mlkv"),
        ("mdels", "models"),
    ],
)
def test_every_kind_of_slip_is_mended(speller: Speller, typed: str, meant: str) -> None:
    assert speller.candidates(typed)[:1] == [meant]


def test_right_words_that_the_corpus_lacks_stay(speller: Speller) -> None:
    right = "want coaching reaction qualitative reprocessing flexibly safe inter fractures lstm compactly heartbeats"
    assert {word: speller.candidates(word) for word in right.split() if speller.candidates(word)} == {}
    like_others = Speller({"teach": 9, "sums": 9, "stack": 9, "steak": 9}, 20)
    assert [like_others.candidates(word) for word in ("tech", "sims", "slack", "stakc")] == [[], [], [], ["stack"]]


def test_a_usual_slip_is_likelier_than_a_rare_one() -> None:
    speller = Speller({"galvatron": 1, "galvotron": 9, "galvatrons": 1, "galvitron": 1}, 20)
    assert speller.candidates("galvattron") == ["galvatron"]
    assert speller.candidates("galvutron") == ["galvotron", "galvatron", "galvitron"]


def test_words_with_a_hyphen_are_known_written_together() -> None:
    index = LabIndex.fit(
        [LabDoc("a", "", (WorkDoc("w", "Multi-modal training", "Auto-scaling of fine-tuned models"),))]
    )
    typed = Query([Topic("mutlimodal autoscalling heartbeating")])
    assert [correction.used for correction in index.corrections(typed)] == ["multimodal", "autoscaling"]


@pytest.mark.parametrize(
    ("typed", "used"),
    [
        ("electronic heath records", ["health"]),
        ("tensor complier", ["compiler"]),
        ("heath", []),
        ("a year of heath records", []),
        ("multi-modl training", ["multimodal"]),
        ("a model of raisin", []),
    ],
)
def test_a_word_that_may_be_right_is_read_as_what_makes_known_pairs(typed: str, used: list[str]) -> None:
    works = (
        WorkDoc("w", "Electronic health records", "Multi-modal training of a model. Model training on records."),
        WorkDoc("v", "A tensor compiler", ""),
    )
    index = LabIndex.fit([LabDoc("a", "", works)])
    assert [correction.used for correction in index.corrections(Query([Topic(typed)]))] == used


def test_slips_cost_the_less_the_more_usual_they_are() -> None:
    costs = [slips(typed, "training") for typed in ("training", "trainning", "traening", "trainng", "trianing")]
    assert costs == [0.0, 0.4, 0.6, 0.7, 0.8]
    assert [slips(typed, "training") for typed in ("tranning", "traiming", "draining", "raining")] == [
        1.0,
        1.0,
        1.5,
        1.4,
    ]


def test_common_words_are_known_in_any_form() -> None:
    assert {word: is_common(word) for word in ("sampler", "securely", "retraining", "heartbeats", "lerning")} == {
        "sampler": True,
        "securely": True,
        "retraining": True,
        "heartbeats": True,
        "lerning": False,
    }


def test_words_of_an_abstract_that_no_other_work_has_are_practically_never_corrected() -> None:
    labs = [lab_doc(lab) for lab in seed_from(SEEDS / "pages", SEEDS / "corrections.toml").labs]
    works = [work for lab in labs for work in lab.works if len(work.abstract) > 300]
    words = 0
    corrected: list[Correction] = []
    for held_out in (works[0::4], works[1::4], works[2::4], works[3::4]):
        gone = {id(work) for work in held_out}
        rest = [LabDoc(lab.key, lab.profile, [work for work in lab.works if id(work) not in gone]) for lab in labs]
        index = LabIndex.fit(rest)
        for work in held_out:
            words += len(work.abstract.split())
            corrected += index.corrections(Query([Topic(work.abstract)]))
    assert len(corrected) <= words / 1000, corrected


def test_words_of_other_fields_are_not_corrected() -> None:
    works = [WorkDoc(str(number), word, word) for number, word in enumerate(WORDS.split())]
    index = LabIndex.fit([LabDoc("lab", "", works)])
    statement = (
        "During the pandemic I saw how families suffered and want to understand how staff reach patients. I plan a "
        "qualitative study, am familiar with the mass of reactions, and enjoy teaching and coaching at schools."
    )
    assert index.corrections(Query(statement=statement)) == ()


def test_a_corrected_phrase_with_a_short_form_is_shown_as_it_was_understood() -> None:
    index = LabIndex.fit(LABS)
    ((_, why), *_) = index.rank_explained(Query([Topic("large langage models serving")]))
    assert {"large language models", "large language models serving"} <= {term.term for term in why.terms}
