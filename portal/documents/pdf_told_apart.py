"""Lines of a page as two texts: what a reader sees, and what not. Runs in the reading child only."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from portal.documents.pdf_glyphs import Glyph
    from portal.documents.pdf_lines import Line, Word

# A word of which nearly all is seen is seen: the dot of an i may be too faint to tell.
WHOLE_FROM = 0.8
_SPOT_POINTS = 3.0


def tell_apart(lines: list[Line], unseen: Collection[int]) -> tuple[str, str]:
    """The visible and the hidden text, each a line a line.

    A hidden text that repeats what is seen at the same spot is in neither: shadows and bold letters are painted
    like that.
    """
    visible: list[str] = []
    hidden: list[list[tuple[str, list[Glyph]]]] = []
    spots: set[tuple[str, int, int]] = set()
    for line in lines:
        seen_words: list[str] = []
        hidden_words: list[tuple[str, list[Glyph]]] = []
        for word in line.words:
            seen = ""
            for is_hidden, glyphs in _pieces(word, unseen):
                text = "".join(glyph.text for glyph in glyphs)
                if is_hidden:
                    hidden_words.append((text, glyphs))
                else:
                    seen += text
                    spots.update(_spot(glyph) for glyph in glyphs)
            if seen:
                seen_words.append(seen)
        if seen_words:
            visible.append(" ".join(seen_words))
        if hidden_words:
            hidden.append(hidden_words)
    told = (" ".join(text for text, glyphs in words if not _repeats(glyphs, spots)) for words in hidden)
    return "\n".join(visible), "\n".join(line for line in told if any(map(str.isalnum, line)))


def _pieces(word: Word, unseen: Collection[int]) -> Iterator[tuple[bool, list[Glyph]]]:
    """The word, whole where its glyphs agree, else in the pieces it was painted in."""
    share = sum(glyph.first in unseen for glyph in word.glyphs) / len(word.glyphs)
    if (share <= 1 - WHOLE_FROM or share >= WHOLE_FROM) and not any(glyph.surplus for glyph in word.glyphs):
        yield share >= WHOLE_FROM, word.glyphs
        return
    for _, piece in groupby(word.glyphs, key=lambda glyph: (glyph.owner, glyph.first in unseen)):
        glyphs = list(piece)
        yield glyphs[0].first in unseen, glyphs


def _spot(glyph: Glyph) -> tuple[str, int, int]:
    return glyph.text, round(glyph.ink.left / _SPOT_POINTS), round(glyph.ink.bottom / _SPOT_POINTS)


def _repeats(glyphs: list[Glyph], spots: set[tuple[str, int, int]]) -> bool:
    """Whether most of the glyphs stand where the same ones are seen."""
    near = 0
    for glyph in glyphs:
        text, column, row = _spot(glyph)
        near += any((text, column + x, row + y) in spots for x in (-1, 0, 1) for y in (-1, 0, 1))
    return near >= WHOLE_FROM * len(glyphs)
