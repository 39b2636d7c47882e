"""Letters that a page paints with several glyphs, and of which the file claims what they read as together.

Runs in the reading child only. Browsers and word processors write such a claim for a letter and its accent, or for the
signs of a syllable of Hindi, whose fonts paint some vowels before the consonant that they are read after.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from portal.documents.pdf.private import UNKNOWN_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.marks import Claim

MOST_GLYPHS = 6
LETTERS_OF_AN_UNREAD_GLYPH = 3
# In sizes of the letters.
WIDEST, HIGHEST = 3.0, 0.6
# Binds the letter before it to the next, as in a conjunct of Hindi.
_VIRAMA = 9


def with_clusters(glyphs: Sequence[Glyph], claims: Mapping[int, Claim]) -> list[Glyph]:
    """The glyphs, with those merged that are one letter with its marks as the file claims.

    `claims` are by text object, by address. A claim that what can be read contradicts is not believed.
    """
    merged: list[Glyph] = []
    for claim, group in groupby(glyphs, key=lambda glyph: claims.get(glyph.owner)):
        painted = list(group)
        if claim is not None and _is_one_letter(claim.text) and _are_together(painted) and _agree(painted, claim.text):
            merged.append(_as_one(painted, claim.text))
        else:
            merged += painted
    return merged


def _is_one_letter(text: str) -> bool:
    """Whether a text is one letter with marks, or several that are bound to each other."""
    count = marks = 0
    is_bound = False
    for character in unicodedata.normalize("NFD", text):
        category = unicodedata.category(character)
        if category[0] == "M":
            marks += 1
            is_bound = unicodedata.combining(character) == _VIRAMA
        elif category == "Cf":
            marks += 1
        elif category[0] != "L":
            return False
        else:
            count += not is_bound
            is_bound = False
    return count == 1 and marks > 0


def _are_together(glyphs: Sequence[Glyph]) -> bool:
    """Whether several glyphs stand in the place of one letter."""
    if not 1 < len(glyphs) <= MOST_GLYPHS or any(glyph.angle != glyphs[0].angle for glyph in glyphs):
        return False
    size = max(glyph.size for glyph in glyphs)
    heights = [glyph.base for glyph in glyphs]
    width = max(glyph.end for glyph in glyphs) - min(glyph.start for glyph in glyphs)
    return width <= WIDEST * size and max(heights) - min(heights) <= HIGHEST * size


def _agree(glyphs: Sequence[Glyph], claim: str) -> bool:
    """Whether all that can be read of the glyphs is part of what they are claimed to read as, and the rest may be."""
    remaining = Counter(_plain(claim))
    unread = 0
    for glyph in glyphs:
        if glyph.text == UNKNOWN_TEXT or unicodedata.category(glyph.text[0]) == "Co":
            unread += 1
            continue
        read = Counter(_plain(glyph.text))
        if read - remaining:
            return False
        remaining -= read
    return remaining.total() <= LETTERS_OF_AN_UNREAD_GLYPH * unread


def _plain(text: str) -> str:
    """Letters and marks by themselves; small capitals are told as small letters or as capitals."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in apart if unicodedata.category(character)[0] in "LM")


def _as_one(glyphs: Sequence[Glyph], text: str) -> Glyph:
    """The largest of the glyphs, with the room of all."""
    whole = max(glyphs, key=lambda glyph: (glyph.ink.right - glyph.ink.left) * (glyph.ink.top - glyph.ink.bottom))
    whole.start, whole.end = min(glyph.start for glyph in glyphs), max(glyph.end for glyph in glyphs)
    for glyph in glyphs:
        whole.ink = whole.ink.joined(glyph.ink)
    whole.text = unicodedata.normalize("NFC", text)
    return whole
