"""Letters piled up on each other until nobody can read them. Runs in the reading child only."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.documents.pdf.glyphs import Glyph

# Fewer letters are a logo, a ligature in pieces or a letter painted twice.
LETTERS_TO_TELL = 6
# How far the pen moves on, as a share of the width of the letters; the tightest setting leaves more than half.
STEP_OF_A_PILE = 0.3


def piled_up(glyphs: Sequence[Glyph]) -> set[int]:
    """The `first` of every glyph of a text object whose letters lie on each other."""
    piled: set[int] = set()
    for run in _runs(glyphs):
        steps = [abs(second.start - first.start) for first, second in pairwise(run)]
        width = median(glyph.ink.right - glyph.ink.left for glyph in run)
        if len(run) >= LETTERS_TO_TELL and median(steps) < STEP_OF_A_PILE * width:
            piled.update(glyph.first for glyph in run)
    return piled


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
