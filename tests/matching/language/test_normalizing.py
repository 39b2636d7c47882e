from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from portal.matching.language.normalizing import Form, normalized

MARKS = [chr(code) for code in range(sys.maxunicode) if unicodedata.combining(chr(code))]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


@given(st.lists(st.sampled_from(MARKS) | st.sampled_from("aAéﬁ가ㄱ각\u0344ſ "), max_size=200).map("".join))
def test_long_runs_of_marks_are_normalised_as_short_ones_are(text: str) -> None:
    for form in FORMS:
        assert normalized(form, text) == unicodedata.normalize(form, text)
