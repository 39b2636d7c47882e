"""Abbreviations learned from the corpus: pairs of a long form and its short form, as authors define them.

The algorithm is that of A. Schwartz and M. Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text", PSB 2003, for "long form (SHORT)" and for "SHORT (long form)".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.language.stemming import stem
from portal.matching.language.stretches import Layout
from portal.matching.language.terms import units
from portal.matching.language.text import clean
from portal.matching.language.words import fold, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BRACKETS = re.compile(r"\(([^()\n]{2,120})\)")
_LONGEST_BEFORE = 200
"""Characters before an opening bracket in which a long form is looked for."""
_SHORTEST = 2
_SHORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9+/&.-]{1,9}")
_LAST_WORD = re.compile(r"(\S{2,12})\s*$")
_SENTENCE_BREAK = re.compile(r"[.;:!?]\s")
_SHARE_TO_KEEP = 0.3
_LONGEST_CACHED = 120
_CACHED = 65_536
"""Cached phrases; the concepts that come with the portal have about 40,000."""


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form, its long form as authors write it, and the number of texts that define it this way."""

    short: str
    long: str
    texts: int


def short_key(short: str) -> str:
    """The key by which a short form is looked up: the key of its term, so that "LLMs" and "llm" share it."""
    return stem(fold(short.replace(".", "")))


def long_keys(long: str) -> tuple[str, ...]:
    """The keys of the words of a long form, in order, including stop words."""
    return _cached_keys(long) if len(long) <= _LONGEST_CACHED else _keys(long)


def _keys(long: str) -> tuple[str, ...]:
    layout = Layout.of(clean(long))
    if layout is None:
        return tuple([stem(unit.form) for sentence in sentences(long) for unit in units(sentence.words)])
    return tuple([unit.key for of_sentence in layout.units for unit, _, _ in of_sentence])


_cached_keys = lru_cache(maxsize=_CACHED)(_keys)


def learn_abbreviations(texts: Iterable[str]) -> dict[str, tuple[Abbreviation, ...]]:
    """The key of each short form → its long forms, most often defined first.

    A long form is kept if at least 30 % of the definitions of the short form are for it.
    """
    counts: dict[str, Counter[tuple[str, ...]]] = {}
    spellings: dict[tuple[str, ...], Counter[tuple[str, str]]] = {}
    for text in texts:
        if "(" not in text:
            continue
        defined = {(short_key(short), long_keys(long)): (short, long) for short, long in definitions(text)}
        for (key, words), spelling in defined.items():
            if words:
                counts.setdefault(key, Counter())[words] += 1
                spellings.setdefault((key, *words), Counter())[spelling] += 1
    learned = {}
    for key in sorted(counts):
        total = counts[key].total()
        frequent = sorted(((-count, words) for words, count in counts[key].items() if count >= _SHARE_TO_KEEP * total))
        forms = tuple(
            Abbreviation(*min(spellings[(key, *words)].items(), key=lambda item: (-item[1], item[0]))[0], -minus_count)
            for minus_count, words in frequent
        )
        if forms:  # a short form with many meanings is not expanded
            learned[key] = forms
    return learned


def bracketed(text: str) -> str:
    """The parts of `text` that may define abbreviations, one line per pair of brackets; enough for `definitions`."""
    return "\n".join([f"{before}({inside})" for before, inside in _brackets(text)])


def _brackets(text: str) -> Iterator[tuple[str, str]]:
    """The text before each pair of brackets, from the last bracket or line break on, and the text inside."""
    for match in _BRACKETS.finditer(text):
        opening = match.start()
        earliest = max(0, opening - _LONGEST_BEFORE)
        begin = max(earliest, *(text.rfind(sign, earliest, opening) + 1 for sign in "()\n"))
        if opening - begin >= _SHORTEST:
            yield text[begin:opening], match[1]


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Every (short form, long form) that `text` defines in brackets."""
    for before_brackets, in_brackets in _brackets(clean(text).text):
        before, inside = _SENTENCE_BREAK.split(before_brackets)[-1], in_brackets.strip()
        if _is_short_form(inside):
            short = _singular(inside)
            long = _long_form(short, before)
        else:
            last = _LAST_WORD.search(before)
            if last is None or not _is_short_form(last[1]):
                continue
            short = _singular(last[1])
            long = _long_form(short, re.split(r"[,;:]", inside)[0], whole=True)
        if long:
            yield short, long


def _is_short_form(text: str) -> bool:
    return _SHORT.fullmatch(text) is not None and sum(character.isupper() for character in text) > 1


def _singular(short: str) -> str:
    return short[:-1] if short.endswith("s") and len(short) > 2 and short[-2].isupper() else short  # noqa: PLR2004


def _long_form(short: str, before: str, *, whole: bool = False) -> str:
    """The end of `before` whose letters spell `short`, matched from the last letter to the first; "" if none does."""
    words = before.split()
    longest = min(len(short) + 5, 2 * len(short))
    candidate = " ".join(words if whole else words[-longest:])
    position = len(candidate) - 1
    for offset in range(len(short) - 1, -1, -1):
        character = short[offset].casefold()
        if not character.isalnum():
            continue
        while position >= 0 and (
            candidate[position].casefold() != character
            or (offset == 0 and position > 0 and candidate[position - 1].isalnum())
        ):
            position -= 1
        if position < 0:
            return ""
        position -= 1
    long = candidate[position + 1 :].strip(" -,;:")
    return long if _is_plausible(short, long) and (not whole or position < 0) else ""


def _is_plausible(short: str, long: str) -> bool:
    count = len(re.findall(r"[\w']+", long))
    contains_itself = short.casefold() in long.casefold().split()
    return len(long) > len(short) and 1 < count <= 2 * len(short) and not contains_itself
