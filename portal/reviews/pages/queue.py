"""A lab's queue: the choices it may read, filtered, sorted, paged, and as a file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from flask import redirect, render_template, request, url_for

from portal.applications.cycles import cycle_by_slug
from portal.applications.states import CHOICE_LABELS
from portal.db import db
from portal.labs.open_cycle import open_cycle_of
from portal.labs.reply_times import reply_days
from portal.moments import format_in_zone, zone_label
from portal.reviews.board.preference_order import ranked_places
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.pages.cycle import newest_instead
from portal.reviews.pages.moving_many import bulk_moves
from portal.reviews.pages.queue_exports import record_queue
from portal.reviews.queue import order as queue_order
from portal.reviews.queue import page as queue_page
from portal.reviews.queue import rows as queue_rows
from portal.reviews.queue.export import queue_csv
from portal.reviews.queue.filter import CARDS, ROWS, SORTS, read_filter
from portal.reviews.queue.saved_views import LONGEST_NAME, views_of
from portal.reviews.queue.visits import visit, visited_before
from portal.reviews.scorecards.means import means_seen
from portal.web.access import actor, or_404
from portal.web.downloads import CSV, download
from portal.web.paging import page_number
from portal.web.templating import calendar_day

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle
    from portal.reviews.queue.filter import QueueFilter
    from portal.reviews.queue.page import QueueRow


def queue(slug: str) -> str:
    """The applicants that chose the lab."""
    lab, session, now = lab_i_read_for(slug), db.session(), datetime.now(UTC)
    since = visit(session, lab, actor(), now=now)
    chosen, cycles = read_filter(request.args), queue_rows.cycles_of_lab(session, lab)
    if not cycles:
        open_cycle = open_cycle_of(session, lab.id, now)
        deadline = format_in_zone(open_cycle.deadline_at, open_cycle.zone) if open_cycle else ""
        return render_template("reviews/queue.html", lab=lab, cycles=cycles, open_cycle=open_cycle, deadline=deadline)
    cycle = cycle_of(cycles, chosen)
    if newest := newest_instead(cycle, cycles):
        return render_template("reviews/queue.html", lab=lab, cycles=cycles, cycle=cycle, newest=newest)
    shown = queue_rows.Queue(lab, cycle, actor(), since)
    counts = queue_rows.counts_of(session, shown, now)
    number = page_number(request.args.get("page"))
    page = queue_page.page_of(session, shown, chosen, number=number, per_page=chosen.rows, everybody=counts.everybody)
    return render_template(
        "reviews/queue.html",
        lab=lab,
        cycles=cycles,
        cycle=shown.cycle,
        chosen=chosen,
        asked=chosen.query(),
        applied=_applied(slug, chosen),
        counts=counts,
        home=url_for("reviews.queue", slug=slug),
        in_address=chosen.in_address(),
        left=chosen.in_address(page=str(page.number)).removeprefix("?"),
        bulk_moves=bulk_moves(lab, {chosen.state} & set(counts.states) or counts.states),
        page=page,
        near=() if page.items else queue_order.names_near(session, shown, chosen),
        best=max((row.score for row in page.items), default=0.0),
        means=means_seen(session, lab, shown.cycle.id, actor()) if chosen.sort == "mean" else None,
        since=since,
        late=queue_page.late(page.items, now),
        places=ranked_places(session, lab, shown.cycle, actor()) if "ranked" in counts.states else {},
        days=days_of_replies(page.items, shown.cycle),
        zone=zone_label(shown.cycle.zone, now),
        views=views_of(session, lab, actor()),
        longest_name=LONGEST_NAME,
        reply_days=reply_days(session, lab.id, now),
        state_labels=CHOICE_LABELS,
        card_labels=CARDS,
        sorts=SORTS,
        rows_on_offer=[(number, str(number)) for number in ROWS],
    )


def days_of_replies(rows: Iterable[QueueRow], cycle: Cycle) -> Mapping[datetime, str]:
    """The day, in the cycle's zone, on which each reply is due; usually the same for most rows, hence cached."""
    zone = ZoneInfo(cycle.zone)
    return {at: calendar_day(at.astimezone(zone).date()) for at in {row.reply_by_at for row in rows} if at is not None}


def choices(slug: str) -> ResponseReturnValue:
    """Redirects the address above a lab's choices to its queue."""
    return redirect(url_for("reviews.queue", slug=lab_i_read_for(slug).slug))


def queue_file(slug: str) -> ResponseReturnValue:
    """The filtered, sorted rows as a CSV file; for a cycle without applicants, the page that says so."""
    lab, session = lab_i_read_for(slug), db.session()
    chosen, cycles = read_filter(request.args), queue_rows.cycles_of_lab(session, lab)
    cycle = cycle_of(or_404(cycles or None), chosen)
    if newest_instead(cycle, cycles):
        return redirect(url_for("reviews.queue", slug=slug, cycle=cycle.slug))
    shown = queue_rows.Queue(lab, cycle, actor(), visited_before(session, lab, actor()))
    ids = queue_order.ordered_ids(session, shown, chosen)
    rows = queue_page.rows_of(session, shown, ids, with_terms=False)
    record_queue(lab, cycle, chosen, len(ids))
    places = ranked_places(session, lab, cycle, actor())
    return download(queue_csv(rows, places), f"applicants-{lab.slug}-{cycle.slug}.csv", CSV)


def cycle_of(cycles: Sequence[Cycle], chosen: QueueFilter) -> Cycle:
    """The cycle named in the filter, 404 for an unknown one; without a name the newest."""
    if not chosen.cycle:
        return cycles[0]
    named = next((cycle for cycle in cycles if cycle.slug == chosen.cycle), None)
    return named or or_404(cycle_by_slug(db.session(), chosen.cycle))


def _applied(slug: str, chosen: QueueFilter) -> list[tuple[str, str]]:
    """The active filters, each with the address without it."""
    words = {
        "state": CHOICE_LABELS.get(chosen.state, ""),
        "card": CARDS.get(chosen.card, ""),
        "new": "New since my last visit",
        "least": f"Match from {chosen.least:g}",
        "q": f"“{chosen.text}”",
    }
    query, home = chosen.query(), url_for("reviews.queue", slug=slug)
    return [(label, home + chosen.in_address(**{name: ""})) for name, label in words.items() if name in query]
