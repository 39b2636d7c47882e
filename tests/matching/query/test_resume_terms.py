"""Which words of a resume count is told by reading each passage once, however many terms stand for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from portal.matching import LabIndex
from portal.matching.query.lexicon import Lexicon
from portal.matching.query.reading import read
from portal.matching.query.resume_terms import without_strange_words, without_unused_words
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    from portal.matching.query.weighed_terms import Weighed


class Counting(str):
    """A text that counts how many of its characters are read as parts of it."""

    __slots__ = ("characters",)
    characters: int

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        self.characters += len(part)
        return part


def test_a_passage_of_many_terms_is_read_once() -> None:
    index = LabIndex.fit(LABS)
    lexicon = Lexicon(index._weights, index._state, index._expander, index._speller)
    # Two letters in Unicode's other form, so that all pairs of them stand for the whole run.
    text = Counting("กำ" * 500)
    text.characters = 0
    found = read(str(text), None).found
    assert len(found) > 1_000
    weighed: list[Weighed] = [
        (key, lexicon.weights.unseen, start, end, "", "resume", kind, "", False) for key, start, end, kind in found
    ]
    assert without_strange_words(weighed, found, text, lexicon) == []
    assert without_unused_words(weighed, found, text, lexicon)[0] == []
    assert text.characters <= 3 * len(text)
