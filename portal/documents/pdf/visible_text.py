"""Lines of a page as two texts: the visible one and the hidden one. Runs in the reading child only."""

from __future__ import annotations

from itertools import groupby, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line
    from portal.documents.pdf.words import Word

# A word of which nearly all is seen is seen: the dot of an i may be too faint to tell, and so may a full stop be.
WHOLE_FROM = 0.8
# A shadow lies close to its letter, in sizes of it.
SAME_SPOT_WITHIN = 0.25
# The same letters side by side are further apart than a share of their width.
SHARE_OF_A_WIDTH, LETTERS_BACK = 0.3, 3
LETTERS_TO_REPEAT = 2
MOST_COMPARED = 20
_TILE_POINTS = 3.0


def tell_apart(lines: Sequence[Line], unseen: Collection[int]) -> tuple[str, str]:
    """The visible and the hidden text, each line on a line of its own.

    A text that repeats what is seen at the same spot is in neither: shadows and bold letters are painted like that.
    """
    visible: list[str] = []
    hidden: list[list[list[Glyph]]] = []
    spots = _Spots()
    above_is_seen = False
    for line in lines:
        seen_words: list[str] = []
        hidden_words: list[list[Glyph]] = []
        for word in line.words:
            seen = ""
            for is_hidden, glyphs in _pieces(word, unseen):
                if is_hidden:
                    hidden_words.append(glyphs)
                elif len(glyphs) < LETTERS_TO_REPEAT or not spots.repeat(glyphs):
                    seen += _text_of(glyphs)
                    spots.take(glyphs)
            if seen:
                seen_words.append(seen)
        if seen_words and line.goes_on and above_is_seen:
            visible[-1] += " ".join(seen_words)
        elif seen_words:
            visible.append(" ".join(seen_words))
        above_is_seen = bool(seen_words)
        hidden.append(hidden_words)
    unrepeated = (" ".join(_text_of(glyphs) for glyphs in words if not spots.repeat(glyphs)) for words in hidden)
    return "\n".join(visible), "\n".join(line for line in unrepeated if any(map(str.isalnum, line)))


def _text_of(glyphs: Sequence[Glyph]) -> str:
    return "".join(glyph.text for glyph in glyphs)


def _pieces(word: Word, unseen: Collection[int]) -> Iterator[tuple[bool, list[Glyph]]]:
    """The word, whole where its glyphs agree, else in the pieces it was painted in."""
    once = _once(word, unseen)
    letters = [glyph for glyph in once if glyph.text.isalnum()] or once
    share = sum(glyph.first in unseen for glyph in letters) / len(letters)
    if (share <= 1 - WHOLE_FROM or share >= WHOLE_FROM) and not any(glyph.surplus for glyph in once):
        yield share >= WHOLE_FROM, once
        return
    for (_, is_hidden), piece in groupby(once, key=lambda glyph: (glyph.owner.address, glyph.first in unseen)):
        yield is_hidden, list(piece)


def _once(word: Word, unseen: Collection[int]) -> list[Glyph]:
    """The glyphs, one of those that lie on each other: letters are filled and then outlined, one by one."""
    single: list[Glyph] = []
    for glyph in word.glyphs:
        indexes = range(len(single) - 1, max(-1, len(single) - 1 - LETTERS_BACK), -1)
        twin = next((index for index in indexes if _lie_on_each_other(single[index], glyph)), None)
        if twin is None:
            single.append(glyph)
        elif single[twin].first in unseen:
            single[twin] = glyph
    return single


def _lie_on_each_other(first: Glyph, second: Glyph) -> bool:
    limit = SHARE_OF_A_WIDTH * (second.end - second.start)
    return first.text == second.text and abs(first.start - second.start) < limit and _are_close(first, second)


def _are_close(first: Glyph, second: Glyph) -> bool:
    limit = min(_TILE_POINTS, SAME_SPOT_WITHIN * first.size)
    return abs(first.ink.left - second.ink.left) <= limit and abs(first.ink.bottom - second.ink.bottom) <= limit


class _Spots:
    """The places of visible glyphs on the page."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, int, int], list[Glyph]] = {}

    def take(self, glyphs: Sequence[Glyph]) -> None:
        """Count these as seen."""
        for glyph in glyphs:
            self._taken.setdefault((glyph.text, *_tile(glyph)), []).append(glyph)

    def repeat(self, glyphs: Sequence[Glyph]) -> bool:
        """Whether most of the glyphs stand where the same ones are seen."""
        return sum(map(self._has, glyphs)) >= WHOLE_FROM * len(glyphs)

    def _has(self, glyph: Glyph) -> bool:
        column, row = _tile(glyph)
        return any(
            _are_close(glyph, other)
            for x, y in product((-1, 0, 1), repeat=2)
            for other in self._taken.get((glyph.text, column + x, row + y), [])[:MOST_COMPARED]
        )


def _tile(glyph: Glyph) -> tuple[int, int]:
    return int(glyph.ink.left // _TILE_POINTS), int(glyph.ink.bottom // _TILE_POINTS)
