"""Lines of a page as two texts: the visible one and the hidden one. Runs in the reading child only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line
    from portal.documents.pdf.words import Word

# A word of which nearly all is seen is seen: the dot of an i may be too faint to tell, and so may a full stop be.
WHOLE_FROM = 0.8
# A shadow lies close to its letter, in sizes of it.
SAME_SPOT_WITHIN = 0.25
# The same letters side by side are further apart than a share of their width.
SHARE_OF_A_WIDTH = 0.3
LETTERS_BACK = 3
LETTERS_TO_REPEAT = 2
MOST_COMPARED = 20
_TILE_POINTS = 3.0


@dataclass(slots=True)
class _Seen:
    """A word that is seen.

    `glyphs` are those it is painted with, `covered` those of them that a later word repeats at the same spot;
    `is_joined` tells that no space is due behind it.
    """

    text: str = ""
    glyphs: int = 0
    covered: int = 0
    is_joined: bool = False

    @property
    def is_covered(self) -> bool:
        """Whether another word repeats all of it."""
        return self.covered >= self.glyphs


def tell_apart(lines: list[Line], unseen: Collection[int]) -> tuple[str, str]:
    """The visible and the hidden text, each line on a line of its own.

    A text that repeats what is seen at the same spot is in neither: shadows and bold letters are painted like that.
    """
    visible: list[list[_Seen]] = []
    hidden: list[list[tuple[str, list[Glyph]]]] = []
    spots = _Spots()
    above_is_seen = False
    for line in lines:
        seen_words: list[_Seen] = []
        hidden_words: list[tuple[str, list[Glyph]]] = []
        for word in line.words:
            seen = _Seen()
            for is_hidden, glyphs in _pieces(word, unseen):
                text = "".join(glyph.text for glyph in glyphs)
                if is_hidden:
                    hidden_words.append((text, glyphs))
                elif len(glyphs) < LETTERS_TO_REPEAT or not spots.repeat(glyphs):
                    seen.text += text
                    seen.glyphs += len(glyphs)
                    spots.take(glyphs, seen)
            if seen.text:
                seen_words.append(seen)
        if seen_words and line.goes_on and above_is_seen:
            visible[-1][-1].is_joined = True
            visible[-1] += seen_words
        elif seen_words:
            visible.append(seen_words)
        above_is_seen = bool(seen_words)
        if hidden_words:
            hidden.append(hidden_words)
    unrepeated = (" ".join(text for text, glyphs in words if not spots.repeat(glyphs)) for words in hidden)
    return (
        "\n".join(filter(None, map(_line_of, visible))),
        "\n".join(line for line in unrepeated if any(map(str.isalnum, line))),
    )


def _line_of(words: list[_Seen]) -> str:
    """The words of a line, but for those that are no more than the begin of another at the same spot."""
    line = "".join(word.text if word.is_joined else f"{word.text} " for word in words if not word.is_covered)
    return line.strip()


def _pieces(word: Word, unseen: Collection[int]) -> Iterator[tuple[bool, list[Glyph]]]:
    """The word, whole where its glyphs agree, else in the pieces it was painted in."""
    once = _once(word, unseen)
    letters = [glyph for glyph in once if glyph.text.isalnum()] or once
    share = sum(glyph.first in unseen for glyph in letters) / len(letters)
    if (share <= 1 - WHOLE_FROM or share >= WHOLE_FROM) and not any(glyph.surplus for glyph in once):
        yield share >= WHOLE_FROM, once
        return
    for _, piece in groupby(once, key=lambda glyph: (glyph.owner, glyph.first in unseen)):
        glyphs = list(piece)
        yield glyphs[0].first in unseen, glyphs


def _once(word: Word, unseen: Collection[int]) -> list[Glyph]:
    """The glyphs, one of those that lie on each other: letters are filled and then outlined, one by one."""
    single: list[Glyph] = []
    for glyph in word.glyphs:
        indexes = range(len(single) - 1, max(-1, len(single) - 1 - LETTERS_BACK), -1)
        twin_index = next((index for index in indexes if _lie_on_each_other(single[index], glyph)), None)
        if twin_index is None:
            single.append(glyph)
        elif single[twin_index].first in unseen:
            single[twin_index] = glyph
    return single


def _lie_on_each_other(first: Glyph, second: Glyph) -> bool:
    limit = SHARE_OF_A_WIDTH * (second.end - second.start)
    return first.text == second.text and abs(first.start - second.start) < limit and _close(first, second)


class _Spots:
    """The places of visible glyphs on the page, and the words that they belong to."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, int, int], list[tuple[Glyph, _Seen]]] = {}

    def take(self, glyphs: list[Glyph], word: _Seen) -> None:
        """Count these as seen, as a part of a word."""
        for glyph in glyphs:
            for other in {id(other): other for other in self._words_at(glyph) if other is not word}.values():
                other.covered += 1
            self._taken.setdefault((glyph.text, *_tile(glyph)), []).append((glyph, word))

    def repeat(self, glyphs: list[Glyph]) -> bool:
        """Whether most of the glyphs stand where the same ones are seen."""
        return sum(any(True for _ in self._words_at(glyph)) for glyph in glyphs) >= WHOLE_FROM * len(glyphs)

    def _words_at(self, glyph: Glyph) -> Iterator[_Seen]:
        """The words that have the same glyph at its spot."""
        column, row = _tile(glyph)
        for x, y in product((-1, 0, 1), repeat=2):
            for other, word in self._taken.get((glyph.text, column + x, row + y), [])[:MOST_COMPARED]:
                if _close(glyph, other):
                    yield word


def _tile(glyph: Glyph) -> tuple[int, int]:
    return int(glyph.ink.left // _TILE_POINTS), int(glyph.ink.bottom // _TILE_POINTS)


def _close(first: Glyph, second: Glyph) -> bool:
    limit = min(_TILE_POINTS, SAME_SPOT_WITHIN * first.size)
    return abs(first.ink.left - second.ink.left) <= limit and abs(first.ink.bottom - second.ink.bottom) <= limit
