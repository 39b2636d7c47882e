"""Reading by stretches gives the same as reading word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, LabIndex, Query, Topic
from portal.matching.language.spelling import Correction
from portal.matching.language.terms import terms
from portal.matching.language.words import LONGEST_SENTENCE, sentences
from portal.matching.query.reading import read
from tests.matching.corpus import LABS
from tests.matching.language.test_counting import PIECES

MARKUP = [
    "$k$-means",
    "**bold**",
    "caf\u00e9",
    "e\u0301",
    "ﬁne",
    "soft\u00adhyphen",
    "http://a.b/c",
    "<b>",
    "&amp;",
    "大学。测试",
    "•",
]
SPACES = [" ", " ", " ", "  ", "\n", "\n\n", "\n- ", "\t", "\x0b"]
texts = st.lists(st.tuples(st.sampled_from(PIECES + MARKUP), st.sampled_from(SPACES)), max_size=60).map(
    lambda pieces: "".join(piece + space for piece, space in pieces)
)


@given(texts)
def test_terms_and_words_are_those_that_are_read_word_by_word(text: str) -> None:
    reading = read(text)
    assert reading.terms == list(terms(text))
    assert reading.lines == [sentence.words for sentence in sentences(text)]


def test_long_sentences_are_cut_at_the_same_places() -> None:
    text = " ".join(["state-of-the-art", "word", "key", "value", "--"] * LONGEST_SENTENCE)
    assert read(text).lines == [sentence.words for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("typed", "used"),
    [
        ("training over 500 Mbps", Correction("500 Mbps", "500mbps")),
        ("training over 600 Mbps", None),
        ("training in 500 m", None),
    ],
)
def test_a_number_and_its_unit_are_read_as_labs_write_them(typed: str, used: Correction | None) -> None:
    index = LabIndex.fit([LabDoc("slow", "We train over 500Mbps networks, of 500m.", ()), *LABS])
    assert index.corrections(Query([Topic(typed)])) == ((used,) if used else ())
