"""Groups the glyphs of a page into lines of words, in reading order. Runs in the reading child only.

Runs of lines that stand in two or more columns of prose are read column by column.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, starmap
from types import MappingProxyType
from typing import TYPE_CHECKING

from portal.documents.pdf.advances import is_full_width
from portal.documents.pdf.order import in_reading_order
from portal.documents.pdf.rows import as_painted, is_read_from_right, left_to_right, rows_of, with_signs_behind
from portal.documents.pdf.spreads import spreads_of
from portal.documents.pdf.words import GAP_BETWEEN_CELLS, Word, words_of
from portal.documents.pdf.wrapped import mark_wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from portal.documents.pdf.glyphs import Glyph

# All in sizes of the letters.
NEXT_LINE_WITHIN = 3.0
SAME_SPINE_WITHIN = 0.3
SPINE_STEP = 1.6
LETTERS_OF_A_SPINE = 3

# A column of prose has lines of several words, and several lines.
LINES_OF_COLUMNS = 3
WORDS_OF_PROSE = 2.5


@dataclass(slots=True)
class Line:
    """Words beside each other, or a part of them that stands apart.

    `goes_on` tells that the line before ends inside of a word, or of a text without spaces, which goes on here.
    """

    words: list[Word]
    goes_on: bool = False

    @property
    def first(self) -> Glyph:
        """Its first glyph."""
        return self.words[0].glyphs[0]

    @property
    def start(self) -> float:
        """Where it begins."""
        return min(word.start for word in self.words)

    @property
    def end(self) -> float:
        """Where it ends."""
        return max(word.end for word in self.words)

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(word.text for word in self.words)

    @property
    def size(self) -> float:
        """The size of its smallest letters: one large initial makes no title."""
        return min(glyph.size for word in self.words for glyph in word.glyphs)

    def cells(self) -> list[Line]:
        """Its parts between wide gaps."""
        cells: list[list[Word]] = []
        for word in self.words:
            wide = GAP_BETWEEN_CELLS * word.glyphs[0].size
            if cells and word.start - cells[-1][-1].end < wide:
                cells[-1].append(word)
            else:
                cells.append([word])
        return [Line(words) for words in cells]


def lines_of(glyphs: Iterable[Glyph], order: Mapping[int, int] = MappingProxyType({})) -> list[Line]:
    """The lines of a page, in reading order; `order` tells in which one texts are painted, by address."""
    glyphs = list(glyphs)
    spreads = spreads_of(glyphs)
    rows = rows_of(glyphs)
    is_from_right = is_read_from_right(glyphs)
    rows = as_painted(rows, order) if is_from_right else rows
    lines = [Line(words) for row in rows if (words := words_of(left_to_right(row), spreads))]
    if is_from_right:
        for word in (word for line in lines for word in line.words):
            word.glyphs = with_signs_behind(word.glyphs)
    upright = _upright(lines)
    ordered = _by_columns(upright if is_from_right else in_reading_order(upright))
    mark_wrapped(ordered)
    return ordered


def _upright(lines: list[Line]) -> list[Line]:
    """The lines, with East Asian letters that stand below each other, as on a spine, put into one."""
    joined: list[Line] = []
    last: Glyph | None = None
    for place, line in enumerate(lines):
        glyph = _only_letter(line)
        if glyph is not None and last is not None and _is_below(last, glyph):
            joined[-1].words[0].glyphs.append(glyph)
        elif glyph is not None and _begins_a_spine(lines[place : place + LETTERS_OF_A_SPINE]):
            joined.append(line)
        else:
            glyph = None
            joined.append(line)
        last = glyph
    return joined


def _begins_a_spine(lines: list[Line]) -> bool:
    letters = [glyph for line in lines if (glyph := _only_letter(line)) is not None]
    return len(letters) == LETTERS_OF_A_SPINE and all(starmap(_is_below, pairwise(letters)))


def _only_letter(line: Line) -> Glyph | None:
    """The East Asian letter or sign that is all of the line."""
    glyph = line.first
    return glyph if is_full_width(glyph.text) and len(line.words) == len(line.words[0].glyphs) == 1 else None


def _is_below(above: Glyph, below: Glyph) -> bool:
    step = above.base - below.base
    centres = (above.start + above.end - below.start - below.end) / 2
    size = max(above.size, below.size)
    return above.angle == below.angle and abs(centres) <= SAME_SPINE_WITHIN * size and 0 < step <= SPINE_STEP * size


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
    cells = lines[place].cells()
    for left, right in pairwise(cells):
        free = (left.end, right.start)
        run: list[Line] = []
        for line in lines[place:]:
            narrowed = _free_in(line, free)
            if narrowed is None or (run and not _follows(run[-1], line)):
                break
            free = narrowed
            run.append(line)
        middle = (free[0] + free[1]) / 2
        both = [
            (left_part, right_part)
            for left_part, right_part in (_cut(line, middle) for line in run)
            if left_part is not None and right_part is not None
        ]
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
    size = max(line.first.size, line.words[-1].glyphs[0].size)
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
    counts = [len(line.words) for line in lines]
    return sum(counts) >= WORDS_OF_PROSE * len(counts)
