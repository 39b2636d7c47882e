"""Measures how much a text looks like writing."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.documents.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORT_LETTERS = 200
# An East Asian character, a whole syllable, carries about as much as three Latin letters.
LETTERS_PER_SYLLABLE = 3
LEAST_LETTERS_SHARE = 0.5
LEAST_WORDLIKE_SHARE = 0.6
WORDS_TO_JUDGE = 20
# In all languages of Europe well over a third of the letters are vowels; of a font that lies about its letters, hardly.
LEAST_VOWELS_SHARE = 0.28
LETTERS_TO_JUDGE = 200
# Where a font says what only some of its letters are, these stand alone.
MOST_SINGLE_SHARE = 0.3
LONGEST_WORD = 28
LONGEST_ACRONYM = 6
# Above these shares of their East Asian characters a text is Japanese or Korean rather than Chinese.
KANA_SHARE = 0.05
HANGUL_SHARE = 0.2

_WORD = re.compile(r"[^\W\d_]+")
_CONSONANTS_IN_A_ROW = 6
_VOWELS = frozenset("aeiouyæøœıł")
_EAST_ASIAN = frozenset({"Han", "Hiragana", "Katakana", "Hangul"})
_SCRIPT_OF_NAME = {"CJK": "Han", "IDEOGRAPHIC": "Han", "KANGXI": "Han"}


@dataclass(frozen=True)
class Quality:
    """Figures about a text, all computed from its characters alone.

    Attributes:
        characters: characters that are not white space.
        words: words; every Han or kana character counts as one, for these are written without spaces.
        letters_share: letters and their marks among `characters`, 0 to 1.
        wordlike_share: words that could be words (they have a vowel, no endless consonants) among `words`.
        script: the writing most letters belong to: "Latin", "Chinese", "Japanese", "Korean", "Cyrillic" …,
            or "none".
        notices: what a person should look at.
    """

    characters: int
    words: int
    letters_share: float
    wordlike_share: float
    script: str
    notices: tuple[Notice, ...]


def judge(text: str) -> Quality:
    """Measure `text`; its length is expected to be bounded already."""
    visible = [character for character in text if not character.isspace()]
    scripts = Counter(script_of(character) for character in visible if character.isalpha())
    letters = sum(scripts.values()) + sum(unicodedata.category(character)[0] == "M" for character in visible)
    ideographs = sum(count for script, count in scripts.items() if script in _EAST_ASIAN - {"Hangul"})
    spelled = [word for word in _WORD.findall(text) if script_of(word[0]) not in _EAST_ASIAN - {"Hangul"}]
    words = len(spelled) + ideographs
    wordlike = sum(_is_wordlike(word) for word in spelled) + ideographs
    letters_share = letters / len(visible) if visible else 0.0
    wordlike_share = wordlike / words if words else 0.0

    notices = []
    syllables = sum(scripts[script] for script in _EAST_ASIAN)
    if letters + syllables * (LETTERS_PER_SYLLABLE - 1) < SHORT_LETTERS:
        notices.append(Notice.VERY_SHORT)
    if letters_share < LEAST_LETTERS_SHARE:
        notices.append(Notice.MOSTLY_NOT_LETTERS)
    single = sum(len(word) == 1 for word in spelled)
    garbled = wordlike_share < LEAST_WORDLIKE_SHARE or single > MOST_SINGLE_SHARE * words
    if words >= WORDS_TO_JUDGE and (garbled or _lacks_vowels(spelled)):
        notices.append(Notice.GARBLED)
    return Quality(
        characters=len(visible),
        words=words,
        letters_share=letters_share,
        wordlike_share=wordlike_share,
        script=_main_script(scripts),
        notices=tuple(notices),
    )


@lru_cache(maxsize=4096)
def script_of(character: str) -> str:
    """The script of a letter, by the first word of its Unicode name; "unknown" when it has none."""
    name = unicodedata.name(character, "UNKNOWN").split(" ", 1)[0].split("-", 1)[0]
    return _SCRIPT_OF_NAME.get(name, name.capitalize())


def _lacks_vowels(words: Iterable[str]) -> bool:
    """Whether Latin letters, if there are enough of them, have fewer vowels than those of any language."""
    full_words = (word for word in words if not (word.isupper() and len(word) <= LONGEST_ACRONYM))
    letters = vowels = 0
    for letter, count in Counter("".join(full_words).lower()).items():
        if script_of(letter) == "Latin":
            letters += count
            vowels += count * (unicodedata.normalize("NFD", letter)[0] in _VOWELS)
    return letters >= LETTERS_TO_JUDGE and vowels < LEAST_VOWELS_SHARE * letters


def _main_script(scripts: Counter[str]) -> str:
    east_asian = sum(scripts[script] for script in _EAST_ASIAN)
    if not scripts:
        return "none"
    commonest, count = scripts.most_common(1)[0]
    if count > east_asian:
        return commonest
    if scripts["Hangul"] >= HANGUL_SHARE * east_asian:
        return "Korean"
    if scripts["Hiragana"] + scripts["Katakana"] >= KANA_SHARE * east_asian:
        return "Japanese"
    return "Chinese"


def _is_wordlike(word: str) -> bool:
    """Whether `word` could be a word of a language; decided for Latin letters, granted to all others."""
    if len(word) > LONGEST_WORD:
        return False
    if script_of(word[0]) != "Latin":
        return script_of(word[0]) != "Unknown"
    if word.isupper():
        return len(word) <= LONGEST_ACRONYM or _spells(word)
    return _spells(word)


def _spells(word: str) -> bool:
    """A vowel somewhere, and never six consonants in a row ("tsk" and "nth" are granted)."""
    consonants_in_a_row = vowels = 0
    for letter in unicodedata.normalize("NFD", word.lower()):
        if letter in _VOWELS:
            vowels += 1
            consonants_in_a_row = 0
        elif letter.isalpha():
            consonants_in_a_row += 1
            if consonants_in_a_row >= _CONSONANTS_IN_A_ROW:
                return False
    return vowels > 0 or len(word) <= len("nth")
