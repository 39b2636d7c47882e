"""The board of a lab: its columns, moves of one card, the order of preference.

Choices that were ranked and are now on the waitlist or offered keep their position. A leader with a conflict of
interest does not see those choices: they stay where they are, and the others move around them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request
from sqlalchemy import select

from portal import audit
from portal.applications.locks import lock_lab
from portal.applications.states import CHOICE_LABELS
from portal.db import db
from portal.models import Application, Choice, Cycle, User
from portal.reviews.access import chosen_cycle, cycles_of_lab, lab_i_read_for
from portal.reviews.board.queries import COLUMN_OF, board_of, ranked_ids, seen_order
from portal.reviews.moves.pages import board_address, bulk_moves, do, lab_move, preview
from portal.reviews.moves.service import CONFIRMED, tickets_in
from portal.reviews.rules import why_not_change, why_not_lead
from portal.web.access import actor, ensure, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Lab


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


class OrderChanged(Exception):
    """The ranking has changed since it was shown. Nothing was written."""


def placed(ids: Sequence[int], places: Mapping[int, int]) -> list[int]:
    """The order with some choices at given positions, from 1; the others fill the rest in their order."""
    moved = {
        choice_id: place
        for choice_id, place in places.items()
        if choice_id in ids and ids.index(choice_id) + 1 != place
    }
    ordered = [choice_id for choice_id in ids if choice_id not in moved]
    for choice_id in sorted(moved, key=lambda choice_id: (moved[choice_id], ids.index(choice_id))):
        ordered.insert(min(max(moved[choice_id], 1), len(ordered) + 1) - 1, choice_id)
    return ordered


def save_order(
    session: Session, lab: Lab, cycle: Cycle, leader: User, order: Sequence[int], *, seen: str, now: datetime
) -> bool:
    """Save the order `order`; False if unchanged. Locks the lab and its choices with a place; writes an audit entry.

    Raises `OrderChanged` if the ranking changed since `seen`, or `order` is not a permutation of it.
    """
    lock_lab(session, lab.id)
    preferred = _locked(session, lab, cycle)
    current = ranked_ids(session, lab, cycle, leader)
    if list(order) == current:
        return False
    if seen_order(current) != seen or sorted(order) != sorted(current):
        raise OrderChanged
    by_id = {choice.id: choice for choice in preferred}
    next_ids, by_leader = iter(order), set(current)
    for place, choice in enumerate(preferred, start=1):
        preferred_choice = by_id[next(next_ids)] if choice.id in by_leader else choice
        preferred_choice.preference = place
    audit.record(
        session,
        actor=leader,
        act="lab.order",
        object_type="lab in cycle",
        object_key=f"{lab.slug}/{cycle.slug}",
        now=now,
        before={"choices": current},
        after={"choices": list(order)},
    )
    session.flush()
    return True


def _locked(session: Session, lab: Lab, cycle: Cycle) -> Sequence[Choice]:
    """Lock all choices with a place or ranked, in that order, so that one declined at this moment gets no place."""
    return session.scalars(
        select(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            Choice.preference.is_not(None) | (Choice.state == "ranked"),
        )
        .order_by(Choice.preference.is_(None), Choice.preference, Choice.id)
        .with_for_update(of=Choice)
        .execution_options(populate_existing=True)
    ).all()
