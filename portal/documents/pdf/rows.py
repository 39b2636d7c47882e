"""Groups the glyphs of a page into rows, each in reading order. Runs in the reading child only.

Most programs set a line from one end to the other. Some set it in pieces: the letters that a font lacks after all
others, words in Latin letters within Arabic from the right to the left.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from itertools import chain, pairwise, starmap, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from portal.documents.pdf.glyphs import Glyph

# All in sizes of the letters.
SAME_LINE_WITHIN = 0.5
MOST_BACKWARDS = 1.0
SAME_BASE_WITHIN = 0.1
LARGER_WITHIN = 1.25
INITIALS_FROM = 2.0
# A piece of a line stands no farther from the rest of it than a word does.
BESIDE_WITHIN = 0.6
TOUCHING_WITHIN = 0.35
OVERLAP_WITHIN = 0.2
# Pieces of a line mostly follow each other in the file; some programs set a page once for each of its fonts.
ROWS_BACK = 3
MOST_AT_BASE = 12
MOST_GLYPHS = 1_000
# Signs that end names: C++, C#. On a page of a script from the right to the left they are painted on the left.
FROM_RIGHT_SHARE = 0.25
_SIGNS_OF_NAMES = frozenset("+#")
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


def as_painted(rows: list[list[Glyph]], order: Mapping[int, int]) -> list[list[Glyph]]:
    """The rows of a page that is read from the right, in the order in which they are painted.

    pdfium turns the letters of such lines around, and sometimes half a page at once. `order` tells the place of texts.
    """
    places: list[int] = []
    for row in rows:
        known = [order[glyph.owner] for glyph in row if glyph.owner in order]
        places.append(min(known, default=places[-1] if places else 0))
    return [rows[index] for index in sorted(range(len(rows)), key=places.__getitem__)]


def rows_of(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """The rows of a page, in the order of the file; those that were set in pieces are put together."""
    rows: list[list[Glyph]] = []
    at_base: dict[tuple[float, int], list[list[Glyph]]] = {}
    for piece in map(_with_gaps_filled, _followed(glyphs)):
        angle, base = (piece[0].angle, round(piece[0].base)) if piece else (None, 0)
        farther = (at_base.get((angle, near), []) for near in (base, base - 1, base + 1)) if angle is not None else ()
        candidates = chain(reversed(rows[-ROWS_BACK:]), *(found[-MOST_AT_BASE:] for found in farther))
        row = next((row for row in candidates if _completes(piece, row)), None)
        if row is not None:
            row[:] = _side_by_side([*row, *piece])
            continue
        rows.append(piece)
        if angle is not None:
            at_base.setdefault((angle, base), []).append(piece)
    placed: set[int] = set()
    for beside in at_base.values():
        _put_together(beside[-MOST_AT_BASE:], placed)
    return [row for row in rows if id(row) not in placed]


def _put_together(beside: Sequence[list[Glyph]], placed: set[int]) -> None:
    """Add rows at one height to others that they are a part of, the end of which came after them in the file."""
    for row in beside if len(beside) > 1 else ():
        others = (other for other in beside if other is not row and id(other) not in placed)
        whole = next((other for other in others if _completes(row, other)), None)
        if whole is not None:
            whole[:] = _side_by_side([*whole, *row])
            placed.add(id(row))


def _completes(piece: list[Glyph], row: list[Glyph]) -> bool:
    """Whether a piece stands right before or behind a row, or in gaps that the row leaves for it."""
    first = piece[0]
    if first.angle is None or first.angle != row[0].angle or len(row) > MOST_GLYPHS:
        return False
    size, other = sorted((first.size, row[0].size))
    if abs(first.base - row[0].base) > SAME_BASE_WITHIN * size or other > LARGER_WITHIN * size:
        return False
    set_already = sorted((glyph for glyph in row if not glyph.is_space), key=lambda glyph: glyph.start)
    letters = [glyph for glyph in piece if not glyph.is_space]
    if not set_already or not letters:
        return False
    begin, end = min(glyph.start for glyph in letters), max(glyph.end for glyph in letters)
    before, behind = set_already[0].start - end, begin - set_already[-1].end
    if before >= -OVERLAP_WITHIN * size or behind >= -SAME_BASE_WITHIN * size:
        return max(before, behind) <= BESIDE_WITHIN * size
    if begin < set_already[0].start or begin > set_already[-1].end:
        return False
    starts = [glyph.start for glyph in set_already]
    return all(_fits(glyph, set_already, bisect_left(starts, glyph.start), letters) for glyph in letters)


def _fits(glyph: Glyph, row: list[Glyph], place: int, piece: list[Glyph]) -> bool:
    """Whether a glyph overlaps none of a row's beside it, and touches one of them or another one of its piece."""
    size = glyph.size
    gaps = []
    if place:
        gaps.append(glyph.start - row[place - 1].end)
    if place < len(row):
        gaps.append(row[place].start - glyph.end)
    if any(gap < -OVERLAP_WITHIN * size for gap in gaps):
        return False
    return any(gap <= TOUCHING_WITHIN * size for gap in gaps) or any(
        min(abs(glyph.start - other.end), abs(other.start - glyph.end)) <= TOUCHING_WITHIN * size
        for other in piece
        if other is not glyph
    )


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


