"""Which labs owe replies, and how many are late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.figures.charts import Bar, bar_chart
from portal.admin.figures.small_counts import in_words, part, published, total
from portal.admin.figures.tables import Column, Figure, Row, totals
from portal.labs.reply_times import ENOUGH_REPLIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.admin.replies_queries import LabReplies

WAITING, LATE = 0, 1
MOST_SHOWN = 40  # labs on the page; the chart shows fewer
MOST_DRAWN = 20


def late_replies(labs: Sequence[LabReplies]) -> Figure:
    """The labs that were chosen, those with the most late replies first.

    The order follows the published counts: sorting by the true ones would reveal small groups.
    """
    published_counts = [(lab, published(lab.waiting), part(lab.late, lab.waiting)) for lab in labs]
    published_counts.sort(key=lambda entry: (-entry[2].high, -entry[1].high, entry[0].lab.casefold(), entry[0].slug))
    rows = [
        Row(lab.lab, (waiting, late, float(lab.days) if lab.days is not None else None))
        for lab, waiting, late in published_counts
    ]
    bars = [
        Bar(lab.lab, f"{in_words(waiting)} waiting, {in_words(late)} late", waiting, late)
        for lab, waiting, late in published_counts
        if waiting.high
    ]
    if len(rows) > 1:
        sums = (total(totals(rows, WAITING)), total(totals(rows, LATE)), None)
        rows.append(Row("All labs", sums, is_total=True))
    return Figure(
        key="replies",
        title="Late replies by lab",
        lead="Choices of eligible applications that wait for a lab’s first reply, and those whose date has passed.",
        first="Lab",
        columns=(Column("Waiting"), Column("Late"), Column("Median time to reply (days)")),
        rows=tuple(rows),
        chart=bar_chart(
            bars[:MOST_DRAWN], "Late replies by lab", key=(("main", "waiting"), ("second", "of these late"))
        ),
        notes=tuple(_notes(len(labs), len(bars))),
        empty="" if rows else "No application in this cycle has been found eligible.",
        most_shown=MOST_SHOWN,
    )


def _notes(labs: int, bars: int) -> Iterator[str]:
    yield f"The median is of the last two cycles, from {ENOUGH_REPLIES} replies on, in begun days."
    if labs > MOST_SHOWN:
        in_chart = f", and the chart {MOST_DRAWN}" if bars > MOST_DRAWN else ""
        yield f"The table shows the first {MOST_SHOWN} of {labs:,} labs{in_chart}; the file has all."
    elif bars > MOST_DRAWN:
        yield f"The chart shows the first {MOST_DRAWN}."
