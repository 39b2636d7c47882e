from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching.language.terms import keys
from portal.matching.language.text import masked

WRITTEN = st.lists(
    st.sampled_from(
        [
            *"aZé [](){}<>&/\\$*`_^\n\u0301\u200bﬁ…\x00",
            "a/b",
            "](x)",
            "\\cite{a}",
            "\\'e",
            "<b>",
            "&amp;",
            "$k$",
            "$x^2$",
        ]
    ),
    max_size=14,
).map("".join)


@given(WRITTEN)
def test_every_place_in_a_masked_text_is_the_same_in_the_text(written: str) -> None:
    assert len(masked(written)) == len(written)


@given(WRITTEN)
def test_markup_goes_whether_or_not_the_text_has_an_address(written: str) -> None:
    assert keys([f"{written}\n\nwww.example.org/page"]) == keys([written])


@pytest.mark.parametrize(
    "text", ["$" * 100_000, "](" * 50_000, "\\cite{" * 20_000, "<a " * 30_000, "a." * 50_000 + "/"]
)
def test_a_text_of_nothing_but_markup_is_read_in_time(text: str) -> None:
    began = time.process_time()
    masked(text)
    assert time.process_time() - began < 5
