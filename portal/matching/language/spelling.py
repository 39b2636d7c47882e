"""Misspelt words: the word of the corpus that was probably meant.

Only words that occur neither in the corpus nor among the common words of English and computing in common_words.txt are
corrected, because a small corpus lacks many correct words. The more usual a slip is (a doubled letter, a wrong vowel,
swapped neighbours), the less it costs. The word with the cheapest slips wins; among equals the one that forms a known
pair with its neighbours, then the most frequent one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.language.stemming import stem
from portal.matching.language.word_cache import LONGEST_WORD, cached_by_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

_SHORTEST = 4
_TWO_EDITS_FROM = 8
_TWO_EDITS_IN_PAIRS_FROM = 6
_SURE_FREQUENCY = 2
_LARGE_CORPUS = 1000
_CACHED = 10_000
_COMMON_WORDS = Path(__file__).with_name("common_words.txt")
_LONG_ENOUGH = 4
_MOST_IN_TWO = 48
"""Letters of two words written together; a form without end is not looked at letter by letter."""
_BEFORE = (
    "anti auto bio co counter cross de dis electro fore geo hydro hyper in inter intra macro mega meta micro mid "
    "mini mis mono multi nano neuro non out over para photo poly post pre pro pseudo quasi re self semi sub super "
    "tele thermo trans tri ultra un under uni"
)
_PREFIXES = tuple(_BEFORE.split())
_ENDINGS = (
    ("ly", ("", "le")),
    ("er", ("", "e")),
    ("ers", ("", "e")),
    ("like", ("",)),
    ("wise", ("",)),
    ("less", ("",)),
)

_SUFFIXES = tuple(
    "s es ed ing er ers or ors al ally ly able ment ments ness ity ive ion ions ation ations ize ized ful less".split()  # noqa: SIM905 - easier to read
)
_NEARLY_ALWAYS_SLIPS = frozenset(("complier", "compliers"))
"""Forms of common words that hardly anybody means."""
_WITH_OR = re.compile(r"[a-z]{4,}aters?")
"""Who simulates is a simulator, not a "simulater"; other words that end so ("underwater") are on the list."""
_INFLECTIONS = ("ing", "ed", "ers", "er", "s")
_VOWELS = frozenset("aeiouy")
_DOUBLED, _WRONG_VOWEL, _LOST_VOWEL, _SWAPPED, _LOST, _WRONG = 0.4, 0.6, 0.7, 0.8, 0.9, 1.0
_FIRST_LETTER = 0.5
"""What a slip costs; one in the first letter costs this much more."""


def _most(length: int) -> float:
    """The most that the slips in a word of `length` letters may cost: one slip, two in a long word."""
    if length == _SHORTEST:
        return _SWAPPED
    return _WRONG if length < _TWO_EDITS_FROM else 2 * _LOST


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of the query as `typed` and the word of the corpus `used` in its place."""

    typed: str
    used: str


