"""Letters that a file draws twice, as a filled form and its outline, are read once."""

from __future__ import annotations

import pytest

from portal.documents.pdf.lines import lines_of
from portal.documents.pdf.visible_text import tell_apart
from tests.documents.pdf.test_lines import glyphs


@pytest.mark.parametrize("unseen", [(), (0, 2, 4), (1, 3, 5)], ids=["both seen", "fill unseen", "outline unseen"])
def test_letters_that_are_filled_and_then_outlined_one_by_one_are_read_once(unseen: tuple[int, ...]) -> None:
    twice = glyphs("RROOBB", [(50.0 + 10 * (place // 2), 700.0) for place in range(6)])
    assert tell_apart(lines_of(twice), unseen) == ("ROB", "")


def test_the_same_letters_side_by_side_are_two() -> None:
    assert tell_apart(lines_of(glyphs("ALL", [(50.0, 700.0), (60.0, 700.0), (70.0, 700.0)])), ()) == ("ALL", "")


def test_the_begin_of_a_word_that_is_painted_again_as_a_whole_is_read_once() -> None:
    # A shadow breaks off before a ligature; the word on it is whole.
    places = [(50.0 + 10 * place, 700.0) for place in range(6)]
    shadow, word = glyphs("I su", [(20.0, 700.0), (35.0, 700.0), *places[:2]]), glyphs("suffer", places)
    assert tell_apart(lines_of([*shadow, *word]), ()) == ("I\nsuffer", "")
