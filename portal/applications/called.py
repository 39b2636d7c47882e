"""People looked up by name as one types it: “garcia” finds García, “Nguyen” finds Nguyễn.

The database compares letters as they are. So names with other letters than those of ASCII are read and compared here;
how many there are does not matter beside the texts that a search looks through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.labs.folding import folded_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement

_BEYOND_ASCII = r"[^\x01-\x7F]"


def has_other_letters(name: ColumnElement[str]) -> ColumnElement[bool]:
    """As a part of a statement: whether a name has other letters than those of ASCII."""
    return name.regexp_match(_BEYOND_ASCII)


def called_so(rows: Iterable[Any], text: str) -> list[int]:
    """Of rows of a number and a name, the numbers of those whose name holds `text` whatever its case and accents."""
    wanted = folded_text(text)
    return [number for number, name in rows if wanted and wanted in folded_text(name)]
