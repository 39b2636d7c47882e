"""Removes from a resume what must not enter a match: who somebody is, where they are from, and dates.

Names, e-mail and web addresses, telephone numbers, schools, employers, countries and cities, dates and
gendered words are blanked, character for character, so that spans of the rest stay right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.privacy.entries import organisations
from portal.matching.privacy.names import names
from portal.matching.privacy.rules import LABELS_OF_LANGUAGES, LANGUAGE, LANGUAGE_LABEL, LANGUAGE_LINE, RULES
from portal.matching.privacy.schools import schools_over_lines
from portal.matching.privacy.search import written_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy.search import Reason, Written

_BREAK = "\v"


@dataclass(frozen=True, slots=True)
class Removed:
    """A stretch of the text that was removed, and the reason."""

    reason: Reason
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text with every removed stretch blanked (same length), and what was removed, in order."""

    text: str
    removed: tuple[Removed, ...]


@lru_cache(maxsize=256)
def redact(text: str) -> Redacted:
    """Take out of `text` what must not enter a match; see `Reason` for the kinds."""
    written = written_of(text)
    named = (Removed("name", text[start:end], start, end) for start, end in names(written))
    found = list(dict.fromkeys((*named, *_rule_spans(written))))
    spans = [(item.reason, item.start, item.end) for item in found]
    found += [Removed(reason, text[start:end], start, end) for reason, start, end in organisations(text, spans)]
    if not found:
        return Redacted(text, ())
    found.sort(key=lambda item: (item.start, -item.end))
    blanked: list[str] = []
    removed: list[Removed] = []
    position = 0
    for item in found:
        if item.end <= position:
            continue
        # Of two that overlap, the second goes on where the first ends.
        start = max(item.start, position)
        left_out = Removed(item.reason, text[start : item.end], start, item.end)
        blanked += (text[position:start], _blank(left_out.text))
        position = item.end
        if left_out.text.strip():
            removed.append(left_out)
    blanked.append(text[position:])
    return Redacted("".join(blanked), tuple(removed))


def _blank(text: str) -> str:
    """White space of the same length that ends a sentence, so that the words on both sides of it form no pair."""
    blank = "\n".join(" " * len(line) for line in text.split("\n"))
    return _BREAK + blank[1:] if blank[:1] == " " else blank


def _rule_spans(written: Written) -> Iterator[Removed]:
    text = written.text
    for rule in RULES:
        for match in rule.found(written):
            group = "found" if "found" in match.re.groupindex else 0
            yield Removed(rule.reason, match[group], match.start(group), match.end(group))
    for start, end in schools_over_lines(written):
        yield Removed("school", text[start:end], start, end)
    if not written.has(LABELS_OF_LANGUAGES, ignores_case=True):
        return
    labels = written.places(LABELS_OF_LANGUAGES, ignores_case=True)
    for line in LANGUAGE_LINE.finditer(text) if any(LANGUAGE_LABEL.match(text, place) for place in labels) else ():
        for match in LANGUAGE.compiled.finditer(text, line.start(), line.end()):
            yield Removed("place", match.group(), match.start(), match.end())
