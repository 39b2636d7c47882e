"""What must not enter a match is taken out of a resume first: who somebody is, where from, and when.

Names, e-mail and web addresses, telephone numbers, schools, employers, countries and cities, dates and
gendered words are blanked, character for character, so that spans of the rest stay right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.privacy_rules import (
    HEADINGS,
    LABELLED_NAME,
    LANGUAGE,
    LANGUAGE_LINE,
    NAME_BEFORE_CONTACTS,
    NAME_LINE,
    REFEREE,
    REFEREE_NAME,
    RULES,
    TITLED_NAME,
    Reason,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy_rules import Rule
    from portal.matching.results import Span


@dataclass(frozen=True, slots=True)
class Removed:
    """A stretch of the text that was left out, and why."""

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
    found = sorted({*_name_spans(text), *_rule_spans(text)}, key=lambda item: (item.start, -item.end))
    blanked: list[str] = []
    removed: list[Removed] = []
    position = 0
    for item in found:
        if item.start < position:
            continue
        blanked += (text[position : item.start], _blank(item.text))
        position = item.end
        removed.append(item)
    blanked.append(text[position:])
    return Redacted("".join(blanked), tuple(removed))


def _blank(text: str) -> str:
    return "".join(character if character == "\n" else " " for character in text)


def _rule_spans(text: str) -> Iterator[Removed]:
    for rule in RULES:
        what = "found" if "found" in rule.pattern.groupindex else 0
        for start, end in _where(rule, text):
            for match in rule.pattern.finditer(text, start, end):
                yield Removed(rule.reason, match[what], match.start(what), match.end(what))
    for line in LANGUAGE_LINE.finditer(text) if "language" in text.lower() else ():
        for match in LANGUAGE.finditer(text, line.start(), line.end()):
            yield Removed("place", match.group(), match.start(), match.end())


def _where(rule: Rule, text: str) -> Iterator[Span]:
    """The stretches of `text` in which a rule may find something."""
    if rule.needs is None:
        yield 0, len(text)
    elif not rule.within_lines:
        if rule.needs.search(text):
            yield 0, len(text)
    else:
        end = -1
        while match := rule.needs.search(text, end + 1):
            start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
            if end < 0:
                end = len(text)
            yield start, end


def _name_spans(text: str) -> Iterator[Removed]:
    """The owner's name (on the first line, or labelled), names after a title, and referees, wherever they stand."""
    own = {match["name"].strip() for match in LABELLED_NAME.finditer(text[:4000])}
    for match in TITLED_NAME.finditer(text):
        yield Removed("name", match.group(), match.start(), match.end())
        own |= {match["name"]} if len(match["name"].split()) > 1 or not match["name"].isascii() else set()
    for match in REFEREE.finditer(text):
        own |= {line["name"] for line in REFEREE_NAME.finditer(match["lines"])}
    first_line = next((line.strip() for line in text[:2000].splitlines() if line.strip()), "")
    before_contacts = NAME_BEFORE_CONTACTS.match(first_line)
    own_line = before_contacts["name"] if before_contacts else first_line
    if NAME_LINE.fullmatch(own_line) and not HEADINGS & set(own_line.casefold().split()):
        own.add(own_line)
    for name in sorted(own):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield Removed("name", match.group(), match.start(), match.end())
