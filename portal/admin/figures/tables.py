"""A figure as finished values: the rows of its table, the same for the page and the CSV file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from portal.admin.figures.small_counts import Published, in_words
from portal.web.csv_cells import csv_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.admin.figures.charts import Chart

Cell: TypeAlias = Published | int | float | str | None
"""A published count of people, a number of labs or days, a weight, a text, or None for an unpublished value."""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; the unit of its numbers is part of it."""

    head: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its label, and a cell for each further column."""

    label: str
    cells: tuple[Cell, ...]
    is_total: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells as texts."""
        return tuple(map(cell_text, self.cells))


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `lead` says what is counted, `notes` how to read it, `empty` why there is nothing to show.

    `key` is its name in URLs, `first` the head of the column of labels. Of more rows than `most_shown`, beside the
    total, the page shows the first ones and the file has all.
    """

    key: str
    title: str
    lead: str
    first: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    chart: Chart | None
    notes: tuple[str, ...] = ()
    empty: str = ""
    most_shown: int | None = None

    @property
    def shown(self) -> tuple[Row, ...]:
        """The rows on the page."""
        lines = [row for row in self.rows if not row.is_total]
        return (*lines[: self.most_shown], *(row for row in self.rows if row.is_total))


def cell_text(cell: Cell, *, grouped: bool = True) -> str:
    """A cell as text; an en dash for None."""
    match cell:
        case Published():
            return in_words(cell, grouped=grouped)
        case int():
            return f"{cell:,}" if grouped else f"{cell}"
        case float():
            return f"{cell:,.1f}" if grouped else f"{cell:.1f}"
        case None:
            return "–"
        case _:
            return cell


def figure_csv(figure: Figure) -> bytes:
    """The table as a file for spreadsheets."""
    head = (figure.first, *(column.head for column in figure.columns))
    return csv_file([head, *((row.label, *map(_file_text, row.cells)) for row in figure.rows)])


def _file_text(cell: Cell) -> str:
    return "" if cell is None else cell_text(cell, grouped=False)


def totals(rows: Sequence[Row], column: int) -> list[Published]:
    """The published counts in a column."""
    return [cell for row in rows if isinstance(cell := row.cells[column], Published)]
