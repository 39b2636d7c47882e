"""Letters piled up on each other until nobody can read them. Runs in the reading child only."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise, product
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from portal.documents.pdf.glyphs import Glyph

# Fewer letters are a logo, a ligature in pieces or a letter painted twice.
LETTERS_TO_TELL = 6
# How far the pen moves on, as a share of the width of the letters; the tightest setting leaves more than half.
STEP_OF_A_PILE = 0.3
# So many different letters on one spot are a blot; two are a sign that was put together, or a cell that overflows.
LETTERS_OF_A_BLOT = 3
# Of the narrower letter, more than leans over its neighbour; and how far apart lines may be, in sizes of the letters.
SHARE_OF_A_SPOT = 0.35
SAME_LINE_WITHIN = 0.2
# How much letters may differ in size: a watermark is larger.
LARGEST_RATIO = 1.5
# The share of a text's letters in blots from which it cannot be read.
BLOTTED_FROM = 0.6
MOST_COMPARED = 20
_TILE_POINTS = 3.0


def piled_up(glyphs: Sequence[Glyph]) -> set[int]:
    """The `first` of every glyph of a text object whose letters lie on each other."""
    piled: set[int] = set()
    for run in _runs(glyphs):
        steps = [abs(second.start - first.start) for first, second in pairwise(run)]
        width = median(glyph.ink.right - glyph.ink.left for glyph in run)
        if len(run) >= LETTERS_TO_TELL and median(steps) < STEP_OF_A_PILE * width:
            piled.update(glyph.first for glyph in run)
    return piled


def blotted(glyphs: Sequence[Glyph]) -> set[int]:
    """The `first` of every glyph of a text object most of whose letters lie on letters of others, if these are many.

    All of the `glyphs` are painted; what one of them lies on is not told.
    """
    letters = [glyph for glyph in glyphs if glyph.text[0].isalpha()]
    tiles: defaultdict[tuple[int, int], list[Glyph]] = defaultdict(list)
    for glyph in letters:
        tiles[_tile(glyph)].append(glyph)
    crowded = [glyph for glyph in letters if len(tiles[_tile(glyph)]) > 1]
    if len(crowded) < LETTERS_TO_TELL:
        return set()
    in_blots = Counter(glyph.owner for glyph in letters if _is_in_a_blot(glyph, tiles))
    if in_blots.total() < LETTERS_TO_TELL:
        return set()
    of_owners = Counter(glyph.owner for glyph in letters)
    owners = {owner for owner, count in in_blots.items() if count >= BLOTTED_FROM * of_owners[owner]}
    return {glyph.first for glyph in glyphs if glyph.owner in owners}


def _is_in_a_blot(glyph: Glyph, tiles: Mapping[tuple[int, int], Sequence[Glyph]]) -> bool:
    """Whether other letters of about the same size, not all the same, lie on the same spot."""
    column, row = _tile(glyph)
    texts = {glyph.text}
    for x, y in product((-1, 0, 1), repeat=2):
        for other in tiles.get((column + x, row + y), ())[:MOST_COMPARED]:
            if other.text not in texts and _are_on_one_spot(glyph, other):
                texts.add(other.text)
                if len(texts) == LETTERS_OF_A_BLOT:
                    return True
    return False


def _are_on_one_spot(glyph: Glyph, other: Glyph) -> bool:
    smaller, larger = sorted((glyph.size, other.size))
    narrower = min(glyph.end - glyph.start, other.end - other.start)
    shared = min(glyph.end, other.end) - max(glyph.start, other.start)
    return (
        glyph.angle == other.angle
        and larger <= LARGEST_RATIO * smaller
        and abs(glyph.base - other.base) <= SAME_LINE_WITHIN * smaller
        and shared > SHARE_OF_A_SPOT * narrower
    )


def _tile(glyph: Glyph) -> tuple[int, int]:
    middle = (glyph.start + glyph.end) / 2
    return int(middle // _TILE_POINTS), int(glyph.base // _TILE_POINTS)


def _runs(glyphs: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """The letters of each text object on one baseline; a letter painted twice counts once."""
    run: list[Glyph] = []
    for glyph in glyphs:
        if glyph.is_space or glyph.angle != 0 or not glyph.text[0].isalpha():
            continue
        if run and (glyph.owner != run[-1].owner or glyph.base != run[-1].base):
            yield run
            run = []
        if not run or glyph.text != run[-1].text:
            run.append(glyph)
    if run:
        yield run
