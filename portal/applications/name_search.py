"""People looked up by name as one types it: “garcia” finds García, “García” Garcia, “Lukasz” Łukasz, “Soerensen”
Sørensen and “陈大文” 陳大文.

The database compares letters as they are. So names with other letters than those of ASCII are read and compared here;
how many there are does not matter beside the texts that a search looks through.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, literal, or_

from portal.labs.folding import FIRST_IDEOGRAPH, folded_letters, folded_text
from portal.matching.language.han import simplified

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement

MANY = 2  # words
_BEYOND_ASCII = r"[^\x01-\x7F]"
_IN_TWO = str.maketrans({"ä": "ae", "ö": "oe", "ø": "oe", "ü": "ue", "å": "aa"})
"""Letters that people write as two where their keyboard does not have them."""
_AS_TYPED = str.maketrans("’‘‐‑–", "''---")


def name_holds(name: str, text: str) -> bool:
    """Whether a name holds `text`, whatever the case, accents and strokes of either."""
    searched = [folded_text(spelling) for spelling in _spellings(text)]
    spellings = [folded_text(spelling) for spelling in _spellings(name)]
    return any(typed and typed in spelling for typed in searched for spelling in spellings)


def is_named(name: str, text: str) -> bool:
    """Whether a name holds `text`, or its words in another order: “González María” finds María González.

    Of several words each begins a word of the name; an ideograph may stand anywhere, as such names have no spaces.
    """
    words = text.split()
    return name_holds(name, text) or (len(words) >= MANY and all(_has_word(name, word) for word in words))


def ids_of_names(rows: Iterable[Any], text: str) -> list[int]:
    """The ids of those rows, each an id and a name, whose name is named by `text`, see `is_named`."""
    return [row_id for row_id, name in rows if is_named(name, text)]


def has_other_letters(name: ColumnElement[str]) -> ColumnElement[bool]:
    """As an SQL expression: whether a name has other letters than those of ASCII."""
    return name.regexp_match(_BEYOND_ASCII)


def holds_plainly(name: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """As an SQL expression: whether a name of ASCII letters alone holds `text`, whose letters may be others."""
    typed = {folded_letters(spelling).translate(_AS_TYPED) for spelling in _spellings(text)}
    return or_(*(name.icontains(spelling, autoescape=True) for spelling in sorted(typed)))


def is_plainly_named(name: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """As an SQL expression: `is_named` for a name of ASCII letters alone."""
    words = text.split()
    if len(words) < MANY:
        return holds_plainly(name, text)
    spaced = literal(" ") + func.replace(name, "-", " ")
    return or_(holds_plainly(name, text), and_(*(holds_plainly(spaced, f" {word}") for word in words)))


def _has_word(name: str, word: str) -> bool:
    """Whether a word of the name begins with `word`, or the name has it anywhere if it is of ideographs."""
    if word >= FIRST_IDEOGRAPH:
        return name_holds(name, word)
    searched = [folded_text(spelling) for spelling in _spellings(word)]
    spellings = [f" {folded_text(spelling)}" for spelling in _spellings(name)]
    return any(typed and f" {typed}" in spelling for typed in searched for spelling in spellings)


def _spellings(text: str) -> tuple[str, ...]:
    """A text in lower case and simplified characters, and with two letters for each of `_IN_TWO` if it has any."""
    if text.isascii():
        return (text,)
    normalized = simplified(unicodedata.normalize("NFC", text.casefold()))
    return tuple(dict.fromkeys((normalized, normalized.translate(_IN_TWO))))
