"""Lines of Chinese and Japanese that were cut at a margin, inside of a word or not. Runs in the reading child only.

Between such lines no space is due, and no line end: "机器学" and "习" are one word. A line is taken for cut where it
reaches the margin and the next one goes on as a paragraph does; items of a list do not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from portal.documents.pdf.words import is_ideographic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.documents.pdf.lines import Line

# All in sizes of the letters.
STEP = (0.8, 2.5)
FARTHEST_LEFT, FARTHEST_RIGHT = -3.0, 4.5
LETTER_AND_A_BIT = 1.1
AT_MARGIN_WITHIN = 1.2
SHORTEST = 8.0
SURELY_PROSE = 24.0
WORDS_OF_PROSE = 3

SAME_SIZE_WITHIN = 0.1
STEPS_OF_PROSE_WITHIN = 1.2
# What must not begin a line takes the letter before it along to the next.
_NOT_FIRST = frozenset("，。、；：？！）》」』】…,.;:?!)ぁぃぅぇぉっゃゅょァィゥェォッャュョー々")


def mark_wrapped(lines: Sequence[Line]) -> None:
    """Set `goes_on` of every line, in reading order, that goes on where the one before was cut."""
    cells = [line.cells()[-1] for line in lines]
    for place, (above, line) in enumerate(pairwise(lines)):
        if _may_be_cut(above, line) and len(line.cells()) == 1 and _follows(cells[place], line):
            block = _block(cells, place)
            line.goes_on = _is_close(cells[place], line, block) and _is_full(cells[place], line, block, cells)


def _may_be_cut(above: Line, line: Line) -> bool:
    return is_ideographic(above.words[-1].glyphs[-1].text[-1]) and is_ideographic(line.first.text[0])


def _follows(above: Line, line: Line) -> bool:
    """Whether a line stands below another as the next of its paragraph; the first, or all others, may be indented."""
    last, first = above.words[-1].glyphs[-1], line.first
    size = last.size
    return (
        last.angle == first.angle
        and abs(first.size - size) <= SAME_SIZE_WITHIN * size
        and STEP[0] * size <= _step(above, line) <= STEP[1] * size
        and FARTHEST_LEFT * size <= above.start - line.start <= FARTHEST_RIGHT * size
    )


def _step(above: Line, line: Line) -> float:
    return above.words[-1].glyphs[-1].base - line.first.base


def _block(cells: Sequence[Line], place: int) -> Sequence[Line]:
    """The cells around two that follow each other which do so as well."""
    first, last = place, place + 1
    while first > 0 and _follows(cells[first - 1], cells[first]):
        first -= 1
    while last + 1 < len(cells) and _follows(cells[last], cells[last + 1]):
        last += 1
    return cells[first : last + 1]


def _is_close(cell: Line, line: Line, block: Sequence[Line]) -> bool:
    """Whether the step between two lines is as small as between others of their block."""
    return _step(cell, line) <= STEPS_OF_PROSE_WITHIN * min(_step(one, two) for one, two in pairwise(block))


def _is_full(cell: Line, line: Line, block: Sequence[Line], cells: Sequence[Line]) -> bool:
    """Whether a cell reaches the margin, where the first letter of the line below had no place.

    The margin is where the longest of its block ends, if some other cell ends there or the cell is surely prose.
    """
    size, end = cell.first.size, cell.end
    width = end - cell.start
    letters = "".join(glyph.text for glyph in line.words[0].glyphs[:2])
    lacking = LETTER_AND_A_BIT * size * (2 if letters[1:2] in _NOT_FIRST else 1)
    if width < SHORTEST * size or any(other.end > end + lacking for other in block):
        return False
    is_prose = width >= SURELY_PROSE * size or len(cell.words) >= WORDS_OF_PROSE
    return is_prose or any(other is not cell and abs(other.end - end) <= AT_MARGIN_WITHIN * size for other in cells)
