"""Groups the glyphs of a line into words. Runs in the reading child only.

Where a word ends is measured, not believed: many files hold no spaces at all, others hold one between all
letters of a heading.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from portal.documents.pdf.spreads import spread_of, style_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.spreads import Style

# All in sizes of the letters.
GAP_BETWEEN_WORDS = 0.12
# Next to some letters (an f, a T) the gap between words is narrower than elsewhere in a line.
SHARE_OF_A_GAP = 0.45
CLOSEST_WORDS = 0.06
CLOSEST_BEHIND_LIGATURE = 0.04
TIGHTEST_LETTERS = 0.1
GAP_BETWEEN_CELLS = 1.2
# A line that is filled up has wide ones. A file that writes spaces in a line does so between all of its words.
WIDEST_SPACE = 0.6
SPACES_TO_TELL = 3
WIDEST_SEAM = 0.27
# A space that the pen goes back over shows nothing.
TAKEN_BACK_WITHIN = 0.1
RAISED_BY = 0.2
RAISED_SIZE = 0.85

# Letters that are spread out have gaps like words; a few are too few to tell, unless these are alike and narrow.
GAPS_TO_TELL = 4
GAPS_ALIKE = 2
ALIKE_WITHIN = 0.02
NARROW_GAP = 0.2
LIKE_BESIDE_WITHIN, LIKE_STYLE_WITHIN = 0.05, 0.04
LETTERS_SPREAD_OUT = 5
# Kerning may have moved a few of them together.
KERNED_TOGETHER = 3
LETTERS_OF_A_SPREAD = 1.5
# Small letters with wider gaps are words of one letter, as in formulas.
GAP_OF_A_SPREAD = 0.3

# Letters after which fonts move the next word closer; inside of a word what follows them is closer still.
_HANGING_OVER = frozenset("fFTVWYP")


@dataclass(slots=True)
class Word:
    """Glyphs without a gap; `spaced` if a space of the file stands before them."""

    glyphs: list[Glyph] = field(default_factory=list)
    spaced: bool = False

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


def words_of(row: list[Glyph], spreads: Mapping[Style, float] = MappingProxyType({})) -> list[Word]:
    """The words of a line, whose glyphs are in the order of reading; `spreads` are gaps in spread out words."""
    return list(_closed_up(list(_measured(row, spreads))))


def _measured(row: list[Glyph], spreads: Mapping[Style, float]) -> Iterator[Word]:
    stretches = [(stretch, _gaps_between_letters(stretch)) for stretch in _of_one_size(row, spreads)]
    most_gaps = max((gaps for _, gaps in stretches), key=len)
    if len(most_gaps) < GAPS_TO_TELL:
        most_gaps = sorted(gap for _, gaps in stretches for gap in gaps)
    beside = _usual_gap(most_gaps, _smallest_size(row))
    writes_spaces = sum(glyph.is_space for glyph in row) >= SPACES_TO_TELL
    for stretch, gaps in stretches:
        size = _smallest_size(stretch)
        # Letters of a logo may overlap; of a word, hardly.
        usual = max(_usual_gap(gaps, size, beside), -TIGHTEST_LETTERS * size)
        if 0 < len(gaps) < GAPS_TO_TELL and gaps[0] <= spread_of(stretch, spreads) + LIKE_STYLE_WITHIN * size:
            usual = max(usual, spread_of(stretch, spreads))
        least = usual + _gap_of_words(gaps, usual, size)
        # Lines are filled up between East Asian letters, too, where no space is.
        least_of_ideographs = max(least, _middle_gap_of_ideographs(stretch) + GAP_BETWEEN_WORDS * size)
        word = Word()
        spaced = False
        space: Glyph | None = None
        for glyph in stretch:
            if glyph.is_space:
                # Letters of a spaced heading may have spaces between them; then only a wider gap counts.
                spaced = usual <= GAP_BETWEEN_WORDS * glyph.size
                space = space or glyph
                continue
            if space is not None and _is_taken_back(space, glyph):
                spaced = False
            space = None
            if word.glyphs:
                last = word.glyphs[-1]
                both = is_ideographic(last.text[-1]) and is_ideographic(glyph.text[0])
                least_here = least_of_ideographs if both else least
                is_moved = writes_spaces and not spaced and (_is_compound(word, glyph) or _is_seam(last, glyph))
                if not is_moved and (spaced or _apart(last, glyph, least_here, usual)):
                    yield word
                    word = Word(spaced=spaced)
            word.glyphs.append(glyph)
            spaced = False
        if word.glyphs:
            yield word


def _is_compound(word: Word, glyph: Glyph) -> bool:
    """Whether a letter follows a hyphen within a word, of which a program moved the second half away."""
    last = word.glyphs[-1]
    is_hyphen = last.text == "-" and len(word.glyphs) > 1 and word.glyphs[-2].text[-1].isalpha()
    return is_hyphen and glyph.text[0].isalpha() and _gap(last, glyph) <= WIDEST_SPACE * glyph.size


def _is_seam(last: Glyph, glyph: Glyph) -> bool:
    """Whether a figure and an East Asian letter stand as far from each other as word processors move them (2021년)."""
    figures = (last.text.isdecimal(), glyph.text.isdecimal())
    letter = glyph if figures[0] else last
    is_east_asian = unicodedata.east_asian_width(letter.text[0]) == "W" and letter.text[0].isalpha()
    return sum(figures) == 1 and is_east_asian and _gap(last, glyph) <= WIDEST_SEAM * glyph.size


def _is_taken_back(space: Glyph, glyph: Glyph) -> bool:
    """Whether a glyph stands where the space before it begins, as if there were none."""
    width = space.end - space.start
    return abs(glyph.start - space.start) < TAKEN_BACK_WITHIN * min(glyph.size, 2 * width)


def is_ideographic(character: str) -> bool:
    """Whether a character is a letter of a script that is written without spaces."""
    name = unicodedata.name(character, "") if unicodedata.east_asian_width(character) == "W" else ""
    return name.startswith(
        ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI", "HIRAGANA", "KATAKANA")
    )


def _middle_gap_of_ideographs(stretch: list[Glyph]) -> float:
    letters = [glyph for glyph in stretch if not glyph.is_space]
    gaps = sorted(
        _gap(first, second)
        for first, second in pairwise(letters)
        if is_ideographic(first.text[-1]) and is_ideographic(second.text[0])
    )
    return gaps[len(gaps) // 2] if gaps else 0.0


def _of_one_size(row: list[Glyph], spreads: Mapping[Style, float]) -> Iterator[list[Glyph]]:
    """The row in stretches without a wide gap: what is spread out stands beside what is not."""
    stretch: list[Glyph] = []
    last: Glyph | None = None
    for glyph in row:
        if last is not None and not glyph.is_space and _begins_stretch(last, glyph, stretch[-1], spreads):
            yield stretch
            stretch = []
        stretch.append(glyph)
        if not glyph.is_space:
            last = glyph
    yield stretch


def _begins_stretch(last: Glyph, glyph: Glyph, before: Glyph, spreads: Mapping[Style, float]) -> bool:
    """Whether a wide gap is between two letters, or a space or gap beside what is set in a style of spread letters.

    `before` is what is right before `glyph`, which may be a space.
    """
    gap, styles = _gap(last, glyph), {style_of(last), style_of(glyph)}
    spread = max(spreads.get(style, 0.0) for style in styles)
    is_apart = before.is_space or gap > spread + GAP_BETWEEN_WORDS * glyph.size
    return gap > GAP_BETWEEN_CELLS * glyph.size or (is_apart and len(styles) > 1 and spread > 0)


def _smallest_size(stretch: list[Glyph]) -> float:
    return min((glyph.size for glyph in stretch if not glyph.is_space), default=0.0)


def _usual_gap(gaps: list[float], size: float, beside: float = 0.0) -> float:
    """The gap between letters of one word, in points: most gaps are no wider. `gaps` are in order of size.

    Too few gaps are judged by the usual gap `beside` them in their line.
    """
    if len(gaps) < GAPS_TO_TELL:
        is_like_beside = gaps and max(beside - gaps[0], gaps[-1] - beside) <= LIKE_BESIDE_WITHIN * size
        if is_like_beside and 0 < beside <= GAP_OF_A_SPREAD * size:
            return beside
        is_even = len(gaps) >= GAPS_ALIKE and gaps[-1] - gaps[0] <= ALIKE_WITHIN * size
        return gaps[0] if is_even and gaps[-1] <= NARROW_GAP * size else 0.0
    return gaps[len(gaps) // 3]


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
        _gap(first, second)
        for first, second in pairwise(letters)
        if first.text[-1].isalnum() and second.text[0].isalnum()
    )


def _gap(first: Glyph, second: Glyph) -> float:
    """The gap between two glyphs, whichever is the left one."""
    return max(second.start - first.end, first.start - second.end)


def _apart(first: Glyph, second: Glyph, least: float, usual: float) -> bool:
    # A date that a tab has moved up to the word before it is no part of it, nor is a family name in another font.
    last, start = first.text[-1], second.text[0]
    is_date_or_name = first.owner != second.owner and (
        (last.isalpha() and start.isdecimal()) or (last.islower() and start.isupper())
    )
    if first.hangs_over:
        # Letters behind it may be set closer or less close.
        least = max(least, max(usual, 0.0) + GAP_BETWEEN_WORDS * first.size)
    elif last in _HANGING_OVER or is_date_or_name:
        # How far the last letter of a ligature (ff) hangs over may not be known.
        closest = CLOSEST_BEHIND_LIGATURE if len(first.text) > 1 else CLOSEST_WORDS
        least = min(least, max(usual, 0.0) + closest * first.size)
    if _gap(first, second) > least:
        return True
    # A mark of a footnote is no part of the word it stands at.
    return (second.text.isdigit() and _is_raised(second, first)) or (
        first.text.isdigit() and second.text.isalpha() and _is_raised(first, second)
    )


def _is_raised(mark: Glyph, beside: Glyph) -> bool:
    raised_by = RAISED_BY * beside.size
    # Some fonts have small digits that are painted above their own baseline.
    is_above = mark.angle == 0 and mark.ink.bottom - mark.base >= raised_by
    return is_above or (mark.size <= RAISED_SIZE * beside.size and mark.base - beside.base >= raised_by)


def _closed_up(words: list[Word]) -> Iterator[Word]:
    """The words, with letters that are spread out beside other text put together: E D U C A T I O N in 2020."""
    place = 0
    while place < len(words):
        end = place
        while end < len(words) and (_is_spread_capital(words[end]) or _is_spread_letter(words, end)):
            end += 1
        run = words[place:end]
        letters = sum(len(word.glyphs) for word in run)
        if len(run) < LETTERS_SPREAD_OUT or letters > LETTERS_OF_A_SPREAD * len(run):
            yield words[place]
            place += 1
            continue
        gaps = sorted(_gap(first.glyphs[-1], second.glyphs[0]) for first, second in pairwise(run))
        least = gaps[len(gaps) // 3] + GAP_BETWEEN_WORDS * run[0].glyphs[0].size
        joined = run[0]
        for word in run[1:]:
            if _gap(joined.glyphs[-1], word.glyphs[0]) > least:
                yield joined
                joined = word
            else:
                joined.glyphs += word.glyphs
        yield joined
        place = end


def _is_spread_letter(words: list[Word], place: int) -> bool:
    """A letter by itself, near another one beside it without a space of the file between them."""
    return any(
        _is_letter(first) and _is_letter(second) and not second.spaced and _are_near(first.glyphs[0], second.glyphs[0])
        for first, second in pairwise(words[max(0, place - 1) : place + 2])
    )


def _is_letter(word: Word) -> bool:
    return len(word.glyphs) == 1 and word.glyphs[0].text.isalpha()


def _are_near(first: Glyph, second: Glyph) -> bool:
    return _gap(first, second) <= GAP_OF_A_SPREAD * second.size


def _is_spread_capital(word: Word) -> bool:
    """A capital by itself, or a few that kerning has moved together."""
    return len(word.glyphs) <= KERNED_TOGETHER and all(glyph.text.isupper() for glyph in word.glyphs)
