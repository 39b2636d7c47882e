from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from portal.matching.language.text import clean

WRITTEN = st.lists(
    st.sampled_from(
        [
            *"aZé [](){}<>&/\\$*`_^\n\u0301\u200bﬁ…",
            "e\u0301",
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
@example("é\u0301e\u0301\u0301[](x)\\'e")
def test_markup_goes_whether_or_not_the_text_has_an_address(written: str) -> None:
    with_address = clean(f"{written}\nwww.example.org")  # which is searched for at every place
    assert with_address.text == f"{clean(written).text}\n "
    spans = [(place, place + 1) for place in range(len(with_address.text) - 2)]
    assert [clean(written).original_span(*span) for span in spans] == [
        with_address.original_span(*span) for span in spans
    ]
