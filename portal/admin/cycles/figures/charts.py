"""A figure as finished values: the rows of its table, the same for the page and the CSV file, and its chart.

Charts are finished shapes: horizontal positions in per cent of the width, vertical ones in pixels, so a chart fills the
width it is given, and its letters keep their size. Bars are drawn from published counts: a range is a bar up to its low
end and an outline from there to its high end.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from portal.admin.cycles.figures.small_counts import Published, in_words
from portal.web.downloads import csv_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


Cell: TypeAlias = Published | int | float | str | None
"""A published count of people, a number of labs or days, a weight, a text, or None for an unpublished value."""
LINE = 17  # pixels from one line of letters to the next
LETTERS = 2 * LINE + 6  # pixels from the top of a row to its shapes
BAR = 12  # pixels, the height of a bar
ROW = 66  # pixels
LONGEST_LABEL = 38  # characters, which a phone shows; wide ones count twice
LEAST_SEEN = 0.6  # per cent of the width that a bar has at least


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

    `key` is its name in URLs, `first` the head of the column of labels, `columns` those of the others, with units. Of
    more rows than `most_shown`, beside the total, the page shows the first ones and the file has all.
    """

    key: str
    title: str
    lead: str
    first: str
    columns: tuple[str, ...]
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
    head = (figure.first, *figure.columns)
    return csv_file([head, *((row.label, *map(_file_text, row.cells)) for row in figure.rows)])


def _file_text(cell: Cell) -> str:
    return "" if cell is None else cell_text(cell, grouped=False)


def totals(rows: Sequence[Row], column: int) -> list[Published]:
    """The published counts in a column."""
    return [cell for row in rows if isinstance(cell := row.cells[column], Published)]


Kind = Literal["main", "second", "open", "box", "median"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle: `x` and `width` in per cent, `y` and `height` in pixels; `kind` decides how it looks."""

    x: float
    width: float
    y: float
    height: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A row of a chart: the baselines of its label and its text `said` are at `y` and `said_y`, above its shapes."""

    label: str
    said: str
    y: float
    said_y: float
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart, `height` pixels high. `described` is its description in words; `key` explains its shapes."""

    described: str
    height: int
    rows: tuple[ChartRow, ...]
    key: tuple[tuple[Kind, str], ...] = ()

    @property
    def has_ranges(self) -> bool:
        """Whether a count is published as a range, and drawn as an outline."""
        return any(shape.kind == "open" for row in self.rows for shape in row.shapes)


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a bar chart: a count, and perhaps a highlighted part of it."""

    label: str
    said: str
    count: Published
    highlighted: Published | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """A row of a chart of durations: the quartiles."""

    label: str
    said: str
    low: float
    median: float
    high: float


def bar_chart(bars: Sequence[Bar], title: str, *, key: tuple[tuple[Kind, str], ...] = ()) -> Chart | None:
    """Bars from 0, the longest as wide as the chart; None if there is nothing to draw."""
    largest = max((bar.count.high for bar in bars), default=0)
    if not largest:
        return None
    rows = []
    for number, bar in enumerate(bars):
        top = ROW * number + LETTERS
        shapes = _bar_shapes(bar.count, largest, top, BAR, "main")
        if bar.highlighted is not None:
            shapes += _bar_shapes(bar.highlighted, largest, top + BAR / 4, BAR / 2, "second")
        rows.append(_row(bar.label, bar.said, top, shapes))
    return Chart(_described(title, ((bar.label, bar.said) for bar in bars)), ROW * len(rows), tuple(rows), key)


def spread_chart(spreads: Sequence[Spread], title: str) -> Chart | None:
    """Boxes from the lower to the upper quartile with a line at the median, all on one scale from 0."""
    largest = max((spread.high for spread in spreads), default=0.0)
    if not largest:
        return None
    rows = []
    for number, spread in enumerate(spreads):
        top = ROW * number + LETTERS
        low, median, high = (100 * value / largest for value in (spread.low, spread.median, spread.high))
        median_x = min(median, 100 - LEAST_SEEN)
        shapes = (
            Shape(low, max(high - low, LEAST_SEEN), top, BAR, "box"),
            Shape(median_x, LEAST_SEEN, top - 3, BAR + 6, "median"),
        )
        rows.append(_row(spread.label, spread.said, top, shapes))
    words = _described(title, ((spread.label, spread.said) for spread in spreads))
    key: tuple[tuple[Kind, str], ...] = (("box", "middle half"), ("median", "median"))
    return Chart(words, ROW * len(rows), tuple(rows), key)


def _row(label: str, said: str, top: float, shapes: Iterable[Shape]) -> ChartRow:
    """A row of a chart whose shapes begin at `top`."""
    foot = top - 10 - LINE
    return ChartRow(_cut(label), said, foot, foot + LINE, tuple(shapes))


def _bar_shapes(count: Published, largest: int, top: float, height: float, kind: Kind) -> list[Shape]:
    low, high = 100 * count.low / largest, 100 * count.high / largest
    if count.is_exact:
        return [Shape(0, max(high, LEAST_SEEN), top, height, kind)] if high else []
    if count.low <= 1:
        return [Shape(0, high, top, height, "open")]
    return [Shape(low, max(high - low, LEAST_SEEN), top, height, "open"), Shape(0, low, top, height, kind)]


def _described(title: str, lines: Iterable[tuple[str, str]]) -> str:
    return f"{title}: {'; '.join(f'{label}, {said}' for label, said in lines)}."


def _cut(text: str) -> str:
    """`text` on one line, cut with an ellipsis where it is too long."""
    clean, room = " ".join(text.split()), LONGEST_LABEL
    for position, character in enumerate(clean):
        room -= 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if room < 0:
            return f"{clean[: position - 1].rstrip()}…"
    return clean
