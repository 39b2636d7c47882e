"""A table as text (CSV, semicolons or tabs) → its rows."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FIELD_LIMIT = 200_000
COLUMNS_LIMIT = 200


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row with the line it starts on; `is_open` says that a quotation mark in it is never closed."""

    line: int
    cells: tuple[str, ...]
    is_open: bool = False


def rows_of(text: str, *, limit: int) -> Iterator[TableRow]:
    """The rows that are not empty, with the line each starts on.

    Raises:
        csv.Error: The quoting cannot be read.
    """
    first = next((line for line in text.split("\n", 50) if line.strip()), "")
    skipped = 0
    if re.match(r"(?i)sep=[,;\t|]$", first.strip()):  # Excel's own first line
        delimiter = first.strip()[-1]
        text = text[text.index(first) + len(first) + 1 :]
        skipped = 1
    else:
        outside = re.sub(r'"[^"]*"', "", first)
        delimiter = max("\t;,|", key=lambda mark: (outside.count(mark), mark == ","))
    previous = csv.field_size_limit(FIELD_LIMIT)
    try:
        rows = _split(text, delimiter, 1 + skipped)
        yield from islice((row for row in rows if any(cell.strip() for cell in row.cells)), limit)
    finally:
        csv.field_size_limit(previous)


def _split(text: str, delimiter: str, start: int) -> Iterator[TableRow]:
    """All rows. Of a row whose quotation mark is never closed only the first line is taken; the next line is a row."""
    lines = text.split("\n")
    begin = 0
    is_odd = text.count('"') % 2 == 1
    while begin < len(lines):
        rest = io.StringIO("\n".join(lines[begin:]), newline="")
        reader = csv.reader(rest, delimiter=delimiter, skipinitialspace=True, strict=is_odd)
        first = begin
        try:
            for cells in reader:
                yield TableRow(start + first, tuple(cells[:COLUMNS_LIMIT]))
                first = begin + reader.line_num
        except csv.Error:
            if not is_odd:
                raise
            is_odd = False
            yield TableRow(start + first, tuple(lines[first].split(delimiter)[:COLUMNS_LIMIT]), is_open=True)
            begin = first + 1
        else:
            return
