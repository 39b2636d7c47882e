"""Figures of a cycle: each drawn, as a table, and as a file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for

from portal.admin.figures.of_cycle import figure_of, figures_of
from portal.admin.figures.small_counts import LEAST
from portal.admin.figures.tables import figure_csv
from portal.admin.pages.loading import cycle_or_404
from portal.applications.cycles import current_cycle
from portal.applications.cycles import cycles as all_cycles
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.web.access import or_404
from portal.web.downloads import CSV, download

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def figures() -> ResponseReturnValue:
    """Redirect to the figures of the chosen cycle, or of the newest one that has opened."""
    session, now = db.session(), datetime.now(UTC)
    cycle_slug = request.args.get("cycle", "")
    chosen = cycle_or_404(cycle_slug) if cycle_slug else current_cycle(session, now)
    if chosen is None:
        return render_template("admin/figures.html", cycle=None, cycles=(), figures=(), least=LEAST)
    return redirect(url_for("admin.figures_of_cycle", slug=chosen.slug))


def figures_of_cycle(slug: str) -> ResponseReturnValue:
    """All figures of one cycle."""
    session, now = db.session(), datetime.now(UTC)
    cycle = cycle_or_404(slug)
    return render_template(
        "admin/figures.html",
        cycle=cycle,
        cycles=all_cycles(session),
        figures=figures_of(session, cycle, live_index(current_app).current_if_ready(session), now),
        least=LEAST,
        now=now,
    )


def figure_file(slug: str, figure: str) -> ResponseReturnValue:
    """The table of a figure as CSV."""
    session, now = db.session(), datetime.now(UTC)
    cycle = cycle_or_404(slug)
    labs = live_index(current_app).current_if_ready(session)
    chosen = or_404(figure_of(session, cycle, figure, labs, now))
    return download(figure_csv(chosen), f"{figure}-{cycle.slug}.csv", CSV)
