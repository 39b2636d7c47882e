"""Remarks on a document that was read, for the person who uploaded it; some tell whether it looks like writing."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

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

_WORD = re.compile(r"[^\W\d_]+")
_CONSONANTS_IN_A_ROW = 6
_VOWELS = frozenset("aeiouyæøœıł")
_EAST_ASIAN = frozenset({"Han", "Hiragana", "Katakana", "Hangul"})
_SCRIPT_OF_NAME = {"CJK": "Han", "IDEOGRAPHIC": "Han", "KANGXI": "Han"}


class Notice(StrEnum):
    """A remark on text that was read; it never refuses anything."""

    HIDDEN_TEXT = "hidden_text"
    CUT = "cut"
    VERY_SHORT = "very_short"
    MOSTLY_NOT_LETTERS = "mostly_not_letters"
    GARBLED = "garbled"
    NOT_UTF8 = "not_utf8"
    PICTURE_PAGES = "picture_pages"
    RECOGNISED_TEXT = "recognised_text"
    MAY_BE_HIDDEN = "may_be_hidden"
    UNREAD_LETTERS = "unread_letters"

    @property
    def sentence(self) -> str:
        """The text for a page: what was noticed, and what to do."""
        return _SENTENCES[self]


_SENTENCES = {
    Notice.HIDDEN_TEXT: (
        "This file holds text that a reader cannot see (white, tiny, invisible or off the page). "
        "It is not used for matching and is shown apart."
    ),
    Notice.CUT: (
        "This file is longer than what can be kept; the end was cut off. Check that nothing important is missing."
    ),
    Notice.VERY_SHORT: (
        "Very little text was found. If your resume says more, upload another version or paste the text."
    ),
    Notice.MOSTLY_NOT_LETTERS: (
        "Most of what was found is not letters. Check the text; if it is wrong, paste your resume instead."
    ),
    Notice.GARBLED: (
        "Many words look garbled, as happens with unusual fonts. "
        "Check the text; if it is wrong, upload another version or paste the text."
    ),
    Notice.UNREAD_LETTERS: (
        "Some letters of this file have no meaning, as happens in PDFs made from PostScript, and are missing below. "
        "Check the text; if words are missing, upload a PDF exported from your editor, or paste the text."
    ),
    Notice.PICTURE_PAGES: (
        "At least one page is a picture or a drawing, such as a scan; text on it was not read. "
        "If it holds more than pictures, upload a PDF exported from your editor, or paste the text."
    ),
    Notice.RECOGNISED_TEXT: (
        "This file is a scan, and a program recognised the text below in its pictures; nobody sees it in the file. "
        "Check that it says what the pictures show. It is better to upload a PDF exported from your editor."
    ),
    Notice.MAY_BE_HIDDEN: (
        "Some text of this file has the colour of the paper and may be hidden, or stand on a coloured drawing. "
        "Check that a reader of the file sees all of the text below."
    ),
    Notice.NOT_UTF8: "The characters of this file had to be inferred (it is not UTF-8). Check that they are right.",
}


def notices_about(text: str) -> tuple[Notice, ...]:
    """What a person should look at in `text`, whose length is expected to be bounded already."""
    visible = [character for character in text if not character.isspace()]
    scripts = Counter(script_of(character) for character in visible if character.isalpha())
    letters = sum(scripts.values()) + sum(unicodedata.category(character)[0] == "M" for character in visible)
    # Every Han or kana character counts as a word, for these are written without spaces.
    ideographs = sum(count for script, count in scripts.items() if script in _EAST_ASIAN - {"Hangul"})
    spelled = [word for word in _WORD.findall(text) if script_of(word[0]) not in _EAST_ASIAN - {"Hangul"}]
    words = len(spelled) + ideographs
    wordlike = sum(_is_wordlike(word) for word in spelled) + ideographs

    notices = []
    syllables = sum(scripts[script] for script in _EAST_ASIAN)
    if letters + syllables * (LETTERS_PER_SYLLABLE - 1) < SHORT_LETTERS:
        notices.append(Notice.VERY_SHORT)
    if letters < LEAST_LETTERS_SHARE * len(visible):
        notices.append(Notice.MOSTLY_NOT_LETTERS)
    single = sum(len(word) == 1 for word in spelled)
    garbled = wordlike < LEAST_WORDLIKE_SHARE * words or single > MOST_SINGLE_SHARE * words
    if words >= WORDS_TO_JUDGE and (garbled or _lacks_vowels(spelled)):
        notices.append(Notice.GARBLED)
    return tuple(notices)


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
