"""Bulk moves on the board and in the queue: preview, move, undo."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from flask import abort, redirect, render_template, request, url_for

from portal.applications.moves.service import LONGEST_MESSAGE, USUAL_REPLY_DAYS
from portal.applications.stated import running_text
from portal.applications.states import STAGING, Move, move_named, moves_from
from portal.db import db
from portal.reviews.board.columns import COLUMNS
from portal.reviews.choice.lab_moves import LONGEST_REPLY, capacity_in, is_lab_move, undoing_move
from portal.reviews.moving.bulk_moves import BulkRequest, chosen_of, move_all, plan, tickets_in
from portal.reviews.moving.bulk_undo import undo_all
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.pages.cycle import chosen_cycle
from portal.reviews.pages.moving_messages import UndoForm, tell, tell_undone
from portal.reviews.queue.filter import read_filter
from portal.web.access import actor, or_404
from portal.web.messages import flash_message
from portal.web.paging import page_number
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle, Lab

UNPROCESSABLE = 422


def preview_moves(slug: str) -> ResponseReturnValue:
    """Who of the ticked applicants would move, and who cannot and why. Changes nothing."""
    lab = lab_i_read_for(slug)
    cycle = or_404(chosen_cycle(lab))
    if not request.form.get("move"):
        flash_message("Choose what to do with those you ticked.", "warn")
        return redirect(way_to(lab, cycle))
    move = lab_move(request.form["move"])
    if not request.form.getlist("choice"):
        flash_message("Tick the applicants you want to move first.", "warn")
        return redirect(way_to(lab, cycle))
    return preview(lab, cycle, move, request.form.getlist("choice"))


def do_moves(slug: str) -> ResponseReturnValue:
    """Make the previewed move. Sending it twice moves nobody twice."""
    lab = lab_i_read_for(slug)
    cycle = or_404(chosen_cycle(lab))
    return do(lab, cycle, lab_move(request.form.get("move", "")), tickets_in(request.form.getlist("choice")))


def undo_moves(slug: str) -> ResponseReturnValue:
    """Undo the bulk move that the form names, except where a later move followed. Can be sent twice."""
    lab = lab_i_read_for(slug)
    cycle = or_404(chosen_cycle(lab))
    move, at = lab_move(request.form.get("move", "")), or_404(_moment(request.form.get("at", "")))
    undone = or_404(undo_all(db.session(), lab, cycle, actor(), move, at, now=datetime.now(UTC)))
    tell_undone(undone, _undo_form(lab, cycle))
    ids = undone.outcome.ids
    return redirect(way_to(lab, cycle, next(iter(ids)) if len(ids) == 1 else None))


def preview(lab: Lab, cycle: Cycle, move: Move, sent: Iterable[str], error: str = "") -> ResponseReturnValue:
    """The page that says who of `sent` would move, the message, and whether it can be undone; 422 with an error."""
    session = db.session()
    choices = chosen_of(session, lab, cycle, actor(), tickets_in(sent))
    planned = plan(session, lab, cycle, actor(), move, choices, datetime.now(UTC))
    able = [row for row in planned if row.why_not is None]
    page = render_template(
        "reviews/preview_moves.html",
        lab=lab,
        cycle=cycle,
        place=left_at() | _queue_left(),
        back=way_to(lab, cycle),
        to_queue=bool(_queue_left()),
        move=move,
        able=able,
        unable=[row for row in planned if row.why_not is not None],
        undoing=_undoing(move),
        takes_message=move.name in STAGING,
        message=request.form.get("message", ""),
        days=request.form.get("days", str(USUAL_REPLY_DAYS)),
        error=error,
        longest_message=LONGEST_MESSAGE,
        longest_reply=LONGEST_REPLY,
    )
    return (page, UNPROCESSABLE) if error else page


def do(lab: Lab, cycle: Cycle, move: Move, tickets: dict[int, str]) -> ResponseReturnValue:
    """Make the move, report the outcome and redirect; invalid input is shown beside the preview again."""
    message = running_text(request.form.get("message", "")) if move.name in STAGING else ""
    days = request.form.get("days", "").strip() or str(USUAL_REPLY_DAYS)
    error = _error(move, message, days)
    if error:
        return preview(lab, cycle, move, tickets.values(), error)
    session = db.session()
    choices = chosen_of(session, lab, cycle, actor(), tickets)
    requested = BulkRequest(
        move, tickets, message, (whole_number(days) if move.name == "offer" else None) or USUAL_REPLY_DAYS
    )
    outcome = move_all(session, lab, actor(), requested, choices, now=datetime.now(UTC))
    tell(move, outcome, _undo_form(lab, cycle), closed=len(tickets) - len(choices))
    return redirect(way_to(lab, cycle, choices[0].id if len(choices) == 1 else None))


def _error(move: Move, message: str, days: str) -> str:
    if len(message) > LONGEST_MESSAGE:
        return f"Keep the message to {LONGEST_MESSAGE:,} characters; it has {len(message):,}."
    if move.name == "offer" and not 1 <= (whole_number(days) or 0) <= LONGEST_REPLY:
        return f"Say in days, from 1 to {LONGEST_REPLY}, how long they have to answer."
    return ""


def lab_move(name: str) -> Move:
    """The lab's move with that name, or 404."""
    if not is_lab_move(name):
        abort(404)
    return move_named("choice", name)


