"""The entries in a section of a resume, and the kinds of the parts of their first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.language.spelling import is_common
from portal.matching.privacy.groups import FIELDS
from portal.matching.privacy.name_words import TECHNOLOGIES
from portal.matching.privacy.sections import DEGREES, GROUPS, JOINING, LABELS, ROLES, TEACHING, TECHNICAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching.privacy.search import Reason

Kind = Literal["date", "place", "known", "role", "name", "field", "other"]
"""What a part of an entry is: `known` names an organisation for sure, `name` may, `field` may be a subject."""
_LONGEST_LINE = 200
_LINES_OF_AN_ENTRY = 3
_BULLET = re.compile(r"[ \t]*(?:[-–—*•◦▪‣·○●►➢]|\\item)[ \t]*(?=[^\W\d_])")
_NUMBER = re.compile(r"[ \t]*(?:\(?\d{1,2}[.)]|[a-z]\))[ \t]+")
_APART = re.compile(
    r"[ \t]*[,;|•·\t()][ \t]*|[ \t][-–—@][ \t]|[ \t]{2,}|[ \t](?:at|with|bei|beim|chez|presso|hos|bij)[ \t]"
    r"|:(?=[ \t\n]|$)|(?<=\w\w)\.(?=[ \t])"
)
_MOST_WORDS = 6
NAMES_OF_A_LIST = 3
_MARKS = {"date": "\x01", "place": "\x02", "employer": "\x03", "school": "\x03"}
_YEAR = re.compile(
    r"(?<!\d)(?:19[89]|20[0-3])\d(?!\d)|\x01"
    r"|(?<![^\n])[ \t]*\d{1,2}[ \t](?:yrs?|years?|mos?|months?)(?:[ \t]\d{1,2}[ \t](?:mos?|months?))?[ \t]*(?![^\n])"
)
"""Of a date, or a line that is nothing but a time ("4 years 7 months")."""
_FIELD = re.compile(rf"(?<!\w)(?:{FIELDS})(?!\w)")
_SUBJECT = re.compile(
    r"(?<!\w)(?:\w{0,20}[Ss]ciences?|\w{0,20}[Ee]ngineering|\w{0,20}[Mm]athematics|Math|Maths|Statistics|Physics|Chemistry"
    r"|Biology|Economics|Electronics|\w{0,20}[Ii]nformatics|Informatik|Informatique|Informática|Mechanics|Medicine"
    r"|Linguistics|Psychology|Finance|Management|Technology|Design|Electrical|Philosophy|Business|Robotics|Arts|CSE|ECE|EEE)(?!\w)"
)
_MOST_CAPITALS = 5
_ABSTRACT = re.compile(r"(?:ing|[st]ion|ity|ics|ment|ism|[ae]ncy|[ae]nce|graphy|ology)$|[^su]s$")
"""Subjects end so, or are many: "Adaptive Batching", "Page Table Walks"."""
_OF_COMPANIES = frozenset(
    {"analytics", "computing", "consulting", "labs", "software", "solutions", "systems", "technologies", "works"}
)
"""Names of companies end so, and subjects."""
_OF_THE_FIELD = TECHNICAL | TECHNOLOGIES
_WORD = re.compile(r"[^\s,;:|()]+")


def masked(text: str, removed: Sequence[tuple[Reason, int, int]]) -> str:
    """The text with a mark for each character found to be of a date, place or organisation."""
    letters = list(text)
    for reason, start, end in removed:
        sign = _MARKS.get(reason)
        if sign is None:
            continue
        for place in range(start, end):
            if letters[place] != "\n":
                letters[place] = sign
    return "".join(letters)


class _Part(NamedTuple):
    kind: Kind
    start: int
    end: int


@dataclass(slots=True)
class Entry:
    """The parts of an entry's first lines; whether these contain a role or degree, or a course."""

    lines: list[list[_Part]]
    has_role: bool
    is_course: bool

    def places(self, *kinds: Kind) -> list[tuple[int, int]]:
        """Line and index of the parts of these kinds."""
        return [
            (row, number)
            for row, parts in enumerate(self.lines)
            for number, part in enumerate(parts)
            if part.kind in kinds
        ]

    def span(self, place: tuple[int, int]) -> tuple[int, int]:
        """Where a part is in the text."""
        part = self.lines[place[0]][place[1]]
        return part.start, part.end

    def after(self, place: tuple[int, int]) -> Kind | None:
        """The kind of the next part on the line."""
        row, number = place
        return self.lines[row][number + 1].kind if number + 1 < len(self.lines[row]) else None


def entries_of(masked: str, lines: Sequence[tuple[int, int]]) -> list[Entry]:
    """The entries of a section: lines with a date, and adjacent lines of few words."""
    heads = [_is_head(masked[start:end]) for start, end in lines]
    entries: list[Entry] = []
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
    """Whether an entry lacks a name or a role, which the next line may contain."""
    entry = _entry(masked, lines[first:number])
    is_incomplete = not entry.has_role or not entry.places("known", "name", "field")
    return is_incomplete and not _YEAR.search(masked, *lines[number])


