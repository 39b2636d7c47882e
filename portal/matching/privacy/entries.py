"""Employers and schools in a resume's entries that only their position identifies.

"Neural Dynamics" is an employer in "Engineer, Neural Dynamics, 2020 – 2022" below "Experience": a line with a date, a
role and one more name. If the line leaves open which part it is, similar entries of the section decide.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Literal

from portal.matching.privacy.entry_parts import NAMES_OF_A_LIST, entries_of, kind_of_part, masked
from portal.matching.privacy.sections import BESIDE, EDUCATION, OTHERS, ROLES, WORK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching.privacy.entry_parts import Entry
    from portal.matching.privacy.search import Reason


_LONGEST_HEADING = 60
_MOST_WORDS = 6
_MOST_REPEATED = 50
"""Names that are looked for elsewhere in a text."""
_WITH_A_ROLE = re.compile(
    r"[ \t]*(?:[-–—*•◦▪‣·○●►➢][ \t]*)?(?P<name>(?:[^\W\d_]|\x02)[^\n,;|()–—:\t]{1,60}?)[ \t]+[-–—|][ \t]+"
    r"(?P<role>[^\W\d_][^\n,;|()–—:\t]{2,40}?)[ \t]*(?=[:,;(|]|$)"
)
_HEADINGS = WORK | EDUCATION | OTHERS


def organisations(text: str, removed: Sequence[tuple[Reason, int, int]]) -> Iterator[tuple[Reason, int, int]]:
    """The employers and schools identified by position; `removed` is what was already found to be left out."""
    lines = list(_lines(text))
    headings = [(index, kind) for index, (start, end) in enumerate(lines) if (kind := _section(text[start:end]))]
    if not any(kind != "other" for _, kind in headings):
        return
    marked = masked(text, removed)
    found: list[tuple[Reason, int, int]] = []
    for (index, kind), (next_index, _) in zip(headings, [*headings[1:], (len(lines), "other")], strict=True):
        if kind == "other":
            continue
        below = lines[index + 1 : next_index]
        found += _named(entries_of(marked, below), is_work=kind == "work")
        if kind == "work":
            found += _undated(marked, below)
    yield from found
    yield from _repeated(text, found)


def _undated(marked: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[Reason, int, int]]:
    """Employers in lines without a date, before a dash and a role: "Neural Dynamics — intern: …"."""
    for start, end in lines:
        line = _WITH_A_ROLE.match(marked, start, end)
        if line is None or not all(word in ROLES or word in BESIDE for word in line["role"].casefold().split()):
            continue
        kind = kind_of_part(line["name"])
        if kind in {"name", "field"} or (kind == "place" and any(map(str.isalpha, line["name"]))):
            yield "employer", *line.span("name")


def _repeated(text: str, found: Sequence[tuple[Reason, int, int]]) -> Iterator[tuple[Reason, int, int]]:
    """Where else the names of several words stand that are no subjects."""
    names: dict[str, Reason] = {}
    for reason, start, end in found:
        name = text[start:end]
        if reason != "place" and " " in name and kind_of_part(name) == "name":
            names.setdefault(name, reason)
    if names:
        pattern = "|".join(map(re.escape, islice(names, _MOST_REPEATED)))
        for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text):
            yield names[match.group()], *match.span()


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _section(line: str) -> Literal["work", "education", "other", ""]:
    """The section that a heading begins; empty for other lines."""
    head, colon, _ = line[:_LONGEST_HEADING].partition(":")
    if not colon and len(line.rstrip()) > _LONGEST_HEADING:
        return ""
    words = [word.strip("*_#=.•|") for word in head.casefold().split()]
    identifying = [word for word in words if word and word not in BESIDE]
    if not identifying or len(words) > _MOST_WORDS or not all(word in _HEADINGS for word in identifying):
        return ""
    if any(word in OTHERS for word in identifying):
        return "other"
    if colon and line.partition(":")[2].strip():
        return ""
    return "education" if identifying[0] in EDUCATION or not WORK.intersection(identifying) else "work"


def _named(entries: Sequence[Entry], *, is_work: bool) -> Iterator[tuple[Reason, int, int]]:
    """The organisations in the entries of a section that no other rule found, and the places beside them."""
    reason: Reason = "employer" if is_work else "school"
    chosen = [_surely(entry, is_work=is_work) for entry in entries]
    sure = {place for entry in entries for place in entry.places("known")}
    usual = sure | {place for place in chosen if place}
    places = {place for entry in entries for place in entry.places("place")}
    for entry, chosen_place in zip(entries, chosen, strict=True):
        place = chosen_place
        names = entry.places("name", "field")
        if entry.is_course or len(names) >= NAMES_OF_A_LIST:
            continue
        if place is None and not entry.places("known"):
            plain = entry.places("name")
            place = next((name for name in names if name in (usual if name in plain else sure)), None)
        if place is not None:
            yield reason, *entry.span(place)
        if not entry.places("place") and (place or entry.places("known")):
            other = next((name for name in names if name in places and name != place), None)
            if other is not None:
                yield "place", *entry.span(other)


def _surely(entry: Entry, *, is_work: bool) -> tuple[int, int] | None:
    """The part of an entry that names the organisation, if the entry alone decides."""
    names, plain = entry.places("name", "field"), entry.places("name")
    if entry.is_course or entry.places("known") or not names or len(names) >= NAMES_OF_A_LIST:
        return None
    before_places = [place for place in names if entry.after(place) == "place"]
    if before_places and (is_work or before_places[0] in plain):
        return before_places[0]
    if not plain:
        return None
    if is_work and [[part.kind for part in line] for line in entry.lines[:2]] == [["name"], ["date"]]:
        return plain[0]
    row, number = plain[0]
    follows_a_degree = not is_work and number > 0 and entry.lines[row][number - 1].kind == "role"
    if entry.has_role and not follows_a_degree:
        return plain[0]
    before_a_date = number == 0 and entry.after(plain[0]) == "date"
    is_all = [part.kind for part in entry.lines[row]] == ["date", "name"] and not is_work
    return plain[0] if before_a_date or is_all else None
