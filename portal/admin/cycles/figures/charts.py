"""A figure as finished values: the rows of its table, the same for the page and the CSV file, and what its chart draws.

A chart has one line for each row that says something: positions are in per cent of the width, so it fills the width it
is given. Bars are drawn from published counts: a range is a bar up to its low end and an outline from there on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from portal.admin.cycles.figures.small_counts import Published, in_words
from portal.web.downloads import csv_file

Cell: TypeAlias = Published | int | float | str | None
"""A published count of people, a number of labs or days, a weight, a text, or None for an unpublished value."""
Kind = Literal["main", "open", "box", "median"]
LEAST_SEEN = 0.6  # per cent of the width that a bar has at least


class Shape(NamedTuple):
    """A rectangle of a chart: where it begins and how wide it is, in per cent; `kind` decides how it looks."""

    x: float
    width: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its label, and a cell for each further column; and its line in the chart, if it has one."""

    label: str
    cells: tuple[Cell, ...]
    said: str = ""
    shapes: tuple[Shape, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells as texts."""
        return tuple(map(cell_text, self.cells))


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `lead` says what is counted, `notes` how to read it, `empty` why there is nothing to show.

    `key` is its name in URLs, `first` the head of the column of labels, `columns` those of the others, with units.
    """

    key: str
    title: str
    lead: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    empty: str = ""

    @property
    def drawn(self) -> list[Row]:
        """The rows of the chart; a figure without any is a table alone."""
        return [row for row in self.rows if row.said]


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
    head = (figure.first, *figure.columns)
    return csv_file([head, *((row.label, *map(_file_text, row.cells)) for row in figure.rows)])


def _file_text(cell: Cell) -> str:
    return "" if cell is None else cell_text(cell, grouped=False)


def bar(count: Published, largest: int) -> tuple[Shape, ...]:
    """A bar from 0, on a scale on which `largest` fills the width."""
    low, high = 100 * count.low / largest, 100 * count.high / largest
    if count.is_exact:
        return (Shape(0, max(high, LEAST_SEEN), "main"),) if high else ()
    if count.low <= 1:
        return (Shape(0, high, "open"),)
    return (Shape(low, max(high - low, LEAST_SEEN), "open"), Shape(0, low, "main"))


def box(low: float, median: float, high: float, largest: float) -> tuple[Shape, ...]:
    """A box from the lower to the upper quartile with a line at the median, on a scale from 0 to `largest`."""
    begin, middle, end = (100 * value / (largest or 1) for value in (low, median, high))
    return Shape(begin, max(end - begin, LEAST_SEEN), "box"), Shape(min(middle, 100 - LEAST_SEEN), LEAST_SEEN, "median")
