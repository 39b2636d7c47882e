"""Lines of a concept with alternatives: the phrases that they stand for, and the lines that are refused."""

from __future__ import annotations

import pytest

from portal.matching import Concept, ConceptError, LabIndex, Query, Topic, read_concepts
from portal.matching.query.concepts import MOST_PHRASES, phrases_in, why_not_phrases

from .corpus import LABS


@pytest.mark.parametrize(
    ("line", "phrases"),
    [
        ("open models", ["open models"]),
        ("(open|free) models", ["open models", "free models"]),
        ("(lend|give away) (cards|GPUs)", ["lend cards", "lend GPUs", "give away cards", "give away GPUs"]),
        ("( open | free )  models", ["open models", "free models"]),
        ("(联邦|分布式)学习", ["联邦学习", "分布式学习"]),
        ("neural networks (GNN)", ["neural networks (GNN)"]),
        ("(a|a) model", ["a model"]),
    ],
)
def test_a_line_stands_for_each_way_through_its_brackets(line: str, phrases: list[str]) -> None:
    assert list(phrases_in((line,))) == phrases
    assert why_not_phrases((line,)) is None


@pytest.mark.parametrize(
    "line",
    ["open|free models", "(open|free models", "(open|) models", "((a|b)|c) x", "(a|b", "(|) x", "|", "(((|||"],
)
def test_a_bar_that_parts_no_alternatives_is_refused_and_harms_nothing(line: str) -> None:
    refusal = why_not_phrases((line,))
    assert refusal is not None
    assert line in refusal
    assert phrases_in((line,))
    text = f'[[concept]]\nplain = ["{line}"]\nterms = ["GPU"]\nwhy = "x"\nadded_by = "x"\n'
    with pytest.raises(ConceptError, match=r"^concept 1: .*alternatives stand in brackets"):
        read_concepts(text)


def test_brackets_multiply_up_to_a_limit() -> None:
    line = "(a|b|c|d|e|f|g|h|i|j)" * 9
    assert why_not_phrases((line,)) == (
        "These lines stand for more than 500 phrases: brackets multiply. Make two entries of them."
    )
    assert len(phrases_in((line,))) == MOST_PHRASES
    assert why_not_phrases(("(a|b)" * 100_000,)) is not None
    assert why_not_phrases(("(" + "a " * 500_000,)) is None
    assert why_not_phrases(("(a|b) x", *(f"word{number}" for number in range(498)))) is None
    assert why_not_phrases(("(a|b) x", *(f"word{number}" for number in range(499)))) is not None


def test_alternatives_match_as_if_each_phrase_stood_there() -> None:
    alternatives = Concept(("(several|many) (owners|clients) of data",), ("federated learning",), "x", "x")
    written = Concept(alternatives.phrases, ("federated learning",), "x", "x")
    assert len(written.plain) == 4
    brackets, spelt_out = (LabIndex.fit(LABS, concepts=[concept]) for concept in (alternatives, written))
    for text in (
        "many clients of data",
        "several owners of data",
        "data of many owners",
        "many owners",
        "several data",
    ):
        query = Query([Topic(text)])
        assert brackets.rank(query) == spelt_out.rank(query)
    (best, *_) = brackets.rank(Query([Topic("many clients of data")]))
    assert best.lab == "federated"
    assert not brackets.rank(Query([Topic("clients of poetry")]))
