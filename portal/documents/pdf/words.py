"""Groups the glyphs of a line into words. Runs in the reading child only.

Where a word ends is measured, not believed: many files hold no spaces at all, others hold one between all
letters of a heading.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.documents.pdf.glyphs import Glyph

# All in sizes of the letters.
GAP_BETWEEN_WORDS = 0.12
# Next to some letters (an f, a T) the gap between words is narrower than elsewhere in a line.
SHARE_OF_A_GAP, CLOSEST_WORDS = 0.45, 0.06
TIGHTEST_LETTERS = 0.1
GAP_BETWEEN_CELLS = 1.2
# A line that is filled up has wide ones. A file that writes spaces in a line does so between all of its words.
WIDEST_SPACE, WIDEST_SEAM, SPACES_TO_TELL = 0.6, 0.27, 3
# A space that the pen goes back over shows nothing.
TAKEN_BACK_WITHIN = 0.1
RAISED_BY, RAISED_SIZE = 0.2, 0.85
# Letters that are spread out have gaps like words; a few are too few to tell, unless these are alike and narrow.
GAPS_TO_TELL, GAPS_ALIKE, ALIKE_WITHIN, NARROW_GAP = 4, 2, 0.02, 0.2
LIKE_BESIDE_WITHIN, GAP_OF_A_SPREAD = 0.05, 0.3
# Letters after which fonts move the next word closer; inside of a word what follows them is closer still.
_HANGING_OVER = frozenset("fFTVWYP")
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_IDEOGRAPHS = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI", "HIRAGANA", "KATAKANA")


@dataclass(slots=True)
class Word:
    """Glyphs without a gap."""

    glyphs: list[Glyph] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its letters."""
        return "".join(glyph.text for glyph in self.glyphs)

    @property
    def start(self) -> float:
        """Where it begins along its line."""
        return min(glyph.start for glyph in self.glyphs)

    @property
    def end(self) -> float:
        """Where it ends along its line."""
        return max(glyph.end for glyph in self.glyphs)


def words_of(row: Sequence[Glyph]) -> Iterator[Word]:
    """The words of a line, whose glyphs are in the order of reading."""
    if any(map(is_right_to_left, row)):
        # Neighbours in the order of reading may stand apart, so that spaces alone tell.
        for is_space, group in groupby(row, key=lambda glyph: glyph.is_space):
            if not is_space:
                yield Word(list(group))
        return
    row = [glyph for glyph in row if not glyph.guessed or glyph.angle % 1]
    if not row:
        return
    stretches = [(stretch, _gaps_between_letters(stretch)) for stretch in _stretches(row)]
    most_gaps = max((gaps for _, gaps in stretches), key=len)
    if len(most_gaps) < GAPS_TO_TELL:
        most_gaps = sorted(gap for _, gaps in stretches for gap in gaps)
    beside = _usual_gap(most_gaps, _smallest_size(row))
    writes_spaces = sum(glyph.is_space for glyph in row) >= SPACES_TO_TELL
    for stretch, gaps in stretches:
        yield from _words_of_stretch(stretch, gaps, beside, writes_spaces=writes_spaces)


def _words_of_stretch(stretch: list[Glyph], gaps: list[float], beside: float, *, writes_spaces: bool) -> Iterator[Word]:
    size = _smallest_size(stretch)
    # Letters of a logo may overlap; of a word, hardly.
    usual = max(_usual_gap(gaps, size, beside), -TIGHTEST_LETTERS * size)
    least = usual + _gap_of_words(gaps, usual, size)
    # Lines are filled up between East Asian letters, too, where no space is.
    least_of_ideographs = max(least, _middle_gap_of_ideographs(stretch) + GAP_BETWEEN_WORDS * size)
    word = Word()
    space: Glyph | None = None
    for glyph in stretch:
        if glyph.is_space:
            space = space or glyph
            continue
        # Letters of a spaced heading may have spaces between them; then only a wider gap counts.
        is_spaced = space is not None and usual <= GAP_BETWEEN_WORDS * space.size and not _is_taken_back(space, glyph)
        space = None
        if word.glyphs:
            last = word.glyphs[-1]
            both = is_ideographic(last.text[-1]) and is_ideographic(glyph.text[0])
            is_moved = writes_spaces and not is_spaced and (_is_compound(word, glyph) or _is_seam(last, glyph))
            if not is_moved and (is_spaced or _apart(last, glyph, least_of_ideographs if both else least, usual)):
                yield word
                word = Word()
        word.glyphs.append(glyph)
    if word.glyphs:
        yield word


def _is_compound(word: Word, glyph: Glyph) -> bool:
    """Whether a letter follows a hyphen within a word, of which a program moved the second half away."""
    last = word.glyphs[-1]
    is_hyphen = last.text == "-" and len(word.glyphs) > 1 and word.glyphs[-2].text[-1].isalpha()
    return is_hyphen and glyph.text[0].isalpha() and gap_between(last, glyph) <= WIDEST_SPACE * glyph.size


