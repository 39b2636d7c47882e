"""Groups the glyphs of a page into lines of words. Runs in the reading child only.

Most programs set a line from one end to the other. Some set it in pieces, such as the letters that a font lacks after
all others. Letters of scripts from the right to the left come from pdfium in the order of reading.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from portal.documents.pdf.words import GAP_BETWEEN_CELLS, Word, is_right_to_left, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from portal.documents.pdf.glyphs import Glyph

# All in sizes of the letters.
SAME_LINE_WITHIN, SAME_BASE_WITHIN, LARGER_WITHIN = 0.5, 0.1, 1.25
MOST_BACKWARDS = 1.0
# A piece of a line stands no farther from the rest of it than a word does.
BESIDE_WITHIN, TOUCHING_WITHIN, OVERLAP_WITHIN = 0.6, 0.35, 0.2
MOST_AT_BASE, MOST_GLYPHS = 12, 1_000
# On a page of a script from the right to the left, signs that end names (C++, C#) are painted on the left.
FROM_RIGHT_SHARE = 0.25
_SIGNS_OF_NAMES = frozenset("+#")


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
    def last(self) -> Glyph:
        """Its last glyph."""
        return self.words[-1].glyphs[-1]

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
            if cells and word.start - cells[-1][-1].end < GAP_BETWEEN_CELLS * word.glyphs[0].size:
                cells[-1].append(word)
            else:
                cells.append([word])
        return [Line(words) for words in cells]


def lines_of(glyphs: Sequence[Glyph]) -> list[Line]:
    """The lines of a page in the order of the file."""
    letters = [glyph for glyph in glyphs if glyph.text[0].isalpha()]
    is_from_right = sum(map(is_right_to_left, letters)) > FROM_RIGHT_SHARE * len(letters)
    lines = [Line(words) for row in _rows_of(glyphs) if (words := list(words_of(row)))]
    if is_from_right:
        for word in (word for line in lines for word in line.words):
            word.glyphs = _with_signs_behind(word.glyphs)
    return lines


def _with_signs_behind(word: list[Glyph]) -> list[Glyph]:
    """A word of a page that is read from the right, with the signs that end a Latin name behind it: ++C is C++."""
    signs = list(takewhile(lambda glyph: glyph.text in _SIGNS_OF_NAMES, word))
    name = word[len(signs) :]
    is_name = name and name[0].text.isascii() and name[0].text.isalpha() and name[-1].text not in _SIGNS_OF_NAMES
    return name + signs if is_name else word


def _rows_of(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """The rows of a page, in the order of the file; those that were set in pieces are put together."""
    rows: list[list[Glyph]] = []
    at_base: dict[tuple[float, int], list[list[Glyph]]] = {}
    for piece in _followed(glyphs):
        angle, base = piece[0].angle, round(piece[0].base)
        beside = [row for near in (base, base - 1, base + 1) for row in at_base.get((angle, near), [])[-MOST_AT_BASE:]]
        row = next((row for row in reversed(beside) if _completes(piece, row)), None)
        if row is None:
            rows.append(piece)
            at_base.setdefault((angle, base), []).append(piece)
        elif any(map(is_right_to_left, (*row, *piece))):
            row += piece
        else:
            row[:] = _side_by_side([*row, *piece])
    return rows


def _followed(glyphs: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    """Glyphs that follow each other on one baseline, superscripts included."""
    row: list[Glyph] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is not None and not glyph.is_space and not _goes_on(last, glyph):
            yield row
            row = []
        row.append(glyph)
        if not glyph.is_space:
            last = glyph
    if row:
        yield row


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    size = max(last.size, glyph.size)
    if last.angle != glyph.angle or abs(last.base - glyph.base) > SAME_LINE_WITHIN * size:
        return False
    if is_right_to_left(last) or is_right_to_left(glyph):
        return True
    return glyph.start >= last.end - MOST_BACKWARDS * size


def _completes(piece: list[Glyph], row: list[Glyph]) -> bool:
    """Whether a piece stands right before or behind a row, or in gaps that the row leaves for it."""
    size, other = sorted((piece[0].size, row[0].size))
    if (
        len(row) > MOST_GLYPHS
        or abs(piece[0].base - row[0].base) > SAME_BASE_WITHIN * size
        or other > LARGER_WITHIN * size
    ):
        return False
    set_already = sorted((glyph for glyph in row if not glyph.is_space), key=lambda glyph: glyph.start)
    letters = [glyph for glyph in piece if not glyph.is_space]
    if not set_already or not letters:
        return False
    begin, end = min(glyph.start for glyph in letters), max(glyph.end for glyph in letters)
    before, behind = set_already[0].start - end, begin - max(glyph.end for glyph in set_already)
    if max(before, behind) >= -OVERLAP_WITHIN * size:
        return max(before, behind) <= BESIDE_WITHIN * size
    if begin < set_already[0].start or begin > set_already[-1].end:
        return False
    starts = [glyph.start for glyph in set_already]
    return all(_fits(glyph, set_already, bisect_left(starts, glyph.start), letters) for glyph in letters)


def _fits(glyph: Glyph, row: list[Glyph], place: int, piece: list[Glyph]) -> bool:
    """Whether a glyph overlaps none of a row's beside it, and touches one of them or another one of its piece."""
    gaps = [glyph.start - before.end for before in row[max(0, place - 1) : place]]
    gaps += [behind.start - glyph.end for behind in row[place : place + 1]]
    if any(gap < -OVERLAP_WITHIN * glyph.size for gap in gaps):
        return False
    gaps += [min(abs(glyph.start - other.end), abs(other.start - glyph.end)) for other in piece if other is not glyph]
    return any(gap <= TOUCHING_WITHIN * glyph.size for gap in gaps)


def _side_by_side(glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs from the left to the right, without spaces at places where something stands."""
    letters = sorted((glyph for glyph in glyphs if not glyph.is_space), key=lambda glyph: glyph.start)
    starts = [glyph.start for glyph in letters]
    spaces = []
    for space in (glyph for glyph in glyphs if glyph.is_space):
        middle = (space.start + space.end) / 2
        place = bisect_left(starts, middle)
        if not place or letters[place - 1].end <= middle:
            spaces.append(space)
    return sorted([*letters, *spaces], key=lambda letter: letter.start)
