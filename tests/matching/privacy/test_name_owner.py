from __future__ import annotations

import pytest

from portal.matching.privacy.redacting import redact


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Memory-Based Learning (MBL) for chips\nBuilt in C++.", []),
        ("Wei Sun (WS) is a student.", ["Wei Sun"]),
        ("Ming King (MK) is a student.", ["Ming King"]),
        ("Sara Lohning (SL) is a student.", ["Sara Lohning"]),
    ],
)
def test_a_term_that_the_first_line_abbreviates_is_nobody(text: str, names: list[str]) -> None:
    assert [removed.text for removed in redact(text).removed] == names
