"""CSV files that spreadsheets open without executing anything in them."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTE_ORDER_MARK = "\ufeff"  # without it some programs assume Latin-1
# Joiners are part of words: Persian and Indian names are spelt with them, and emoji are built with them.
JOINERS = "\u200c\u200d"
BEFORE_TEXT = f" \u00a0\u3000{JOINERS}"
_SIGNS = "=+-@|%＝＋－＠﹢﹣−﹦﹫"
STARTS_FORMULA = tuple(f"{_SIGNS}\t\r\n")
# Where lists are separated by semicolons, as in most of Europe, a spreadsheet that opens our commas splits a text at
# its semicolons and line ends, in spite of the quotation marks. A dash and a space that begin a line are a list.
_AFTER_SEPARATOR = re.compile(rf"([;\t\r\n][\s\"]*+)(?:(?<=[\r\n])- |([{re.escape(_SIGNS)}]))?")


def harmless(cell: str) -> str:
    """The text of a cell that no spreadsheet takes for a formula: an apostrophe is put before one, and before what
    would be one if the text were split where it has a semicolon, a tab or a line end.

    Invisible characters are removed first, since a formula may follow them; joiners within a text stay.
    """
    allowed = f"\t\r\n{JOINERS}"
    visible = cell
    if not cell.isprintable():  # most are, and hold no invisible character: files have a hundred thousand cells
        visible = "".join(
            character
            for character in cell
            if character in allowed or unicodedata.category(character) not in {"Cc", "Cf"}
        )
        visible = visible.lstrip(JOINERS)
    visible = _AFTER_SEPARATOR.sub(_guarded, visible)
    start = visible.lstrip(BEFORE_TEXT)
    return f"'{visible}" if start.startswith(STARTS_FORMULA) else visible


def _guarded(found: re.Match[str]) -> str:
    return f"{found[1]}'{found[2]}" if found[2] else found[0]


def csv_file(rows: Iterable[Iterable[str]]) -> bytes:
    """The rows as a file for spreadsheets: UTF-8, every cell quoted, no cell a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows(map(harmless, row) for row in rows)
    return (BYTE_ORDER_MARK + out.getvalue()).encode("utf-8", "replace")
