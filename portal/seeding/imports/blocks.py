"""A page as a sequence of blocks: headings, paragraphs and list entries, each with its line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

# The address of a relative link without a base.
NOWHERE = "#"

BlockKind = Literal["heading", "paragraph", "entry"]


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text with uniform formatting; a line feed in it is a line break."""

    text: str
    strong: bool = False
    emphasis: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One heading, paragraph or entry. `level` is a heading's (1–6), `depth` an entry's (0: outermost).

    `is_weak` marks one of several boxes that look alike, an entry only where a list is expected. `is_row` means that
    its lines are the cells of a table row.
    """

    kind: BlockKind
    line: int
    runs: tuple[Run, ...]
    level: int = 0
    depth: int = 0
    is_weak: bool = False
    is_row: bool = False

    @property
    def text(self) -> str:
        """The text on one line."""
        return " ".join("".join(run.text for run in self.runs).split())

    @property
    def is_strong(self) -> bool:
        """Whether all of the text is strong."""
        return all(run.strong or not any(map(str.isalnum, run.text)) for run in self.runs)

    @property
    def is_linked(self) -> bool:
        """Whether all of the text is inside links."""
        return all(run.href or not run.text.strip() for run in self.runs)


@dataclass(frozen=True, slots=True)
class Page:
    """The visible content of a page, and its metadata."""

    title: str
    author: str
    base: str
    blocks: tuple[Block, ...]
    cut_at: int = 0


def lines_of(runs: tuple[Run, ...]) -> Iterator[list[Run]]:
    """The runs of a block, line by line."""
    line: list[Run] = []
    for run in runs:
        first, *more = run.text.split("\n")
        line.append(Run(first, run.strong, run.emphasis, run.href))
        for part in more:
            yield line
            line = [Run(part, run.strong, run.emphasis, run.href)]
    yield line
