"""The board of a lab: its columns, moves of one card, the order of preference."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request

from portal.applications.locks import lock_lab
from portal.applications.states import CHOICE_LABELS
from portal.db import db
from portal.reviews.access import chosen_cycle, cycles_of_lab, lab_i_read_for
from portal.reviews.board.queries import COLUMN_OF, board_of, ranked_ids
from portal.reviews.board.service import OrderChanged, placed, save_order
from portal.reviews.moves.pages import board_address, bulk_moves, do, lab_move, preview
from portal.reviews.moves.rules import CONFIRMED
from portal.reviews.moves.service import tickets_in
from portal.reviews.rules import why_not_change, why_not_lead
from portal.web.access import actor, ensure, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def board(slug: str) -> str:
    """The choices of the lab in a cycle, in columns; `?card=…` is shown in any case."""
    lab = lab_i_read_for(slug)
    cycle, cycles = chosen_cycle(lab), cycles_of_lab(db.session(), lab)
    board = board_of(db.session(), lab, cycle, actor(), whole_number(request.values.get("card", ""))) if cycle else None
    filled = {column.key for column in board.columns if column.cards} if board else set()
    return render_template(
        "reviews/board.html",
        lab=lab,
        cycle=cycle,
        cycles=cycles,
        board=board,
        state_labels=CHOICE_LABELS,
        bulk_moves=bulk_moves(lab, [state for state, column in COLUMN_OF.items() if column in filled]),
    )


def board_move(slug: str) -> ResponseReturnValue:
    """Move one card, by its button or a drop; a move that applicants are told of is previewed."""
    lab = lab_i_read_for(slug)
    cycle = or_404(chosen_cycle(lab))
    name, _, ticket = request.form.get("one", "").partition(":")
    move = lab_move(name)
    if move.name in CONFIRMED:
        return preview(lab, cycle, move, [ticket])
    return do(lab, cycle, move, tickets_in([ticket]))


def order(slug: str) -> ResponseReturnValue:
    """Save the order of preference: by numbers, or by a drop, which sets one."""
    lab = lab_i_read_for(slug)
    cycle = or_404(chosen_cycle(lab))
    ensure(why_not_lead(db.session(), actor(), lab))
    ensure(why_not_change(cycle))
    lock_lab(db.session(), lab.id)
    ids = ranked_ids(db.session(), lab, cycle, actor())
    moved_id = None
    try:
        new_order, moved_id = _wanted_order(ids)
        changed = save_order(
            db.session(), lab, cycle, actor(), new_order, seen=request.form.get("seen", ""), now=datetime.now(UTC)
        )
    except OrderChanged:
        flash_message(
            "The ranking was changed meanwhile, so yours was not saved. Below it is as it stands now.", "warn"
        )
    else:
        flash_message("The order is saved." if changed else "This order was saved already.")
    return redirect(board_address(lab, cycle, moved_id))


def _wanted_order(ids: list[int]) -> tuple[list[int], int | None]:
    """The requested order, and the choice to return to if it concerns one."""
    sent = {choice_id: whole_number(request.form.get(f"place-{choice_id}", "").strip()) for choice_id in ids}
    places = {choice_id: place for choice_id, place in sent.items() if place is not None}
    changed = [choice_id for place, choice_id in enumerate(ids, start=1) if places.get(choice_id, place) != place]
    return placed(ids, places), changed[0] if len(changed) == 1 else None
