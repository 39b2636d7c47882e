"""Lines of Chinese and Japanese that were cut at a margin, inside of a word or not. Runs in the reading child only.

Between such lines no space is due, and no line end: "机器学" and "习" are one word. A line is taken for cut where it
reaches the margin and the next one goes on as a paragraph does; items of a list do not.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.documents.pdf_lines import Line

# All in sizes of the letters.
STEP = (0.8, 2.5)
FARTHEST_LEFT, FARTHEST_RIGHT = -3.0, 4.5
SAME_COLUMN_WITHIN = 5.0
LETTER_AND_A_BIT = 1.1
AT_MARGIN_WITHIN = 1.2
SHORTEST = 8.0
SURELY_PROSE = 24.0

SAME_SIZE_WITHIN = 0.1
STEPS_OF_PROSE_WITHIN = 1.2
LINES_AROUND = 6
# What must not begin a line takes the letter before it along to the next.
_NOT_FIRST = frozenset("，。、；：？！）》」』】…,.;:?!)ぁぃぅぇぉっゃゅょァィゥェォッャュョー々")


def mark_wrapped(lines: Sequence[Line]) -> None:
    """Set `goes_on` of every line, in reading order, that goes on where the one before was cut."""
    cells = [line.cells()[-1] for line in lines]
    for place, (above, line) in enumerate(pairwise(lines)):
        if _may_be_cut(above, line) and _follows(cells[place], line):
            around = cells[max(0, place - LINES_AROUND) : place + 1 + LINES_AROUND]
            line.goes_on = _is_close(cells[place], line, around) and _is_full(cells[place], line, around)


def _may_be_cut(above: Line, line: Line) -> bool:
    return _is_ideographic(above.words[-1].glyphs[-1].text[-1]) and _is_ideographic(line.first.text[0])


def _is_ideographic(character: str) -> bool:
    """Whether a character is a letter of a script that is written without spaces."""
    name = unicodedata.name(character, "") if unicodedata.east_asian_width(character) == "W" else ""
    return name.startswith(
        ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI", "HIRAGANA", "KATAKANA")
    )


def _follows(above: Line, line: Line) -> bool:
    """Whether a line stands below a cell as the next of its paragraph; the first, or all others, may be indented."""
    last, first = above.words[-1].glyphs[-1], line.first
    size = last.size
    return (
        last.angle == first.angle
        and abs(first.size - size) <= SAME_SIZE_WITHIN * size
        and STEP[0] * size <= last.base - first.base <= STEP[1] * size
        and FARTHEST_LEFT * size <= above.start - line.start <= FARTHEST_RIGHT * size
        and len(line.cells()) == 1
    )


def _is_close(cell: Line, line: Line, around: Sequence[Line]) -> bool:
    """Whether the step between two lines is as small as between others of the column."""
    steps = [_step(one, two) for one, two in pairwise(around) if _are_in_one_column(one, cell)]
    least = STEP[0] * cell.first.size
    return _step(cell, line) <= STEPS_OF_PROSE_WITHIN * min(step for step in steps if step >= least)


def _step(above: Line, line: Line) -> float:
    return above.words[-1].glyphs[-1].base - line.first.base


def _are_in_one_column(one: Line, other: Line) -> bool:
    return abs(one.start - other.start) <= SAME_COLUMN_WITHIN * other.first.size


def _is_full(cell: Line, line: Line, around: Sequence[Line]) -> bool:
    """Whether a cell reaches the margin, where the first letter of the line below had no place.

    The margin is where the others of its column end, and it or some other line ends there, or the cell is surely prose.
    """
    size, end = cell.first.size, cell.end
    letters = "".join(glyph.text for glyph in line.words[0].glyphs[:2])
    lacking = LETTER_AND_A_BIT * size * (2 if letters[1:2] in _NOT_FIRST else 1)
    others = [other for other in around if other is not cell]
    if end - cell.start < SHORTEST * size or any(
        other.end > end + lacking for other in others if _are_in_one_column(other, cell)
    ):
        return False
    return end - cell.start >= SURELY_PROSE * size or any(
        abs(other.end - end) <= AT_MARGIN_WITHIN * size for other in others
    )
