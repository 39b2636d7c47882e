"""Unicode normalisation that takes time in proportion to the text, whatever the text is."""

from __future__ import annotations

import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_DECOMPOSED: dict[Form, Form] = {"NFC": "NFD", "NFD": "NFD", "NFKC": "NFKD", "NFKD": "NFKD"}
_MANY = 64
"""Characters; fewer marks on one letter are put in order quickly enough."""


def normalized(form: Form, text: str) -> str:
    """The same as `unicodedata.normalize`, whose time grows with the square of the marks on one letter."""
    return unicodedata.normalize(form, text if len(text) <= _MANY else _in_order(_DECOMPOSED[form], text))


def _in_order(form: Form, text: str) -> str:
    """`text` decomposed, with the marks on each letter in the order that Unicode gives them."""
    ordered: list[str] = []
    marks: list[str] = []
    for character in "".join([unicodedata.normalize(form, character) for character in text]):
        if unicodedata.combining(character):
            marks.append(character)
            continue
        ordered += sorted(marks, key=unicodedata.combining)
        marks.clear()
        ordered.append(character)
    return "".join([*ordered, *sorted(marks, key=unicodedata.combining)])
