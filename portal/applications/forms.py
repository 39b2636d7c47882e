"""What the forms of several pages share: cleaned texts, numbered rows, and the joining of two tabs."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from wtforms import (
    FieldList,
    ValidationError,
)

from portal.web.forms import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# Control characters that no text needs and some databases refuse; line ends and tabs stay.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")
LAST_ROW = 9_999  # as rows are numbered in names of fields
Side = Literal["mine", "theirs"]


def one_line(text: str) -> str:
    """`text` in NFC on one line: control characters out, runs of blanks as one space."""
    return _BLANKS.sub(" ", _CONTROLS.sub(" ", unicodedata.normalize("NFC", text))).strip()


def running_text(text: str) -> str:
    """`text` in NFC with single line feeds as line ends and without control characters or blanks at its end."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", unicodedata.normalize("NFC", unified)).rstrip()


class NumberedRows(FieldList):  # type: ignore[misc]  # the library has no types
    """Rows of a list; field names that none of our forms has are ignored."""

    def _extract_indices(self, prefix: str, formdata: Mapping[str, Any]) -> Iterator[int]:
        for name in formdata:
            list_name, _, remainder = name.partition("-")
            number = whole_number(remainder.partition("-")[0])
            if list_name == prefix and number is not None and number <= LAST_ROW:
                yield number


def refuse(reason: str | None) -> None:
    """Raise `ValidationError` if a rule gave a reason."""
    if reason is not None:
        raise ValidationError(reason)


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that both sides changed: its label, and both versions as text, line by line."""

    part: str
    label: str
    mine: str
    theirs: str
