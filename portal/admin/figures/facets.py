"""The facets that applicants want: hardware, place, start, funding, degree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from portal.admin.figures.charts import Bar, bar_chart
from portal.admin.figures.small_counts import in_words, part
from portal.admin.figures.tables import Column, Figure, Row
from portal.applications.facet_names import value_in_words
from portal.applications.queries import FACETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.admin.figures.stated_interests import Wishes


def wanted_facets(wishes: Sequence[Wishes], started: int) -> Figure:
    """How many applicants want each value, by facet. `started` is the first step of the funnel on the same page.

    The number of applicants who want no value of a facet is left out: with it, small groups could be derived.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for wish in wishes:
        counts.update({(facet, value) for facet in FACETS for value in wish.facets.get(facet, ())})
    rows = [(facet, value, part(count, started, len(wishes))) for (facet, value), count in counts.items()]
    # In the order of the published counts: sorting by the true counts would reveal small groups.
    rows.sort(key=lambda row: (FACETS.index(row[0]), -row[2].high, -row[2].low, row[1].casefold(), row[1]))
    lines = [(f"{facet.capitalize()}: {value_in_words(facet, value)}", count) for facet, value, count in rows]
    return Figure(
        key="facets",
        title="Applicants by what they ask for",
        lead="Applicants who want a value of a facet, as they last submitted it. One may want several.",
        first="Wanted",
        columns=(Column("Applicants"),),
        rows=tuple(Row(label, (count,)) for label, count in lines),
        chart=bar_chart(
            [Bar(label, in_words(count), count) for label, count in lines], "Applicants by what they ask for"
        ),
        empty="" if lines else "No submitted application in this cycle asks for anything besides its topics.",
    )
