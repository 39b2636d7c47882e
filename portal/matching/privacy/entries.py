"""Employers and schools that only their place tells: "Engineer, Neural Dynamics, 2020" below "Experience"."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Literal

from portal.matching.privacy.patterns import FIELDS
from portal.matching.privacy.words import BESIDE, DEGREES, EDUCATION, OTHERS, ROLES, TECHNOLOGIES, WORK, set_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching.privacy.patterns import Found, Reason

_Kind = Literal["date", "place", "known", "role", "name", "field", "other"]
_LONGEST_HEADING = 60
_LONGEST_LINE = 200
_MOST_WORDS = 6
_MOST_PARTS = 9
_LINES_OF_AN_ENTRY = 3
_OF_COMPANIES = ("Analytics", "Labs", "Solutions", "Technologies")
_MOST_REPEATED = 50  # names that are looked for elsewhere in a text
_MARKS = {"date": "\x01", "place": "\x02", "employer": "\x03", "school": "\x03"}
_BULLET = re.compile(r"[ \t]*(?:[-–—*•◦▪‣·○●►➢]|\\item|\(?\d{1,2}[.)])[ \t]+")
_APART = re.compile(
    r"[ \t]*[,;|•·\t()][ \t]*|[ \t][-–—@][ \t]|[ \t]{2,}|[ \t](?:at|with|bei|beim|chez|presso|hos|bij)[ \t]|:"
    r"(?=[ \t]|$)"
)
_WORD = re.compile(r"[^\s,;:|()]+")
_FIELD = re.compile(
    rf"(?<!\w)(?:{FIELDS}|\w*[Ss]ciences?|\w*[Ee]ngineering|\w*[Mm]athematics|Physics|Statistics|Arts)(?!\w)"
)
# Subjects end so, or are many: "Adaptive Batching", "Page Table Walks".
_ABSTRACT = re.compile(r"(?:ing|[st]ion|ity|ics|ment|ism|[ae]ncy|[ae]nce|graphy|ology)$|[^us]s$")
_COURSE = set_of("teaching teacher tutor tutoring lecturer grader instructor ta course courses thesis gpa grade topic")
_JOINING = set_of("of and & the for in on de del la le les du des et y e di da do für und der van von")


def organisations(text: str, removed: Sequence[Found]) -> Iterator[Found]:
    """The employers and schools identified by position; `removed` is what was already found to be left out."""
    marked = list(text)
    for reason, start, end in removed:
        if sign := _MARKS.get(reason):
            marked[start:end] = [letter if letter == "\n" else sign for letter in text[start:end]]
    found = list(_in_sections(text, "".join(marked)))
    yield from found
    names = {text[start:end]: reason for reason, start, end in found if _kind(text[start:end]) == "name"}
    for name in islice(names, _MOST_REPEATED):
        yield from ((names[name], *match.span()) for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _in_sections(text: str, marked: str) -> Iterator[Found]:
    section: Reason | Literal["other"] = "other"
    block: list[list[tuple[_Kind, int, int]]] = []
    start = 0
    for line in marked.split("\n"):
        if heading := _section(text[start : start + len(line)]):
            yield from _named(block, section)
            section, block = heading, []
        elif section != "other":
            is_head = line.strip() and len(line) <= _LONGEST_LINE and (not _BULLET.match(line) or "\x01" in line)
            has_date = any(part[0] == "date" for row in block for part in row)
            if not is_head or (has_date and (len(block) >= _LINES_OF_AN_ENTRY or "\x01" in line)):
                yield from _named(block, section)
                block = []
            if is_head:
                block.append(list(_parts(line, start)))
        start += len(line) + 1
    yield from _named(block, section)


def _section(line: str) -> Reason | Literal["other", ""]:
    """What the entries below a heading name, if anything; empty if the line is no heading."""
    head, colon, rest = line[:_LONGEST_HEADING].partition(":")
    words = [word.strip("*_#=.•|") for word in head.casefold().split()]
    telling = [word for word in words if word and word not in BESIDE]
    is_long = len(words) > _MOST_WORDS or (not colon and len(line.rstrip()) > _LONGEST_HEADING)
    if not telling or is_long or not all(word in WORK | EDUCATION | OTHERS for word in telling):
        return ""
    if not OTHERS.isdisjoint(telling):
        return "other"
    return "" if rest.strip() else "school" if telling[0] in EDUCATION else "employer"


def _named(block: Sequence[Sequence[tuple[_Kind, int, int]]], section: Reason | Literal["other"]) -> Iterator[Found]:
    """The organisation in the first lines of an entry: the first name beside a date and a role, or before a place."""
    parts = [part for row in block for part in row]
    kinds = [part[0] for part in parts]
    if section == "other" or "date" not in kinds or "known" in kinds or len(kinds) > _MOST_PARTS:
        return
    for number, kind in enumerate(kinds):
        before, behind = kinds[number - 1] if number else "", kinds[number + 1] if number + 1 < len(kinds) else ""
        is_subject = section == "school" and before == "role"
        is_beside = behind == "date" if number == 0 else before == "date" and number + 1 == len(kinds)
        is_named = kind == "name" and not is_subject and ("role" in kinds or is_beside)
        if is_named or (behind == "place" and (kind == "name" or (kind == "field" and not is_subject))):
            yield section, parts[number][1], parts[number][2]
            return


def _parts(line: str, offset: int) -> Iterator[tuple[_Kind, int, int]]:
    """The parts of a line, each with its kind and where it stands in the text."""
    bullet = _BULLET.match(line)
    position = bullet.end() if bullet else 0
    is_inside = False
    while position <= len(line):
        separator = _APART.search(line, position)
        stop = separator.start() if separator else len(line)
        part = line[position:stop].strip()
        if part:
            start = offset + line.index(part, position)
            kind = _kind(part)
            yield ("other" if is_inside and kind == "name" else kind), start, start + len(part)
        if not separator or separator.group() == ":":
            return
        is_inside = "(" in separator.group()
        position = separator.end()


def _kind(part: str) -> _Kind:
    """What a part of an entry is, in which marks stand for what was found before."""
    for kind, sign in (("known", "\x03"), ("date", "\x01"), ("place", "\x02")):
        if sign in part:
            return kind  # type: ignore[return-value]
    words = _WORD.findall(part)
    small = {word.casefold().strip(".") for word in words}
    if not small.isdisjoint(ROLES | DEGREES):
        return "role"
    may_be_a_name = (
        0 < len(words) <= _MOST_WORDS
        and words[0][:1].isupper()
        and all(not word[:1].islower() or word in _JOINING for word in words)
        and small.isdisjoint(_COURSE | TECHNOLOGIES)
        and not (len(words) == 1 and not words[0][1:].islower())
    )
    # A word alone may be a tool as well as a company, and a name with a word of the field may be a subject.
    is_tool = len(words) == 1 and "-" not in part
    is_company = len(words) > 1 and words[-1] in _OF_COMPANIES
    if may_be_a_name and not is_company and (is_tool or _FIELD.search(part) or _ABSTRACT.search(words[-1])):
        return "field"
    return "name" if may_be_a_name else "other"
