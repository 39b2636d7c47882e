"""A page as a row of blocks: headings, paragraphs and entries of lists, each with the line it is on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

# The address of a link that leads nowhere by itself.
NOWHERE = "#"

BlockKind = Literal["heading", "paragraph", "entry"]


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text with one set of marks; a line feed in it is a line break."""

    text: str
    strong: bool = False
    emphasis: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One heading, paragraph or entry. `level` is that of a heading (1–6); `depth` that of an entry (0: outermost).

    `is_weak` says that this is an entry only where the page lists something: boxes that look alike; `is_row`,
    that its lines are the cells of a row.
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
    def is_linked(self) -> bool:
        """Whether all the text is inside links."""
        return all(run.href or not run.text.strip() for run in self.runs)


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows, and what it says of itself where it is not shown."""

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
