"""Which words of a resume count is told by reading each passage once, however many terms stand for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from portal.matching import Concept, LabDoc, LabIndex, Query, WorkDoc
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


def test_a_name_that_was_missed_is_as_one_that_was_removed() -> None:
    phrases = ("many phones share one model", "phones train together")
    concepts = [Concept(phrases, ("federated learning", "clients"), "They do.", "the test")]
    work = WorkDoc("w", "Federated learning of clients", "Clients train a model together. Learning is federated.")
    index = LabIndex.fit([LabDoc("fl", "", (work,)), *LABS], concepts=concepts)
    schools = ("Stanford University", "Vrblatt", "Zum Heiligen Vrblatt")
    texts = [f"Together train {school} a model. Phones share one." for school in schools]
    assert len({index.score(Query(resume=text, resume_weight=1.0), "fl") for text in texts}) == 1
