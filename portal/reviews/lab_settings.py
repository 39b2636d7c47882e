"""How a lab reviews, for its leader: blind review, texts of the scorecard, seats, whether it takes applications."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for
from sqlalchemy import select

from portal import audit
from portal.applications.cycles import cycles
from portal.applications.forms import one_line
from portal.applications.interviews.news import leave_names_out
from portal.applications.locks import lock_lab
from portal.db import db
from portal.models import LabReviewing
from portal.models.review import CRITERIA
from portal.reviews.access import lab_i_read_for
from portal.reviews.board.rules import MOST_SEATS, SeatsRefused, number_of_seats, seats_of, set_intake
from portal.reviews.rules import why_not_change, why_not_lead
from portal.reviews.scorecards.rules import LONGEST_ANCHOR, POINTS, QUESTIONS, Anchors, own_anchors, rubric
from portal.web.access import actor, ensure, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User


class AnchorsRefused(Exception):
    """A text is too long; the message names it. Nothing was written."""


class AnchorsChanged(Exception):
    """Somebody else saved the texts since the form was opened. Nothing was written."""


def reviewing_of(session: Session, lab: Lab) -> LabReviewing | None:
    """How a lab reviews, as stored now; None if nothing was set."""
    return session.scalar(
        select(LabReviewing).where(LabReviewing.lab_id == lab.id).execution_options(populate_existing=True)
    )


def set_blind_first(session: Session, lab: Lab, *, blind: bool, actor: User, now: datetime) -> bool:
    """Turn blind review on or off; False if unchanged.

    Side effects: locks the lab until the transaction ends; writes an audit entry; when turned on, removes names from
    calendars in unsent mails.
    """
    row = _locked_row(session, lab, now)
    if row.blind_first == blind:
        return False
    row.blind_first = blind
    if blind:
        leave_names_out(session, lab)
    _log(session, lab, actor, "lab.blind_first", {"blind_first": not blind}, {"blind_first": blind}, now)
    return True


def set_anchors(session: Session, lab: Lab, anchors: Anchors, *, seen: Anchors, actor: User, now: datetime) -> bool:
    """Set a lab's own texts; empty ones fall back to the defaults. False if unchanged.

    Raises:
        AnchorsRefused: A text is too long.
        AnchorsChanged: They differ from `seen`.
    """
    for key, texts in anchors.items():
        for points, text in zip(POINTS, texts, strict=True):
            if len(text) > LONGEST_ANCHOR:
                raise AnchorsRefused(
                    f"{QUESTIONS[key][0]}, {points}: keep it to {LONGEST_ANCHOR} characters; it has {len(text)}."
                )
    row = _locked_row(session, lab, now)
    current = own_anchors(row.anchors)
    if current == anchors:
        return False
    if current != seen:
        raise AnchorsChanged
    row.anchors = {key: texts for key, texts in anchors.items() if any(texts)}
    row.changed_at = now
    _log(session, lab, actor, "lab.anchors", current, row.anchors, now)
    return True


def _locked_row(session: Session, lab: Lab, now: datetime) -> LabReviewing:
    lock_lab(session, lab.id)
    row = reviewing_of(session, lab)
    if row is None:
        row = LabReviewing(lab_id=lab.id, blind_first=False, anchors={}, changed_at=now)
        session.add(row)
    row.changed_at = now
    return row


def _log(session: Session, lab: Lab, actor: User, act: str, before: object, after: object, now: datetime) -> None:
    audit.record(
        session, actor=actor, act=act, object_type="lab", object_key=lab.slug, now=now, before=before, after=after
    )
    session.flush()


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
