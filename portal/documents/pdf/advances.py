"""The width of a glyph on its line, without ink that hangs over its neighbours. Runs in the reading child only.

The box around a glyph holds all of its ink: a leaning "f" reaches back below the letter before it and over the space
behind it, and "of 5" would be one word. Its room begins where the pen was, and ends where it usually is put next.
"""

from __future__ import annotations

import ctypes
import unicodedata
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import address_of
from portal.documents.pdf.spreads import spreads_of, style_of
from portal.documents.quality import script_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pypdfium2 import PdfTextPage

    from portal.documents.pdf.glyphs import Glyph

# In sizes of the letters; ink that begins farther outside belongs to a font that tells nonsense.
FARTHEST_OUTSIDE = 0.4
AT_EDGE_WITHIN = 0.01
SAME_LINE_WITHIN = 0.1
# Pairs of letters are set closer or less close by about this.
KERNED_WITHIN = 0.08
LEAST_OVERHANG = 0.08
NARROWEST = 0.15
SPACE = 0.18
LONGEST_LIGATURE = 3
_UNKNOWN_TO_FONTS = "\ufffe"
_SCRIPTS = frozenset({"Latin", "Greek", "Cyrillic"})
_Shape = tuple[str, float, float]
# The address of a font, and what a letter says.
_Letter = tuple[int, str]


def draw_in(texts: PdfTextPage, glyphs: Sequence[Glyph]) -> None:
    """Set `end` of letters that hang far over their room to where the next letter stands inside of words.

    Their font may say that they are wider: what follows them there was moved closer (VE, and VT in another word).
    Where no such letter stands inside of a word, the font alone tells; that of another form of the letter, it may be,
    so only a gap as wide as a space counts.
    """
    beside = [
        (first, second)
        for first, second in pairwise(glyphs)
        if _may_hang_over(first) and _are_on_one_line(first, second)
    ]
    steps: dict[_Shape, list[float]] = {}
    of_letters = _letters_of_ligatures(texts, glyphs)
    spreads = spreads_of(glyphs)
    for glyph, following in beside:
        step = following.start - glyph.start
        if not following.is_space and 0 < step <= glyph.end - glyph.start:
            steps.setdefault(_shape(glyph), []).append(step)
    for glyph, following in beside:
        usual = steps.get(_shape(glyph))
        if usual:
            widest_step = median(usual) + KERNED_WITHIN * glyph.size
            width = max(step for step in usual if step <= widest_step)
            width_in_font = _width(texts, glyph, of_letters)
            width = width_in_font if width < width_in_font <= glyph.end - glyph.start else width
        else:
            width = _width(texts, glyph, of_letters)
            gap = following.start - glyph.start - width - spreads.get(style_of(glyph), 0.0)
            width = width if gap >= SPACE * glyph.size else 0.0
        if NARROWEST * glyph.size <= width <= glyph.end - glyph.start - LEAST_OVERHANG * glyph.size:
            glyph.end = glyph.start + width
            glyph.hangs_over = True


def _are_on_one_line(first: Glyph, second: Glyph) -> bool:
    return first.angle == second.angle and abs(first.base - second.base) <= SAME_LINE_WITHIN * first.size


def _width(texts: PdfTextPage, glyph: Glyph, of_letters: Mapping[_Letter, Glyph]) -> float:
    """The width of a letter as its font has it; 0 when that cannot be told.

    Fonts are asked for letters. A ligature (ff) hangs over as far as its last letter does by itself.
    """
    font = _font(texts, glyph)
    letter = glyph if len(glyph.text) == 1 else of_letters.get((address_of(font), glyph.text[-1]))
    # A letter with an accent that was painted by itself is another one to the font.
    if letter is None or pdfium.FPDFText_GetUnicode(texts, letter.first) != ord(letter.text):
        return 0.0
    width = _width_in_font(font, letter.text, letter.size)
    if width in {0.0, _width_in_font(font, _UNKNOWN_TO_FONTS, letter.size)}:
        return 0.0
    if letter is glyph:
        return width
    overhang = (letter.ink.right - letter.start - width) * glyph.size / (letter.size or 1.0)
    return glyph.end - glyph.start - overhang


def _width_in_font(font: object, letter: str, size: float) -> float:
    """The width that a font tells; a usual one for letters that it does not know, as small capitals may be."""
    width = ctypes.c_float()
    return width.value if pdfium.FPDFFont_GetGlyphWidth(font, ord(letter), size, width) else 0.0


def _letters_of_ligatures(texts: PdfTextPage, glyphs: Sequence[Glyph]) -> dict[_Letter, Glyph]:
    """By font: for each letter that ends a ligature of the page, a glyph of that letter alone."""
    lasts = {glyph.text[-1] for glyph in glyphs if len(glyph.text) > 1}
    single = (glyph for glyph in glyphs if glyph.text in lasts)
    return {(address_of(font), glyph.text): glyph for glyph in single if (font := _font(texts, glyph))}


def _font(texts: PdfTextPage, glyph: Glyph) -> object:
    text = pdfium.FPDFText_GetTextObject(texts, glyph.first)
    return pdfium.FPDFTextObj_GetFont(text) if text else None


def _may_hang_over(glyph: Glyph) -> bool:
    """Whether the box around a letter ends where its ink does, so that its room may end before."""
    at_edge = glyph.ink.right >= glyph.loose.right - AT_EDGE_WITHIN * glyph.size
    return (
        glyph.angle == 0 and at_edge and script_of(glyph.text[-1]) in _SCRIPTS and len(glyph.text) <= LONGEST_LIGATURE
    )


def _shape(glyph: Glyph) -> _Shape:
    return glyph.text, round(glyph.size, 1), round((glyph.ink.right - glyph.ink.left) / (glyph.size or 1.0), 2)


def room_from_pen(text: str, pen: float, box: tuple[float, float], size: float) -> tuple[float, float]:
    """The box around a glyph from where the pen was put, if its ink begins before that."""
    begin, end = box
    is_outside = begin < pen <= min(begin + FARTHEST_OUTSIDE * size, end)
    return (pen, end) if is_outside and script_of(text[0]) in _SCRIPTS else box


def room_along_line(text: str, origin: float, box: tuple[float, float], size: float) -> tuple[float, float]:
    """Where a glyph begins and ends, given the box around it: of an East Asian letter at its origin, as wide as high.

    Some fonts say no more of a glyph than where it is painted, and 目 would seem to have a gap on both sides.
    """
    is_inside = origin <= box[0] and box[1] <= origin + size
    return (origin, origin + size) if is_inside and is_full_width(text) else box


def is_full_width(text: str) -> bool:
    """Whether a glyph says one East Asian letter or sign, as wide as it is high."""
    return len(text) == 1 and unicodedata.east_asian_width(text) in {"W", "F"}
