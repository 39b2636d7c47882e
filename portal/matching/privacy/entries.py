"""Employers and schools by their place in the entries of a resume, where nothing in the name itself tells them.

"Neural Dynamics" is an employer in "Engineer, Neural Dynamics, 2020 – 2022" below "Experience": a line with a time, a
role and one more name. Where the line leaves open which part it is, another entry of the section that is like it tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.language.spelling import is_common
from portal.matching.privacy.groups import FIELDS
from portal.matching.privacy.name_words import TECHNOLOGIES
from portal.matching.privacy.sections import (
    BESIDE,
    DEGREES,
    EDUCATION,
    GROUPS,
    JOINING,
    LABELS,
    OTHERS,
    ROLES,
    TEACHING,
    TECHNICAL,
    WORK,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching.privacy.search import Reason

Kind = Literal["date", "place", "known", "role", "name", "field", "other"]
"""What a part of an entry is: `known` names an organisation for sure, `name` may, `field` may be a subject."""

_LONGEST_HEADING = 60
_LONGEST_LINE = 200
_MOST_WORDS = 6
_LINES_OF_AN_ENTRY = 3
_SOMETHING = {"date": "\x01", "place": "\x02", "employer": "\x03", "school": "\x03"}
_BULLET = re.compile(r"[ \t]*(?:[-–—*•◦▪‣·○●►➢]|\\item)[ \t]*(?=[^\W\d_])")
_NUMBER = re.compile(r"[ \t]*(?:\(?\d{1,2}[.)]|[a-z]\))[ \t]+")
_APART = re.compile(
    r"[ \t]*[,;|•·\t()][ \t]*|[ \t][-–—@][ \t]|[ \t]{2,}|[ \t](?:at|with|bei|beim|chez|presso|hos|bij)[ \t]"
    r"|:(?=[ \t\n]|$)"
)
_YEAR = re.compile(r"(?<!\d)(?:19[89]|20[0-3])\d(?!\d)|\x01")
_FIELD = re.compile(rf"(?<!\w)(?:{FIELDS})(?!\w)")
_SUBJECT = re.compile(
    r"(?<!\w)(?:\w{0,20}[Ss]ciences?|\w{0,20}[Ee]ngineering|\w{0,20}[Mm]athematics|Math|Maths|Statistics|Physics|Chemistry"
    r"|Biology|Economics|Electronics|\w{0,20}[Ii]nformatics|Informatik|Informatique|Informática|Mechanics|Medicine"
    r"|Linguistics|Psychology|Finance|Management|Technology|Design|Electrical|Philosophy|Business|Robotics|Arts|CSE|ECE|EEE)(?!\w)"
)
_HEADINGS = WORK | EDUCATION | OTHERS
_MOST_CAPITALS = 5
_NAMES_OF_A_LIST = 3
_ABSTRACT = re.compile(r"(?:ing|[st]ion|ity|ics|ment|ism|[ae]ncy|[ae]nce|graphy|ology)$|[^su]s$")
"""Subjects end so, or are many: "Adaptive Batching", "Page Table Walks"."""
_OF_THE_FIELD = TECHNICAL | TECHNOLOGIES
_WORD = re.compile(r"[^\s,;:|()]+")


class _Part(NamedTuple):
    kind: Kind
    start: int
    end: int


@dataclass(slots=True)
class _Entry:
    """The parts of the lines that an entry begins with; whether they tell a role or degree, or a course."""

    lines: list[list[_Part]]
    has_role: bool
    is_course: bool

    def places(self, *kinds: Kind) -> list[tuple[int, int]]:
        """Line and number of the parts of these kinds."""
        return [
            (row, number)
            for row, parts in enumerate(self.lines)
            for number, part in enumerate(parts)
            if part.kind in kinds
        ]

    def span(self, place: tuple[int, int]) -> tuple[int, int]:
        """Where a part stands in the text."""
        part = self.lines[place[0]][place[1]]
        return part.start, part.end

    def after(self, place: tuple[int, int]) -> Kind | None:
        """The kind of the next part on the line."""
        row, number = place
        return self.lines[row][number + 1].kind if number + 1 < len(self.lines[row]) else None


def organisations(text: str, removed: Sequence[tuple[Reason, int, int]]) -> Iterator[tuple[Reason, int, int]]:
    """What names an employer or a school by its place; `removed` is what was found to be left out before."""
    lines = list(_lines(text))
    headings = [(number, kind) for number, (start, end) in enumerate(lines) if (kind := _section(text[start:end]))]
    if not any(kind != "other" for _, kind in headings):
        return
    masked = _masked(text, removed)
    for (number, kind), (following, _) in zip(headings, [*headings[1:], (len(lines), "other")], strict=True):
        if kind == "other":
            continue
        yield from _named(_entries(masked, lines[number + 1 : following]), is_work=kind == "work")


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _section(line: str) -> Literal["work", "education", "other", ""]:
    """Which section a line is the heading of; empty for other lines."""
    head, colon, _ = line[:_LONGEST_HEADING].partition(":")
    if not colon and len(line.rstrip()) > _LONGEST_HEADING:
        return ""
    words = [word.strip("*_#=.•|") for word in head.casefold().split()]
    telling = [word for word in words if word and word not in BESIDE]
    if not telling or len(words) > _MOST_WORDS or not all(word in _HEADINGS for word in telling):
        return ""
    if any(word in OTHERS for word in telling):
        return "other"
    if colon and line.partition(":")[2].strip():
        return ""
    return "education" if telling[0] in EDUCATION or not WORK.intersection(telling) else "work"


def _masked(text: str, removed: Sequence[tuple[Reason, int, int]]) -> str:
    """The text with signs for what was found of times, places and organisations, letter by letter."""
    letters = list(text)
    for reason, start, end in removed:
        sign = _SOMETHING.get(reason)
        if sign is None:
            continue
        for place in range(start, end):
            if letters[place] != "\n":
                letters[place] = sign
    return "".join(letters)


def _entries(masked: str, lines: Sequence[tuple[int, int]]) -> list[_Entry]:
    """The entries of a section: lines with a time, and those of few words right above and below."""
    heads = [_is_head(masked[start:end]) for start, end in lines]
    entries: list[_Entry] = []
    number = 0
    while number < len(lines):
        first = number
        while number < len(lines) and heads[number] and number - first < _LINES_OF_AN_ENTRY:
            number += 1
            if _YEAR.search(masked, *lines[number - 1]) and not (
                number < len(lines) and _is_open(masked, lines, first, number)
            ):
                break
        block = lines[first:number]
        if any(_YEAR.search(masked, *line) for line in block):
            entries.append(_entry(masked, block))
        number = max(number, first + 1)
    return entries


def _is_open(masked: str, lines: Sequence[tuple[int, int]], first: int, number: int) -> bool:
    """Whether an entry lacks a name or a role, which the next line may have."""
    entry = _entry(masked, lines[first:number])
    lacks = not entry.has_role or not entry.places("known", "name", "field")
    return lacks and not _YEAR.search(masked, *lines[number])


def _is_head(line: str) -> bool:
    """Whether a line may be of those that an entry begins with, rather than of what is told below."""
    if not line.strip() or len(line) > _LONGEST_LINE or _BULLET.match(line):
        return False
    words = _WORD.findall(line)
    if not words or words[0].casefold() in LABELS:
        return False
    if _YEAR.search(line):
        return True
    is_list = len(_APART.split(line.strip())) >= _NAMES_OF_A_LIST
    if is_list and ROLES.isdisjoint(word.casefold() for word in words):
        return False
    return len(words) <= _MOST_WORDS and not line.rstrip().endswith(".") and all(map(_may_be_of_a_head, words))


def _may_be_of_a_head(word: str) -> bool:
    return not word[:1].islower() or word in JOINING or word in {"in", "at"}


def _entry(masked: str, block: Sequence[tuple[int, int]]) -> _Entry:
    words = {word.casefold().strip(".") for start, end in block for word in _WORD.findall(masked, start, end)}
    return _Entry(
        [list(_parts(masked, start, end)) for start, end in block],
        bool(words & ROLES) or bool(words & DEGREES),
        bool(words & TEACHING),
    )


def _parts(masked: str, start: int, end: int) -> Iterator[_Part]:
    """The parts of a line, up to where what was done begins."""
    number = _NUMBER.match(masked, start, end)
    begin = number.end() if number else start
    has_date = is_inside = False
    told = 0
    while begin <= end:
        apart = _APART.search(masked, begin, end)
        stop = apart.start() if apart else end
        part = masked[begin:stop]
        if part.strip():
            kind = _kind(part.strip())
            has_date |= kind == "date"
            told += 1
            left = len(part) - len(part.lstrip())
            # In brackets stands what was used rather than who for.
            kind = "other" if is_inside and kind in {"name", "field"} else kind
            yield _Part(kind, begin + left, begin + len(part.rstrip()))
        if not apart or (apart.group() == ":" and has_date and told > 1):
            return
        is_inside = "(" in apart.group() or (is_inside and ")" not in apart.group())
        begin = apart.end()


def _kind(part: str) -> Kind:
    if "\x03" in part:
        return "known"
    if _YEAR.search(part):
        return "date"
    if "\x02" in part:
        return "place"
    words = _WORD.findall(part)
    small = {word.casefold().strip(".") for word in words}
    if not small.isdisjoint(ROLES | DEGREES | TEACHING):
        return "role"
    if (
        not words
        or len(words) > _MOST_WORDS
        or not words[0][:1].isupper()
        or not all(map(_may_be_of_a_name, words))
        or words[-1].casefold() in GROUPS
        or _SUBJECT.search(part)
        or _is_technical(words, small)
    ):
        return "other"
    # What is no ordinary word may be a tool as well as a company.
    may_be_a_tool = len(words) == 1 and "-" not in part and not is_common(part.casefold())
    may_be_a_subject = _FIELD.search(part) or _ABSTRACT.search(words[-1]) or not small.isdisjoint(_OF_THE_FIELD)
    return "field" if may_be_a_tool or may_be_a_subject else "name"


def _is_technical(words: Sequence[str], small: set[str]) -> bool:
    """Whether words name a technology or a subject."""
    if len(words) > 1:
        return "apache" in small or small <= TECHNICAL | JOINING
    word = words[0]
    is_short = word.isupper() and len(word) <= _MOST_CAPITALS
    is_written_apart = "-" not in word and not (word.isupper() or word[1:].islower())  # PyTorch
    return is_short or is_written_apart or word.casefold() in _OF_THE_FIELD


def _may_be_of_a_name(word: str) -> bool:
    return not word[:1].islower() or word in JOINING


def _named(entries: Sequence[_Entry], *, is_work: bool) -> Iterator[tuple[Reason, int, int]]:
    """Where organisations, and places beside them, are named in the entries of a section that no rule knows."""
    reason: Reason = "employer" if is_work else "school"
    chosen = [_surely(entry, is_work=is_work) for entry in entries]
    sure = {place for entry in entries for place in entry.places("known")}
    usual = sure | {place for place in chosen if place}
    places = {place for entry in entries for place in entry.places("place")}
    for entry, one in zip(entries, chosen, strict=True):
        place = one
        names = entry.places("name", "field")
        if entry.is_course or len(names) >= _NAMES_OF_A_LIST:
            continue
        if place is None and not entry.places("known"):
            plain = entry.places("name")
            place = next((one for one in names if one in (usual if one in plain else sure)), None)
        if place is not None:
            yield reason, *entry.span(place)
        if not entry.places("place") and (place or entry.places("known")):
            other = next((one for one in names if one in places and one != place), None)
            if other is not None:
                yield "place", *entry.span(other)


def _surely(entry: _Entry, *, is_work: bool) -> tuple[int, int] | None:
    """Which part of an entry names the organisation, as far as the entry itself tells."""
    names, plain = entry.places("name", "field"), entry.places("name")
    if entry.is_course or entry.places("known") or not names or len(names) >= _NAMES_OF_A_LIST:
        return None
    before_places = [place for place in names if entry.after(place) == "place"]
    if before_places and (is_work or before_places[0] in plain):
        return before_places[0]
    if not plain:
        return None
    row, number = plain[0]
    follows_a_degree = not is_work and number > 0 and entry.lines[row][number - 1].kind == "role"
    if entry.has_role and not follows_a_degree:
        return plain[0]
    before_a_date = number == 0 and entry.after(plain[0]) == "date"
    is_all = [part.kind for part in entry.lines[row]] == ["date", "name"] and not is_work
    return plain[0] if before_a_date or is_all else None
