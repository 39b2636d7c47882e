"""Thai as a script of one byte a letter: its letters, and where they stand."""

from __future__ import annotations

_CONSONANTS = frozenset(map(chr, range(0x0E01, 0x0E2F)))
_VOWELS_BEFORE = frozenset("เแโใไ")
_VOWELS_BEHIND = frozenset("ะาำๅฤฦ")
# Above or below a consonant, or above another mark.
_MARKS = frozenset(map(chr, (0x0E31, *range(0x0E34, 0x0E3B), *range(0x0E47, 0x0E4F))))
_OTHERS = frozenset("ฯๆ") | frozenset(map(chr, range(0x0E50, 0x0E5A)))
LETTERS = _CONSONANTS | _VOWELS_BEFORE | _VOWELS_BEHIND | _MARKS | _OTHERS
COMMON = frozenset("านรกอเงมยลวดทสตปคบหพ") | _MARKS


def is_out_of_place(letter: str, before: str, after: str) -> bool:
    """Whether a letter stands by itself, or a vowel or a mark without the consonant that it belongs to."""
    if before not in LETTERS and after not in LETTERS:
        return True
    if letter in _VOWELS_BEFORE:
        return after not in _CONSONANTS
    if letter in _MARKS:
        return before not in _CONSONANTS and before not in _MARKS
    return letter in _VOWELS_BEHIND and before not in _CONSONANTS and before not in _MARKS and before != "า"
