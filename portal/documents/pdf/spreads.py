"""Letters that are spread out, as in headings: how far, for each font and size of a page. In the reading child only.

A short heading by itself ("소 개", "N o t e") does not tell whether it is one word; all headings of a page together do.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from portal.documents.pdf.glyphs import Glyph

# In sizes of the letters.
LEAST, MOST = 0.05, 0.3
ALIKE_WITHIN = 0.05
SAME_LINE_WITHIN = 0.1
WIDEST_GAP = 1.2
GAPS_TO_TELL = 3
SHARE_ALIKE = 0.7

Style = tuple[int, float]
"""A font, by its address, and a size."""


def style_of(glyph: Glyph) -> Style:
    """In which font and size a glyph is set."""
    return glyph.family, round(glyph.size, 1)


def spreads_of(glyphs: Iterable[Glyph]) -> dict[Style, float]:
    """The usual gap between letters, in points, of every style that has enough of them; 0 where they are not spread."""
    gaps: dict[Style, list[float]] = {}
    for first, second in pairwise(glyphs):
        if first.text[-1].isalnum() and second.text[0].isalnum() and _are_on_one_line(first, second):
            gap = second.start - first.end
            style = style_of(first)
            if style == style_of(second) and abs(gap) <= WIDEST_GAP * first.size:
                gaps.setdefault(style, []).append(gap)
    return {style: _spread(measured, style[1]) for style, measured in gaps.items() if len(measured) >= GAPS_TO_TELL}


def _spread(gaps: list[float], size: float) -> float:
    usual = median(gaps)
    alike = sum(abs(gap - usual) <= ALIKE_WITHIN * size for gap in gaps)
    return usual if LEAST * size <= usual <= MOST * size and alike >= SHARE_ALIKE * len(gaps) else 0.0


def spread_of(glyphs: Iterable[Glyph], spreads: Mapping[Style, float]) -> float:
    """The usual gap between letters that stand beside each other, if their styles tell the same.

    A program may write one font as several, of which some have a letter or two on the page.
    """
    styles = {style_of(glyph) for glyph in glyphs if glyph.text[0].isalnum()}
    if len({size for _, size in styles}) != 1:
        return 0.0
    known = [spreads[style] for style in styles if style in spreads]
    return min(known, default=0.0)


def _are_on_one_line(first: Glyph, second: Glyph) -> bool:
    return first.angle == second.angle == 0 and abs(first.base - second.base) <= SAME_LINE_WITHIN * first.size
