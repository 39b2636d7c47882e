"""The glyphs of one page of a PDF: the text of each, and its place. Runs in the reading child only."""

from __future__ import annotations

import ctypes
import math
import sys
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.notices import script_of
from portal.documents.pdf.objects import Box, address_of, font_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pypdfium2 import PdfTextPage

UNKNOWN_TEXT = "\ufffd"
"""A glyph of which its font does not say what it reads as."""
_UNKNOWN_TO_PDFIUM = 0xFFFE
# Some programs write what a ligature says with its bytes swapped; of three letters they lose the last.
_SWAPPED = {"昀케": "ffi", "昀툀": "ffl"}
_HYPHEN_AT_LINE_END = 0x02  # pdfium's own sign for it
# One glyph stands for a few letters at most, some Arabic ones for a phrase; a font that makes a sentence of a dot lies.
MOST_LETTERS_OF_A_GLYPH, MOST_LETTERS_OF_A_PHRASE = 4, 18
# An alef never joins what follows, so one glyph of the two is a lam and an alef, which some programs write backwards.
_ALEFS, _LAM = frozenset("اأإآٱ"), "ل"
NEARLY_DIAGONAL = 0.2
# In sizes of the letters; ink that begins farther outside belongs to a font that tells nonsense.
FARTHEST_OUTSIDE = 0.4
_LEANING_SCRIPTS = frozenset({"Latin", "Greek", "Cyrillic"})
_HALVES = range(0xD800, 0xE000)


@dataclass(slots=True)
class Owner:
    """What all characters of a text object share: direction in quarter turns, size as painted, and font.

    `lean` is how far its letters lean to the right by their height: those that a program made italic by itself.
    """

    address: int
    handle: object = None
    angle: float = 0.0
    size: float = 0.0
    lean: float = 0.0
    font: int = 0


@dataclass(slots=True)
class Glyph:
    """A glyph, or the space between two.

    Attributes:
        text: what it says; more than one letter for a ligature, " " for a space that is in the file.
        first: number of its first character in pdfium's list.
        owner: the text object it belongs to.
        ink: where it is painted, as far as the font says.
        start, end: where it begins and ends along its line, in points.
        base: height of its baseline, in the direction of the page of its line.
        size: size of the letters as painted, in points.
        room: the box around it, ink or not.
        surplus: it says more than a glyph can show.
        guessed: a space that is not in the file; they count on slanted lines and those read from the right.
    """

    text: str
    first: int
    owner: Owner
    ink: Box
    start: float
    end: float
    base: float
    size: float
    room: Box = field(repr=False)
    surplus: bool = False
    guessed: bool = False

    @property
    def angle(self) -> float:
        """Direction of its line, in quarter turns."""
        return self.owner.angle

    @property
    def is_space(self) -> bool:
        """Whether it only separates words."""
        return self.text.isspace()


def characters_of(texts: PdfTextPage, claimed: Collection[int]) -> Iterator[Glyph]:
    """All characters of a page in pdfium's order, spaces included.

    `claimed` are the text objects that claim to read as something: there glyphs that say nothing count as well.
    """
    owners: dict[int, Owner] = {}
    high: int | None = None
    for index in range(texts.count_chars()):
        code = pdfium.FPDFText_GetUnicode(texts, index)
        # Characters beyond the basic plane may come as two halves.
        if high is not None and 0xDC00 <= code < 0xE000:  # noqa: PLR2004 - low surrogates
            code, high = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00), None
        elif 0xD800 <= code < 0xDC00:  # noqa: PLR2004 - high surrogates
            high = code
            continue
        handle = pdfium.FPDFText_GetTextObject(texts, index)
        address = address_of(handle)
        text = _text_of(texts, index, code) or (UNKNOWN_TEXT if address in claimed else "")
        if not text:
            continue
        owner = owners.get(address)
        guessed = text.isspace() and pdfium.FPDFText_IsGenerated(texts, index) == 1
        if guessed and owner is None:
            continue
        if owner is None:
            owner = owners[address] = _owner(texts, index, address, handle)
        glyph = _placed(texts, index, text, owner)
        glyph.guessed = guessed
        yield glyph


def _text_of(texts: PdfTextPage, index: int, code: int) -> str:
    """The text of a character; of control characters only those that are numbers of a font without a mapping."""
    if code < ord(" "):
        if pdfium.FPDFText_HasUnicodeMapError(texts, index) == 1:
            return chr(code) if code else ""
        if code == _HYPHEN_AT_LINE_END:
            return "-"
        return " " if chr(code) in "\t\r\n" else ""
    return chr(code) if code <= sys.maxunicode and code not in _HALVES and code != _UNKNOWN_TO_PDFIUM else ""


