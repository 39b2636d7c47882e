"""Splits clean text into sentences of words, keeping technical words whole.

C++, k-means++, GPT-3, 3D, non-iid (also i.i.d.), io_uring, A/B and v1.5 are one word each; fine-tuning is two words
that are marked as joined. Scripts written without spaces give character bigrams, Chinese ones of simplified characters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.language.han import simplified
from portal.matching.language.normalizing import normalized
from portal.matching.language.text import clean
from portal.matching.language.word_cache import cached_by_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.results import Span

# Written without spaces: Han and kana, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3"
)
# Vowel signs and other marks inside words, which \w leaves out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])"
_WORD = re.compile(
    rf"""
      (?P<unspaced>[{_UNSPACED}]++)
    | (?P<dotted>(?<![\w.])(?:[^\W\d_]\.){{1,8}}[^\W\d_](?!\w)\.?)
    | (?P<dotnet>(?<!\w)\.[nN][eE][tT](?!\w))
    | (?P<number>(?<!\w)[vV]?\d++(?:[.,]\d++)++{_LETTER}*+)
    | {_LETTER}++(?:[_'’]{_LETTER}++)*+(?:\+\+\d*+|(?<=\b[A-Za-z])\#)?
    """,
    re.VERBOSE,
)
HARD_BREAK = re.compile(r"\n\s*\n|\n\s*(?=[-*•▪·–]\s)|[\x00\x0b\x0c]")
"""Ends a sentence in any case: an empty line, an item of a list, a new page."""
UNSPACED_STOPS = frozenset("。！？；｡")
"""Marks that end a sentence without a space after them."""
_SENTENCE_END = re.compile(r"(?<![.!?])(?P<stop>[.!?]++)[\"'”’)\]]*+\s++(?=[\"'“‘(\[]*[^\Wa-z_])|[。！？；｡]|[!?;]\s")
_STOP_AT_END = re.compile(r"(?<![.!?])(?P<stop>[.!?]++)[\"'”’)\]]*+$")
_OPENS_SENTENCE = re.compile(r"[\"'“‘(\[]*[^\Wa-z_]")
_NOT_AN_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|al|vs|cf|fig|eq|sec|no|dr|prof|mr|ms|st|approx|resp)|\b[A-Z])$", re.IGNORECASE
)
LONGEST_SENTENCE = 90
"""Sentences of more words (lists, tables) are cut."""
_APOSTROPHE_ENDINGS = ("'s", "'re", "'ve", "'ll", "'d", "'m", "'t")


class Word(NamedTuple):
    """One word: its folded form, its place in the original text, and whether a hyphen joins it to the word before.

    `unspaced` words are runs of characters in a script written without spaces.
    """

    form: str
    start: int
    end: int
    joined: bool
    unspaced: bool


class Sentence(NamedTuple):
    """A sentence: its place in the original text and its words."""

    start: int
    end: int
    words: tuple[Word, ...]


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of `text` that contain at least one word, in order; spans refer to `text` itself."""
    cleaned = clean(text)
    for start, end in _sentence_spans(cleaned.text):
        for sentence in _cut(cleaned.text, start, end, tuple(words_between(cleaned.text, start, end))):
            if cleaned.pieces:
                words = tuple(
                    word._replace(start=span[0], end=span[1])
                    for word in sentence.words
                    for span in (cleaned.original_span(word.start, word.end),)
                )
                yield Sentence(*cleaned.original_span(sentence.start, sentence.end), words)
            else:
                yield sentence


@cached_by_word(4_096)
def folded_words(text: str) -> frozenset[str]:
    """The folded words of `text`."""
    return frozenset(word.form for sentence in sentences(text) for word in sentence.words)


def may_break(text: str) -> bool:
    """A quick check whether `text` may contain a hard break."""
    return "\n" in text or "\x0c" in text or "\x0b" in text or "\x00" in text


def ends_sentence(chunk: str) -> Literal["no", "perhaps", "yes"]:
    """Whether a sentence ends with `chunk`, a stretch without spaces; "perhaps" if the next one opens a sentence."""
    if chunk[-1:] in {"!", "?", ";"}:
        return "yes"
    match = _STOP_AT_END.search(chunk)
    if match is None or (match["stop"] == "." and _NOT_AN_END.search(chunk, 0, match.start())):
        return "no"
    return "perhaps"


def opens_sentence(chunk: str) -> bool:
    """Whether `chunk` looks like the beginning of a sentence."""
    return _OPENS_SENTENCE.match(chunk) is not None


@cached_by_word(65_536)
def fold(word: str) -> str:
    """`word` without case, Latin accents, underscores and the ending of a possessive, in simplified characters."""
    form = word.replace("’", "'").casefold()
    for ending in _APOSTROPHE_ENDINGS:
        if form.endswith(ending) and len(form) > len(ending):
            form = form.removesuffix(ending)
            break
    form = form.replace("'", "").replace("_", "").replace(",", "")
    if "++" in form:
        form = form[: form.index("++") + 2]
    if not form.isascii():
        form = simplified(_without_latin_accents(form))
    return form


def _without_latin_accents(form: str) -> str:
    decomposed = normalized("NFD", form)
    characters: list[str] = []
    base = ""
    for character in decomposed:
        if unicodedata.combining(character):
            if base.isascii():
                continue
        else:
            base = character
        characters.append(character)
    return normalized("NFC", "".join(characters))


def _sentence_spans(text: str) -> Iterator[Span]:
    position = 0
    for match in HARD_BREAK.finditer(text):
        yield from _soft_spans(text, position, match.start())
        position = match.end()
    yield from _soft_spans(text, position, len(text))


def _soft_spans(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _SENTENCE_END.finditer(text, start, end):
        if match["stop"] == "." and _NOT_AN_END.search(text, max(start, match.start() - 10), match.start()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, end)


def _cut(text: str, start: int, end: int, words: tuple[Word, ...]) -> Iterator[Sentence]:
    """A sentence cut at spaces into pieces of about `LONGEST_SENTENCE` words; nothing if it has no words."""
    first = previous_cut = 0
    for place in range(LONGEST_SENTENCE, len(words)):
        previous_end = words[place - 1].end
        if any(map(str.isspace, text[previous_end : words[place].start])):
            if place // LONGEST_SENTENCE > previous_cut // LONGEST_SENTENCE:
                yield Sentence(start, previous_end, words[first:place])
                first, start = place, words[place].start
            previous_cut = place
    if words:
        yield Sentence(start, end, words[first:])


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    stretch = text[start:end]
    start += len(stretch) - len(stretch.lstrip())
    end -= len(stretch) - len(stretch.rstrip())
    if start < end:
        yield start, end


def words_between(text: str, start: int, end: int) -> Iterator[Word]:
    """The words of a passage of clean text."""
    previous_end = -1
    previous_length = 0
    for match in _WORD.finditer(text, start, end):
        kind, raw = match.lastgroup, match.group()
        first, last = match.span()
        if kind is None or kind == "number":
            form = fold(raw)
        elif kind == "unspaced":
            yield Word(simplified(raw), first, last, False, True)
            previous_end = -1
            continue
        else:
            form = "dotnet" if kind == "dotnet" else raw.replace(".", "").casefold()
        if not form:
            continue
        gap = text[previous_end] if first - previous_end == 1 and previous_end >= 0 else " "
        joined = gap != " " and (gap in "-\u2010" or (gap in "/&" and previous_length == 1 and len(form) == 1))
        yield Word(form, first, last, joined, False)
        previous_end, previous_length = last, len(form)
