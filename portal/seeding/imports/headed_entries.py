"""Publications whose titles are headings, each above its people and its venue → one entry each."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from portal.seeding.headings import classify
from portal.seeding.imports.blocks import Block, Run, lines_of
from portal.seeding.imports.heading_words import in_english
from portal.seeding.names import are_names, split_authors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORDS_OF_A_TITLE = 3
_MOST_BLOCKS = 8
_MOST_LINES = 4
_ENOUGH = 2


def with_headed_entries(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with one entry in place of each title and what stands below it, if there are at least two such."""
    headings = [index for index, block in enumerate(blocks) if block.kind == "heading" or _is_bold_line(block)]
    sections = {start: end for start, end in pairwise([*headings, len(blocks)]) if _has_people(blocks[start:end])}
    sure = {start for start, end in sections.items() if _is_title(blocks[start:end])}
    if len(sure) < _ENOUGH:
        return list(blocks)
    # A title may have words of headings ("Updates"), if most at its level are titles.
    levels = {blocks[start].level for start in sure}
    return list(_joined(blocks, {start: end for start, end in sections.items() if blocks[start].level in levels}))


def _is_bold_line(block: Block) -> bool:
    """Whether a paragraph may be a title: one strong line of several words that ends no sentence."""
    text = block.text
    is_line = block.kind == "paragraph" and block.is_strong and len(list(lines_of(block.runs))) == 1
    return is_line and len(text.split()) >= _WORDS_OF_A_TITLE and not text.endswith(":")


def _has_people(blocks: Sequence[Block]) -> bool:
    """Whether a heading may be a title, and the first line below it are people."""
    heading, *below = blocks
    most = _MOST_BLOCKS if heading.kind == "heading" else len(below)
    if not 0 < len(below) <= most or len(heading.text.split()) < _WORDS_OF_A_TITLE:
        return False
    return are_names(_first_line(below[0]))


def _is_title(blocks: Sequence[Block]) -> bool:
    """Whether a heading above people names no section, and these are several."""
    several = len(split_authors(_first_line(blocks[1]))[0]) > 1
    return several and classify(in_english(blocks[0].text)) is None


def _first_line(block: Block) -> str:
    return "".join(run.text for run in next(lines_of(block.runs)))


def _joined(blocks: Sequence[Block], titles: dict[int, int]) -> Iterator[Block]:
    end = 0
    for index, block in enumerate(blocks):
        if index < end:
            continue
        if index not in titles:
            yield block
            continue
        end = titles[index] if block.kind == "heading" else min(titles[index], index + _MOST_LINES)
        runs = [replace(run, strong=True) for run in block.runs]
        for below in blocks[index + 1 : end]:
            runs += [Run("\n"), *below.runs]
        yield Block("entry", block.line, tuple(runs))