def _owner(texts: PdfTextPage, index: int, address: int, handle: object) -> Owner:
    matrix = pdfium.FS_MATRIX()
    size = abs(pdfium.FPDFText_GetFontSize(texts, index))
    font = address_of(font_of(handle))
    if not pdfium.FPDFText_GetMatrix(texts, index, matrix):
        return Owner(address, handle, size=size, font=font)
    turns = math.atan2(matrix.b, matrix.a) / (math.pi / 2)
    straight = abs(turns - round(turns)) < 0.02  # noqa: PLR2004 - about two degrees
    width, area = math.hypot(matrix.a, matrix.b), matrix.a * matrix.d - matrix.b * matrix.c
    lean = (matrix.a * matrix.c + matrix.b * matrix.d) / area if area > 0 else 0.0
    height = size * (area / width if area > 0 else math.hypot(matrix.c, matrix.d))
    angle = float(round(turns) % 4) if straight else round(turns % 4, 2)
    return Owner(address, handle, angle, height, lean, font)


def _placed(texts: PdfTextPage, index: int, text: str, owner: Owner) -> Glyph:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(texts, index, left, right, bottom, top)
    ink = Box(left.value, bottom.value, right.value, top.value)
    rect = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(texts, index, rect)
    room = Box(rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top))
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(texts, index, x, y)
    start, base = turned(x.value, y.value, owner.angle)
    size = owner.size or ink.height
    if owner.angle % 1:
        return Glyph(text, index, owner, ink, start, start + _width_of_slanted(room, owner), base, size, room)
    corners = turned(room.left, room.bottom, owner.angle), turned(room.right, room.top, owner.angle)
    (low, high), (below, above) = map(sorted, zip(*corners, strict=True))
    # The box around leaning letters reaches over their neighbours.
    before, behind = sorted((owner.lean * (below - base), owner.lean * (above - base)))
    begin, end = _room_along_line(text, start, (low - before, high - behind), owner.size)
    return Glyph(text, index, owner, ink, begin, end, base, size, room)


def _room_along_line(text: str, pen: float, box: tuple[float, float], size: float) -> tuple[float, float]:
    """Where a glyph begins and ends, given the box around it and where the pen was put.

    An italic letter reaches back over the gap before it. Of an East Asian letter some fonts say no more than where it
    is painted; it is as wide as high, and 目 would seem to have a gap on both sides.
    """
    begin, end = box
    if is_full_width(text):
        return (pen, pen + size) if pen <= begin and end <= pen + size else box
    reaches_back = begin < pen <= min(begin + FARTHEST_OUTSIDE * size, end) and script_of(text[0]) in _LEANING_SCRIPTS
    return (pen, end) if reaches_back else box


def _width_of_slanted(around: Box, owner: Owner) -> float:
    """How wide a glyph is along its line, by the upright box around it."""
    turn = owner.angle * math.pi / 2
    along, across = abs(math.cos(turn)), abs(math.sin(turn))
    if abs(along - across) < NEARLY_DIAGONAL:
        return max(0.0, (around.width + around.height) / (along + across) - owner.size)
    return max(0.0, (around.width * along - around.height * across) / (along**2 - across**2))


def is_full_width(text: str) -> bool:
    """Whether a glyph says one East Asian letter or sign, as wide as it is high."""
    return len(text) == 1 and not text.isascii() and unicodedata.east_asian_width(text) in {"W", "F"}


def turned(x: float, y: float, quarters: float) -> tuple[float, float]:
    """A point in the frame of a line: along it, and above it."""
    if not quarters:
        return x, y
    turn = quarters * math.pi / 2
    return x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)


def merged(characters: list[Glyph]) -> list[Glyph]:
    """Characters that stand in the same place are one glyph: a ligature."""
    glyphs: list[Glyph] = []
    for character in characters:
        last = glyphs[-1] if glyphs else None
        together = last is not None and character.owner is last.owner and character.room == last.room
        if last is not None and together and not last.is_space and (character.is_space or character.ink == last.ink):
            last.text += character.text
        else:
            glyphs.append(character)
    for glyph in glyphs:
        if len(glyph.text) > 1:
            glyph.text = _swapped_back(glyph.text)
            arabic = all(unicodedata.bidirectional(letter) == "AL" for letter in glyph.text if letter != " ")
            limit = MOST_LETTERS_OF_A_PHRASE if arabic else MOST_LETTERS_OF_A_GLYPH
            glyph.surplus = sum(unicodedata.category(letter)[0] != "M" for letter in glyph.text) > limit
    return glyphs


def _swapped_back(text: str) -> str:
    """What a ligature says, if it is written backwards or its letters are Latin ones with their bytes swapped."""
    if text.isascii():
        return text
    if text[0] in _ALEFS and text[1:] == _LAM:
        return text[::-1]
    letters = [chr(ord(letter) >> 8) if ord(letter) & 0xFF == 0 else "" for letter in text]
    if all(letter.isascii() and letter.isalpha() for letter in letters):
        return "".join(letters)
    return _SWAPPED.get(text, text)
