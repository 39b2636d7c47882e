"""The figures of a cycle: as tables and files, two of them drawn, read in a constant number of statements."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for

from portal.admin.cycles.figures.charts import Figure, Row, figure_csv
from portal.admin.cycles.figures.progress import days_in_states, durations, funnel, histories_of, reached
from portal.admin.cycles.figures.small_counts import LEAST, part, published
from portal.admin.cycles.figures.topics import topics_asked, topics_of
from portal.admin.cycles.replies import lab_replies
from portal.applications.cycles import current_cycle, cycle_by_slug
from portal.applications.cycles import cycles as all_cycles
from portal.db import db
from portal.labs.cycles import ENOUGH_REPLIES
from portal.labs.live_index.live import live_index
from portal.web.access import or_404
from portal.web.downloads import CSV, download

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.admin.cycles.replies import LabReplies
    from portal.labs.live_index.state import IndexedLabs
    from portal.models import Cycle


KEYS = ("applications", "durations", "replies", "topics")
"""The names of the figures in URLs, in the order of the page."""
MOST_SHOWN = 40  # rows of a table on the page; the file has all


def figures() -> ResponseReturnValue:
    """Redirect to the figures of the chosen cycle, or of the newest one that has opened."""
    session, now = db.session(), datetime.now(UTC)
    cycle_slug = request.args.get("cycle", "")
    chosen = or_404(cycle_by_slug(db.session(), cycle_slug)) if cycle_slug else current_cycle(session, now)
    if chosen is None:
        return render_template("admin/figures.html", cycle=None, cycles=(), figures=(), least=LEAST)
    return redirect(url_for("admin.figures_of_cycle", slug=chosen.slug))


def figures_of_cycle(slug: str) -> ResponseReturnValue:
    """All figures of one cycle."""
    session, now = db.session(), datetime.now(UTC)
    cycle = or_404(cycle_by_slug(db.session(), slug))
    return render_template(
        "admin/figures.html",
        cycle=cycle,
        cycles=all_cycles(session),
        figures=figures_of(session, cycle, live_index(current_app).current_if_ready(session), now),
        least=LEAST,
        most_shown=MOST_SHOWN,
        now=now,
    )


def figure_file(slug: str, figure: str) -> ResponseReturnValue:
    """The table of a figure as CSV."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    labs = live_index(current_app).current_if_ready(session)
    drawn = figures_of(session, cycle, labs, datetime.now(UTC))
    chosen = or_404(next((each for each in drawn if each.key == figure), None))
    return download(figure_csv(chosen), f"{figure}-{cycle.slug}.csv", CSV)


def figures_of(session: Session, cycle: Cycle, labs: IndexedLabs | None, now: datetime) -> list[Figure]:
    """Every figure of a cycle, in the order of `KEYS`; none once its applications are erased or being erased.

    `labs` is None while the index is being prepared.
    """
    if cycle.kept_counts:
        return []
    histories = histories_of(session, cycle)
    end = min(now, cycle.closed_at) if cycle.closed_at else now  # until which unfinished stays are counted
    return [
        funnel(reached(histories)),
        durations(days_in_states(histories, end)),
        late_replies(lab_replies(session, now, cycle=cycle)),
        topics_asked(topics_of(session, cycle), len(histories), labs),
    ]


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
    return Figure(
        key="replies",
        title="Late replies by lab",
        lead="Choices of eligible applications that wait for a lab’s first reply, and those whose date has passed.",
        first="Lab",
        columns=("Waiting", "Late", "Median time to reply (days)"),
        rows=tuple(rows),
        notes=(f"The median is of the last two cycles, from {ENOUGH_REPLIES} replies on, in begun days.",),
        empty="" if rows else "No application in this cycle has been found eligible.",
    )
