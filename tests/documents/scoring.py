"""How much of a resume was read, and in which order, against the text that was put into it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Chinese, Japanese and Korean letters count by themselves: where their lines end says nothing about words.
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_WIDE}]|[^\s{_WIDE}\uff00-\uffef\u3000-\u303f]+")
# Signs around words, and before items, count for nothing; those that end names (C++, C#) do.
_AROUND = ".,;:!?()[]{}“”„\"'‘’«»،؛·•‣◦∙–—-|/*▪●○"


@dataclass(frozen=True)
class Score:
    """Shares from 0 to 1.

    Attributes:
        words: of the words of the resume, how many were read.
        precision: of the words that were read, how many are in the resume.
        pairs: of words beside each other in a line, how many are so in what was read.
        order: of the words of each block, how many come in its order; blocks may come in any.
    """

    words: float
    precision: float
    pairs: float
    order: float

    def is_at_least(self, other: Score, within: float = 0.0005) -> bool:
        """Whether no share is lower than the other one, but for rounding."""
        return all(own >= earlier - within for own, earlier in zip(astuple(self), astuple(other), strict=True))


def tokens_of(text: str) -> list[str]:
    """The words of a text without the signs around them, in small letters."""
    stripped = (token.strip(_AROUND).casefold() for token in _TOKEN.findall(text))
    return [token for token in stripped if token]


def score(text: str, blocks: Sequence[Sequence[str]]) -> Score:
    """Compare what was read with the blocks of lines of the resume."""
    read = tokens_of(text)
    lines = [tokens_of(line) for block in blocks for line in block]
    wanted = Counter(token for line in lines for token in line)
    wanted_pairs = Counter(pair for line in lines for pair in pairwise(line))
    found, found_pairs = Counter(read) & wanted, Counter(pairwise(read)) & wanted_pairs
    tokens_by_block = [tokens_of(" ".join(block)) for block in blocks]
    in_order = sum(_longest_common(tokens, read) for tokens in tokens_by_block)
    return Score(
        words=found.total() / max(1, wanted.total()),
        precision=found.total() / max(1, len(read)),
        pairs=found_pairs.total() / max(1, wanted_pairs.total()),
        order=in_order / max(1, wanted.total()),
    )


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest sequence of tokens that is in both in the same order."""
    lengths = [0] * (len(second) + 1)
    for token in first:
        before = 0
        for place, other in enumerate(second, start=1):
            above = lengths[place]
            lengths[place] = before + 1 if token == other else max(above, lengths[place - 1])
            before = above
    return lengths[-1]
