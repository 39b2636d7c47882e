"""Misspelt words: the word of the corpus that was probably meant.

Only words that occur neither in the corpus nor among the common words of English and computing in common_words.txt are
corrected, because a small corpus lacks many correct words. The more usual a slip is (a doubled letter, a wrong vowel,
swapped neighbours), the less it costs. The word with the cheapest slips wins; among equals the one that forms a known
pair with its neighbours, then the most frequent one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from portal.matching.language.words import LONGEST_WORD, cached_by_word, stem

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORTEST = 4
_TWO_EDITS_FROM = 8
_SURE_FREQUENCY = 2
_LARGE_CORPUS = 1000
_CACHED = 10_000
_COMMON_WORDS = Path(__file__).with_name("common_words.txt")
_MOST_IN_TWO = 48
"""Letters of two words written together; a form without end is not looked at letter by letter."""
_PREFIXES = (
    "anti auto bio co counter cross de dis electro fore geo hydro hyper in inter intra macro mega meta micro mid "  # noqa: SIM905 - easier to read
    "mini mis mono multi nano neuro non out over para photo poly post pre pro pseudo quasi re self semi sub super "
    "tele thermo trans tri ultra un under uni".split()
)
_ENDINGS = (("ly", ("", "le")), ("er", ("", "e")), ("ers", ("", "e")), ("like", ("",)), ("less", ("",)))
_VOWELS = frozenset("aeiouy")
_DOUBLED, _WRONG_VOWEL, _LOST_VOWEL, _SWAPPED, _LOST, _WRONG = 0.4, 0.6, 0.7, 0.8, 0.9, 1.0
_FIRST_LETTER = 0.5
"""What a slip costs; one in the first letter costs this much more."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of the query as `typed` and the word of the corpus `used` in its place."""

    typed: str
    used: str


class Speller:
    """Corrections from the words of a corpus; `frequency` maps words of letters to the number of `texts` with them."""

    def __init__(self, frequency: Mapping[str, int], texts: int) -> None:
        self.texts = texts
        least = _SURE_FREQUENCY if texts >= _LARGE_CORPUS else 1
        self.frequency = {word: count for word, count in frequency.items() if count >= least and len(word) >= _SHORTEST}
        self._by_length: dict[int, list[str]] = {}
        for word in sorted(self.frequency):
            self._by_length.setdefault(len(word), []).append(word)
        self._known: dict[str, list[str]] = {}

    def candidates(self, form: str) -> list[str]:
        """The words of which `form` may be a misspelling, all about equally likely, most frequent first."""
        words = self._known.get(form)
        if words is None:
            words = self._find(form)
            if len(form) <= LONGEST_WORD:
                if len(self._known) >= _CACHED:
                    self._known.clear()
                self._known[form] = words
        return words

    def one_slip_away(self, form: str) -> list[str]:
        """The words one slip away, cheapest first, even if `form` may be right: they need further evidence."""
        if len(form) < _SHORTEST or not (form.isascii() and form.isalpha()):
            return []
        costs = sorted((slips(form, word), -self.frequency[word], word) for word in self._near(form, 1))
        return [word for cost, _, word in costs if 0 < cost <= _WRONG]

    def _find(self, form: str) -> list[str]:
        if len(form) < _SHORTEST or not (form.isascii() and form.isalpha()) or is_common(form):
            return []
        limit = _SWAPPED if len(form) == _SHORTEST or _VOWELS.isdisjoint(form) else _WRONG
        edits = 1
        if len(form) >= _TWO_EDITS_FROM:
            limit, edits = 2 * _LOST, 2
        costs = [(slips(form, word), -self.frequency[word], word) for word in self._near(form, edits)]
        likely = sorted((cost, minus, word) for cost, minus, word in costs if cost <= limit)
        return [word for cost, _, word in likely if cost < likely[0][0] + _FIRST_LETTER]

    def _near(self, form: str, edits: int) -> list[str]:
        """The words at most so many edits away."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        near: list[str] = []
        for length in range(len(form) - edits, len(form) + edits + 1):
            words = self._by_length.get(length, ())
            near += [word for word, _, _ in extract(form, words, scorer=OSA.distance, score_cutoff=edits, limit=None)]
        return near


@cached_by_word(65_536)
def is_common(form: str) -> bool:
    """Whether a folded word is a common word, derived from one, or two of them written together."""
    if _is_listed(form):
        return True
    if any(
        form.endswith(ending) and _is_long_and_listed(form.removesuffix(ending) + end)
        for ending, ends in _ENDINGS
        for end in ends
    ):
        return True
    if any(form.startswith(prefix) and _is_long_and_listed(form.removeprefix(prefix)) for prefix in _PREFIXES):
        return True
    return len(form) <= _MOST_IN_TWO and any(
        form[:cut] in _common_words() and _is_long_and_listed(form[cut:])
        for cut in range(_SHORTEST, len(form) - _SHORTEST + 1)
    )


def _is_long_and_listed(form: str) -> bool:
    return len(form) >= _SHORTEST and _is_listed(form)


def _is_listed(form: str) -> bool:
    return stem(form) in _common_stems()


@lru_cache(maxsize=1)
def _common_stems() -> frozenset[str]:
    return frozenset(map(stem, _common_words()))


@lru_cache(maxsize=1)
def _common_words() -> frozenset[str]:
    return frozenset(_COMMON_WORDS.read_text(encoding="ascii").split())


def slips(typed: str, meant: str) -> float:
    """The cost of mistyping `meant` as `typed`: the cheapest sequence of slips, with at most one slip per letter.

    An edit distance with adjacent swaps (optimal string alignment): `costs[i][j]` is the cost for the first i letters
    of `typed` and the first j of `meant`.
    """
    costs = [[0.0] * (len(meant) + 1) for _ in range(len(typed) + 1)]
    for i in range(len(typed) + 1):
        for j in range(len(meant) + 1):
            ways = [0.0] if i == j == 0 else []
            extra = 0.0 if min(i, j) > 1 else _FIRST_LETTER
            if i:
                ways.append(costs[i - 1][j] + _one_letter(typed, i - 1) + (0.0 if i > 1 else _FIRST_LETTER))
            if j:
                ways.append(costs[i][j - 1] + _one_letter(meant, j - 1) + (0.0 if j > 1 else _FIRST_LETTER))
            if i and j:
                ways.append(costs[i - 1][j - 1] + _substitution(typed[i - 1], meant[j - 1], extra))
            if i > 1 and j > 1 and typed[i - 2 : i] == meant[j - 2 : j][::-1]:
                ways.append(costs[i - 2][j - 2] + _SWAPPED + (_FIRST_LETTER if min(i, j) == 2 else 0.0))  # noqa: PLR2004
            costs[i][j] = min(ways)
    return round(costs[-1][-1], 6)


def _one_letter(word: str, place: int) -> float:
    """The cost of adding or losing the letter at `place`."""
    if place and word[place - 1] == word[place]:
        return _DOUBLED
    return _LOST_VOWEL if word[place] in _VOWELS else _LOST


def _substitution(typed: str, meant: str, first: float) -> float:
    if typed == meant:
        return 0.0
    return (_WRONG_VOWEL if typed in _VOWELS and meant in _VOWELS else _WRONG) + first
