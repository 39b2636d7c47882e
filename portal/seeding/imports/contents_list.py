"""Links to the headings of the same page, which look like entries of its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.imports.blocks import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.imports.blocks import Block

_LONGEST = 80
_WORDS = 12


def links_to_headings(blocks: Sequence[Block]) -> set[int]:
    """The places of blocks that only lead to a heading of the page, or to a bold line like one."""
    headings: set[str] = set()
    for block in blocks:
        is_line = len(block.text) <= _LONGEST and not block.is_linked and block.is_strong
        words = _folded(block).split() if block.kind == "heading" or is_line else []
        # "Alumni" leads to "Alumni (and where they went)".
        headings.update(" ".join(words[:count]).strip(" :.") for count in range(1, min(len(words), _WORDS) + 1))
    return {
        index
        for index, block in enumerate(blocks)
        if block.kind != "heading"
        and len(block.text) <= _LONGEST
        and all(run.href == NOWHERE or not run.text.strip() for run in block.runs)
        and _folded(block) in headings
    }


def _folded(block: Block) -> str:
    return block.text.casefold().strip(" :.")
