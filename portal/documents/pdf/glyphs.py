"""The glyphs of one page of a PDF: the text of each, and its place. Runs in the reading child only."""

from __future__ import annotations

import codecs
import ctypes
import math
import sys
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import Box, address_of, font_of, text_objects

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pypdfium2 import PdfPage, PdfTextPage

UNKNOWN_TEXT = "\ufffd"
"""A glyph of which its font does not say what it reads as."""
_UNKNOWN_TO_PDFIUM = 0xFFFE
_HYPHEN_AT_LINE_END = 0x02  # pdfium's own sign for it
# One glyph stands for a few letters at most, some Arabic ones for a phrase; a font that makes a sentence of a dot lies.
MOST_LETTERS_OF_A_GLYPH, MOST_LETTERS_OF_A_PHRASE = 4, 18
# An alef never joins what follows, so one glyph of the two is a lam and an alef, which some programs write backwards.
_ALEFS, _LAM = frozenset("اأإآٱ"), "ل"
_HALVES = range(0xD800, 0xE000)


@dataclass(slots=True)
class Owner:
    """What all characters of a text object share: direction in quarter turns, size as painted, and font."""

    address: int
    handle: object = None
    angle: int = 0
    size: float = 0.0
    font: int = 0


@dataclass(slots=True)
class Glyph:
    """A glyph, or the space between two; lengths in points."""

    text: str  # what it says; more than one letter for a ligature, " " for a space
    first: int  # number of its first character in pdfium's list
    owner: Owner  # the text object it belongs to
    ink: Box  # where it is painted, as far as the font says
    start: float  # where it begins along its line
    end: float
    base: float  # height of its baseline, in the direction of the page of its line
    size: float  # of the letters as painted
    room: Box = field(repr=False)  # the box around it, ink or not
    surplus: bool = False  # it says more than a glyph can show
    guessed: bool = False  # a space that is not in the file; these count in lines that are read from the right

    @property
    def angle(self) -> int:
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
    turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2))
    width, area = math.hypot(matrix.a, matrix.b), matrix.a * matrix.d - matrix.b * matrix.c
    height = size * (area / width if area > 0 else math.hypot(matrix.c, matrix.d))
    return Owner(address, handle, turns % 4, height, font)


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
    corners = turned(room.left, room.bottom, owner.angle), turned(room.right, room.top, owner.angle)
    low, high = sorted(along for along, _ in corners)
    # An italic letter reaches back over the gap before it.
    begin = start if low < start < high and unicodedata.east_asian_width(text) != "W" else low
    return Glyph(text, index, owner, ink, begin, high, base, size, room)


