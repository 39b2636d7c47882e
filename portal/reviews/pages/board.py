"""The board of a lab: columns, moves of one and of several, the order of preference, seats."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request

from portal.applications.locks import lock_lab
from portal.db import db
from portal.reviews.board.columns import CARDS_AT_ONCE, COLUMN_OF, CONFIRMED, MANY_AT_ONCE, Part, board_of
from portal.reviews.board.preference_order import OrderChanged, placed, ranked_ids, save_order, shifted
from portal.reviews.leader_rules import why_not_change, why_not_lead
from portal.reviews.moving.bulk_moves import tickets_in
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.pages.cycle import chosen_cycle, labs_cycles, newest_instead
from portal.reviews.pages.moving_many import board_address, bulk_moves, do, lab_move, left_at, preview
from portal.web.access import actor, ensure, or_404
from portal.web.messages import flash_message
from portal.web.paging import page_number
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

MANY = "many"  # value of `show` for longer columns


def board(slug: str) -> str:
    """The choices of the lab in a cycle, in columns.

    Long columns are paged: `?column=…&page=…` selects a page, and `&show=many` longer ones.
    """
    lab = lab_i_read_for(slug)
    cycle, cycles = chosen_cycle(lab), labs_cycles(lab)
    board = board_of(db.session(), lab, cycle, actor(), _part()) if cycle else None
    filled = {column.key for column in board.columns if column.cards} if board else set()
    return render_template(
        "reviews/board.html",
        lab=lab,
        cycle=cycle,
        cycles=cycles,
        newest=newest_instead(cycle, cycles),
        board=board,
        at_once=CARDS_AT_ONCE,
        many_at_once=MANY_AT_ONCE,
        place=left_at(),
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
    """Save the order of preference: one step, by numbers, or by a drop, which sets a number."""
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


def _part() -> Part:
    values = request.values
    return Part(
        column=values.get("column", ""),
        number=page_number(values.get("page")),
        many=values.get("show") == MANY,
        card=whole_number(values.get("card", "")),
    )


def _wanted_order(ids: list[int]) -> tuple[list[int], int | None]:
    """The requested order, and the choice to return to if it concerns a single one.

    Raises:
        OrderChanged: It concerns a choice that is no longer ranked.
    """
    choice_text, _, direction = request.form.get("shift", "").partition(".")
    if choice_text:
        moved = whole_number(choice_text)
        if moved is None or moved not in ids:
            raise OrderChanged
        return shifted(ids, moved, -1 if direction == "up" else 1), moved
    sent = {choice_id: whole_number(request.form.get(f"place-{choice_id}", "").strip()) for choice_id in ids}
    places = {choice_id: place for choice_id, place in sent.items() if place is not None}
    changed = [choice_id for place, choice_id in enumerate(ids, start=1) if places.get(choice_id, place) != place]
    return placed(ids, places), changed[0] if len(changed) == 1 else None
