"""Misspelt words: the word of the corpus that was probably meant.

Only words that occur nowhere are corrected, by the fewest edits (a swap of neighbours is one edit), among
equals to the one that makes a known pair with its neighbours, then to the most frequent. A word of four to
seven letters may be one edit away, a longer one two; the first letter must be right unless a single edit of a
long word mends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORTEST = 4
_TWO_EDITS_FROM = 8
_SURE_FREQUENCY = 2
_LARGE_CORPUS = 1000


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of the query as `typed` and the word of the corpus `used` in its place."""

    typed: str
    used: str


class Speller:
    """Corrections from the words of a corpus; `frequency` maps folded words to how many texts have them."""

    def __init__(self, frequency: Mapping[str, int], texts: int) -> None:
        self.texts = texts
        least = _SURE_FREQUENCY if texts >= _LARGE_CORPUS else 1
        self.frequency = {
            word: count
            for word, count in frequency.items()
            if count >= least and len(word) >= _SHORTEST and word.isascii() and word.isalpha()
        }
        by_length: dict[int, list[str]] = {}
        for word in sorted(self.frequency):
            by_length.setdefault(len(word), []).append(word)
        self._by_length = by_length

    def candidates(self, form: str) -> list[str]:
        """The words that `form` may be a misspelling of, all the same number of edits away, frequent first."""
        if len(form) < _SHORTEST or not (form.isascii() and form.isalpha()):
            return []
        most = 2 if len(form) >= _TWO_EDITS_FROM else 1
        found = [
            (distance, -self.frequency[word], word)
            for length in range(len(form) - most, len(form) + most + 1)
            for word, distance in self._near(form, length, most)
            if word[0] == form[0] or (distance == 1 and len(form) >= _TWO_EDITS_FROM)
        ]
        fewest = min(found)[0] if found else 0
        return [word for distance, _, word in sorted(found) if distance == fewest]

    def _near(self, form: str, length: int, most: int) -> list[tuple[str, int]]:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        words = self._by_length.get(length, [])
        found = extract(form, words, scorer=OSA.distance, score_cutoff=most, limit=None)
        return [(word, int(distance)) for word, distance, _ in found]
