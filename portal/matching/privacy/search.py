"""Patterns that search only the parts of a text in which they can find something: most texts have few of these."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from portal.matching.privacy.late_patterns import LatePattern
    from portal.matching.results import Span

Reason = Literal["name", "address", "telephone", "school", "employer", "place", "date", "gender"]

CAPITALISED = r"[^\W\d_a-z](?:[\w'’&-]|[.‘ʻ](?=\w)){0,30}"
"""A word with a capital, as a pattern."""
_WORDS = re.compile(r"\w+")
_APART = bytes(code if chr(code).isalnum() or chr(code) == "_" else ord(" ") for code in range(128)) + bytes(128)
_EQUAL_IN_CASE = re.compile("[ıİſK]")
"""Equal to i, s or k where case is ignored, but no such letters when made small."""
ENDING = 5
"""Letters of an ending by which a word is recognised."""


class Written:
    """A text and its words: `words` as written, `small` in small letters; `has_digits` if there may be any."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            separated = text.encode("ascii").translate(_APART).decode("ascii")
            self.words, self.small = frozenset(separated.split()), frozenset(separated.lower().split())
            self._is_plain = True
        else:
            self.words = frozenset(_WORDS.findall(text))
            self.small = frozenset(map(str.lower, self.words))
            self._is_plain = not _EQUAL_IN_CASE.search(text)
        self.has_digits = not "".join(self.words).isalpha()

    @cached_property
    def cased(self) -> str:
        """The words but those in small letters of English."""
        return "\n".join([word for word in self.words if not (word.islower() and word.isascii())])

    @cached_property
    def foreign(self) -> str:
        """The words with letters that English does not have."""
        return "\n".join([word for word in self.words if not word.isascii()])

    @cached_property
    def endings(self) -> frozenset[str]:
        """The last letters of all words."""
        return frozenset([word[-ENDING:] for word in self.small])

    def has(self, words: Collection[str], *, ignores_case: bool = False) -> bool:
        """Whether one of `words` may be there."""
        if ignores_case:
            return not (self._is_plain and self.small.isdisjoint(words))
        return not self.words.isdisjoint(words)

    def places(self, words: Collection[str], *, ignores_case: bool = False) -> list[int]:
        """Where possible occurrences of `words` begin, in order."""
        if not ignores_case:
            return sorted(place for word in self.words.intersection(words) for place in self._places[word])
        if not self.has(words, ignores_case=True):
            return []
        if not self._is_plain:
            return sorted(place for places in self._places.values() for place in places)
        return sorted(place for word, places in self._places.items() if word.lower() in words for place in places)

    def beginning(
        self, pattern: re.Pattern[str], words: Collection[str], *, ignores_case: bool = False
    ) -> Iterator[re.Match[str]]:
        """The matches of a pattern all of whose matches begin with one of `words`."""
        end = 0
        for place in self.places(words, ignores_case=ignores_case):
            match = pattern.match(self.text, place) if place >= end else None
            if match:
                end = match.end()
                yield match

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for match in _WORDS.finditer(self.text):
            places.setdefault(match.group(), []).append(match.start())
        return places


@lru_cache(maxsize=64)
def written_of(text: str) -> Written:
    """A text with its words. The latest are cached: several callers look for different things in one text."""
    return Written(text)


class Rule(NamedTuple):
    """What `pattern` finds is left out for `reason`.

    The other fields tell quickly where the pattern can find nothing: where none of `words` occurs (in small letters if
    `ignores_case`), none of `others` and none of `inside`, which are parts of words other than small ones of English,
    and, if there are `endings`, no word ends with one of these or has foreign letters; where none of `signs` occurs;
    where there is no digit, if it `needs_digits`; where no word has one of the foreign `letters`; where `needs` finds
    nothing. With `begins`, every match begins with one of `words`, unless one of `others` or `inside` occurs. With
    `within_lines`, no match goes on in the next line, so that lines can be searched one by one.
    """

    reason: Reason
    pattern: LatePattern
    needs: LatePattern | None = None
    within_lines: bool = False
    words: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    inside: tuple[str, ...] = ()
    endings: frozenset[str] = frozenset()
    signs: tuple[str, ...] = ()
    letters: LatePattern | None = None
    needs_digits: bool = False
    ignores_case: bool = False
    begins: bool = False

    def found(self, written: Written) -> Iterator[re.Match[str]]:
        """Everything that the pattern finds in a text."""
        if (self.needs_digits and not written.has_digits) or (
            self.signs and not any(map(written.text.__contains__, self.signs))
        ):
            return iter(())
        if self.letters and not self.letters.compiled.search(written.foreign):
            return iter(())
        if self.words:
            has_other = self._has_other(written)
            if not has_other and not written.has(self.words, ignores_case=self.ignores_case):
                return iter(())
            if not has_other and self.begins:
                return written.beginning(self.pattern.compiled, self.words, ignores_case=self.ignores_case)
        return self._in_stretches(written.text)

    def _has_other(self, written: Written) -> bool:
        """Whether anything but one of `words` may be found."""
        if self.endings and (written.foreign or not written.endings.isdisjoint(self.endings)):
            return True
        return written.has(self.others) or any(map(written.cased.__contains__, self.inside))

    def _in_stretches(self, text: str) -> Iterator[re.Match[str]]:
        for start, end in self.where(text):
            yield from self.pattern.compiled.finditer(text, start, end)

    def where(self, text: str) -> Iterator[Span]:
        """The stretches of `text` in which the pattern may find something, as `needs` says."""
        if self.needs is None:
            yield 0, len(text)
        elif not self.within_lines:
            if self.needs.compiled.search(text):
                yield 0, len(text)
        else:
            end = -1
            needs = self.needs.compiled
            while match := needs.search(text, end + 1):
                start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
                if end < 0:
                    end = len(text)
                yield start, end


def first_words(entries: Iterable[str]) -> frozenset[str]:
    """The first word of every entry of a list, which stands as a whole wherever the entry does."""
    return frozenset(match.group() for match in map(_WORDS.match, entries) if match)


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, longer ones first; by first letter, for that is found many times as fast."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        by_first.setdefault(word[0], []).append(re.escape(word[1:]).replace(r"\ ", r"\s{1,3}"))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(endings)})" for first, endings in sorted(by_first.items()))
