"""People looked up by name as one types it: “garcia” finds García, “García” Garcia, “Lukasz” Łukasz and “Soerensen”
Sørensen.

The database compares letters as they are. So names with other letters than those of ASCII are read and compared here;
how many there are does not matter beside the texts that a search looks through.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_

from portal.labs.folding import folded_letters, folded_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement

_BEYOND_ASCII = r"[^\x01-\x7F]"
_IN_TWO = str.maketrans({"ä": "ae", "ö": "oe", "ø": "oe", "ü": "ue", "å": "aa"})
"""Letters for which two are written where there is no such key."""
_AS_TYPED = str.maketrans("’‘‐‑–", "''---")


def name_holds(name: str, text: str) -> bool:
    """Whether a name holds `text`, whatever the case, accents and strokes of either."""
    wanted = [folded_text(spelling) for spelling in _spellings(text)]
    known = [folded_text(spelling) for spelling in _spellings(name)]
    return any(one and one in spelling for one in wanted for spelling in known)


def called_so(rows: Iterable[Any], text: str) -> list[int]:
    """Of rows of a number and a name, the numbers of those whose name holds `text`."""
    return [number for number, name in rows if name_holds(name, text)]


def has_other_letters(name: ColumnElement[str]) -> ColumnElement[bool]:
    """As a part of a statement: whether a name has other letters than those of ASCII."""
    return name.regexp_match(_BEYOND_ASCII)


def holds_plainly(name: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """As a part of a statement: whether a name of ASCII letters alone holds `text`, whose letters may be others."""
    typed = {folded_letters(spelling).translate(_AS_TYPED) for spelling in _spellings(text)}
    return or_(*(name.icontains(spelling, autoescape=True) for spelling in sorted(typed)))


def _spellings(text: str) -> tuple[str, ...]:
    """A text as it is, and with two letters for some of its letters where it has such."""
    if text.isascii():
        return (text,)
    whole = unicodedata.normalize("NFC", text.casefold())
    return tuple(dict.fromkeys((whole, whole.translate(_IN_TWO))))