def _with_gaps_filled(row: list[Glyph]) -> list[Glyph]:
    """A row with each letter that is set behind its neighbour, into the gap before it, at its place."""
    letters = [glyph for glyph in row if not glyph.is_space]
    if not any(starmap(_is_set_before, pairwise(letters))) or any(map(_is_right_to_left, letters)):
        return row
    beside = sorted(letters, key=lambda glyph: glyph.start)
    fits = all(behind.start - glyph.end >= -OVERLAP_WITHIN * glyph.size for glyph, behind in pairwise(beside))
    return _side_by_side(row) if fits else row


def _is_set_before(last: Glyph, glyph: Glyph) -> bool:
    """Whether a letter stands wholly before the one that was set last, on its baseline."""
    size = min(last.size, glyph.size)
    is_beside = last.angle is not None and abs(last.base - glyph.base) <= SAME_BASE_WITHIN * size
    return is_beside and glyph.start < glyph.end <= last.start + OVERLAP_WITHIN * size < last.end


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
    yield row


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    if last.angle != glyph.angle:
        return False
    smaller, larger = sorted((last.size, glyph.size))
    # What stands beside a large initial is on a line of its own.
    size = min(larger, INITIALS_FROM * smaller)
    if abs(last.base - glyph.base) > SAME_LINE_WITHIN * size:
        return False
    if last.angle is None or _is_right_to_left(last) or _is_right_to_left(glyph):
        return True
    return glyph.start >= last.end - MOST_BACKWARDS * size


def _is_right_to_left(glyph: Glyph) -> bool:
    return not glyph.text.isascii() and unicodedata.bidirectional(glyph.text[0]) in _RIGHT_TO_LEFT


def left_to_right(row: list[Glyph]) -> list[Glyph]:
    """The row in the order of reading, whatever order it was set in: stretches of a right-to-left script from the
    right, and where most of the row is such a script, its stretches as well.
    """
    turned = sum(map(_is_right_to_left, row))
    if not turned:
        return row
    stretches: list[list[Glyph]] = [[]]
    is_turned = False
    for glyph in row:
        if _is_right_to_left(glyph) != is_turned and not (is_turned and _is_neutral(glyph)):
            stretches.append([])
            is_turned = not is_turned
        stretches[-1].append(glyph)
    ordered: list[list[Glyph]] = []
    for stretch in stretches:
        letters = [glyph for glyph in stretch if not glyph.is_space]
        if letters:
            is_right_to_left = _is_right_to_left(letters[0])
            ordered.append(sorted(letters, key=lambda letter: -letter.end) if is_right_to_left else stretch)
    if turned * 2 > sum(glyph.text.isalpha() for glyph in row):
        ordered.sort(key=lambda stretch: -max(glyph.end for glyph in stretch))
    return [glyph for stretch in ordered for glyph in stretch]


def is_read_from_right(glyphs: Sequence[Glyph]) -> bool:
    """Whether a page is in a script from the right to the left; its technical words may well be Latin."""
    letters = [glyph for glyph in glyphs if glyph.text[0].isalpha()]
    return sum(map(_is_right_to_left, letters)) > FROM_RIGHT_SHARE * len(letters)


def with_signs_behind(word: list[Glyph]) -> list[Glyph]:
    """A word of a page that is read from the right, with the signs that end a Latin name behind it: ++C is C++."""
    signs = list(takewhile(lambda glyph: glyph.text in _SIGNS_OF_NAMES, word))
    name = word[len(signs) :]
    is_name = name and name[0].text.isascii() and name[0].text.isalpha() and name[-1].text not in _SIGNS_OF_NAMES
    return name + signs if is_name else word


def _is_neutral(glyph: Glyph) -> bool:
    return glyph.is_space or unicodedata.bidirectional(glyph.text[0]) == "NSM"
