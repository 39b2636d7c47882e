"""Messages after a bulk move or its undoing: how many moved, who did not and why, and an undo button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.reviews.choice.lab_moves import DONE, undoing_move
from portal.web.messages import flash_message, flash_with_undo
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.applications.states import Move
    from portal.reviews.moving.bulk_moves import Outcome
    from portal.reviews.moving.bulk_undo import Undone
    from portal.web.messages import Tone

MOST_REASONS = 3  # reasons in a message; further refusals are counted
MOST_NAMES = 12  # names per reason; others are counted


@dataclass(frozen=True, slots=True)
class UndoForm:
    """An undo button's form: its address, and the parameters to return to the page."""

    action: str
    left: Mapping[str, str]


def tell(move: Move, outcome: Outcome, undo: UndoForm, *, closed: int) -> None:
    """Report a bulk move, with an undo button; `closed` counts choices that the reader may not open.

    The button is also shown if the same form had already made the move: after a double click, people see that response.
    """
    if outcome.moved:
        _flash_with_undo(move, outcome, _done(move, outcome), undo)
    if outcome.already:
        text = f"{len(outcome.already):,} moved before, and not again."
        if outcome.moved:
            flash_message(text, "info")
        else:
            _flash_with_undo(move, outcome, text, undo, "info")
    _tell_refused(outcome, "not moved")
    if not (outcome.moved or outcome.already or outcome.refused):
        flash_message("Nobody was moved: none of them is open to you in this cycle.", "warn")
    else:
        _tell_closed(closed, "not moved")


def tell_undone(undone: Undone, undo: UndoForm) -> None:
    """Report how many were moved back and to which states, and who was not, and why."""
    outcome = undone.outcome
    if outcome.moved:
        _flash_with_undo(undone.back, outcome, _done(undone.back, outcome), undo)
    if outcome.already:
        text = f"{len(outcome.already):,} taken back before, and not again."
        if outcome.moved:
            flash_message(text, "info")
        else:
            _flash_with_undo(undone.back, outcome, text, undo, "info")
    _tell_refused(outcome, "not taken back")
    _tell_closed(undone.closed, "not taken back")


def _tell_closed(closed: int, not_done: str) -> None:
    if closed:
        people = counted(closed, "applicant is", "applicants are")
        flash_message(f"{people} not open to you any more, as after a withdrawal, and {not_done}.", "warn")


def _flash_with_undo(move: Move, outcome: Outcome, text: str, undo: UndoForm, tone: Tone = "good") -> None:
    if undoing_move(move) is None or outcome.at is None:
        flash_message(text, tone)
    else:
        values = {**undo.left, "move": move.name, "at": outcome.at.isoformat()}
        flash_with_undo(text, undo.action, values, tone=tone)


def _done(move: Move, outcome: Outcome) -> str:
    """Who was moved and how; after undoing also where they are now."""
    text = _who(outcome) + DONE[move.name]
    return f"{text} {where_now(outcome.now)}" if move.undoes else text


def where_now(states: Sequence[tuple[str, int]]) -> str:
    """The labels of states, with counts if they differ."""
    if len(states) == 1:
        return f"Now “{states[0][0]}” as before."
    return f"As before, now {', '.join(f'{number:,} “{label}”' for label, number in states)}."


def _who(outcome: Outcome) -> str:
    """The name of the only person, or how many."""
    return f"{outcome.moved[0].label if len(outcome.moved) == 1 else f'{len(outcome.moved):,} applicants'}: "


def _tell_refused(outcome: Outcome, not_done: str) -> None:
    """Name the refused people, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for shown, reason in outcome.refused:
        by_reason.setdefault(reason, []).append(shown.label)
    groups = list(by_reason.items())
    for reason, names in groups[:MOST_REASONS]:
        flash_message(f"{_listed(names)} {'was' if len(names) == 1 else 'were'} {not_done}. {reason}", "warn")
    more = sum(len(names) for _, names in groups[MOST_REASONS:])
    if more:
        flash_message(f"{more:,} more {'was' if more == 1 else 'were'} {not_done} for such reasons.", "warn")


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence: "Ada", "Ada and Bo", "Ada, Bo and 3 more"."""
    shown = names if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