def _is_seam(last: Glyph, glyph: Glyph) -> bool:
    """Whether a figure and an East Asian letter stand as far from each other as word processors move them (2021년)."""
    figures = (last.text.isdecimal(), glyph.text.isdecimal())
    letter = (glyph if figures[0] else last).text[0]
    is_east_asian = letter.isalpha() and unicodedata.east_asian_width(letter) == "W"
    return sum(figures) == 1 and is_east_asian and gap_between(last, glyph) <= WIDEST_SEAM * glyph.size


def _is_taken_back(space: Glyph, glyph: Glyph) -> bool:
    """Whether a glyph stands where the space before it begins, as if there were none."""
    return abs(glyph.start - space.start) < TAKEN_BACK_WITHIN * min(glyph.size, 2 * (space.end - space.start))


@lru_cache(maxsize=4096)
def is_ideographic(character: str) -> bool:
    """Whether a character is a letter of a script that is written without spaces."""
    if character.isascii() or unicodedata.east_asian_width(character) != "W":
        return False
    return unicodedata.name(character, "").startswith(_IDEOGRAPHS)


def is_right_to_left(glyph: Glyph) -> bool:
    """Whether a glyph is of a script that is read from the right to the left."""
    return not glyph.text.isascii() and unicodedata.bidirectional(glyph.text[0]) in _RIGHT_TO_LEFT


def _middle_gap_of_ideographs(stretch: list[Glyph]) -> float:
    letters = [glyph for glyph in stretch if not glyph.is_space]
    gaps = sorted(
        gap_between(first, second)
        for first, second in pairwise(letters)
        if is_ideographic(first.text[-1]) and is_ideographic(second.text[0])
    )
    return gaps[len(gaps) // 2] if gaps else 0.0


def _stretches(row: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """The row in stretches without a wide gap: what is spread out stands beside what is not."""
    stretch: list[Glyph] = []
    last: Glyph | None = None
    for glyph in row:
        if last is not None and not glyph.is_space and gap_between(last, glyph) > GAP_BETWEEN_CELLS * glyph.size:
            yield stretch
            stretch = []
        stretch.append(glyph)
        if not glyph.is_space:
            last = glyph
    yield stretch


def _smallest_size(stretch: Sequence[Glyph]) -> float:
    return min((glyph.size for glyph in stretch if not glyph.is_space), default=0.0)


def _usual_gap(gaps: list[float], size: float, beside: float = 0.0) -> float:
    """The gap between letters of one word, in points: most gaps are no wider. `gaps` are in order of size.

    Too few gaps are judged by the usual gap `beside` them in their line.
    """
    if len(gaps) >= GAPS_TO_TELL:
        return gaps[len(gaps) // 3]
    is_like_beside = gaps and max(beside - gaps[0], gaps[-1] - beside) <= LIKE_BESIDE_WITHIN * size
    if is_like_beside and 0 < beside <= GAP_OF_A_SPREAD * size:
        return beside
    is_even = len(gaps) >= GAPS_ALIKE and gaps[-1] - gaps[0] <= ALIKE_WITHIN * size
    return gaps[0] if is_even and gaps[-1] <= NARROW_GAP * size else 0.0


def _gap_of_words(gaps: list[float], usual: float, size: float) -> float:
    """The narrowest gap between words, in points: less in a line whose words stand close."""
    wide = [gap - usual for gap in gaps if gap - usual > GAP_BETWEEN_WORDS * size]
    if not wide:
        return GAP_BETWEEN_WORDS * size
    return min(GAP_BETWEEN_WORDS * size, max(CLOSEST_WORDS * size, SHARE_OF_A_GAP * wide[len(wide) // 2]))


def _gaps_between_letters(stretch: list[Glyph]) -> list[float]:
    """Gaps between neighbours that are letters or digits, by size; dots of a leader are far from each other."""
    letters = [glyph for glyph in stretch if not glyph.is_space]
    return sorted(
        gap_between(first, second)
        for first, second in pairwise(letters)
        if first.text[-1].isalnum() and second.text[0].isalnum()
    )


def gap_between(first: Glyph, second: Glyph) -> float:
    """The gap between two glyphs, whichever is the left one."""
    return max(second.start - first.end, first.start - second.end)


def _apart(first: Glyph, second: Glyph, least: float, usual: float) -> bool:
    # A date that a tab has moved up to the word before it is no part of it, nor is a family name in another font.
    last, start = first.text[-1], second.text[0]
    is_date_or_name = first.owner is not second.owner and (
        (last.isalpha() and start.isdecimal()) or (last.islower() and start.isupper())
    )
    if last in _HANGING_OVER or is_date_or_name:
        least = min(least, max(usual, 0.0) + CLOSEST_WORDS * first.size)
    # A mark of a footnote is no part of the word it stands at.
    return gap_between(first, second) > least or (
        (second.text.isdigit() and _is_raised(second, first))
        or (first.text.isdigit() and second.text.isalpha() and _is_raised(first, second))
    )


def _is_raised(mark: Glyph, beside: Glyph) -> bool:
    raised_by = RAISED_BY * beside.size
    # Some fonts have small digits that are painted above their own baseline.
    is_above = mark.angle == 0 and mark.ink.bottom - mark.base >= raised_by
    return is_above or (mark.size <= RAISED_SIZE * beside.size and mark.base - beside.base >= raised_by)
