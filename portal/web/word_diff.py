"""The difference of two texts, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "added", "removed"]

# A word, a run of white space, or one other sign; text without spaces (Chinese) is compared sign by sign.
_PIECE = re.compile(r"[^\W\u2e80-\uffff]+|\s+|.", re.DOTALL)


def word_diff(before: object, after: object) -> list[tuple[Kind, str]]:
    """What was kept, removed and added on the way from `before` to `after`.

    The "same" and "removed" parts joined give `before`, the "same" and "added" ones `after`. None counts as an
    empty text; other values are compared as they print.
    """
    old, new = (_PIECE.findall("" if value is None else str(value)) for value in (before, after))
    parts: list[tuple[Kind, str]] = []
    for act, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if act == "equal":
            parts.append(("same", "".join(old[old_from:old_to])))
            continue
        if old_to > old_from:
            parts.append(("removed", "".join(old[old_from:old_to])))
        if new_to > new_from:
            parts.append(("added", "".join(new[new_from:new_to])))
    return parts
