"""Hyphens at line ends that somebody typed: "finite-" and "state". Runs in the reading child only.

Typesetters break words in any text. Word processors and browsers do so only when told to, and then mostly where lines
are filled up to a margin; so what ends a line of theirs that ends anywhere was typed.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pypdfium2 import PdfDocument

    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line

_SELDOM_BREAK_WORDS = re.compile(
    r"microsoft|office|skia|quartz|wps|google|canva|weasyprint|qt |reportlab|fpdf|tcpdf|dompdf|jspdf|itext",
    re.IGNORECASE,
)
_SOFT_HYPHEN = "\u00ad"
_BREAKING_HYPHEN = "\u2010"
_HYPHENS = frozenset({"-", _SOFT_HYPHEN})
# In sizes of the letters.
SAME_MARGIN_WITHIN = 0.15
SAME_SIDE_WITHIN = 3.0
NEXT_LINE_WITHIN = 2.5
# Fewer lines of about the same length do not tell whether lines are filled up.
LINES_TO_TELL = 4
ABOUT_AS_LONG = 0.7
FILLED_SHARE = 0.3


def tell_hyphens(glyphs: Sequence[Glyph], claims: Mapping[int, str]) -> None:
    """Distinguish hyphens that break words from typed ones, as the file claims; `claims` are by text object.

    A font may have one glyph for both, which then says that it is the first. Where there are breaking ones, `clean`
    takes all others for typed.
    """
    hyphens = [glyph for glyph in glyphs if glyph.text in _HYPHENS]
    tells = any(glyph.text == _SOFT_HYPHEN or claims.get(glyph.owner) == _SOFT_HYPHEN for glyph in hyphens)
    for glyph in hyphens if tells else ():
        glyph.text = "-" if claims.get(glyph.owner) == "-" else _BREAKING_HYPHEN


def seldom_breaks_words(document: PdfDocument) -> bool:
    """Whether the document says that it was made by a program which breaks words only when told to."""
    programs = (document.get_metadata_value(key) for key in ("Producer", "Creator"))
    return any(_SELDOM_BREAK_WORDS.search(name) for name in programs)


def keep_hyphens(lines: Sequence[Line]) -> None:
    """Set `goes_on` of every line behind a hyphen that was typed; the program is one that seldom breaks words."""
    cells: list[Line] | None = None
    for above, line in pairwise(lines):
        if above.words[-1].glyphs[-1].text == "-" and line.first.text.islower():
            cells = cells or [other.cells()[-1] for other in lines]
            cell = above.cells()[-1]
            line.goes_on |= _is_below(cell, line) and _ends_anywhere(cell, cells)


def _is_below(cell: Line, line: Line) -> bool:
    size, last = cell.first.size, cell.words[-1].glyphs[-1]
    return (
        last.angle == line.first.angle
        and 0 < last.base - line.first.base <= NEXT_LINE_WITHIN * size
        and abs(cell.start - line.start) <= SAME_SIDE_WITHIN * size
    )


def _ends_anywhere(cell: Line, cells: Sequence[Line]) -> bool:
    """Whether hardly a line that is about as long as this one, and on the same side, ends where it does."""
    size, width = cell.first.size, cell.end - cell.start
    ends = [
        other.end
        for other in cells
        if abs(other.start - cell.start) <= SAME_SIDE_WITHIN * size and other.end - other.start >= ABOUT_AS_LONG * width
    ]
    filled = sum(abs(end - cell.end) <= SAME_MARGIN_WITHIN * size for end in ends) - 1
    return len(ends) > LINES_TO_TELL and filled <= FILLED_SHARE * (len(ends) - 1)
