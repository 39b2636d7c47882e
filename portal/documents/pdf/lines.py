"""Groups the glyphs of a page into lines of words. Runs in the reading child only.

Most programs set a line from one end to the other; some set it in pieces, such as the letters that a font lacks. Where
a word ends is measured, not believed: many files hold no spaces at all, others hold one between all letters of a
heading. Letters of scripts from the right to the left come from pdfium in the order of reading.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from portal.documents.pdf.glyphs import Glyph

# All in sizes of the letters.
SAME_LINE_WITHIN, SAME_BASE_WITHIN, LARGER_WITHIN = 0.5, 0.1, 1.25
MOST_BACKWARDS = 1.0
# A piece of a line stands no farther from the rest of it than a word does.
BESIDE_WITHIN, OVERLAP_WITHIN = 0.6, 0.2
MOST_AT_BASE, MOST_GLYPHS = 12, 1_000
GAP_BETWEEN_WORDS, GAP_BETWEEN_CELLS = 0.12, 1.2
# Next to some letters (an f, a T) the gap between words is narrower than elsewhere in a line.
SHARE_OF_A_GAP, CLOSEST_WORDS, TIGHTEST_LETTERS = 0.45, 0.06, 0.1
# Letters that are spread out have gaps like words; a few are too few to tell, unless these are alike and narrow.
GAPS_TO_TELL, GAPS_ALIKE, ALIKE_WITHIN, NARROW_GAP = 4, 2, 0.02, 0.2
# Letters after which fonts move the next word closer; inside of a word what follows them is closer still.
_HANGING_OVER = frozenset("fFTVWYP")
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_IDEOGRAPHS = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI", "HIRAGANA", "KATAKANA")


@dataclass(slots=True)
class Word:
    """Glyphs without a gap."""

    glyphs: list[Glyph]

    @property
    def text(self) -> str:
        """Its letters."""
        return "".join(glyph.text for glyph in self.glyphs)


@dataclass(slots=True)
class Line:
    """Words beside each other.

    `goes_on` tells that the line before ends inside of a word, or of a text without spaces, which goes on here. The
    `size` is that of the smallest letters: one large initial makes no title.
    """

    words: list[Word]
    goes_on: bool = False
    angle: int = field(init=False)
    base: float = field(init=False)
    size: float = field(init=False)
    start: float = field(init=False)
    end: float = field(init=False)

    def __post_init__(self) -> None:
        glyphs = [glyph for word in self.words for glyph in word.glyphs]
        self.angle, self.base = self.first.angle, self.first.base
        self.size = min(glyph.size for glyph in glyphs)
        self.start, self.end = min(glyph.start for glyph in glyphs), max(glyph.end for glyph in glyphs)

    @property
    def first(self) -> Glyph:
        """Its first glyph."""
        return self.words[0].glyphs[0]

    @property
    def last(self) -> Glyph:
        """Its last glyph."""
        return self.words[-1].glyphs[-1]

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(word.text for word in self.words)


def lines_of(glyphs: Sequence[Glyph]) -> list[Line]:
    """The lines of a page in the order of the file."""
    return [Line(words) for row in _rows_of(glyphs) if (words := list(_words_of(row)))]


def _rows_of(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """The rows of a page, in the order of the file; those that were set in pieces are put together."""
    rows: list[list[Glyph]] = []
    at_base: dict[tuple[int, int], list[list[Glyph]]] = {}
    for piece in _split(glyphs, _goes_on):
        angle, base = piece[0].angle, round(piece[0].base)
        beside = [row for near in (base, base - 1, base + 1) for row in at_base.get((angle, near), [])[-MOST_AT_BASE:]]
        row = next((row for row in reversed(beside) if _completes(piece, row)), None)
        if row is None:
            rows.append(piece)
            at_base.setdefault((angle, base), []).append(piece)
        elif _extent(piece) < _extent(row) and not any(map(_is_right_to_left, (*row, *piece))):
            row[:0] = piece
        else:
            row += piece
    return rows


def _split(glyphs: Iterable[Glyph], goes_on: Callable[[Glyph, Glyph], bool]) -> Iterator[list[Glyph]]:
    run: list[Glyph] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is not None and not glyph.is_space and not goes_on(last, glyph):
            yield run
            run = []
        run.append(glyph)
        if not glyph.is_space:
            last = glyph
    if run:
        yield run


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    size = max(last.size, glyph.size)
    if last.angle != glyph.angle or abs(last.base - glyph.base) > SAME_LINE_WITHIN * size:
        return False
    is_turned = _is_right_to_left(last) or _is_right_to_left(glyph)
    return is_turned or glyph.start >= last.end - MOST_BACKWARDS * size


def _completes(piece: list[Glyph], row: list[Glyph]) -> bool:
    size, other = sorted((piece[0].size, row[0].size))
    is_level = abs(piece[0].base - row[0].base) <= SAME_BASE_WITHIN * size and other <= LARGER_WITHIN * size
    (begin, end), (row_begin, row_end) = (_extent(glyphs) for glyphs in (piece, row[:MOST_GLYPHS]))
    return is_level and -OVERLAP_WITHIN * size <= max(row_begin - end, begin - row_end) <= BESIDE_WITHIN * size


def _extent(glyphs: list[Glyph]) -> tuple[float, float]:
    letters = [glyph for glyph in glyphs if not glyph.is_space] or glyphs
    return min(glyph.start for glyph in letters), max(glyph.end for glyph in letters)


def _words_of(row: Sequence[Glyph]) -> Iterator[Word]:
    if any(map(_is_right_to_left, row)):
        # Neighbours in the order of reading may stand apart, so that spaces alone tell.
        groups = groupby(row, key=lambda glyph: glyph.is_space)
        yield from (Word(list(group)) for is_space, group in groups if not is_space)
        return
    # What is spread out stands beside what is not.
    for stretch in _split((glyph for glyph in row if not glyph.guessed), _is_near):
        yield from _words_of_stretch(stretch)


def _is_near(last: Glyph, glyph: Glyph) -> bool:
    return _gap(last, glyph) <= GAP_BETWEEN_CELLS * glyph.size


def _words_of_stretch(stretch: list[Glyph]) -> Iterator[Word]:
    letters = [glyph for glyph in stretch if not glyph.is_space]
    size = min((glyph.size for glyph in letters), default=0.0)
    gaps = _gaps(letters, str.isalnum)
    usual = max(_usual_gap(gaps, size), -TIGHTEST_LETTERS * size)
    wide = [gap - usual for gap in gaps if gap - usual > GAP_BETWEEN_WORDS * size] or [size]
    least = usual + min(GAP_BETWEEN_WORDS * size, max(CLOSEST_WORDS * size, SHARE_OF_A_GAP * wide[len(wide) // 2]))
    # Lines are filled up between East Asian letters, too, where no space is.
    of_ideographs = _gaps(letters, is_ideographic) or [0.0]
    least_of_ideographs = max(least, of_ideographs[len(of_ideographs) // 2] + GAP_BETWEEN_WORDS * size)
    word: list[Glyph] = []
    space: Glyph | None = None
    for glyph in stretch:
        if glyph.is_space:
            space = space or glyph
            continue
        # Letters of a spaced heading may have spaces between them; then only a wider gap counts.
        is_spaced = space is not None and usual <= GAP_BETWEEN_WORDS * space.size
        space = None
        if word:
            both = is_ideographic(word[-1].text[-1]) and is_ideographic(glyph.text[0])
            if is_spaced or _are_apart(word[-1], glyph, least_of_ideographs if both else least, usual):
                yield Word(word)
                word = []
        word.append(glyph)
    if word:
        yield Word(word)


def _usual_gap(gaps: list[float], size: float) -> float:
    if len(gaps) >= GAPS_TO_TELL:
        return gaps[len(gaps) // 3]
    is_even = len(gaps) >= GAPS_ALIKE and gaps[-1] - gaps[0] <= ALIKE_WITHIN * size
    return gaps[0] if is_even and gaps[-1] <= NARROW_GAP * size else 0.0


def _gaps(letters: list[Glyph], is_meant: Callable[[str], bool]) -> list[float]:
    pairs = pairwise(letters)
    return sorted(
        _gap(first, second) for first, second in pairs if is_meant(first.text[-1]) and is_meant(second.text[0])
    )


def _gap(first: Glyph, second: Glyph) -> float:
    return max(second.start - first.end, first.start - second.end)


def _are_apart(first: Glyph, second: Glyph, least: float, usual: float) -> bool:
    # A date that a tab has moved up to the word before it is no part of it, nor is a family name in another font.
    last, start = first.text[-1], second.text[0]
    is_date_or_name = first.owner is not second.owner and (
        (last.isalpha() and start.isdecimal()) or (last.islower() and start.isupper())
    )
    if last in _HANGING_OVER or is_date_or_name:
        least = min(least, max(usual, 0.0) + CLOSEST_WORDS * first.size)
    return _gap(first, second) > least


@lru_cache(maxsize=4096)
def is_ideographic(character: str) -> bool:
    """Whether a character is a letter of a script that is written without spaces."""
    if character.isascii() or unicodedata.east_asian_width(character) != "W":
        return False
    return unicodedata.name(character, "").startswith(_IDEOGRAPHS)


def _is_right_to_left(glyph: Glyph) -> bool:
    return not glyph.text.isascii() and unicodedata.bidirectional(glyph.text[0]) in _RIGHT_TO_LEFT
