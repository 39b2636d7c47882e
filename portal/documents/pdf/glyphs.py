"""The glyphs of one page of a PDF: the text of each, and its place. Runs in the reading child only.

Fonts lie about what their glyphs say, mostly by accident: TeX's bitmap fonts say nothing at all (`tex`), others have
only names (`glyph_names`), old TeX fonts paint an accent and then its letter (`accents`), others have letters among
their icons (`private`) or icons alone (`icons`), and a marked passage may claim to read as something else.
This module reads what is painted on the page.
"""

from __future__ import annotations

import ctypes
import math
import sys
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.accents import with_accents
from portal.documents.pdf.advances import draw_in, room_along_line, room_from_pen
from portal.documents.pdf.boxes import Box
from portal.documents.pdf.clusters import with_clusters
from portal.documents.pdf.glyph_names import with_named_letters
from portal.documents.pdf.icons import without_icons
from portal.documents.pdf.objects import address_of, font_of
from portal.documents.pdf.private import UNKNOWN_TEXT, with_private_letters
from portal.documents.pdf.sizes import set_true_sizes
from portal.documents.pdf.tex import spell_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pypdfium2 import PdfTextPage

    from portal.documents.pdf.glyph_names import GlyphNames
    from portal.documents.pdf.marks import Claims

# Some programs write what a ligature says with its bytes swapped; of three letters they lose the last.
_SWAPPED = {"昀케": "ffi", "昀툀": "ffl"}
_HYPHEN_AT_LINE_END = 0x02  # pdfium's own sign for it
# One glyph stands for a few letters at most; a font that makes a whole sentence of a dot does not say so to readers.
MOST_LETTERS_OF_A_GLYPH = 4
# An alef never joins what follows, so one glyph of the two is a lam and an alef, which some programs write backwards.
_ALEFS = frozenset("اأإآٱ")
_LAM = "ل"
# Fewer in one odd direction stand along a curve.
LETTERS_OF_A_SLANT = 4
NEARLY_DIAGONAL = 0.2
# Some Arabic glyphs are whole phrases.
MOST_LETTERS_OF_A_PHRASE = 18


@dataclass(slots=True)
class Glyph:
    """A glyph, or the space between two.

    Attributes:
        text: what it says; more than one letter for a ligature, " " for a space that is in the file.
        first: number of its first character in pdfium's list.
        owner: address of the text object it belongs to; 0 when unknown.
        ink: where it is painted, as far as the font says.
        start, end: where it begins and ends along its line, in points.
        base: height of its baseline, in the direction of the page of its line.
        size: size of the letters as painted, in points.
        angle: direction of its line, in quarter turns; None when hardly another glyph of the page has it.
        surplus: it says more than a glyph can show.
        guessed: a space that is not in the file.
        hangs_over: its ink reaches farther than `end`.
        font: address of its font; 0 when unknown.
        family: the same; 0 for a font without a name, which may be a part of another.
    """

    text: str
    first: int
    owner: int
    ink: Box
    loose: Box
    start: float
    end: float
    base: float
    size: float
    angle: float | None
    surplus: bool = False
    guessed: bool = False
    hangs_over: bool = False
    font: int = 0
    family: int = 0

    @property
    def is_space(self) -> bool:
        """Whether it only separates words."""
        return self.text.isspace()


@dataclass(slots=True)
class _Owner:
    """Properties that all characters of a text object share.

    `lean` is how far its letters lean to the right by their height: those that a program made italic by itself.
    """

    angle: float
    size: float
    lean: float = 0.0
    font: int = 0
    family: int = 0


def glyphs_of(texts: PdfTextPage, claims: Claims, names: GlyphNames) -> list[Glyph]:
    """All glyphs of a page in pdfium's order, spaces of the file included, guessed ones not.

    `claims` are what text objects claimed to read as; they count where their font says nothing else.
    """
    named = with_named_letters(texts, list(_characters(texts, claims.by_object)), names)
    letters = with_clusters(without_icons(texts, named), claims.by_object)
    spelt = with_private_letters(texts, spell_out(texts, letters), claims.of_objects)
    glyphs = with_accents(_merged(_straightened(spelt)))
    set_true_sizes(glyphs)
    draw_in(texts, glyphs)
    return glyphs


def _characters(texts: PdfTextPage, claims: Collection[int]) -> Iterator[Glyph]:
    owners: dict[int, _Owner] = {}
    high_surrogate: int | None = None
    for index in range(texts.count_chars()):
        code = pdfium.FPDFText_GetUnicode(texts, index)
        # Characters beyond the basic plane may come as two halves.
        if high_surrogate is not None and 0xDC00 <= code < 0xE000:  # noqa: PLR2004 - low surrogates
            code, high_surrogate = 0x10000 + ((high_surrogate - 0xD800) << 10) + (code - 0xDC00), None
        elif 0xD800 <= code < 0xDC00:  # noqa: PLR2004 - high surrogates
            high_surrogate = code
            continue
        text = _text_of(texts, index, code)
        handle = pdfium.FPDFText_GetTextObject(texts, index)
        owner = address_of(handle)
        text = text or (UNKNOWN_TEXT if owner in claims else "")
        guessed = text.isspace() and pdfium.FPDFText_IsGenerated(texts, index) == 1
        # Spaces that pdfium guesses count only where the direction of the line is odd.
        if not text or (guessed and (owner not in owners or owners[owner].angle.is_integer())):
            continue
        if owner not in owners:
            owners[owner] = _owner(texts, index)
            owners[owner].font, owners[owner].family = font_of(handle)
        yield _placed(texts, index, text, owner, owners[owner], guessed=guessed)


