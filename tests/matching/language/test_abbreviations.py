from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.language.abbreviations import Abbreviation, Definitions, definitions

if TYPE_CHECKING:
    from collections.abc import Iterable


def learn_abbreviations(texts: Iterable[str]) -> list[Abbreviation]:
    counted = Definitions()
    for text in texts:
        counted.add(text)
    return counted.learned()


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("large language models (LLMs) are", [("LLM", "large language models")]),
        ("We study Mixture-of-Experts (MoE) models", [("MoE", "Mixture-of-Experts")]),
        ("a KV cache (key-value cache) here", []),
        ("NPU (neural processing unit) design", [("NPU", "neural processing unit")]),
        (
            "Electronic health records (EHRs) and atrial fibrillation (AF)",
            [("EHR", "Electronic health records"), ("AF", "atrial fibrillation")],
        ),
        ("We ran it twice (see Table 2) on a GPU (A100).", []),
        ("the year (2024) and the set (X)", []),
        ("a large (see above) language model (LLM)", []),
        ("a large\nlanguage model (LM) and, (LM) or language ((nested) model (LM)", [("LM", "language model")]),
        (f"a neural {'very ' * 60}neural unit (NU)", [("NU", "neural unit")]),
    ],
)
def test_abbreviations_are_found_where_authors_define_them(text: str, pairs: list[tuple[str, str]]) -> None:
    assert list(definitions(text)) == pairs


def test_the_usual_meaning_wins_and_rare_ones_are_dropped() -> None:
    texts = ["multi-task (MT) learning"] * 7 + ["machine translation (MT)"] * 3 + ["magic tricks (MT)"]
    learnt = learn_abbreviations(texts)
    assert learnt == [("MT", "multi-task")]
    assert learn_abbreviations(reversed(texts)) == learnt


def test_a_short_form_that_means_many_things_means_none_of_them() -> None:
    meanings = ["multi-task (MT)", "machine translation (MT)", "magic tricks (MT)", "mobile tests (MT)"]
    assert learn_abbreviations(meanings) == []
    lab = LabDoc("lab", "", [WorkDoc(meaning, meaning, "") for meaning in meanings])
    assert [match.lab for match in LabIndex.fit([lab]).rank(Query([Topic("magic tricks")]))] == ["lab"]
