"""Clean text → sentences of words, in which technical words stay whole.

C++, k-means++, GPT-3, 3D, non-iid (as i.i.d. too), io_uring, A/B and v1.5 are one word each; fine-tuning is
two words that know they belong together. Scripts written without spaces give character bigrams.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.text import clean

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
_SENTENCE_END = re.compile(
    r"(?<![.!?])(?P<stop>[.!?]++)[\"'”’)\]]*+\s++(?=[\"'“‘(\[]*[^\Wa-z_])|[。！？；｡]|[!?;]\s|\n\s*\n|\n\s*(?=[-*•▪·–]\s)|[\x00\x0b\x0c]"
)
_NOT_AN_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|vs|cf|fig|eq|sec|no|dr|prof|mr|ms|st|approx|resp)|\b[A-Z])$", re.IGNORECASE
)
_LONGEST_SENTENCE = 600
_APOSTROPHE_ENDINGS = ("'s", "'re", "'ve", "'ll", "'d", "'m", "'t")


class Word(NamedTuple):
    """One word: its folded form, where it stands in the original text, and whether a hyphen joins it on."""

    form: str
    start: int
    end: int
    joined: bool
    unspaced: bool


class Sentence(NamedTuple):
    """A stretch of the original text and the words in it."""

    start: int
    end: int
    words: tuple[Word, ...]


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of `text` that hold at least one word, in order; spans refer to `text` itself."""
    cleaned = clean(text)
    for start, end in _sentence_spans(cleaned.text):
        words = tuple(_words_between(cleaned.text, start, end))
        if not words:
            continue
        if cleaned.pieces:
            words = tuple(
                word._replace(start=span[0], end=span[1])
                for word in words
                for span in (cleaned.original_span(word.start, word.end),)
            )
            start, end = cleaned.original_span(start, end)  # noqa: PLW2901 - the same stretch, in the original
        yield Sentence(start, end, words)


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """`word` without case, Latin accents, underscores and the ending of a possessive."""
    form = word.replace("’", "'").casefold()
    for ending in _APOSTROPHE_ENDINGS:
        if form.endswith(ending) and len(form) > len(ending):
            form = form.removesuffix(ending)
            break
    form = form.replace("'", "").replace("_", "").replace(",", "")
    if "++" in form:
        form = form[: form.index("++") + 2]
    if not form.isascii():
        form = _without_latin_accents(form)
    return form


def _without_latin_accents(form: str) -> str:
    decomposed = unicodedata.normalize("NFD", form)
    kept: list[str] = []
    base = ""
    for character in decomposed:
        if unicodedata.combining(character):
            if base.isascii():
                continue
        else:
            base = character
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


def _sentence_spans(text: str) -> Iterator[Span]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match["stop"] == "." and _NOT_AN_END.search(text, max(start, match.start() - 10), match.start()):
            continue
        yield from _pieces(text, start, match.end())
        start = match.end()
    if start < len(text):
        yield from _pieces(text, start, len(text))


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """The stretch without outer space, cut at a line end or space when it is too long for one sentence."""
    while end - start > _LONGEST_SENTENCE:
        cut = text.rfind("\n", start + 1, start + _LONGEST_SENTENCE)
        if cut == -1:
            cut = text.rfind(" ", start + 1, start + _LONGEST_SENTENCE)
        if cut == -1:
            break
        yield from _trimmed(text, start, cut)
        start = cut
    yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    stretch = text[start:end]
    start += len(stretch) - len(stretch.lstrip())
    end -= len(stretch) - len(stretch.rstrip())
    if start < end:
        yield start, end


def _words_between(text: str, start: int, end: int) -> Iterator[Word]:
    previous_end = -1
    previous_length = 0
    for match in _WORD.finditer(text, start, end):
        kind = match.lastgroup
        raw = match.group()
        if kind == "unspaced":
            yield Word(raw, match.start(), match.end(), joined=False, unspaced=True)
            previous_end = -1
            continue
        if kind == "dotted":
            form = raw.replace(".", "").casefold()
        elif kind == "dotnet":
            form = "dotnet"
        else:
            form = fold(raw)
        if not form:
            continue
        gap = text[previous_end : match.start()] if previous_end >= 0 else " "
        joined = gap in {"-", "\u2010"} or (gap in {"/", "&"} and previous_length == 1 and len(form) == 1)
        yield Word(form, match.start(), match.end(), joined, unspaced=False)
        previous_end, previous_length = match.end(), len(form)
