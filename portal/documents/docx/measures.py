"""How much room the text of a Word document takes, as far as it can be told without its fonts.

All of it is a lower and an upper bound in points. Runs in the reading child only.
"""

from __future__ import annotations

import math
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from portal.documents.docx.lengths import of_emu
from portal.documents.docx.names import WORD_DRAWING, qn

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.paragraph_formatting import Form

_NARROW = frozenset("iljtfrI.,;:'’|!()[] -·•")
_WIDE = frozenset("mwMW@%—")
# Of the size of the letters, in a font like Helvetica.
_NARROW_SHARE, _WIDE_SHARE, _UPPER_SHARE, _USUAL_SHARE, _FULL_SHARE = 0.27, 0.86, 0.67, 0.535, 1.0
# Of fonts that are often used: how wide letters are beside that one's, and how high lines are beside the letters.
_FONTS = {
    "times": (0.87, 1.15),
    "liberation serif": (0.87, 1.15),
    "arial": (1.0, 1.15),
    "helvetica": (1.0, 1.15),
    "liberation sans": (1.0, 1.15),
    "calibri": (0.91, 1.22),
    "carlito": (0.91, 1.22),
    "cambria": (0.96, 1.17),
    "caladea": (0.96, 1.17),
    "garamond": (0.82, 1.13),
    "georgia": (0.98, 1.14),
    "verdana": (1.16, 1.22),
    "dejavu sans": (1.15, 1.17),
    "tahoma": (0.98, 1.21),
    "trebuchet": (0.98, 1.16),
    "segoe ui": (1.0, 1.33),
    "open sans": (1.03, 1.36),
    "noto sans": (1.04, 1.36),
    "roboto": (0.99, 1.17),
    "lato": (0.97, 1.2),
    "aptos": (1.0, 1.28),
}
# By how much widths and heights of a known font may be off, and what those of others lie between.
_OFF_WIDTH, _OFF_HEIGHT = 0.07, 0.02
NARROWEST_FONT, WIDEST_FONT = 0.78, 1.2
LOWEST_LINE, HIGHEST_LINE = 1.08, 1.45
# A line is broken before a word, so that this share of it may stay empty.
_RAGGED = 1.12
_TAB_POINTS = 36.0
# What a line takes at the least in a column that has no room for it.
_LEAST_WIDTH = 20.0


class Bounds(NamedTuple):
    """The least and the most that a length may be."""

    low: float
    high: float

    def or_more(self, other: Bounds) -> Bounds:
        """The larger one."""
        return Bounds(max(self.low, other.low), max(self.high, other.high))

    def plus(self, other: Bounds) -> Bounds:
        """Both after each other."""
        return Bounds(self.low + other.low, self.high + other.high)


@cache
def _share(letter: str) -> float:
    if letter in _NARROW:
        return _NARROW_SHARE
    if letter in _WIDE:
        return _WIDE_SHARE
    if unicodedata.east_asian_width(letter) in "WF":
        return _FULL_SHARE
    if unicodedata.combining(letter) or not letter.isprintable():
        return 0.0
    return _UPPER_SHARE if letter.isupper() else _USUAL_SHARE


class Letters(NamedTuple):
    """Letters of a size in points, in a font; "" where that is not known."""

    points: float
    font: str = ""

    @property
    def widths(self) -> Bounds:
        """How wide they are beside those of a usual font."""
        share, _ = _known(self.font)
        return (
            Bounds(share * (1 - _OFF_WIDTH), share * (1 + _OFF_WIDTH)) if share else Bounds(NARROWEST_FONT, WIDEST_FONT)
        )

    @property
    def heights(self) -> Bounds:
        """How high a line of them is, of their size."""
        _, share = _known(self.font)
        return (
            Bounds(share * (1 - _OFF_HEIGHT), share * (1 + _OFF_HEIGHT)) if share else Bounds(LOWEST_LINE, HIGHEST_LINE)
        )


@cache
def _known(font: str) -> tuple[float, float]:
    name = font.lower()
    return next((measure for known, measure in _FONTS.items() if name.startswith(known)), (0.0, 0.0))


def width_of(text: str, letters: Letters) -> Bounds:
    """How wide a text is in one line."""
    width = letters.points * sum(map(_share, text))
    low, high = letters.widths
    return Bounds(low * width, high * width)


def lines_of(width: Bounds, room: float, breaks: int, tabs: int) -> Bounds:
    """How many lines a text of a width fills in a column."""
    room = max(room, _LEAST_WIDTH)
    high = width.high * _RAGGED + tabs * _TAB_POINTS
    return Bounds(max(1, math.ceil(width.low / room)) + breaks, max(1, math.ceil(high / room)) + breaks)


def line_height(form: Form, letters: Letters, grid: float) -> Bounds:
    """How high a line of letters is, on a page whose lines may be set on a grid."""
    if form.exact is not None:
        return Bounds(form.exact, form.exact)
    share = form.line if form.line is not None else 1.0
    low, high = (bound * letters.points * share for bound in letters.heights)
    on_grid = math.ceil(high / grid) * grid if grid > 0 else 0.0
    return Bounds(max(low, form.at_least), max(high, form.at_least, on_grid))


def pictures_height(paragraph: Element) -> Bounds:
    """What drawings in the lines of a paragraph add to its height."""
    heights = [
        of_emu(extent.get("cy"))
        for inline in paragraph.iter(f"{WORD_DRAWING}inline")
        if next(inline.iterancestors(qn("w:p"))) is paragraph
        for extent in inline.iterchildren(f"{WORD_DRAWING}extent")
    ]
    return Bounds(max(heights, default=0.0), sum(heights))
