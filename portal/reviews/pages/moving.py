"""Making and undoing a move of one choice."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import abort, redirect, request, url_for

from portal.applications.moves.service import USUAL_REPLY_DAYS, AlreadyMoved, MoveRefused, perform
from portal.applications.states import CHOICE_LABELS, move_named
from portal.db import db
from portal.reviews.choice.lab_moves import DONE, LONGEST_REPLY, capacity_for, is_lab_move, undoing_move, was_moved_with
from portal.reviews.pages.access import choice_i_may_open
from portal.reviews.pages.applicant import RefusedMove, applicant_page
from portal.reviews.pages.moving_messages import where_now
from portal.reviews.queue.filter import read_filter
from portal.web.access import actor
from portal.web.messages import flash_message, flash_with_undo
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.applications.states import Move
    from portal.models import Choice

REFUSED = 409
INVALID = 422
NO_STATE = (
    "The form did not say in which state you saw this application. It is “{}” now. Look at it again, then choose once "
    "more."
)


def move(slug: str, choice_id: int) -> ResponseReturnValue:
    """Make the move that the pressed button names, if the application is in the state that its page showed."""
    lab, choice = choice_i_may_open(slug, choice_id)
    name, message = request.form.get("name", ""), request.form.get("message", "").replace("\0", "")
    if not is_lab_move(name):
        abort(404)
    days, seen = request.form.get("days", "").strip(), request.form.get("state", "")

    def refused(reason: str, status: int = REFUSED) -> ResponseReturnValue:
        return applicant_page(lab, choice, RefusedMove(name, reason, message, days)), status

    asked, here = move_named("choice", name), CHOICE_LABELS[choice.state]
    if not seen:
        return refused(NO_STATE.format(here), INVALID)
    if choice.state != seen and choice.state not in asked.targets:
        return refused(f"This application is “{here}” now. Look at it again, then choose once more.")
    chosen = read_filter(request.args)
    # Phones show one part of the page: the one with the next moves.
    back_url = url_for("reviews.applicant", slug=slug, choice_id=choice_id) + chosen.in_address(part="card")
    try:
        perform(
            db.session(),
            name,
            choice,
            actor=actor(),
            capacity=capacity_for(db.session(), choice, actor()),
            now=datetime.now(UTC),
            message=message,
            reply_days=_days(days) if name == "offer" else USUAL_REPLY_DAYS,
        )
    except AlreadyMoved as already:
        if message.strip() and not was_moved_with(db.session(), choice, name, message.strip()):
            return refused(f"{already} Your message was not sent with it; it is kept below.")
        if not already.was_sent_by(actor(), message):  # otherwise a double click: people read the second response
            flash_message(str(already), "info")
            return redirect(back_url)
    except MoveRefused as refusal:
        return refused(str(refusal))
    _flash_done(asked, choice, url_for("reviews.move", slug=slug, choice_id=choice_id) + chosen.in_address())
    return redirect(back_url)


def _flash_done(performed: Move, choice: Choice, address: str) -> None:
    """Say what the move did, with a button to undo it from the state that it led to, if possible."""
    text, back = DONE[performed.name], undoing_move(performed)
    if performed.undoes:
        text = f"{text} {where_now([(CHOICE_LABELS[choice.state], 1)])}"
    if back:
        flash_with_undo(text, address, {"name": back.name, "state": choice.state})
    else:
        flash_message(text)


def _days(text: str) -> int:
    """How many days an offer stands.

    Raises:
        MoveRefused: It is not a valid number of days.
    """
    if not text:
        return USUAL_REPLY_DAYS
    days = whole_number(text) or 0
    if not 1 <= days <= LONGEST_REPLY:
        raise MoveRefused(f"Say in days, from 1 to {LONGEST_REPLY}, how long the applicant has to answer.")
    return days
