"""A text of ordinary words is read by a shorter way, with the same result as by all rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching import LabDoc, LabIndex, WorkDoc, read_concepts
from portal.matching.language.stemming import stems_and_tails
from portal.matching.query.analysis import Analyst
from portal.matching.query.lexicon import Lexicon
from portal.matching.query.ordinary_texts import OrdinaryTexts
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    import pytest

CONCEPTS = read_concepts(
    """
    [[concept]]
    plain = ["skew", "of labels", "faster seeding for clusters"]
    terms = ["non-IID labels"]
    why = "To have one."
    added_by = "a test"
    """
)
ORDINARY = (
    "resample clients averaging sparsity throughput accelerators sketching hashing seeding estimation large models"
)
OTHERS = (
    "Hydra hydra symphony deja vu skew labels LLM kde KV cache k-means non-iid 3 x C++ 70b research work new recent "
    "search re news publications page cookie ipsum quantum glaciers algoritm hashingseeding data set é der und . | / \n"
)
STOP = "of for and the in with on to"


def test_the_early_answer_is_the_one_that_all_rules_give(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = LabDoc("pages", "News of publications. Cookie pages.", (WorkDoc("p", "Search for research", "New work."),))
    index = LabIndex.fit([*LABS, pages], concepts=CONCEPTS)
    generator = np.random.default_rng(7)
    words = [*ORDINARY.split() * 5, *OTHERS.split(" "), *STOP.split() * 2]
    texts = [" ".join(generator.choice(words, generator.integers(1, 7))) for _ in range(3_000)]
    lexicon = Lexicon(index._weights, index._state, index._expander, index._speller)
    ordinary_texts = OrdinaryTexts(lexicon)
    early = {text: part for text in texts if (part := ordinary_texts.part("topic", text)) is not None}
    assert 200 < len(early) < len(texts) - 200
    assert early == {text: ordinary_texts.part("topic", text) for text in early}  # the words are cached by now
    monkeypatch.setattr(OrdinaryTexts, "part", lambda *_: None)
    by_all_rules = Analyst(lexicon)
    assert early == {text: by_all_rules._part("topic", text, True) for text in early}


def test_a_text_is_read_to_its_end_although_another_thread_begins_a_new_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    index = LabIndex.fit(LABS)
    ordinary_texts = OrdinaryTexts(Lexicon(index._weights, index._state, index._expander, index._speller))
    known = ordinary_texts.part("topic", "hashing clients")

    def begin_anew(words: list[str]) -> tuple[list[str], list[str]]:
        monkeypatch.setattr(ordinary_texts, "_known", {})
        return stems_and_tails(words)

    monkeypatch.setattr("portal.matching.query.ordinary_texts.stems_and_tails", begin_anew)
    assert ordinary_texts.part("topic", "hashing clients sparsity") is not None
    assert ordinary_texts.part("topic", "hashing clients") == known is not None
