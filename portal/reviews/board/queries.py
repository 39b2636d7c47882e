"""The board: a lab's choices in columns by state, as one person of the lab sees them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from portal.applications.cycles import IS_STAGED
from portal.applications.moves.rules import states_before
from portal.applications.states import CHOICE_LABELS, READ_BY_LABS
from portal.models import Application, Choice, Decision, User
from portal.reviews.blind_review import HIDDEN, shown_person
from portal.reviews.moves.service import CONFIRMED, offered_moves
from portal.reviews.own_settings import Seats, seats_of
from portal.reviews.rules import capacity_in, in_conflict_with
from portal.reviews.scorecards.service import means_seen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity, Move
    from portal.models import Cycle, Lab
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
