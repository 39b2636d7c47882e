"""Abbreviations learned from the corpus: pairs of a long form and its short form, as authors define them.

The algorithm is that of A. Schwartz and M. Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text", PSB 2003, for "long form (SHORT)" and for "SHORT (long form)".
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.terms import facts, read
from portal.matching.language.words import fold, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

_BRACKETS = re.compile(r"\(([^()\n]{2,120})\)")
_LONGEST_BEFORE = 200
"""Characters before an opening bracket in which a long form is looked for."""
_SHORTEST = 2
_SHORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9+/&.-]{1,9}")
_LAST_WORD = re.compile(r"(\S{2,12})\s*$")
_SENTENCE_BREAK = re.compile(r"[.;:!?]\s")
_SHARE_TO_KEEP = 0.3


class Abbreviation(NamedTuple):
    """A short form and its long form, as authors write them."""

    short: str
    long: str


def short_key(short: str) -> str:
    """The key by which a short form is looked up: the key of its term, so that "LLMs" and "llm" share it."""
    return stem(fold(short.replace(".", "").replace("-", "")))


def long_keys(long: str) -> tuple[str, ...]:
    """The keys of the words of a long form that count, in order."""
    return tuple(facts(unit.form).terms[0] for sentence in read(long)[0] for unit in sentence.units)


class Definitions:
    """Counts the definitions in texts."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[tuple[str, ...]]] = {}
        self._spellings: dict[tuple[str, ...], Counter[Abbreviation]] = {}

    def add(self, text: str) -> None:
        """Count each definition of a text once."""
        if "(" not in text:
            return
        defined = {(short_key(short), long_keys(long)): Abbreviation(short, long) for short, long in definitions(text)}
        for (key, words), spelling in defined.items():
            if words and words != (key,):
                self._counts.setdefault(key, Counter())[words] += 1
                self._spellings.setdefault((key, *words), Counter())[spelling] += 1

    def learned(self) -> list[Abbreviation]:
        """The pairs, those of a short form most often defined first.

        A long form is kept if at least 30 % of the definitions of the short form are for it: a short form with many
        meanings is not expanded.
        """
        found: list[Abbreviation] = []
        for key in sorted(self._counts):
            total = self._counts[key].total()
            for words, count in sorted(self._counts[key].items(), key=lambda item: (-item[1], item[0])):
                if count >= _SHARE_TO_KEEP * total:
                    usual = min(self._spellings[(key, *words)].items(), key=lambda item: (-item[1], item[0]))
                    found.append(usual[0])
        return found


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Every (short form, long form) that `text` defines in brackets."""
    for before_brackets, in_brackets in _brackets(text):
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


def _brackets(text: str) -> Iterator[tuple[str, str]]:
    """The text before each pair of brackets, from the last bracket or line break on, and the text inside."""
    for match in _BRACKETS.finditer(text):
        opening = match.start()
        earliest = max(0, opening - _LONGEST_BEFORE)
        begin = max(earliest, *(text.rfind(sign, earliest, opening) + 1 for sign in "()\n"))
        if opening - begin >= _SHORTEST:
            yield text[begin:opening], match[1]


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
