"""The difference of two texts, word by word, in bounded time."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Kind = Literal["same", "added", "removed"]

# A word, a run of white space, or any other single character; text without spaces (Chinese) is compared by character.
_PIECE = re.compile(r"[^\W\u2e80-\uffff]+|\s+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# In texts with more pieces than this nobody can follow a word diff: whole lines are shown instead.
MOST_PIECES = 4_000


def word_diff(before: object, after: object) -> list[tuple[Kind, str]]:
    """The parts that are the same in `before` and `after`, removed, and added, in reading order.

    None counts as an empty text; other values are compared as they print. Very long texts are compared line by line; if
    that does not help either, one text is shown as replaced by the other.
    """
    old, new = ("" if value is None else str(value) for value in (before, after))
    replaced: list[tuple[Kind, str]] = [("removed", old), ("added", new)]
    for unit in (_PIECE, _LINE):
        pieces = unit.findall(old), unit.findall(new)
        if max(map(len, pieces)) <= MOST_PIECES:
            return _joined(_edits(*pieces))
    return _joined(replaced)


def _edits(old: Sequence[str], new: Sequence[str]) -> list[tuple[Kind, str]]:
    """What leads from `old` to `new`: in turn what stayed, was removed and was added, some of them empty."""
    edits: list[tuple[Kind, str]] = []
    for name, start, end, new_start, new_end in SequenceMatcher(None, old, new).get_opcodes():
        if name == "equal":
            edits.append(("same", "".join(old[start:end])))
        else:
            edits += [("removed", "".join(old[start:end])), ("added", "".join(new[new_start:new_end]))]
    return edits


def _joined(edits: Iterable[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    """Join phrases, removed text before added text: a space that stays between two replaced words belongs to both."""
    parts: list[tuple[Kind, str]] = []
    removed = added = gap = ""
    for kind, text in [*edits, ("same", "")]:
        if kind == "same" and text.isspace() and removed and added:
            gap += text
        elif kind == "same":
            parts += [("removed", removed), ("added", added), ("same", gap + text)]
            removed = added = gap = ""
        elif text:
            removed, added, gap = removed + gap, added + gap, ""
            removed, added = (removed + text, added) if kind == "removed" else (removed, added + text)
    return [(kind, text) for kind, text in parts if text]