def bulk_moves(lab: Lab, states: Collection[str]) -> list[Move]:
    """The moves that the person can make for the lab from these states, in the order of the table."""
    capacity = capacity_in(db.session(), lab.id, actor())
    in_order = [state for _, _, of_column in COLUMNS for state in of_column if state in states]
    moves = [move for state in in_order for move in moves_from("choice", state, capacity)]
    return list(dict.fromkeys(moves))


def _undoing(move: Move) -> str:
    """Whether and for how long the move can be undone as a whole."""
    back = undoing_move(move)
    if back is None and move.shown == "at once":
        return "This cannot be undone: applicants are told at once."
    if back is None:
        return "This cannot be undone by a button: what you take back has to be decided anew."
    if move.name in STAGING:
        return "You can undo this until the decision is released."
    return "You can undo this as long as nothing else is done with them."


def _undo_form(lab: Lab, cycle: Cycle) -> UndoForm:
    """The form that undoes a move from a message and returns to the same page."""
    return_values = {"cycle": cycle.slug} | left_at() | _queue_left()
    return UndoForm(url_for("reviews.undo_moves", slug=lab.slug), return_values)


def _moment(text: str) -> datetime | None:
    """The point in time in a form field, if valid."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def left_at() -> dict[str, Any]:
    """The parameters that identify the visible part of the board, for returning to it."""
    return {name: request.values[name] for name in ("column", "page", "show") if request.values.get(name)}


def _queue_left() -> dict[str, str]:
    """The parameters of the queue in which applicants were ticked; empty if it was the board."""
    queue_query = request.form.get("queue", "")
    return {"queue": queue_query} if queue_query else {}


def way_to(lab: Lab, cycle: Cycle, card: int | None = None) -> str:
    """The page of the queue in which applicants were ticked, or else the board."""
    queue_query = dict(parse_qsl(_queue_left().get("queue", "")))
    if not queue_query:
        return board_address(lab, cycle, card)
    page = page_number(queue_query.get("page"))
    shown = read_filter(queue_query).of_cycle(cycle.slug).in_address(page=str(page) if page > 1 else "")
    return url_for("reviews.queue", slug=lab.slug) + shown


def board_address(lab: Lab, cycle: Cycle, card: int | None = None) -> str:
    """The board as it was left, or where a card is now."""
    if card is None:
        return url_for("reviews.board", slug=lab.slug, cycle=cycle.slug, **left_at())
    return url_for("reviews.board", slug=lab.slug, cycle=cycle.slug, card=card, _anchor=f"card-{card}")
