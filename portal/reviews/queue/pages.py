"""A lab's queue: the choices it may read, filtered, sorted, paged, and as a file."""

from __future__ import annotations

from datetime import UTC, datetime
from operator import itemgetter
from typing import TYPE_CHECKING

from flask import render_template, request, url_for

from portal.applications.cycles import cycle_by_slug
from portal.applications.states import CHOICE_LABELS
from portal.db import db
from portal.labs.cycles import open_cycle_of
from portal.models.review import CRITERIA
from portal.reviews.access import cycles_of_lab, lab_i_read_for
from portal.reviews.assigning import assigned_in, readers_of
from portal.reviews.board import ranked_places
from portal.reviews.moves.pages import bulk_moves
from portal.reviews.moves.service import LAB_LABELS
from portal.reviews.notes import notes_on, tags_in
from portal.reviews.queue.queries import (
    CARDS,
    ROWS,
    SORTS,
    Queue,
    counts_of,
    filtered_ids,
    listed_choices,
    ordered_ids,
    page_of,
    read_filter,
    rows_of,
    visit,
    visited_before,
)
from portal.reviews.rules import why_not_lead
from portal.reviews.scorecards.rules import QUESTIONS
from portal.reviews.scorecards.service import means_seen
from portal.web.access import actor, or_404
from portal.web.downloads import CSV, csv_file, download, record_download, what_was_asked
from portal.web.paging import page_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle, Lab
    from portal.reviews.queue.queries import QueueFilter, QueueRow
    from portal.reviews.scorecards.service import MeansSeen

HEAD = (
    "Applicant",
    "E-mail",
    "State",
    "In this state since (UTC)",
    "Match score (0 to 1)",
    "Place among the lab's applicants when submitted",
    "Lab's place for the applicant when submitted",
    "My scorecard",
    "Our order",
    "Submitted (UTC)",
    "Reply due (UTC)",
    "Replied (UTC)",
    "Topics",
    "My score",
    *(f"{QUESTIONS[key][0]} (mean)" for key in CRITERIA),
    "Mean",
    "Calibrated mean",
    "Lowest",
    "Highest",
    "Reviewers",
    "Assigned to",
    "Tags",
    "Notes",
    "Address",
)


def queue_csv(lab: Lab, cycle: Cycle, rows: Sequence[QueueRow]) -> bytes:
    """The file: a header and a line for each row, as the actor may see them."""
    session, seen = db.session(), means_seen(db.session(), lab, cycle.id, actor())
    places, readers = ranked_places(session, lab, cycle, actor()), readers_of(session, lab)
    assigned, tags = assigned_in(session, lab, cycle), tags_in(session, lab, cycle)
    # A note may say whose it is.
    notes = notes_on(session, [row.id for row in rows if not row.shown.hidden])
    lines = []
    for row in rows:
        of_lab = (
            "; ".join(readers[one] for one in assigned.get(row.id, ()) if one in readers),
            "; ".join(tags.get(row.id, ())),
            "\n".join(f"{note.author}: {note.text}" for note in notes.get(row.id, ())),
        )
        lines.append((*_cells(row, places.get(row.id), seen), *of_lab, _address(lab, row)))
    return csv_file([HEAD, *lines])


def _address(lab: Lab, row: QueueRow) -> str:
    return url_for("reviews.applicant", slug=lab.slug, choice_id=row.id, _external=True)


def _cells(row: QueueRow, place: int | None, seen: MeansSeen) -> tuple[str, ...]:
    means = seen.of(row.id)
    by_criterion = seen.by_criterion.get(row.id, (None,) * len(CRITERIA))
    figures = (means.raw, means.calibrated, means.lowest, means.highest) if means else (None,) * 4
    return (
        row.shown.label,
        row.shown.email or "",
        CHOICE_LABELS[row.state],
        _moment(row.state_since),
        f"{row.score:.3f}",
        f"{row.applicant_position} of {row.applicants}" if (row.applicants or 0) > 1 else "",
        (f"{row.position} of {row.labs}" if row.position else "does not fit") if row.labs is not None else "",
        CARDS[row.card],
        str(place or ""),
        _moment(row.submitted_at),
        _moment(row.reply_by_at),
        _moment(row.replied_at),
        "; ".join(row.topics),
        *(f"{figure:.2f}" if figure is not None else "" for figure in (row.points, *by_criterion, *figures)),
        "; ".join(seen.reviewers.get(row.id, {}).values()),
    )


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else ""


def record_queue(lab: Lab, cycle: Cycle, chosen: QueueFilter, rows: int) -> None:
    """Write an audit entry for an export of this many applicants."""
    filters = what_was_asked({**chosen.query(), "cycle": cycle.slug}, typed={"q"})
    key = f"{lab.slug}/{cycle.slug}"
    record_download(act="applicant.download", object_type="lab in cycle", object_key=key, rows=rows, asked=filters)


