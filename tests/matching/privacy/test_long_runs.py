"""Scripts without spaces write whole lines as one word, and others may name a school in each word of a line; what looks
for schools must not take minutes for it.
"""

from __future__ import annotations

import pytest

from portal.matching import redact
from tests.hanging import no_hanging


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("กขค" * 70_000, []),
        ("kernels\n" + "Institut " * 60_000, []),
    ],
    ids=["Thai", "a word for schools again and again"],
)
def test_a_word_of_thousands_of_letters_is_read_in_the_end_and_the_school_beside_it_found(
    text: str, found: list[str]
) -> None:
    with no_hanging():
        redacted = redact(text)
    assert [item.reason for item in redacted.removed] == found


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("จบ มหาวิทยาลัย ขอนแก่น", ""),
    ],
)
def test_schools_are_found_with_the_words_beside_them(text: str, left: str) -> None:
    assert " ".join(redact(text).text.split()) == left
