"""The board of a lab: its choices in columns by state, moves of one card, the order of preference.

Choices that were ranked and are now on the waitlist or offered keep their position. A leader with a conflict of
interest does not see those choices: they stay where they are, and the others move around them.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from flask import redirect, render_template, request
from sqlalchemy import func, select

from portal import audit
from portal.applications.cycles import IS_STAGED
from portal.applications.locks import lock_lab
from portal.applications.moves.rules import states_before
from portal.applications.states import CHOICE_LABELS, READ_BY_LABS
from portal.db import db
from portal.models import Application, Choice, Cycle, Decision, User
from portal.reviews.access import chosen_cycle, cycles_of_lab, lab_i_read_for, running_cycle_i_lead_in
from portal.reviews.blind_review import HIDDEN, shown_person
from portal.reviews.lab_settings import Seats, seats_of
from portal.reviews.moves.pages import board_address, bulk_moves, do, lab_move, preview
from portal.reviews.moves.service import CONFIRMED, offered_moves, tickets_in
from portal.reviews.rules import capacity_in, in_conflict_with
from portal.reviews.scorecards.service import means_seen
from portal.web.access import actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity, Move
    from portal.models import Lab
    from portal.reviews.blind_review import Shown
    from portal.reviews.scorecards.calibration import Means


class BoardRow(NamedTuple):
    """A choice of the board; `staged` if a decision on it waits for release."""

    choice: Choice
    shown: Shown
    application_state: str
    staged: bool


def board_rows(session: Session, lab: Lab, cycle: Cycle, viewer: User) -> tuple[list[BoardRow], int]:
    """The choices that the viewer may open, best match first, and the number withheld by conflicts of interest."""
    conditions = (Choice.lab_id == lab.id, Application.cycle_id == cycle.id, Application.state.in_(READ_BY_LABS))
    staged = select(Decision.id).where(Decision.choice_id == Choice.id, IS_STAGED).exists()
    found_rows = session.execute(
        select(Choice, User.name, User.email, HIDDEN, Application.state, staged)
        .join(Application, Application.id == Choice.application_id)
        .join(User, User.id == Application.applicant_id)
        .where(*conditions, ~in_conflict_with(viewer))
        .order_by(Choice.score.desc(), Choice.id),
        {"lab": lab.id, "reviewer": viewer.id},
    )
    rows = [
        BoardRow(choice, shown_person(choice.id, name, email, hidden), state, has_staged)
        for choice, name, email, hidden, state, has_staged in found_rows
    ]
    left_out = session.scalar(
        select(func.count())
        .select_from(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(*conditions, in_conflict_with(viewer))
    )
    return rows, left_out or 0


COLUMNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("in_review", "In review", ("pending", "in_review")),
    ("shortlisted", "Shortlisted", ("shortlisted",)),
    ("interview", "Interview", ("interview",)),
    ("interviewed", "Interviewed", ("interviewed",)),
    ("ranked", "Ranked", ("ranked",)),
    ("waitlisted", "Waitlist", ("waitlisted",)),
    ("offered", "Offered", ("offered", "accepted")),
    ("closed", "Declined and closed", ("declined", "declined_by_applicant", "expired", "closed")),
)
COLUMN_OF = {state: key for key, _, states in COLUMNS for state in states}
CARDS_AT_ONCE = 50  # cards of a column; the queue has the others


class CardMove(NamedTuple):
    """A move of a card into `column`; a `confirmed` one is previewed before it is made."""

    name: str
    label: str
    column: str
    confirmed: bool


class BoardCard(NamedTuple):
    """One choice. `place` is its position in the order of preference, from 1, if it is ranked; `signs` are short
    remarks on its state. `means` are None until the viewer's own card is locked; `cards` counts locked cards.
    """

    id: int
    shown: Shown
    score: float
    signs: tuple[str, ...]
    means: Means | None
    cards: int
    place: int | None
    moves: tuple[CardMove, ...]


class Column(NamedTuple):
    """One column: ranked cards in the order of preference, of others the best matches; `total` counts all."""

    key: str
    label: str
    states: tuple[str, ...]
    cards: Sequence[BoardCard]
    total: int


class Board(NamedTuple):
    """A lab's board in a cycle. `seen` is the ranking as forms send it back; `left_out` counts conflicts of interest;
    `card` is the requested card, if it is shown.
    """

    columns: tuple[Column, ...]
    total: int
    left_out: int
    seats: Seats
    seen: str
    leads: bool
    is_calibrated: bool
    card: int | None


def board_of(session: Session, lab: Lab, cycle: Cycle, viewer: User, card_id: int | None = None) -> Board:
    """The board as `viewer` sees it, in any case with the card of `card_id`; the number of statements is constant."""
    rows, left_out = board_rows(session, lab, cycle, viewer)
    capacity = capacity_in(session, lab.id, viewer)
    means = means_seen(session, lab, cycle.id, viewer)
    seats = seats_of(session, lab, cycle)
    ranked = sorted(
        (row.choice for row in rows if row.choice.state == "ranked"),
        key=lambda choice: (choice.preference is None, choice.preference or 0, choice.id),
    )
    places = {choice.id: place for place, choice in enumerate(ranked, start=1)}
    in_columns = {key: _in_column(rows, states, places) for key, _, states in COLUMNS}
    shown_rows = {
        key: [
            row
            for number, row in enumerate(in_column)
            if key == "ranked" or number < CARDS_AT_ONCE or row.choice.id == card_id
        ]
        for key, in_column in in_columns.items()
    }
    shown_choices = [row.choice for in_column in shown_rows.values() for row in in_column]
    earlier_states = states_before(session, [choice.id for choice in shown_choices]) if cycle.closed_at is None else {}

    def card(row: BoardRow) -> BoardCard:
        choice = row.choice
        return BoardCard(
            id=choice.id,
            shown=row.shown,
            score=choice.score,
            signs=_signs(row),
            means=means.of(choice.id),
            cards=means.cards.get(choice.id, 0),
            place=places.get(choice.id),
            moves=_moves(row, capacity, seats, earlier_states) if cycle.closed_at is None else (),
        )

    return Board(
        columns=tuple(
            Column(key, label, states, tuple(map(card, shown_rows[key])), len(in_columns[key]))
            for key, label, states in COLUMNS
        ),
        total=len(rows),
        left_out=left_out,
        seats=seats,
        seen=seen_order([choice.id for choice in ranked]),
        leads=capacity == "leader",
        is_calibrated=means.is_calibrated,
        card=card_id if card_id in {choice.id for choice in shown_choices} else None,
    )


def ranked_ids(session: Session, lab: Lab, cycle: Cycle, reader: User) -> list[int]:
    """The ranked choices that a reader of the lab may see, most preferred first, as stored now."""
    return list(
        session.scalars(
            select(Choice.id)
            .join(Application, Application.id == Choice.application_id)
            .where(
                Choice.lab_id == lab.id,
                Application.cycle_id == cycle.id,
                Choice.state == "ranked",
                ~in_conflict_with(reader),
            )
            .order_by(Choice.preference.is_(None), Choice.preference, Choice.id)
        )
    )


def ranked_places(session: Session, lab: Lab, cycle: Cycle, reader: User) -> Mapping[int, int]:
    """The place of each ranked choice that somebody may see, from 1, by id; stored preferences have gaps."""
    return {choice_id: place for place, choice_id in enumerate(ranked_ids(session, lab, cycle, reader), start=1)}


def seen_order(ids: Sequence[int]) -> str:
    """The order in the form in which a page sends it back."""
    return hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()[:16]


def _in_column(rows: Sequence[BoardRow], states: Sequence[str], places: Mapping[int, int]) -> list[BoardRow]:
    in_column = [row for row in rows if row.choice.state in states]
    # Only ranked choices have a position; the others keep the order of the rows.
    return sorted(in_column, key=lambda row: places.get(row.choice.id, 0))


def _signs(row: BoardRow) -> tuple[str, ...]:
    choice = row.choice
    signs = []
    if choice.state == "pending":
        signs.append("not opened yet")
    if COLUMN_OF[choice.state] == "closed" or choice.state == "accepted":
        signs.append(CHOICE_LABELS[choice.state].lower())
    if row.staged:
        signs.append("waits for release")
    elif choice.state in {"offered", "waitlisted", "declined"} and choice.released_at is not None:
        signs.append("released")
    if row.application_state == "closed" and choice.state not in {"accepted", "closed"}:
        signs.append("application closed")
    return tuple(signs)


def _moves(
    row: BoardRow, capacity: Capacity, seats: Seats, earlier_states: Mapping[tuple[int, str], str]
) -> tuple[CardMove, ...]:
    """The moves that are not plainly impossible; `perform` checks the remaining rules."""
    if row.application_state != "eligible":
        return ()
    likely = [move for move in offered_moves(row.choice.state, capacity) if _likely(move, row, seats)]
    targets = [(move, earlier_states.get((row.choice.id, move.undoes), move.target)) for move in likely]
    return tuple(
        CardMove(move.name, move.label, COLUMN_OF[target], move.name in CONFIRMED) for move, target in targets if target
    )


def _likely(move: Move, row: BoardRow, seats: Seats) -> bool:
    if "staged" in move.guards and not row.staged:
        return False
    if "nothing_staged" in move.guards and row.staged:
        return False
    return not ("seat_free" in move.guards and seats.free is not None and seats.free <= 0)


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
    lab, cycle = running_cycle_i_lead_in(slug)
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
    key, before, after = f"{lab.slug}/{cycle.slug}", {"choices": current}, {"choices": list(order)}
    audit.record(session, leader, "lab.order", "lab in cycle", key, now, before=before, after=after)
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