def queue(slug: str) -> str:
    """The applicants that chose the lab."""
    lab, session, now = lab_i_read_for(slug), db.session(), datetime.now(UTC)
    since = visit(session, lab, actor(), now=now)
    chosen, cycles = read_filter(request.args), cycles_of_lab(session, lab)
    if not cycles:
        open_cycle = open_cycle_of(session, lab.id, now)
        return render_template("reviews/queue.html", lab=lab, cycles=cycles, open_cycle=open_cycle)
    cycle = cycle_of(cycles, chosen)
    shown = Queue(lab, cycle, actor(), since)
    listed = listed_choices(session, shown, chosen.sort)
    counts = counts_of(session, shown, listed, now)
    ids = filtered_ids(session, shown, chosen, listed)
    means = means_seen(session, lab, cycle.id, actor())
    readers, assigned, tags = readers_of(session, lab), assigned_in(session, lab, cycle), tags_in(session, lab, cycle)
    scored = {pair for names in means.reviewers.values() for pair in names.items()}
    reviewers = dict(sorted({*readers.items(), *scored}, key=itemgetter(1)))
    page = page_of(session, shown, ids, number=page_number(request.args.get("page")), per_page=chosen.rows)
    return render_template(
        "reviews/queue.html",
        lab=lab,
        cycles=cycles,
        cycle=shown.cycle,
        chosen=chosen,
        asked=chosen.query(),
        applied=_applied(slug, chosen, reviewers),
        counts=counts,
        home=url_for("reviews.queue", slug=slug),
        in_address=chosen.in_address(),
        left=chosen.of_cycle(cycle.slug).in_address(page=str(page.number) if page.number > 1 else "").removeprefix("?"),
        bulk_moves=bulk_moves(lab, {chosen.state} & set(counts.states) or counts.states),
        page=page,
        best=max((row.score for row in page.items), default=0.0),
        means=means,
        reviewers=reviewers,
        assigned=assigned,
        assignable=readers if why_not_lead(session, actor(), lab) is None and cycle.closed_at is None else {},
        tags=tags,
        every_tag=sorted({tag for of_one in tags.values() for tag in of_one}),
        columns=_columns(page.items, means, assigned),
        since=since,
        late={row.id for row in page.items if row.is_late(now)},
        places=ranked_places(session, lab, shown.cycle, actor()) if "ranked" in counts.states else {},
        one_reply_day=len({row.reply_by_at for row in page.items if row.reply_by_at}) == 1,
        state_labels=LAB_LABELS,
        card_labels=CARDS,
        sorts=SORTS,
        rows_on_offer=[(number, str(number)) for number in ROWS],
    )


def _columns(rows: Sequence[QueueRow], means: MeansSeen, assigned: Mapping[int, object]) -> frozenset[str]:
    """The columns that tell these applicants apart: those in which not all are the same, or that hold anything."""
    values: dict[str, set[object]] = {
        "place": {(row.position, row.labs) for row in rows},
        "state": {row.state for row in rows},
        "reply": {(row.reply_by_at, row.replied_at is not None, row.is_decided) for row in rows},
    }
    columns = {name for name, different in values.items() if len(different) > 1 or len(rows) == 1}
    filled = {
        "points": any(row.card != "none" for row in rows),
        "mean": any(means.of(row.id) for row in rows),
        "reviewers": any(row.id in assigned or means.reviewers.get(row.id) for row in rows),
    }
    return frozenset(columns | {name for name, some in filled.items() if some})


def _exported(slug: str) -> tuple[Lab, Cycle, list[QueueRow]]:
    """The filtered, sorted rows, with an audit entry."""
    lab, session = lab_i_read_for(slug), db.session()
    chosen, cycles = read_filter(request.args), cycles_of_lab(session, lab)
    cycle = cycle_of(or_404(cycles or None), chosen)
    shown = Queue(lab, cycle, actor(), visited_before(session, lab, actor()))
    rows = rows_of(session, shown, ordered_ids(session, shown, chosen))
    record_queue(lab, cycle, chosen, len(rows))
    return lab, cycle, rows


def queue_file(slug: str) -> ResponseReturnValue:
    """The filtered, sorted rows as a CSV file."""
    lab, cycle, rows = _exported(slug)
    return download(queue_csv(lab, cycle, rows), f"applicants-{lab.slug}-{cycle.slug}.csv", CSV)


def queue_print(slug: str) -> str:
    """The same on paper, for the meeting."""
    lab, cycle, rows = _exported(slug)
    session, means = db.session(), means_seen(db.session(), lab, cycle.id, actor())
    return render_template(
        "reviews/meeting.html",
        lab=lab,
        cycle=cycle,
        rows=rows,
        means=means,
        criteria=[QUESTIONS[key][0] for key in CRITERIA],
        readers=readers_of(session, lab),
        assigned=assigned_in(session, lab, cycle),
        tags=tags_in(session, lab, cycle),
        notes=notes_on(session, [row.id for row in rows if not row.shown.hidden]),
        state_labels=LAB_LABELS,
    )


def cycle_of(cycles: Sequence[Cycle], chosen: QueueFilter) -> Cycle:
    """The cycle named in the filter, 404 for an unknown one; without a name the newest."""
    if not chosen.cycle:
        return cycles[0]
    named = next((cycle for cycle in cycles if cycle.slug == chosen.cycle), None)
    return named or or_404(cycle_by_slug(db.session(), chosen.cycle))


def _applied(slug: str, chosen: QueueFilter, reviewers: Mapping[int, str]) -> list[tuple[str, str]]:
    """The active filters, each with the address without it."""
    words = {
        "state": LAB_LABELS.get(chosen.state, ""),
        "card": CARDS.get(chosen.card, ""),
        "new": "New since my last visit",
        "reviewer": f"Reviewer: {reviewers.get(chosen.reviewer, 'nobody here')}",
        "tag": f"Tag: {chosen.tag}",
        "q": f"“{chosen.text}”",
    }
    query, home = chosen.query(), url_for("reviews.queue", slug=slug)
    return [(label, home + chosen.in_address(**{name: ""})) for name, label in words.items() if name in query]
