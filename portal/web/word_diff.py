"""The difference of two texts, word by word, in bounded time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Kind = Literal["same", "added", "removed"]

# A word, a run of white space, or any other single character; text without spaces (Chinese) is compared by character.
_PIECE = re.compile(r"[^\W\u2e80-\uffff]+|\s+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# With more edits than this nobody can follow a word diff: whole lines are shown instead.
MOST_EDITS = 800
# In texts longer than this, less than this part in common is coincidence (“and”, a full stop): they are shown whole.
SHORT = 40
LEAST_IN_COMMON = 0.2


def word_diff(before: object, after: object) -> list[tuple[Kind, str]]:
    """The parts that are the same in `before` and `after`, removed, and added, in reading order.

    The "same" and "removed" parts joined give `before`, the "same" and "added" ones `after`. None counts as an empty
    text; other values are compared as they print. Texts with too many edits are compared line by line; if that does not
    help either, or hardly a word remains, one text is shown as replaced by the other.
    """
    old, new = ("" if value is None else str(value) for value in (before, after))
    for unit in (_PIECE, _LINE) if old and new else ():
        edits = _edits(unit.findall(old), unit.findall(new))
        if edits is not None and unit is _PIECE and _is_rewritten(edits, old, new):
            break
        if edits is not None:
            return _joined(edits)
    return _joined([("removed", old), ("added", new)])


def _is_rewritten(edits: Iterable[tuple[Kind, str]], old: str, new: str) -> bool:
    """Whether two texts have so little in common that a word diff would only obscure both."""
    shorter = min(len("".join(text.split())) for text in (old, new))
    common = sum(len(text.strip()) for kind, text in edits if kind == "same")
    return shorter > SHORT and common < LEAST_IN_COMMON * shorter


def _edits(old: Sequence[str], new: Sequence[str]) -> list[tuple[Kind, str]] | None:
    """The fewest edits from `old` to `new`; None if there are more than `MOST_EDITS`."""
    shorter = min(len(old), len(new))
    head = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    tail = next((index for index in range(shorter - head) if old[-1 - index] != new[-1 - index]), shorter - head)
    middle = _shortest_edits(old[head : len(old) - tail], new[head : len(new) - tail])
    if middle is None:
        return None
    same: Kind = "same"
    return [*((same, piece) for piece in old[:head]), *middle, *((same, piece) for piece in old[len(old) - tail :])]


def _shortest_edits(old: Sequence[str], new: Sequence[str]) -> list[tuple[Kind, str]] | None:
    """The fewest edits from `old` to `new`, piece by piece; None if there are more than `MOST_EDITS`.

    Source: E. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986).
    """
    reach = {1: 0}  # by diagonal (pieces of old minus pieces of new): the furthest piece of old
    trace: list[dict[int, int]] = []
    for count in range(min(MOST_EDITS, len(old) + len(new)) + 1):
        trace.append(dict(reach))
        for diagonal in range(-count, count + 1, 2):
            x = _step(reach, diagonal, count)
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            reach[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return list(_walked_back(trace, old, new))[::-1]
    return None


def _adds(reach: dict[int, int], diagonal: int, count: int) -> bool:
    """Whether the next edit on a diagonal adds a piece of new, rather than removing one of old."""
    return diagonal == -count or (diagonal != count and reach[diagonal - 1] < reach[diagonal + 1])


def _step(reach: dict[int, int], diagonal: int, count: int) -> int:
    """The piece of old that this edit leads to."""
    return reach[diagonal + 1] if _adds(reach, diagonal, count) else reach[diagonal - 1] + 1


def _walked_back(trace: list[dict[int, int]], old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Kind, str]]:
    """The edits from the last to the first."""
    x, y = len(old), len(new)
    for count in range(len(trace) - 1, -1, -1):
        diagonal = x - y
        start = _step(trace[count], diagonal, count)
        while x > start:
            x, y = x - 1, y - 1
            yield "same", old[x]
        if count and _adds(trace[count], diagonal, count):
            y -= 1
            yield "added", new[y]
        elif count:
            x -= 1
            yield "removed", old[x]


def _joined(edits: Iterable[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    """Merge neighbours of one kind, removed text before added text.

    A space that remains between two replaced words joins them: people read whole phrases, not every other word.
    """
    parts: list[tuple[Kind, str]] = []
    removed = added = gap = ""
    for kind, text in [*edits, ("same", "")]:
        if kind == "same" and text.isspace() and removed and added:
            gap += text
        elif kind == "same":
            parts.extend(_parts(removed, added, gap + text))
            removed = added = gap = ""
        elif kind == "removed":
            removed, added, gap = removed + gap + text, added + gap, ""
        else:
            removed, added, gap = removed + gap, added + gap + text, ""
    return _without_seams(parts)


def _parts(removed: str, added: str, same: str) -> Iterator[tuple[Kind, str]]:
    if removed:
        yield "removed", removed
    if added:
        yield "added", added
    if same:
        yield "same", same


def _without_seams(parts: Sequence[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    """Merge consecutive parts of one kind."""
    joined: list[tuple[Kind, str]] = []
    for kind, text in parts:
        if joined and joined[-1][0] == kind:
            joined[-1] = (kind, joined[-1][1] + text)
        else:
            joined.append((kind, text))
    return joined
