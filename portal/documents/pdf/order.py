"""Puts the lines of a page into the order in which they are read. Runs in the reading child only.

Most programs paint a page from top to bottom, column by column, and that order is kept where it can be. Programs
to design pages paint boxes in the order in which they were made, and browsers what floats before all else: so each line
comes behind those above it in its column, and a date that stands beside an entry is on its line. Lines that cross
columns of prose are cut there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from portal.documents.pdf.lines import Line
from portal.documents.pdf.words import GAP_BETWEEN_CELLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# All in sizes of the letters; a raised figure is no line of its own.
ABOVE_BY, NEXT_LINE_WITHIN = 0.6, 3.0
# Of the narrower line, what it shares with one in the same column.
SHARED_WIDTH = 0.5
MOST_LINES = 400
# A column of prose has lines of several words, and several lines.
LINES_OF_COLUMNS, WORDS_OF_PROSE = 3, 2.5
# A date, with what may stand below it, beside the entry that it belongs to.
MOST_LINES_OF_A_DATE, MOST_WORDS_OF_A_DATE = 3, 8
SAME_LINE_WITHIN, SAME_SIDE_WITHIN, CLOSE_WITHIN, SHORT = 0.5, 1.0, 1.9, 6.0
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}/\d\d(?!\d)")
_MONTHS = (
    "jan|feb|mar|mär|apr|mai|may|maj|jun|jul|aug|sep|okt|oct|nov|dec|dez|ene|abr|ago|dic|fév|avr|juin|juil|aoû|déc|gen"
    "|mag|giu|lug|set|ott"
)
_OF_DATES = (
    "present|now|today|current|currently|ongoing|since|until|to|heute|seit|bis|aujourd’hui|actuel|depuis|actualidad|hoy"
    "|presente|oggi|months?|years?|yrs?|mos?|[年月日至今现在]+"
)
_WORD_OF_A_DATE = re.compile(rf"[\W\d_]*(?:(?:{_MONTHS})[^\W\d_]{{0,7}}|{_OF_DATES})?[\W\d_]*", re.IGNORECASE)


class _Place(NamedTuple):
    """Where a line is."""

    angle: float
    base: float
    size: float
    start: float
    end: float


def in_reading_order(lines: list[Line], painted: Mapping[int, int]) -> list[Line]:
    """The lines of a page as they are read; `painted` tells in which order texts are painted, by address."""
    places: list[int] = []
    for line in lines:
        known = [
            painted[word.glyphs[0].owner.address] for word in line.words if word.glyphs[0].owner.address in painted
        ]
        places.append(min(known, default=places[-1] if places else 0))
    lines = [lines[index] for index in sorted(range(len(lines)), key=places.__getitem__)]
    if len(lines) > MOST_LINES:
        return lines
    return _by_columns(_below_those_above(_with_dates(lines)))


def _place_of(line: Line) -> _Place:
    return _Place(line.first.angle, line.first.base, line.size, line.start, line.end)


def _below_those_above(lines: list[Line]) -> list[Line]:
    """The lines as painted, but each waits for those above it in its column and the one painted right above it."""
    places = [_place_of(line) for line in lines]
    above = [{other for other in range(len(lines)) if _is_below(place, places[other])} for place in places]
    run = 0
    for number, (last, place) in enumerate(pairwise(places), start=1):
        if last.angle == place.angle and 0 <= (last.base - place.base) / (place.size or 1) <= NEXT_LINE_WITHIN:
            above[number].add(number - 1)
            continue
        # A column that begins where the one painted before it does.
        if places[run].angle == place.angle and abs(places[run].base - place.base) <= SAME_LINE_WITHIN * place.size:
            above[number].add(run)
        run = number
    below: defaultdict[int, list[int]] = defaultdict(list)
    for number, others in enumerate(above):
        for other in others:
            below[other].append(number)
    ready = [number for number, others in enumerate(above) if not others]
    ordered: list[Line] = []
    while ready:
        read = heappop(ready)
        ordered.append(lines[read])
        for number in below[read]:
            above[number].discard(read)
            if not above[number]:
                heappush(ready, number)
    return ordered


def _is_below(line: _Place, other: _Place) -> bool:
    """Whether a line stands below another one in the same column."""
    if line.angle != other.angle or other.base - line.base <= ABOVE_BY * max(line.size, other.size):
        return False
    shared = min(line.end, other.end) - max(line.start, other.start)
    return shared > SHARED_WIDTH * min(line.end - line.start, other.end - other.start)


def _with_dates(lines: list[Line]) -> list[Line]:
    """The lines, with dates that stand apart beside an entry put on the line of the entry."""
    places = [_place_of(line) for line in lines]
    dates = [number for number, line in enumerate(lines) if places[number].angle == 0 and _is_date(line)]
    entries = {number: entry for number in dates if (entry := _entry_beside(number, places, dates)) is not None}
    moved: set[int] = set()
    blocks: defaultdict[int, list[list[int]]] = defaultdict(list)
    for number, beside in entries.items():
        # Dates that stand in a column of dates have entries beside them, all of them; in a sidebar a few may.
        column = [other for other in dates if _are_aligned(places[number], places[other])]
        block = _block_below(number, places)
        if len(column) > 1 and all(other in entries for other in column) and moved.isdisjoint(block):
            moved.update(block)
            blocks[beside].append(block)
    joined: list[Line] = []
    for number, line in enumerate(lines):
        if number not in moved:
            joined += _beside(line, [[lines[other] for other in block] for block in blocks[number]])
    return joined


def _beside(entry: Line, blocks: Sequence[list[Line]]) -> list[Line]:
    """An entry with the dates at its left and right: on its line, but for what takes several lines."""
    before = [block for block in blocks if block[0].start < entry.start]
    behind = [block for block in blocks if block[0].start >= entry.start]
    high = [line for block in before if len(block) > 1 for line in block]
    low = [line for block in behind for line in block[1:]]
    flat = [block[0] for block in before if len(block) == 1], [block[0] for block in behind]
    return [*high, Line([word for cell in (*flat[0], entry, *flat[1]) for word in cell.words]), *low]


def _is_date(line: Line) -> bool:
    words = line.text.split()
    return (
        len(words) <= MOST_WORDS_OF_A_DATE
        and _YEAR.search(line.text) is not None
        and all(_WORD_OF_A_DATE.fullmatch(word) for word in words)
    )


def _entry_beside(number: int, places: Sequence[_Place], dates: Sequence[int]) -> int | None:
    """The one line at the same height as a date; None if there is none, or several."""
    date = places[number]
    beside = [
        other
        for other, place in enumerate(places)
        if other not in dates
        and abs(place.base - date.base) <= SAME_LINE_WITHIN * max(place.size, date.size)
        and (place.start >= date.end or place.end <= date.start)
    ]
    return beside[0] if len(beside) == 1 else None


def _are_aligned(first: _Place, second: _Place) -> bool:
    """Whether two lines begin or end at the same place."""
    return min(abs(first.start - second.start), abs(first.end - second.end)) <= SAME_SIDE_WITHIN * first.size


def _block_below(number: int, places: Sequence[_Place]) -> list[int]:
    """A date with the few short lines right below it in its column, such as its second line or a place."""
    date = places[number]
    column = [
        (other, place)
        for other, place in enumerate(places)
        if place.angle == date.angle
        and place.base <= date.base
        and _are_aligned(date, place)
        and place.end - place.start <= 1.5 * max(date.end - date.start, SHORT * date.size)
    ]
    column.sort(key=lambda entry: -entry[1].base)
    block = [number]
    for (_, above), (other, place) in pairwise(column):
        if above.base - place.base > CLOSE_WITHIN * date.size or len(block) == MOST_LINES_OF_A_DATE:
            break
        block.append(other)
    return block


def _by_columns(lines: list[Line]) -> list[Line]:
    """Lines that cross a gutter between columns of prose, cut there and put column after column."""
    ordered: list[Line] = []
    place = 0
    while place < len(lines):
        run, gutter = _run_with_gutter(lines, place)
        if gutter is None:
            ordered.append(lines[place])
            place += 1
            continue
        sides = [_cut(line, gutter) for line in run]
        ordered += [left for left, _ in sides if left is not None]
        ordered += _by_columns([right for _, right in sides if right is not None])
        place += len(run)
    return ordered


def _run_with_gutter(lines: list[Line], place: int) -> tuple[list[Line], float | None]:
    """The lines from `place` on that leave one gutter free, and the middle of it."""
    for left, right in pairwise(lines[place].cells()):
        free = (left.end, right.start)
        run: list[Line] = []
        for line in lines[place:]:
            narrowed = _free_in(line, free)
            if narrowed is None or (run and not _follows(run[-1], line)):
                break
            free = narrowed
            run.append(line)
        middle = (free[0] + free[1]) / 2
        cut = [_cut(line, middle) for line in run]
        both = [(left_part, right_part) for left_part, right_part in cut if left_part and right_part]
        if len(both) >= LINES_OF_COLUMNS and all(_is_prose(side) for side in zip(*both, strict=True)):
            return run, middle
    return [], None


def _free_in(line: Line, free: tuple[float, float]) -> tuple[float, float] | None:
    """The part of the gutter that the line leaves free; None if it is too narrow."""
    left, right = free
    for word in line.words:
        if word.end <= left or word.start >= right:
            continue
        if word.start <= left and word.end >= right:
            return None
        if word.start <= left or word.end - left < right - word.start:
            left = max(left, word.end)
        else:
            right = min(right, word.start)
    # A bullet may be smaller than the words behind it.
    size = max(line.first.size, line.last.size)
    return (left, right) if right - left >= GAP_BETWEEN_CELLS * size / 2 else None


def _follows(above: Line, below: Line) -> bool:
    step = above.first.base - below.first.base
    return above.first.angle == below.first.angle and 0 < step <= NEXT_LINE_WITHIN * max(
        above.first.size, below.first.size
    )


def _cut(line: Line, middle: float) -> tuple[Line | None, Line | None]:
    left = [word for word in line.words if (word.start + word.end) / 2 < middle]
    right = [word for word in line.words if (word.start + word.end) / 2 >= middle]
    return (Line(left) if left else None), (Line(right) if right else None)


def _is_prose(lines: Iterable[Line]) -> bool:
    lines = list(lines)
    has_dates = 2 * sum(map(_is_date, lines)) >= len(lines)
    return not has_dates and sum(len(line.words) for line in lines) >= WORDS_OF_PROSE * len(lines)
