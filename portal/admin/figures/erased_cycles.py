"""The figures of a cycle whose applications are erased, from the final counts that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.figures.charts import Bar, bar_chart
from portal.admin.figures.small_counts import in_words, published
from portal.admin.figures.tables import Column, Figure, Row
from portal.applications.states import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.applications.states import Subject
    from portal.models import Cycle


def figures_kept(cycle: Cycle) -> list[Figure]:
    """How the applications of an erased cycle ended, and how their choices did."""
    kept = cycle.kept_counts
    return [
        _ends("application", "applications", "How applications ended", kept["applications"]),
        _ends("choice", "choices", "How choices ended", kept["choices"]),
    ]


def _ends(subject: Subject, key: str, title: str, counts: Mapping[str, int]) -> Figure:
    # In the order of the table of states: sorting by the true counts would reveal small groups.
    lines = [(label, published(counts[state])) for state, label in LABELS[subject].items() if counts.get(state)]
    return Figure(
        key=key,
        title=title,
        lead=f"The state in which {key} were when they were erased.",
        first="State",
        columns=(Column(key.capitalize()),),
        rows=tuple(Row(label, (count,)) for label, count in lines),
        chart=bar_chart([Bar(label, in_words(count), count) for label, count in lines], title),
        empty="" if lines else f"There were no {key} in this cycle.",
    )
