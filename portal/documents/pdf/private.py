"""Letters that fonts of text keep in the private use area, where others have icons. In the reading child only.

Times New Roman, Arial and fonts made after them have ligatures there, and expert fonts small capitals and old figures;
a program that takes what a glyph says from its font writes that into the file. Where fonts differ in what they keep,
the file may claim what such a text reads as, as browsers do. A claim about letters that can be read is not believed.
"""

from __future__ import annotations

import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import address_of
from portal.documents.pdf.private_letters import OF_LIBERTINE, OF_MANY_FONTS, SMALL_CAPITALS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pypdfium2 import PdfTextPage

    from portal.documents.pdf.glyphs import Glyph

UNKNOWN_TEXT = "\ufffd"
"""A glyph of which its font does not say what it reads as."""
# A font of icons may have one for a letter or two.
LETTERS_OF_A_TEXT = 3
LETTERS_OF_A_LIGATURE = 3
TOUCHING_WITHIN = 0.12  # in sizes of the letters
_PRIVATE_USE = "Co"


def with_private_letters(texts: PdfTextPage, glyphs: list[Glyph], claims: Mapping[int, str]) -> list[Glyph]:
    """The glyphs, with what those say that are letters in a font that has other letters as well.

    `claims` are what text objects claim to read as, by address. Glyphs that say nothing otherwise are left out.
    """
    private = [place for place, glyph in enumerate(glyphs) if _is_private(glyph)]
    if not private:
        return glyphs
    claimed = _letters_by_claims(glyphs, claims)
    by_font = _letters_of_fonts(texts, glyphs)
    read = [claimed.get(glyph.first) or by_font.get(glyph.first, glyph.text) for glyph in glyphs]
    for place in private:
        glyph = glyphs[place]
        supposed = OF_LIBERTINE.get(glyph.text) if read[place] == glyph.text else claimed.get(glyph.first)
        if supposed:
            is_sure = len(supposed) == 1 and glyph.first in claimed
            read[place] = supposed if is_sure or _is_within_a_word(glyphs, read, place) else glyph.text
        glyph.text = read[place]
    return [glyph for glyph in glyphs if glyph.text != UNKNOWN_TEXT]


def _is_private(glyph: Glyph) -> bool:
    return glyph.text == UNKNOWN_TEXT or unicodedata.category(glyph.text[0]) == _PRIVATE_USE


def _letters_of_fonts(texts: PdfTextPage, glyphs: list[Glyph]) -> dict[int, str]:
    """The text of private letters in fonts that also have other letters, by the numbers of their glyphs."""
    private = [glyph for glyph in glyphs if glyph.text in OF_MANY_FONTS]
    if not private:
        return {}
    fonts: dict[int, int] = {}
    letters: dict[int, set[str]] = {}
    for glyph in glyphs:
        if glyph.owner not in fonts:
            text = pdfium.FPDFText_GetTextObject(texts, glyph.first) if glyph.owner else None
            fonts[glyph.owner] = address_of(pdfium.FPDFTextObj_GetFont(text)) if text else 0
        if glyph.text.isascii() and glyph.text.isalpha():
            letters.setdefault(fonts[glyph.owner], set()).add(glyph.text)
    return {
        glyph.first: OF_MANY_FONTS[glyph.text]
        for glyph in private
        if fonts[glyph.owner] and len(letters.get(fonts[glyph.owner], ())) >= LETTERS_OF_A_TEXT
    }


def _letters_by_claims(glyphs: list[Glyph], claims: Mapping[int, str]) -> dict[int, str]:
    """The claimed text of glyphs, by their numbers, from texts in which nothing contradicts the claim."""
    claimed: dict[int, str] = {}
    for owner, group in groupby(glyphs, key=lambda glyph: glyph.owner):
        # Where a word may be broken inside of a ligature, the claim says so as well.
        claim, unread = claims.get(owner, "").replace("\u00ad", ""), list(group)
        if not claim.isprintable() or " " in claim or not all(map(_is_private, unread)):
            continue
        share, remainder = divmod(len(claim), len(unread))
        if share < 1 or share + (remainder > 0) > LETTERS_OF_A_LIGATURE:
            continue
        start = 0
        for place, glyph in enumerate(unread):
            end = start + share + (place < remainder)
            claimed[glyph.first] = claim[start:end]
            start = end
    return claimed


def _is_within_a_word(glyphs: list[Glyph], read: list[str], place: int) -> bool:
    """Whether a letter touches the glyph. Icons seldom touch letters, and some of them have a claimed text, too."""
    glyph = glyphs[place]
    touching = TOUCHING_WITHIN * glyph.size
    for index in (place - 1, place + 1):
        if 0 <= index < len(glyphs) and (read[index][-1].isalpha() or glyphs[index].text in SMALL_CAPITALS):
            other = glyphs[index]
            gap = max(glyph.start, other.start) - min(glyph.end, other.end)
            if glyph.angle == other.angle and abs(glyph.base - other.base) <= touching and gap <= touching:
                return True
    return False
