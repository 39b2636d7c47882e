"""Remarks on a document that was read, for the person who uploaded it, and what tells how its text looks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

WHITE: Colour = (255, 255, 255)
# Blue adds little to how bright a colour is: pale yellow on white cannot be read either.
_WITHIN = (20, 20, 50)
# A title is larger than all else, and is mostly a name: a line or two, a few words.
LARGER_THAN_THE_REST, AS_LARGE = 1.2, 0.95
MOST_LINES, MOST_WORDS, LEAST_LETTERS = 2, 6, 3
_OF_ICONS = re.compile(
    r"(?:[A-Z]{6}\+)?(?:font-?awesome|academicons|marvosym|material-?(?:icons|symbols)|bootstrap-?icons|simple-?icons"
    r"|glyphicons|ionicons|icomoon|fontello|devicons?|dashicons|wingdings|webdings|(?:itc)?zapfdingbats)",
    re.IGNORECASE,
)


def alike(first: Colour, second: Colour, opacity: float = 1.0) -> bool:
    """Whether a reader sees no difference between the second colour and the first, of this opacity, on it."""
    return all(
        abs(channel - other_channel) * opacity <= tolerance
        for channel, other_channel, tolerance in zip(first, second, _WITHIN, strict=True)
    )


def is_named_after_icons(font: str) -> bool:
    """Whether a font is named after a collection of icons: its letters are pictures."""
    return _OF_ICONS.match(font.replace(" ", "")) is not None


def title_among(lines: Sequence[tuple[str, float]]) -> range:
    """Where the title is among lines, given with the size of their smallest letters; empty when none stands out.

    Beside a column at the left the name of the person comes late in the file; whoever reads the text looks for it at
    its beginning.
    """
    sized = [(place, text, size) for place, (text, size) in enumerate(lines) if size > 0 and text.strip()]
    largest = max((size for _, _, size in sized), default=0.0)
    title = [(place, text) for place, text, size in sized if size >= AS_LARGE * largest]
    next_largest = max((size for _, _, size in sized if size < AS_LARGE * largest), default=0.0)
    if not title or len(title) > MOST_LINES or largest < LARGER_THAN_THE_REST * next_largest or next_largest == 0:
        return range(0)
    words = " ".join(text for _, text in title)
    start, end = title[0][0], title[-1][0] + 1
    if end - start != len(title) or len(words.split()) > MOST_WORDS or sum(map(str.isalpha, words)) < LEAST_LETTERS:
        return range(0)
    return range(start, end)


SHORT_LETTERS = 200
# An East Asian character, a whole syllable, carries about as much as three Latin letters.
LETTERS_PER_SYLLABLE = 3
LEAST_LETTERS_SHARE = 0.5
MOST_UNLIKE_SHARE = 0.4
WORDS_TO_JUDGE = 20
# In all languages of Europe well over a third of the letters are vowels; of a font that lies about its letters, hardly.
LEAST_VOWELS_SHARE = 0.28
LETTERS_TO_JUDGE = 200
# Where a font says what only some of its letters are, these stand alone.
MOST_SINGLE_SHARE = 0.3
LONGEST_WORD = 28
LONGEST_ACRONYM = 6

_WORD = re.compile(r"[^\W\d_]+")
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
    apart = _EAST_ASIAN - {"Hangul"}
    ideographs = sum(count for script, count in scripts.items() if script in apart)
    spelled = [word for word in _WORD.findall(text) if script_of(word[0]) not in apart]
    words = len(spelled) + ideographs

    notices = []
    syllables = sum(scripts[script] for script in _EAST_ASIAN)
    if letters + syllables * (LETTERS_PER_SYLLABLE - 1) < SHORT_LETTERS:
        notices.append(Notice.VERY_SHORT)
    if letters < LEAST_LETTERS_SHARE * len(visible):
        notices.append(Notice.MOSTLY_NOT_LETTERS)
    single = sum(len(word) == 1 for word in spelled)
    unlike = sum(len(word) > LONGEST_WORD or script_of(word[0]) == "Unknown" for word in spelled)
    is_garbled = single > MOST_SINGLE_SHARE * words or unlike > MOST_UNLIKE_SHARE * words or _lacks_vowels(spelled)
    if words >= WORDS_TO_JUDGE and is_garbled:
        notices.append(Notice.GARBLED)
    return tuple(notices)


@lru_cache(maxsize=4096)
def script_of(character: str) -> str:
    """The script of a letter, by the first word of its Unicode name; "unknown" when it has none."""
    name = unicodedata.name(character, "UNKNOWN").split(" ", 1)[0].split("-", 1)[0]
    return _SCRIPT_OF_NAME.get(name, name.capitalize())


def _lacks_vowels(words: Iterable[str]) -> bool:
    full_words = (word for word in words if not (word.isupper() and len(word) <= LONGEST_ACRONYM))
    letters = vowels = 0
    for letter, count in Counter("".join(full_words).lower()).items():
        if script_of(letter) == "Latin":
            letters += count
            vowels += count * (unicodedata.normalize("NFD", letter)[0] in _VOWELS)
    return letters >= LETTERS_TO_JUDGE and vowels < LEAST_VOWELS_SHARE * letters
