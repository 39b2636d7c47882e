"""Where a line ends inside of a word: hyphens that were typed, and East Asian text. Runs in the reading child only.

Typesetters break words in any text. Word processors and browsers do so only when told to; what ends a line of theirs
was typed, unless most such ends leave halves that are no words. Lines of Chinese and Japanese are cut at
the margin, inside of a word or not: "机器学" and "习" are one word.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from portal.documents.compounds import keeps_hyphen
from portal.documents.pdf.words import is_ideographic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pypdfium2 import PdfDocument

    from portal.documents.pdf.claims import Claim
    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line

_SELDOM_BREAK_WORDS = re.compile(
    r"microsoft|office|skia|quartz|wps|google|canva|weasyprint|qt |reportlab|fpdf|tcpdf|dompdf|jspdf|itext",
    re.IGNORECASE,
)
_SOFT_HYPHEN, _BREAKING_HYPHEN = "\u00ad", "\u2010"
_HYPHENS = frozenset({"-", _SOFT_HYPHEN})
# All in sizes of the letters. The next line of a paragraph, of which the first or all others may be indented.
STEP = (0.8, 2.5)
FARTHEST_LEFT, FARTHEST_RIGHT = -3.0, 4.5
SAME_SIZE_WITHIN, STEPS_OF_PROSE_WITHIN = 0.1, 1.2
LETTER_AND_A_BIT, SHORTEST, SENTENCE, SURELY_PROSE = 1.1, 8.0, 14.0, 24.0
BROKEN_WORDS_TO_TELL, BROKEN_SHARE = 3, 0.6
# What must not begin a line takes the letter before it along to the next.
_WITHIN_SENTENCES = frozenset("，、；：）》」』】")
_NOT_FIRST = frozenset("，。、；：？！）》」』】…,.;:?!)ぁぃぅぇぉっゃゅょァィゥェォッャュョー々")


def tell_hyphens(glyphs: Sequence[Glyph], claims: Mapping[int, Claim]) -> None:
    """Distinguish hyphens that break words from typed ones, as the file claims.

    A font may have one glyph for both, which then says that it is the first. Where there are breaking ones, `clean`
    takes all others for typed.
    """
    hyphens = [(glyph, claims.get(glyph.owner.address)) for glyph in glyphs if glyph.text in _HYPHENS]
    tells = any(glyph.text == _SOFT_HYPHEN or (claim and claim.text == _SOFT_HYPHEN) for glyph, claim in hyphens)
    for glyph, claim in hyphens if tells else ():
        glyph.text = "-" if claim and claim.text == "-" else _BREAKING_HYPHEN


def seldom_breaks_words(document: PdfDocument) -> bool:
    """Whether the document says that it was made by a program which breaks words only when told to."""
    return any(_SELDOM_BREAK_WORDS.search(document.get_metadata_value(key)) for key in ("Producer", "Creator"))


def mark_line_ends(lines: Sequence[Line], *, seldom_breaks: bool) -> None:
    """Set `goes_on` of every line, in reading order, that goes on where the one before ends inside of a word."""
    ends = [
        (above.words[-1].text.removesuffix("-"), line)
        for above, line in pairwise(lines)
        if above.last.text == "-" and len(above.words[-1].glyphs) > 1 and line.first.text[0].isalpha()
    ]
    if seldom_breaks and not _breaks_words([(half, line.words[0].text) for half, line in ends], lines):
        for _, line in ends:
            line.goes_on = True
    cells = [line.cells()[-1] for line in lines]
    for place, line in enumerate(lines[1:]):
        cell = cells[place]
        if _may_be_cut(cell, line) and _follows(cell, line) and len(line.cells()) == 1:
            block = _block(cells, place)
            line.goes_on = _is_close(cell, line, block) and _is_full(cell, line, block, cells)


def _breaks_words(halves: Sequence[tuple[str, str]], lines: Sequence[Line]) -> bool:
    """Whether most words that line ends cut in two are no compounds: then the program was told to break words."""
    words = {word.text.lower() for line in lines for word in line.words}
    broken = sum(not keeps_hyphen(first, second.rstrip(".,;:"), words) for first, second in halves)
    return broken >= BROKEN_WORDS_TO_TELL and broken > BROKEN_SHARE * len(halves)


def _may_be_cut(above: Line, line: Line) -> bool:
    """Whether the signs at the end of a line and at the begin of the next belong to a text without spaces."""
    last, first = above.last.text[-1], line.first.text[0]
    if is_ideographic(last):
        return is_ideographic(first)
    return (
        last in _WITHIN_SENTENCES and is_ideographic(first) and above.end - above.start >= SENTENCE * above.first.size
    )


def _follows(above: Line, line: Line) -> bool:
    """Whether a line stands below another as the next of its paragraph."""
    last, first = above.last, line.first
    return (
        last.angle == first.angle
        and abs(first.size - last.size) <= SAME_SIZE_WITHIN * last.size
        and STEP[0] * last.size <= _step(above, line) <= STEP[1] * last.size
        and FARTHEST_LEFT * last.size <= above.start - line.start <= FARTHEST_RIGHT * last.size
    )


def _step(above: Line, line: Line) -> float:
    return above.last.base - line.first.base


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


def _is_full(cell: Line, line: Line, block: Sequence[Line], cells: Sequence[Line]) -> bool:
    """Whether a cell reaches the margin, where what begins the line below had no place.

    The margin is where the longest of its block ends; another cell must end there, too, or this one is surely prose.
    """
    size, end = cell.first.size, cell.end
    lacking = _room_for_begin(line)
    if end - cell.start < SHORTEST * size or any(other.end > end + lacking for other in block):
        return False
    column = [other for other in cells if abs(other.start - cell.start) <= FARTHEST_RIGHT * size]
    if any(end + lacking < other.end <= end + 3 * lacking for other in column if other not in block):
        return False
    at_margin = any(other is not cell and abs(other.end - end) <= LETTER_AND_A_BIT * size for other in cells)
    return end - cell.start >= SURELY_PROSE * size or at_margin


def _room_for_begin(line: Line) -> float:
    """The room for what nothing divides at the begin of a line: a letter and what must not begin a line, or a word."""
    glyphs, size = line.words[0].glyphs, line.first.size
    word = list(takewhile(lambda glyph: glyph.text.isascii() and not glyph.is_space, glyphs))
    if word:
        return word[-1].end - word[0].start + (LETTER_AND_A_BIT - 1) * size
    return LETTER_AND_A_BIT * size * (2 if len(glyphs) > 1 and glyphs[1].text[0] in _NOT_FIRST else 1)