def turned(x: float, y: float, quarters: int) -> tuple[float, float]:
    """A point in the frame of a line: along it, and above it."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[quarters]


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
            if glyph.text[0] in _ALEFS and glyph.text[1:] == _LAM:
                glyph.text = glyph.text[::-1]
            arabic = all(unicodedata.bidirectional(letter) == "AL" for letter in glyph.text if letter != " ")
            limit = MOST_LETTERS_OF_A_PHRASE if arabic else MOST_LETTERS_OF_A_GLYPH
            glyph.surplus = sum(unicodedata.category(letter)[0] != "M" for letter in glyph.text) > limit
    return glyphs


_CLAIM = b"ActualText"
# pdfium's own reading of texts in marks takes the two bytes of a letter for two letters.
_ENCODINGS = {codecs.BOM_UTF16_BE: "utf-16-be", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF8: "utf-8"}
MOST_GLYPHS, LETTERS_OF_AN_UNREAD_GLYPH = 6, 3
_ACCENTS = dict(
    zip(
        "`´ˆ^˜¯˘˙¨˚˝ˇ¸˛",
        "\u0300\u0301\u0302\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328",
        strict=True,
    )
)
_DOTLESS = {"ı": "i", "ȷ": "j"}
NEAR_IN_ORDER = 200
# In sizes of the letters.
WIDEST, OFF_BASE_WITHIN, SAME_PLACE_WITHIN = 3.0, 0.5, 0.05


@dataclass(frozen=True, slots=True)
class Claim:
    """What a marked text claims to read as; `mark` tells it from others that say the same."""

    mark: int
    text: str


def take_claims(page: PdfPage) -> dict[int, Claim]:
    """Take all claims away from a page. Returns the claim about each text object, by its address."""
    claims: dict[int, Claim] = {}
    marked: list[tuple[object, object]] = []
    for handle in text_objects(page):
        for number in range(pdfium.FPDFPageObj_CountMarks(handle)):
            mark = pdfium.FPDFPageObj_GetMark(handle, number)
            unknown = int(pdfium.FPDF_OBJECT_UNKNOWN)
            if mark and pdfium.FPDFPageObjMark_GetParamValueType(mark, _CLAIM) != unknown:
                claims[address_of(handle)] = Claim(address_of(mark), _claimed_by(mark))
                marked.append((handle, mark))
    # Not before all are known: objects that follow each other lose the mark together.
    for text, mark in marked:
        pdfium.FPDFPageObj_RemoveMark(text, mark)
    return claims


def _claimed_by(mark: object) -> str:
    size = ctypes.c_ulong()
    pdfium.FPDFPageObjMark_GetParamBlobValue(mark, _CLAIM, None, 0, size)
    buffer = (ctypes.c_ubyte * size.value)()
    pdfium.FPDFPageObjMark_GetParamBlobValue(mark, _CLAIM, buffer, size.value, size)
    claim = bytes(buffer)
    encoding = next((name for sign, name in _ENCODINGS.items() if claim.startswith(sign)), "cp1252")
    return claim.decode(encoding, "replace").lstrip("\ufeff")


def with_claims(glyphs: list[Glyph], claims: dict[int, Claim]) -> list[Glyph]:
    """The glyphs, with those merged of which a claim is believed; those that say nothing after that are left out."""
    read: list[Glyph] = []
    for claim, group in groupby(glyphs, key=lambda glyph: claims.get(glyph.owner.address)):
        painted = list(group)
        text = "" if claim is None else claim.text.replace("\u00ad", "")
        if text and text.isprintable() and " " not in text and _agree(painted, text):
            if len(painted) == 1 or (_is_one_letter(text) and _are_together(painted)):
                painted = [_as_one(painted, text)]
            elif len(painted) == len(text):
                for glyph, letter in zip(painted, text, strict=True):
                    glyph.text = letter if _is_unread(glyph) else glyph.text
        read += [glyph for glyph in painted if glyph.text != UNKNOWN_TEXT]
    return read


def _is_unread(glyph: Glyph) -> bool:
    return glyph.text == UNKNOWN_TEXT or unicodedata.category(glyph.text[0]) == "Co"


def _agree(glyphs: Sequence[Glyph], claim: str) -> bool:
    remaining = Counter(_plain(claim))
    read = Counter(_plain("".join(glyph.text for glyph in glyphs if not _is_unread(glyph))))
    if read - remaining or len(glyphs) > MOST_GLYPHS:
        return False
    return (remaining - read).total() <= LETTERS_OF_AN_UNREAD_GLYPH * sum(map(_is_unread, glyphs))


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in apart if unicodedata.category(character)[0] in "LM")


def _is_one_letter(text: str) -> bool:
    kinds = [(unicodedata.category(sign), unicodedata.combining(sign)) for sign in unicodedata.normalize("NFD", text)]
    is_letters = all(category[0] in "LM" or category == "Cf" for category, _ in kinds)
    bound = sum(combining == 9 for _, combining in kinds)  # noqa: PLR2004 - a virama, in Unicode's list of classes
    return is_letters and sum(category[0] == "L" for category, _ in kinds) <= 1 + bound


def _are_together(glyphs: Sequence[Glyph]) -> bool:
    first, size = glyphs[0], max(glyph.size for glyph in glyphs)
    is_level = all(glyph.angle == first.angle and abs(glyph.base - first.base) <= size for glyph in glyphs)
    return is_level and max(glyph.end for glyph in glyphs) - min(glyph.start for glyph in glyphs) <= WIDEST * size


def _as_one(glyphs: Sequence[Glyph], text: str) -> Glyph:
    whole = max(glyphs, key=lambda glyph: glyph.ink.width * glyph.ink.height)
    whole.start, whole.end = min(glyph.start for glyph in glyphs), max(glyph.end for glyph in glyphs)
    for glyph in glyphs:
        whole.ink = whole.ink.joined(glyph.ink)
    whole.text = unicodedata.normalize("NFC", text)
    return whole


def with_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with every accent that is painted on a letter merged into that letter."""
    taken: set[int] = set()
    for place, accent in enumerate(glyphs):
        mark = _ACCENTS.get(accent.text, accent.text)
        if len(mark) != 1 or mark.isascii() or unicodedata.category(mark) != "Mn":
            continue
        near = range(max(0, place - NEAR_IN_ORDER), min(len(glyphs), place + NEAR_IN_ORDER + 1))
        others = sorted((other for other in near if other not in taken), key=lambda other: abs(other - place))
        if any(other != place and _put(mark, accent, glyphs[other]) for other in others):
            taken.add(place)
    return [glyph for place, glyph in enumerate(glyphs) if place not in taken]


def _put(mark: str, accent: Glyph, letter: Glyph) -> bool:
    """Make a mark part of a letter if it is painted on it; False if it is not."""
    is_combining = mark == accent.text
    if not letter.text[:1].isalpha() or letter.angle != accent.angle or len(letter.text) > 1 + is_combining:
        return False
    middle, width = (accent.start + accent.end) / 2, letter.end - letter.start
    is_near = abs(letter.base - accent.base) < OFF_BASE_WITHIN * letter.size
    is_on = letter.start + 0.1 * width <= middle <= letter.end - 0.1 * width
    # A combining mark, which has no room of its own, may be set right behind its letter.
    is_behind = is_combining and abs(letter.end - accent.start) < SAME_PLACE_WITHIN * accent.size
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter.text, letter.text) + mark)
    if not is_near or not (is_on or is_behind) or (not is_combining and len(composed) > 1):
        return False
    letter.text = composed
    return True
