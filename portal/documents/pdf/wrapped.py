"""Lines of Chinese and Japanese that were cut at a margin, inside of a word or not. Runs in the reading child only.

Between such lines no space is due, and no line end: "机器学" and "习" are one word. A line is taken for cut where it
reaches the margin and the next one goes on as a paragraph does; items of a list do not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, takewhile
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
SENTENCE = 14.0
# Room between columns, how uneven a margin may be, and what ends in the same place.
WIDEST_GUTTER, RAGGED, SAME_END_WITHIN = 6.0, 2.0, 0.4
WORDS_OF_PROSE = 3
# How far above or below a cell others of its column tell where the margin is.
NEAR = 25.0

SAME_SIZE_WITHIN = 0.1
STEPS_OF_PROSE_WITHIN = 1.2
# What must not begin a line takes the letter before it along to the next.
_WITHIN_SENTENCES = frozenset("，、；：）》」』】")
_ENDS = frozenset("。！？")
_NOT_FIRST = frozenset("，。、；：？！）》」』】…,.;:?!)ぁぃぅぇぉっゃゅょァィゥェォッャュョー々")


def mark_wrapped(lines: Sequence[Line]) -> None:
    """Set `goes_on` of every line, in reading order, that goes on where the one before was cut."""
    cells = [line.cells()[-1] for line in lines]
    page = _Page(cells, _ends_beside_ideographs(cells))
    for place, line in enumerate(lines[1:]):
        cell = cells[place]
        if len(line.cells()) == 1 and _follows(cell, line) and _may_be_cut(cell, line, page):
            block = _block(cells, place)
            line.goes_on = _is_close(cell, line, block) and _is_full(cell, line, block, page)


@dataclass(frozen=True, slots=True)
class _Page:
    """The last cells of all lines, and the kinds of signs that stand beside ideographs without a space between."""

    cells: Sequence[Line]
    closed: frozenset[str]


def _may_be_cut(above: Line, line: Line, page: _Page) -> bool:
    """Whether the signs at the end of a line and at the begin of the next belong to a text without spaces.

    Where only one of them is Chinese or Japanese, a list may look the same: only what is surely prose is joined there.
    """
    last, first = above.words[-1].glyphs[-1].text[-1], line.first.text[0]
    if is_ideographic(last) and is_ideographic(first):
        return True
    if not _is_of_sentences(above):
        return False
    if last in _WITHIN_SENTENCES:
        return is_ideographic(first) or (first.isascii() and first.isalnum() and not _begins_with_address(line))
    if is_ideographic(last):
        return _kind_of(first) in page.closed
    return is_ideographic(first) and _kind_of(last) in page.closed


def _begins_with_address(line: Line) -> bool:
    """Whether the first word is an address, which stands on a line of its own."""
    return any(glyph.text == "@" for glyph in line.words[0].glyphs)


def _is_of_sentences(cell: Line) -> bool:
    """Whether a cell is Chinese or Japanese prose by its length, or by a shorter length and its signs."""
    letters = [glyph.text for word in cell.words for glyph in word.glyphs]
    if 2 * sum(is_ideographic(letter[-1]) for letter in letters) < len(letters):
        return False
    has_signs = any(letter in _WITHIN_SENTENCES or letter in _ENDS for letter in letters)
    return _is_surely_prose(cell) or (has_signs and cell.end - cell.start >= SENTENCE * cell.first.size)


def _ends_beside_ideographs(cells: Sequence[Line]) -> frozenset[str]:
    """Which kinds of text, Latin words or figures, mostly stand beside ideographs without a space."""
    seams: Counter[str] = Counter()
    for cell in cells:
        words = [word.text.strip() for word in cell.words]
        for word in words:
            seams.update(_seam(left, right) for left, right in pairwise(word))
        seams.subtract(_seam(left[-1], right[0]) for left, right in pairwise(words) if left and right)
    return frozenset(kind for kind, count in seams.items() if kind and count > 0)


def _seam(left: str, right: str) -> str:
    """The kind of the sign beside an ideograph; empty if neither or both of the two are ideographs."""
    if is_ideographic(left):
        return _kind_of(right)
    return _kind_of(left) if is_ideographic(right) else ""


def _kind_of(sign: str) -> str:
    if sign.isdecimal() or sign in "%+":
        return "figure"
    return "word" if sign.isascii() and sign.isalpha() else ""


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
    return _step(cell, line) <= STEPS_OF_PROSE_WITHIN * min(_step(first, second) for first, second in pairwise(block))


def _is_full(cell: Line, line: Line, block: Sequence[Line], page: _Page) -> bool:
    """Whether a cell reaches the margin, where what begins the line below had no place.

    The margin is where the longest of its block ends. Of a short cell no other of its column may end behind it, and
    some other cell must end where it does, unless it has words like prose.
    """
    size, end = cell.first.size, cell.end
    lacking = _room_for_begin(line)
    if end - cell.start < SHORTEST * size or any(other.end > end + lacking for other in block):
        return False
    if _has_room(cell, lacking, page.cells):
        return False
    if _is_surely_prose(cell):
        return True
    if any(other.end > end + lacking for other in _column_around(cell, page.cells)):
        return False
    at_margin = (other is not cell and abs(other.end - end) <= AT_MARGIN_WITHIN * size for other in page.cells)
    return len(cell.words) >= WORDS_OF_PROSE or any(at_margin)


def _has_room(cell: Line, lacking: float, cells: Sequence[Line]) -> bool:
    """Whether much more than what begins the next line had a place behind a cell, and no other ends where it does."""
    size, end = cell.first.size, cell.end
    if any(other is not cell and abs(other.end - end) <= SAME_END_WITHIN * size for other in cells):
        return False
    beside = [
        other.start for other in cells if other.start > end and abs(other.first.base - cell.first.base) <= NEAR * size
    ]
    limit = min(beside) - WIDEST_GUTTER * size if beside else max(other.end for other in cells)
    return limit - end > lacking + RAGGED * size


def _is_surely_prose(cell: Line) -> bool:
    return cell.end - cell.start >= SURELY_PROSE * cell.first.size


def _room_for_begin(line: Line) -> float:
    """The room for what nothing divides at the begin of a line: a letter and what must not begin a line, or a word."""
    glyphs, size = line.words[0].glyphs, line.first.size
    word = list(takewhile(lambda glyph: glyph.text.isascii() and not glyph.is_space, glyphs))
    if word:
        return word[-1].end - word[0].start + (LETTER_AND_A_BIT - 1) * size
    return LETTER_AND_A_BIT * size * (2 if len(glyphs) > 1 and glyphs[1].text[0] in _NOT_FIRST else 1)


def _column_around(cell: Line, cells: Sequence[Line]) -> list[Line]:
    """The cells near above and below that begin where this one does, but for those that reach into the next column."""
    size, base = cell.first.size, cell.first.base
    near = [other for other in cells if abs(other.first.base - base) <= NEAR * size]
    beside = min((other.start for other in near if other.start > cell.end), default=None)
    return [
        other
        for other in near
        if FARTHEST_LEFT * size <= cell.start - other.start <= FARTHEST_RIGHT * size
        and (beside is None or other.end <= beside)
    ]
