"""How a lab reviews, for its leader: blind review, scorecard texts, seats, whether it accepts applications."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.applications.cycles import cycles
from portal.applications.stated import one_line
from portal.db import db
from portal.models.review import CRITERIA
from portal.reviews.leader_rules import why_not_change, why_not_lead
from portal.reviews.moving.seats import MOST_SEATS, SeatsRefused, number_of_seats, seats_of, set_intake
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.reviewing_service import (
    Anchors,
    AnchorsChanged,
    AnchorsRefused,
    own_anchors,
    reviewing_of,
    set_anchors,
    set_blind_first,
)
from portal.reviews.scorecards.rubric import LONGEST_ANCHOR, POINTS, rubric
from portal.web.access import actor, ensure, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Cycle, Lab

CONFLICT = 409
UNPROCESSABLE = 422
SAVED_BY_ANOTHER = (
    "Somebody else saved these texts since you opened the page. Below are yours, not saved yet; what is saved stands "
    "under each that differs."
)


@dataclass(frozen=True, slots=True)
class NotSaved:
    """A form that was not saved, with the reason and its content."""

    reason: str
    anchors: Anchors | None = None
    cycle: str = ""
    seats: str = ""
    open: bool = True


def settings(slug: str) -> str:
    """How the lab reviews."""
    return _page(_lab_i_lead(slug))


def set_blind(slug: str) -> ResponseReturnValue:
    """Turn blind review on, or off after confirmation: all readers then see names."""
    lab = _lab_i_lead(slug)
    blind = request.form.get("blind") == "on"
    row = reviewing_of(db.session(), lab)
    if not blind and row is not None and row.blind_first and request.form.get("sure") != "yes":
        return render_template("reviews/blind_off.html", lab=lab)
    changed = set_blind_first(db.session(), lab, blind=blind, actor=actor(), now=datetime.now(UTC))
    if changed:
        flash_message(
            f"From now on {'your lab reviews blind first' if blind else 'everybody who reads for your lab sees names'}."
        )
    return redirect(url_for("reviews.settings", slug=slug))


def save_anchors(slug: str) -> ResponseReturnValue:
    """Save the lab's own texts, or restore the defaults."""
    lab = _lab_i_lead(slug)
    texts_sent = {key: [one_line(request.form.get(f"{key}-{points}", "")) for points in POINTS] for key in CRITERIA}
    reset = request.form.get("reset", "")
    if reset:
        texts_sent = {key: [""] * len(POINTS) if reset in {key, "all"} else texts for key, texts in texts_sent.items()}
    now = datetime.now(UTC)
    try:
        changed = set_anchors(db.session(), lab, texts_sent, seen=_seen(), actor=actor(), now=now)
    except AnchorsRefused as refused:
        return _page(lab, NotSaved(str(refused), texts_sent)), UNPROCESSABLE
    except AnchorsChanged:
        return _page(lab, NotSaved(SAVED_BY_ANOTHER, texts_sent)), CONFLICT
    flash_message("The texts of the scorecard are saved." if changed else "These texts were saved already.")
    return redirect(url_for("reviews.settings", slug=slug, _anchor="anchors"))


def save_intake(slug: str) -> ResponseReturnValue:
    """Save the seats in a cycle, and whether the lab accepts applications in it."""
    lab = _lab_i_lead(slug)
    cycle = or_404(
        next((candidate for candidate in cycles(db.session()) if candidate.slug == request.form.get("cycle", "")), None)
    )
    ensure(why_not_change(cycle))
    sent = request.form.get("seats", "")
    of_board = request.form.get("page") == "board"  # whose form asks for the seats alone
    is_open = None if of_board else request.form.get("open") == "yes"
    try:
        seats = number_of_seats(sent)
    except SeatsRefused as refused:
        shown_open = seats_of(db.session(), lab, cycle).open if is_open is None else is_open
        return _page(lab, NotSaved(str(refused), cycle=cycle.slug, seats=sent, open=shown_open)), UNPROCESSABLE
    changed = set_intake(db.session(), lab, cycle, seats=seats, is_open=is_open, actor=actor(), now=datetime.now(UTC))
    flash_message(f"Saved for {cycle.name}." if changed else f"It was so already in {cycle.name}.")
    if of_board:
        return redirect(url_for("reviews.board", slug=slug, cycle=cycle.slug))
    return redirect(url_for("reviews.settings", slug=slug, _anchor="intake"))


def _lab_i_lead(slug: str) -> Lab:
    lab = lab_i_read_for(slug)
    ensure(why_not_lead(db.session(), actor(), lab))
    return lab


def _seen() -> Anchors:
    """The texts with which the form was opened; invalid ones count as none set."""
    try:
        seen = json.loads(request.form.get("seen", ""))
    except (ValueError, RecursionError):
        seen = {}
    return own_anchors(seen if isinstance(seen, dict) else {})


def _page(lab: Lab, not_saved: NotSaved | None = None) -> str:
    session = db.session()
    row = reviewing_of(session, lab)
    stored = own_anchors(row.anchors if row else {})
    open_cycles = _open_cycles()
    return render_template(
        "reviews/settings.html",
        lab=lab,
        blind=row is not None and row.blind_first,
        usual=rubric({}, {}),
        of_cycles=[
            (cycle.name, {criterion.key: criterion.anchors for criterion in rubric(cycle.rubric, {})})
            for cycle in open_cycles
            if cycle.rubric
        ],
        anchors=not_saved.anchors if not_saved and not_saved.anchors else stored,
        stored=stored,
        seen=json.dumps(stored),
        not_saved=not_saved,
        now=datetime.now(UTC),
        intake=[(cycle, seats_of(session, lab, cycle)) for cycle in open_cycles],
        most_seats=MOST_SEATS,
        longest_anchor=LONGEST_ANCHOR,
    )


def _open_cycles() -> list[Cycle]:
    return [cycle for cycle in cycles(db.session()) if cycle.closed_at is None]
