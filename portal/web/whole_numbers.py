"""Whole numbers in forms and URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from werkzeug.routing import IntegerConverter
from wtforms import IntegerField

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from werkzeug.routing import Map

LARGEST = 2**31 - 1  # the largest value of PostgreSQL's integer columns


class ColumnInteger(IntegerConverter):
    """`<int:…>` in URLs: at most what an integer column holds, so that a larger number is a 404."""

    def __init__(self, url_map: Map) -> None:
        super().__init__(url_map, max=LARGEST)


def whole_number(text: str) -> int | None:
    """The number from 0 to `LARGEST` that `text` writes in plain digits; None for anything else, however long."""
    digits = text.lstrip("0") or text[:1]
    # Python refuses to parse thousands of digits, so the length is checked first.
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(LARGEST))):
        return None
    number = int(digits)
    return number if number <= LARGEST else None


def whole_numbers(texts: Iterable[str]) -> list[int]:
    """The whole numbers among `texts`, in order and each once; anything else is left out."""
    return list(dict.fromkeys(number for text in texts if (number := whole_number(text)) is not None))


class WholeNumberField(IntegerField):  # type: ignore[misc]  # the library has no types
    """A whole number to type. One of hundreds of digits is refused: it fits no range and cannot be compared. So is
    "1_0", which only Python takes for ten.
    """

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        """Read what was sent."""
        if valuelist and (len(valuelist[0].strip()) > len(f"-{LARGEST}") or "_" in valuelist[0]):
            raise ValueError(self.gettext("Not a valid integer value."))
        super().process_formdata(valuelist)