def _straightened(glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with those of letters that stand along a curve, each in a direction of its own, put upright."""
    slants = Counter(glyph.angle for glyph in glyphs if not glyph.guessed)
    straightened = []
    for glyph in glyphs:
        if glyph.angle is not None and not glyph.angle.is_integer() and slants[glyph.angle] < LETTERS_OF_A_SLANT:
            x, glyph.base = _turned(glyph.start, glyph.base, -glyph.angle)
            glyph.start = glyph.end = x
            glyph.angle = None
        if glyph.angle is None or not glyph.guessed:
            straightened.append(glyph)
    return straightened


def _text_of(texts: PdfTextPage, index: int, code: int) -> str:
    """The text of a character; of control characters only those that are numbers of a font without a mapping."""
    if code < ord(" "):
        if pdfium.FPDFText_HasUnicodeMapError(texts, index) == 1:
            return chr(code) if code else ""
        if code == _HYPHEN_AT_LINE_END:
            return "-"
        return " " if chr(code) in "\t\r\n" else ""
    return chr(code) if code <= sys.maxunicode and not 0xD800 <= code < 0xE000 else ""  # noqa: PLR2004 - surrogates


def _owner(texts: PdfTextPage, index: int) -> _Owner:
    matrix = pdfium.FS_MATRIX()
    size = abs(pdfium.FPDFText_GetFontSize(texts, index))
    if not pdfium.FPDFText_GetMatrix(texts, index, matrix):
        return _Owner(0.0, size)
    turns = math.atan2(matrix.b, matrix.a) / (math.pi / 2)
    straight = abs(turns - round(turns)) < 0.02  # noqa: PLR2004 - about two degrees
    width, area = math.hypot(matrix.a, matrix.b), matrix.a * matrix.d - matrix.b * matrix.c
    lean = (matrix.a * matrix.c + matrix.b * matrix.d) / area if area > 0 else 0.0
    height = size * (area / width if area > 0 else math.hypot(matrix.c, matrix.d))
    return _Owner(float(round(turns) % 4) if straight else round(turns % 4, 2), height, lean)


def _placed(texts: PdfTextPage, index: int, text: str, owner: int, common: _Owner, *, guessed: bool) -> Glyph:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(texts, index, left, right, bottom, top)
    ink = Box(left.value, bottom.value, right.value, top.value)
    room = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(texts, index, room)
    loose = Box(room.left, min(room.bottom, room.top), room.right, max(room.bottom, room.top))
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(texts, index, x, y)
    start, base = _turned(x.value, y.value, common.angle)
    if common.angle.is_integer():
        corners = _turned(loose.left, loose.bottom, common.angle), _turned(loose.right, loose.top, common.angle)
        (low, high), (below, above) = map(sorted, zip(*corners, strict=True))
        # The box around leaning letters reaches over their neighbours.
        before, behind = sorted((common.lean * (below - base), common.lean * (above - base)))
        box = room_from_pen(text, start, (low - before, high - behind), common.size)
        start, end = room_along_line(text, start, box, common.size)
    else:
        end = start + _width_of_slanted(loose, common)
    size = common.size or ink.top - ink.bottom
    place = (ink, loose, start, end, base, size, common.angle)
    return Glyph(text, index, owner, *place, guessed=guessed, font=common.font, family=common.family)


def _width_of_slanted(around: Box, common: _Owner) -> float:
    """How wide a glyph is along its line, by the upright box around it."""
    turn = common.angle * math.pi / 2
    along, across = abs(math.cos(turn)), abs(math.sin(turn))
    width, height = around.right - around.left, around.top - around.bottom
    if abs(along - across) < NEARLY_DIAGONAL:
        return max(0.0, (width + height) / (along + across) - common.size)
    return max(0.0, (width * along - height * across) / (along**2 - across**2))


def _turned(x: float, y: float, quarters: float) -> tuple[float, float]:
    """A point in the frame of a line: along it, and above it."""
    match quarters:
        case 0:
            return x, y
        case 1:
            return y, -x
        case 2:
            return -x, -y
        case 3:
            return -y, x
    turn = quarters * math.pi / 2
    return x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)


def _merged(characters: list[Glyph]) -> list[Glyph]:
    """Characters that stand in the same place are one glyph: a ligature."""
    merged: list[Glyph] = []
    for character in characters:
        last = merged[-1] if merged else None
        together = last is not None and character.owner == last.owner != 0 and character.loose == last.loose
        if last is not None and together and not last.is_space and (character.is_space or character.ink == last.ink):
            last.text += character.text
        else:
            merged.append(character)
    for glyph in merged:
        glyph.text = _swapped_back(glyph.text)
        arabic = all(unicodedata.bidirectional(character) == "AL" for character in glyph.text if character != " ")
        limit = MOST_LETTERS_OF_A_PHRASE if arabic else MOST_LETTERS_OF_A_GLYPH
        glyph.surplus = sum(unicodedata.category(character)[0] != "M" for character in glyph.text) > limit
    return merged


def _swapped_back(text: str) -> str:
    """What a ligature says, if it is written backwards or its letters are Latin ones with their bytes swapped."""
    if len(text) < 2 or text.isascii():  # noqa: PLR2004 - a ligature is of two letters at least
        return text
    if text[0] in _ALEFS and text[1:] == _LAM:
        return text[::-1]
    letters = [chr(ord(letter) >> 8) if ord(letter) & 0xFF == 0 else "" for letter in text]
    if all(letter.isascii() and letter.isalpha() for letter in letters):
        return "".join(letters)
    return _SWAPPED.get(text, text)