class Speller:
    """Corrections from the words of a corpus; `frequency` maps folded words to how often they occur.

    `has_compounds`: the words are names such as "JellyBean", so that a form of two common words may be one of them,
    misspelt.
    """

    def __init__(self, frequency: Mapping[str, int], texts: int, *, has_compounds: bool = False) -> None:
        self.texts = texts
        self._has_compounds = has_compounds
        least = _SURE_FREQUENCY if texts >= _LARGE_CORPUS else 1
        self.frequency = {
            word: count
            for word, count in frequency.items()
            if count >= least and len(word) >= _SHORTEST and word.isascii() and word.isalpha()
        }
        by_length: dict[int, list[str]] = {}
        for word in sorted(self.frequency):
            by_length.setdefault(len(word), []).append(word)
        self._by_length = {length: (words, _letters_of(words)) for length, words in by_length.items()}
        self._candidates_by_form: dict[str, list[str]] = {}
        self._slightly_off: dict[str, list[str]] = {}

    def candidates(self, form: str) -> list[str]:
        """The words of which `form` may be a misspelling, all about equally likely, most frequent first."""
        return self._cached(self._candidates_by_form, form, self._find_candidates)

    def slightly_off(self, form: str) -> list[str]:
        """The words one slip away, cheapest first, even if `form` is short or may be right.

        They need further evidence, such as a known pair with a neighbour ("electronic heath records"). So a word that
        is certainly misspelt may be two slips away although it is shorter than `_TWO_EDITS_FROM` ("MoE teining").
        """
        if len(form) < _SHORTEST or not (form.isascii() and form.isalpha()):
            return []
        return self._cached(self._slightly_off, form, self._find_slightly_off)

    def _find_slightly_off(self, form: str) -> list[str]:
        may_have_two = len(form) >= _TWO_EDITS_IN_PAIRS_FROM and not is_common(form)
        candidates = self._within(form, 2 * _LOST, 2) if may_have_two else self._within(form, _WRONG, 1)
        return [word for _, _, word in sorted(candidates) if word != form]

    @staticmethod
    def _cached(cache: dict[str, list[str]], form: str, compute: Callable[[str], list[str]]) -> list[str]:
        words = cache.get(form)
        if words is None:
            words = compute(form)
            if len(form) <= LONGEST_WORD:
                if len(cache) >= _CACHED:
                    cache.clear()
                cache[form] = words
        return words

    def _find_candidates(self, form: str) -> list[str]:
        if len(form) < _SHORTEST or not (form.isascii() and form.isalpha()) or is_one_common_word(form):
            return []
        limit = _SWAPPED if _VOWELS.isdisjoint(form) else _most(len(form))  # without a vowel: an abbreviation
        if _is_two_in_one(form) and not self._has_compounds:
            limit = _DOUBLED  # "autoscalling" is not "autos calling"
        most = 2 if len(form) >= _TWO_EDITS_FROM else 1
        candidates = self._within(form, limit, most) or self._within_without_ending(form, limit, most)
        cheapest = min(candidates)[0] if candidates else 0
        return [
            word for cost, _, word in sorted(candidates, key=lambda item: item[1:]) if cost < cheapest + _FIRST_LETTER
        ]

    def _within(self, form: str, limit: float, most: int) -> list[tuple[float, int, str]]:
        """The words that become `form` by slips of a total cost up to `limit`, at most `most` in number.

        Each with the cost and its negative frequency before it.
        """
        return [
            (cost, -self.frequency[word], word)
            for length in range(len(form) - most, len(form) + most + 1)
            for word in self._near(form, length, most)
            if (cost := slips(form, word)) <= limit
        ]

    def _within_without_ending(self, form: str, limit: float, most: int) -> list[tuple[float, int, str]]:
        """`_within` for a form without its ending: the corpus may only have others ("chcekpointing", "checkpoint")."""
        ending = next((end for end in _INFLECTIONS if form.endswith(end)), "")
        base = form.removesuffix(ending)
        return self._within(base, min(limit, _SWAPPED), most) if ending and len(base) > _LONG_ENOUGH else []

    def _near(self, form: str, length: int, most: int) -> list[str]:
        """The words of `length` letters at most `most` edits away."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        if length not in self._by_length:
            return []
        words, letters = self._by_length[length]
        # A quick check of the sets of letters: a slip changes at most two letters, a lost or added letter one.
        changed = 2 * most - abs(len(form) - length)
        near = np.flatnonzero(np.bitwise_count(letters ^ _letters_of([form])) <= changed)
        near_words = [words[place] for place in near.tolist()]
        return [word for word, _, _ in extract(form, near_words, scorer=OSA.distance, score_cutoff=most, limit=None)]


def _letters_of(words: Sequence[str]) -> NDArray[np.uint32]:
    """For each of some words of equal length, the set of its letters as bits."""
    letters = np.frombuffer("".join(words).encode("ascii"), np.uint8).reshape(len(words), -1) & 31
    letter_sets: NDArray[np.uint32] = np.bitwise_or.reduce(np.uint32(1) << letters.astype(np.uint32), axis=1)
    return letter_sets


@cached_by_word(65_536)
def is_common(form: str) -> bool:
    """Whether a folded word is a common word, derived from one, or two of them written together."""
    return is_one_common_word(form) or _is_two_in_one(form)


def is_one_common_word(form: str) -> bool:
    """Whether a folded word is a common word or derived from one, but not two of them written together."""
    if form in _NEARLY_ALWAYS_SLIPS:
        return False
    if _is_listed(form):
        return True
    if _WITH_OR.fullmatch(form):
        return False
    if any(
        form.endswith(ending) and _is_long_and_listed(form.removesuffix(ending) + end)
        for ending, ends in _ENDINGS
        for end in ends
    ):
        return True
    return any(form.startswith(prefix) and _is_long_and_listed(form.removeprefix(prefix)) for prefix in _PREFIXES)


def _is_two_in_one(form: str) -> bool:
    return len(form) <= _MOST_IN_TWO and any(
        _is_long_and_written_so(form[:cut]) and _is_long_and_written_so(form[cut:])
        for cut in range(_LONG_ENOUGH, len(form) - _LONG_ENOUGH + 1)
    )


def _is_long_and_written_so(form: str) -> bool:
    """Whether a form is a long common word, or one with a suffix. By its stem alone, "ioning" would be one ("ion")."""
    return _is_long_and_listed(form) and (
        form in _common_words()
        or any(form.endswith(suffix) and _is_long_and_listed(form.removesuffix(suffix)) for suffix in _SUFFIXES)
    )


def _is_long_and_listed(form: str) -> bool:
    return len(form) >= _LONG_ENOUGH and _is_listed(form)


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
