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
"""Letters that people write as two where their keyboard does not have them."""
_AS_TYPED = str.maketrans("’‘‐‑–", "''---")


def name_holds(name: str, text: str) -> bool:
    """Whether a name holds `text`, whatever the case, accents and strokes of either."""
    searched = [folded_text(spelling) for spelling in _spellings(text)]
    spellings = [folded_text(spelling) for spelling in _spellings(name)]
    return any(typed and typed in spelling for typed in searched for spelling in spellings)


def ids_of_names(rows: Iterable[Any], text: str) -> list[int]:
    """The ids of those rows, each an id and a name, whose name holds `text`."""
    return [row_id for row_id, name in rows if name_holds(name, text)]


def has_other_letters(name: ColumnElement[str]) -> ColumnElement[bool]:
    """As an SQL expression: whether a name has other letters than those of ASCII."""
    return name.regexp_match(_BEYOND_ASCII)


def holds_plainly(name: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """As an SQL expression: whether a name of ASCII letters alone holds `text`, whose letters may be others."""
    typed = {folded_letters(spelling).translate(_AS_TYPED) for spelling in _spellings(text)}
    return or_(*(name.icontains(spelling, autoescape=True) for spelling in sorted(typed)))


def _spellings(text: str) -> tuple[str, ...]:
    """A text in lower case, and with two letters for each letter of `_IN_TWO` if it has any."""
    if text.isascii():
        return (text,)
    normalized = unicodedata.normalize("NFC", text.casefold())
    return tuple(dict.fromkeys((normalized, normalized.translate(_IN_TWO))))