def _is_head(line: str) -> bool:
    """Whether a line may be one of an entry's first lines, rather than of the description below."""
    if len(line) > _LONGEST_LINE:
        line = line[: line.find(". ")]
    if not line.strip() or len(line) > _LONGEST_LINE:
        return False
    words = _WORD.findall(line)
    if _BULLET.match(line):
        return bool(_YEAR.search(line)) and not ROLES.isdisjoint(map(str.casefold, words))
    if not words or words[0].casefold() in LABELS:
        return False
    if _YEAR.search(line):
        return True
    is_list = len(_APART.split(line.strip())) >= NAMES_OF_A_LIST
    if is_list and "\x02" not in line and ROLES.isdisjoint(word.casefold() for word in words):
        return False
    is_short = len(words) <= _MOST_WORDS and not line.rstrip().endswith(".")
    return is_short and all(word == "at" or _may_be_of_a_name(word) for word in words)


def _entry(masked: str, block: Sequence[tuple[int, int]]) -> Entry:
    words = {word.casefold().strip(".") for start, end in block for word in _WORD.findall(masked, start, end)}
    return Entry(
        [list(_parts(masked, start, end)) for start, end in block],
        bool(words & ROLES) or bool(words & DEGREES),
        bool(words & TEACHING),
    )


def _parts(masked: str, start: int, end: int) -> Iterator[_Part]:
    """The parts of a line, up to the beginning of a description."""
    numbering = _NUMBER.match(masked, start, end) or _BULLET.match(masked, start, end)
    position = numbering.end() if numbering else start
    has_date = is_inside = False
    part_count = 0
    while position <= end:
        separator = _APART.search(masked, position, end)
        stop = separator.start() if separator else end
        part = masked[position:stop]
        if part.strip():
            kind = kind_of_part(part.strip())
            has_date |= kind == "date"
            part_count += 1
            left = len(part) - len(part.lstrip())
            # Brackets contain what was used rather than for whom.
            kind = "other" if is_inside and kind in {"name", "field"} else kind
            yield _Part(kind, position + left, position + len(part.rstrip()))
        if not separator or (separator.group() in {":", "."} and has_date and part_count > 1):
            return
        is_inside = "(" in separator.group() or (is_inside and ")" not in separator.group())
        position = separator.end()


def kind_of_part(part: str) -> Kind:
    """What a part of an entry is, in which marks stand for what was found before."""
    if "\x03" in part:
        return "known"
    if _YEAR.search(part):
        return "date"
    if "\x02" in part:
        return "place"
    return _kind_of_words(part)


def _kind_of_words(part: str) -> Kind:
    words = _WORD.findall(part)
    small = {word.casefold().strip(".") for word in words}
    if not small.isdisjoint(ROLES | DEGREES | TEACHING):
        return "role"
    if (
        not words
        or len(words) > _MOST_WORDS
        or not words[0][:1].isupper()
        or not all(map(_may_be_of_a_name, words))
        or (words[-1].casefold() in GROUPS and not _is_company_group(words))
        or _SUBJECT.search(part)
        or _is_technical(words, small)
    ):
        return "other"
    # An uncommon word may be a tool as well as a company.
    may_be_a_tool = len(words) == 1 and "-" not in part and not is_common(part.casefold())
    may_be_a_subject = _FIELD.search(part) or _ABSTRACT.search(words[-1]) or not small.isdisjoint(_OF_THE_FIELD)
    is_a_company = words[-1].casefold() in _OF_COMPANIES and _may_be_called(words[:-1])
    return "field" if may_be_a_tool or (may_be_a_subject and not is_a_company) else "name"


def _is_technical(words: Sequence[str], small: set[str]) -> bool:
    """Whether words name a technology or a subject."""
    if len(words) > 1:
        return "apache" in small or small <= TECHNICAL | JOINING
    word = words[0]
    is_short = word.isupper() and len(word) <= _MOST_CAPITALS
    is_written_apart = "-" not in word and not (word.isupper() or word[1:].islower())  # PyTorch
    return is_short or is_written_apart or word.casefold() in _OF_THE_FIELD


def _is_company_group(words: Sequence[str]) -> bool:
    """Whether a "Group" is a company: called by a word that is neither common nor of the field nor an abbreviation."""
    return len(words) > 1 and words[-1] == "Group" and words[0][1:].islower() and _may_be_called(words[:-1])


def _may_be_called(words: Sequence[str]) -> bool:
    """Whether words may precede "Systems" in the name of a company: two of no field, or one that is no common word."""
    forms = [word.casefold() for word in words]
    of_no_field = [form for form in forms if form not in _OF_THE_FIELD and not _ABSTRACT.search(form)]
    return len(of_no_field) > 1 or (len(forms) == 1 == len(of_no_field) and not is_common(forms[0]))


def _may_be_of_a_name(word: str) -> bool:
    return not word[:1].islower() or word in JOINING
