"""What must not enter a match is taken out of a resume first: who somebody is, where from, and when.

Names, e-mail and web addresses, telephone numbers, schools, employers, countries and cities, dates and
gendered words are blanked, character for character, so that spans of the rest stay right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.privacy_rules import (
    HEADINGS,
    LABELLED_NAME,
    LABELS_OF_LANGUAGES,
    LABELS_OF_NAMES,
    LABELS_OF_REFEREES,
    LANGUAGE,
    LANGUAGE_LABEL,
    LANGUAGE_LINE,
    NAME_BEFORE_CONTACTS,
    NAME_LINE,
    REFEREE,
    REFEREE_NAME,
    RULES,
    TITLED_NAME,
)
from portal.matching.privacy_search import Written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy_search import Reason


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
    written = Written(text)
    found = list(dict.fromkeys((*_name_spans(written), *_rule_spans(written))))
    if not found:
        return Redacted(text, ())
    found.sort(key=lambda item: (item.start, -item.end))
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
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _rule_spans(written: Written) -> Iterator[Removed]:
    text = written.text
    for rule in RULES:
        for match in rule.found(written):
            what = "found" if "found" in match.re.groupindex else 0
            yield Removed(rule.reason, match[what], match.start(what), match.end(what))
    if not written.has(LABELS_OF_LANGUAGES, ignores_case=True):
        return
    labels = written.places(LABELS_OF_LANGUAGES, ignores_case=True)
    for line in LANGUAGE_LINE.finditer(text) if any(LANGUAGE_LABEL.match(text, place) for place in labels) else ():
        for match in LANGUAGE.finditer(text, line.start(), line.end()):
            yield Removed("place", match.group(), match.start(), match.end())


def _name_spans(written: Written) -> Iterator[Removed]:
    """The owner's name (on the first line, or labelled), names after a title, and referees, wherever they stand."""
    text = written.text
    own: set[str] = set()
    if written.has(LABELS_OF_NAMES, ignores_case=True):
        own |= {match["name"].strip() for match in LABELLED_NAME.finditer(text[:4000])}
    for match in TITLED_NAME.found(written):
        yield Removed("name", match.group(), match.start(), match.end())
        own |= {match["name"]} if len(match["name"].split()) > 1 or not match["name"].isascii() else set()
    if written.has(LABELS_OF_REFEREES, ignores_case=True):
        for match in REFEREE.finditer(text):
            own |= {line["name"] for line in REFEREE_NAME.finditer(match["lines"])}
    first_line = next((line.strip() for line in text[:2000].splitlines() if line.strip()), "")
    before_contacts = NAME_BEFORE_CONTACTS.match(first_line)
    own_line = before_contacts["name"] if before_contacts else first_line
    if NAME_LINE.fullmatch(own_line) and not HEADINGS & set(own_line.casefold().split()):
        own.add(own_line)
    for name in sorted(own):
        for start in _whole(name, text):
            yield Removed("name", name, start, start + len(name))


def _whole(words: str, text: str) -> Iterator[int]:
    """Where `words` stand that are no part of a longer word."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        is_whole = not _is_of_word(text[start - 1 : start]) and not _is_of_word(text[end : end + 1])
        if is_whole:
            yield start
        start = text.find(words, end if is_whole else start + 1)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"
