"""Moves of several applicants at once, from the queue or the board: preview, act, undo."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, urlencode

from flask import abort, redirect, render_template, request, url_for

from portal.applications.forms import running_text
from portal.applications.moves.service import LONGEST_MESSAGE, USUAL_REPLY_DAYS
from portal.applications.states import CHOICE_LABELS, STAGING, Move, move_named
from portal.db import db
from portal.reviews.access import chosen_cycle, lab_i_read_for
from portal.reviews.lab_settings import filled, texts_of
from portal.reviews.moves.service import (
    DONE,
    LONGEST_REPLY,
    chosen_of,
    for_one,
    is_lab_move,
    move_all,
    offered_moves,
    plan,
    tickets_in,
    undo_all,
    undoing_move,
    was_moved_with,
)
from portal.reviews.rules import capacity_in
from portal.web.access import actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import list_state
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle, Lab
    from portal.reviews.moves.service import Outcome
    from portal.web.messages import Tone

MOST_NAMES = 12  # names per reason; others are counted

NOT_SENT = "Nobody was moved, so your message was not sent. It is kept below; look again at who would move."


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
    move, at = lab_move(request.form.get("move", "")), or_404(moment_sent())
    outcome, closed = or_404(undo_all(db.session(), lab, cycle, actor(), move, at, now=datetime.now(UTC)))
    _tell(lab, cycle, undoing_move(move) or move, outcome, closed, "taken back")
    ids = outcome.ids
    return redirect(way_to(lab, cycle, next(iter(ids)) if len(ids) == 1 else None))


def preview(lab: Lab, cycle: Cycle, move: Move, sent: Iterable[str], error: str = "") -> ResponseReturnValue:
    """The page that says who of `sent` would move, the message, and whether it can be undone; 422 with an error."""
    session = db.session()
    choices = chosen_of(session, lab, cycle, actor(), tickets_in(sent))
    planned = plan(session, lab, cycle, actor(), move, choices, datetime.now(UTC))
    able = [row for row in planned if row.why_not is None]
    message = request.form.get("message", texts_of(session, lab).get(move.name, ""))
    page = render_template(
        "reviews/preview_moves.html",
        lab=lab,
        cycle=cycle,
        place=_place(),
        back=way_to(lab, cycle),
        move=move,
        able=able,
        unable=[row for row in planned if row.why_not is not None],
        undoing=_undoing(move),
        takes_message=move.name in STAGING,
        message=message,
        example=able and filled(message, name=able[0].shown.label, lab=lab.name, cycle=cycle.name),
        days=request.form.get("days", str(USUAL_REPLY_DAYS)),
        error=error,
        longest_message=LONGEST_MESSAGE,
        longest_reply=LONGEST_REPLY,
    )
    return (page, 422) if error else page


def do(lab: Lab, cycle: Cycle, move: Move, tickets: dict[int, str]) -> ResponseReturnValue:
    """Make the move, report the outcome and redirect; invalid input is shown beside the preview again."""
    message = running_text(request.form.get("message", "")) if move.name in STAGING else ""
    days = request.form.get("days", "").strip() or str(USUAL_REPLY_DAYS)
    error = _error(move, message, days)
    if error:
        return preview(lab, cycle, move, tickets.values(), error)
    session = db.session()
    choices = chosen_of(session, lab, cycle, actor(), tickets)
    reply_days = (whole_number(days) if move.name == "offer" else None) or USUAL_REPLY_DAYS
    now = datetime.now(UTC)
    outcome = move_all(session, actor(), move, choices, tickets, now=now, message=message, reply_days=reply_days)
    if (
        message
        and not outcome.moved
        and not all(was_moved_with(session, choice, move, for_one(choice, message)) for choice in choices)
    ):
        return preview(lab, cycle, move, tickets.values(), NOT_SENT)
    _tell(lab, cycle, move, outcome, len(tickets) - len(choices))
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
    in_order = [state for state in CHOICE_LABELS if state in states]
    return list(dict.fromkeys(move for state in in_order for move in offered_moves(state, capacity)))


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


def _tell(
    lab: Lab, cycle: Cycle, move: Move, outcome: Outcome, closed: int, done: Literal["moved", "taken back"] = "moved"
) -> None:
    """Say how many moved, who did not and why, with an undo button; `closed` counts choices not open to the reader."""

    def with_undo(text: str, tone: Tone) -> None:
        if undoing_move(move) is None or outcome.at is None:
            flash_message(text, tone)
            return
        values = {"cycle": cycle.slug, **_place(), "move": move.name, "at": outcome.at.isoformat()}
        flash_with_undo(text, url_for("reviews.undo_moves", slug=lab.slug), values, tone=tone)

    if outcome.moved:
        who = outcome.moved[0].label if len(outcome.moved) == 1 else f"{len(outcome.moved):,} applicants"
        with_undo(f"{who}: {DONE[move.name]}", "good")
    if outcome.already:
        text = f"{len(outcome.already):,} {done} before, and not again."
        if outcome.moved:
            flash_message(text, "info")
        elif (
            outcome.at and len(outcome.already) == 1 and not outcome.refused
        ):  # a double click: people read the second response
            with_undo(f"{outcome.already[0].label}: {DONE[move.name]}", "good")
        else:
            with_undo(text, "info")
    for sentence in _refusals(outcome, done):
        flash_message(sentence, "warn")
    if not (outcome.moved or outcome.already or outcome.refused):
        flash_message(f"Nobody was {done}: none of them is open to you in this cycle.", "warn")
    elif closed:
        people = counted(closed, "applicant is", "applicants are")
        flash_message(f"{people} not open to you any more, as after a withdrawal, and not {done}.", "warn")


def _refusals(outcome: Outcome, done: str) -> list[str]:
    """Who was not moved, a sentence for each reason."""
    by_reason: dict[str, list[str]] = {}
    for shown, reason in outcome.refused:
        by_reason.setdefault(reason, []).append(shown.label)
    return [
        f"{_listed(names)} {'was' if len(names) == 1 else 'were'} not {done}. {reason}"
        for reason, names in by_reason.items()
    ]


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence: "Ada", "Ada and Bo", "Ada, Bo and 3 more"."""
    shown = names if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def moment_sent() -> datetime | None:
    """When what the form takes back was done, if it says so."""
    try:
        return datetime.fromisoformat(request.form.get("at", "")).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _place() -> dict[str, str]:
    """Where applicants were ticked: the parameters of the queue, and whose page it was; empty if it was the board."""
    choice_id = whole_number(request.form.get("applicant", ""))
    sent = {"queue": urlencode(_asked()), "applicant": "" if choice_id is None else str(choice_id)}
    return {name: value for name, value in sent.items() if value}


def _asked() -> dict[str, str]:
    return list_state(dict(parse_qsl(request.form.get("queue", ""))))


def way_to(lab: Lab, cycle: Cycle, card: int | None = None) -> str:
    """The page where applicants were ticked: one's own, the queue, or else the board."""
    asked, choice_id = _asked(), whole_number(request.form.get("applicant", ""))
    if choice_id is not None:
        # Phones show one part of the page: the one with the next moves.
        page = url_for("reviews.applicant", slug=lab.slug, choice_id=choice_id)
        return f"{page}?{urlencode(asked | {'part': 'card'})}"
    if asked:
        return f"{url_for('reviews.queue', slug=lab.slug)}?{urlencode({'cycle': cycle.slug} | asked)}"
    return board_address(lab, cycle, card)


def board_address(lab: Lab, cycle: Cycle, card: int | None = None) -> str:
    """The board, or where a card is on it."""
    if card is None:
        return url_for("reviews.board", slug=lab.slug, cycle=cycle.slug)
    return url_for("reviews.board", slug=lab.slug, cycle=cycle.slug, card=card, _anchor=f"card-{card}")
