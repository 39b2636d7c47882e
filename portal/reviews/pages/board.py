"""The board of a lab: columns, moves of one and of several, the order of preference, seats."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from flask import abort, redirect, render_template, request, url_for

from portal.applications.moves import LONGEST_MESSAGE, USUAL_REPLY_DAYS
from portal.applications.stated import running_text
from portal.applications.states import STAGING, Move, move, moves_from
from portal.db import db
from portal.models import LabProfessor
from portal.reviews.board import CARDS_AT_ONCE, COLUMNS, CONFIRMED, MANY_AT_ONCE, Part, board_of
from portal.reviews.bulk_moves import Asked, chosen_of, move_all, plan, tickets_in
from portal.reviews.lab_moves import DONE, LONGEST_REPLY, is_lab_move
from portal.reviews.leader_rules import why_not_change, why_not_lead
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.pages.cycle import chosen_cycle, labs_cycles
from portal.reviews.preference_order import OrderChanged, placed, ranked_ids, save_order, shifted
from portal.reviews.queue_filter import read_filter
from portal.reviews.seats import lock_lab
from portal.web.access import actor, ensure, found
from portal.web.messages import say
from portal.web.paging import page_number
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flask.typing import ResponseReturnValue

    from portal.applications.states import Capacity
    from portal.models import Cycle, Lab
    from portal.reviews.bulk_moves import Outcome

UNPROCESSABLE = 422
MANY = "many"  # of `show`: so many cards at once
MOST_REASONS = 3  # in a message; the rest is counted


def board(slug: str) -> str:
    """The choices of the lab in a cycle, in columns.

    Of a long column a part, `?column=…&page=…` another, and with `&show=many` longer ones.
    """
    lab = lab_i_read_for(slug)
    cycle = chosen_cycle(lab)
    return render_template(
        "reviews/board.html",
        lab=lab,
        cycle=cycle,
        cycles=labs_cycles(lab),
        board=board_of(db.session(), lab, cycle, actor(), _part()) if cycle else None,
        at_once=CARDS_AT_ONCE,
        many_at_once=MANY_AT_ONCE,
        place=_place(),
        bulk_moves=bulk_moves(lab),
    )


def board_move(slug: str) -> ResponseReturnValue:
    """Move one card, as its button or a drop says; what an applicant is told of is shown first."""
    lab = lab_i_read_for(slug)
    cycle = found(chosen_cycle(lab))
    name, _, ticket = request.form.get("one", "").partition(":")
    one = _lab_move(name)
    if one.name in CONFIRMED:
        return _preview(lab, cycle, one, [ticket])
    return _do(lab, cycle, one, tickets_in([ticket]))


def preview_moves(slug: str) -> ResponseReturnValue:
    """Who of the ticked would move, and who cannot and why. Nothing is done yet."""
    lab = lab_i_read_for(slug)
    cycle = found(chosen_cycle(lab))
    if not request.form.get("move"):
        say("Choose what to do with those you ticked.", "warn")
        return redirect(_way_back(lab, cycle))
    one = _lab_move(request.form["move"])
    if not request.form.getlist("choice"):
        say("Tick the applicants you want to move first.", "warn")
        return redirect(_way_back(lab, cycle))
    return _preview(lab, cycle, one, request.form.getlist("choice"))


def do_moves(slug: str) -> ResponseReturnValue:
    """Do what the preview showed. Sent twice, it does nothing twice."""
    lab = lab_i_read_for(slug)
    cycle = found(chosen_cycle(lab))
    return _do(lab, cycle, _lab_move(request.form.get("move", "")), tickets_in(request.form.getlist("choice")))


def order(slug: str) -> ResponseReturnValue:
    """Save the order of preference: by a step up or down, by numbers, or by a drop, which sets a number."""
    lab = lab_i_read_for(slug)
    cycle = found(chosen_cycle(lab))
    ensure(why_not_lead(db.session(), actor(), lab))
    ensure(why_not_change(cycle))
    lock_lab(db.session(), lab)
    ids = ranked_ids(db.session(), lab, cycle, actor())
    at = None
    try:
        wanted, at = _wanted_order(ids)
        changed = save_order(
            db.session(), lab, cycle, actor(), wanted, seen=request.form.get("seen", ""), now=datetime.now(UTC)
        )
    except OrderChanged:
        say("The ranking was changed meanwhile, so yours was not saved. Below it is as it stands now.", "warn")
    else:
        say("The order is saved." if changed else "This order was saved already.")
    return redirect(_board_address(lab, cycle, at))


def _part() -> Part:
    asked = request.values
    return Part(
        column=asked.get("column", ""),
        number=page_number(asked.get("page")),
        many=asked.get("show") == MANY,
        card=whole_number(asked.get("card", "")),
    )


def _place() -> dict[str, Any]:
    """What an address or a form says of the part of the board that is shown, for the way back to it."""
    return {name: request.values[name] for name in ("column", "page", "show") if request.values.get(name)}


def _wanted_order(ids: list[int]) -> tuple[list[int], int | None]:
    """The order that the form asks for, and the choice to go back to where it is about one.

    Raises:
        OrderChanged: It is about a choice that is not ranked any more.
    """
    number, _, direction = request.form.get("shift", "").partition(".")
    if number:
        moved = whole_number(number)
        if moved is None or moved not in ids:
            raise OrderChanged
        return shifted(ids, moved, -1 if direction == "up" else 1), moved
    sent = {one: whole_number(request.form.get(f"place-{one}", "").strip()) for one in ids}
    places = {one: place for one, place in sent.items() if place is not None}
    changed = [one for place, one in enumerate(ids, start=1) if places.get(one, place) != place]
    return placed(ids, places), changed[0] if len(changed) == 1 else None


def _preview(lab: Lab, cycle: Cycle, one: Move, sent: Iterable[str], error: str = "") -> ResponseReturnValue:
    session = db.session()
    choices = chosen_of(session, lab, cycle, actor(), tickets_in(sent))
    planned = plan(session, lab, cycle, actor(), one, choices, datetime.now(UTC))
    page = render_template(
        "reviews/preview_moves.html",
        lab=lab,
        cycle=cycle,
        place=_place() | _queue_left(),
        back=_way_back(lab, cycle),
        to_queue=bool(_queue_left()),
        move=one,
        able=[row for row in planned if row.why_not is None],
        unable=[row for row in planned if row.why_not is not None],
        takes_message=one.name in STAGING,
        message=request.form.get("message", ""),
        days=request.form.get("days", str(USUAL_REPLY_DAYS)),
        error=error,
        longest_message=LONGEST_MESSAGE,
        longest_reply=LONGEST_REPLY,
    )
    return (page, UNPROCESSABLE) if error else page


def _do(lab: Lab, cycle: Cycle, one: Move, tickets: dict[int, str]) -> ResponseReturnValue:
    message = running_text(request.form.get("message", "")) if one.name in STAGING else ""
    days = request.form.get("days", "").strip() or str(USUAL_REPLY_DAYS)
    error = _error(one, message, days)
    if error:
        return _preview(lab, cycle, one, tickets.values(), error)
    session = db.session()
    choices = chosen_of(session, lab, cycle, actor(), tickets)
    asked = Asked(one, tickets, message, (whole_number(days) if one.name == "offer" else None) or USUAL_REPLY_DAYS)
    outcome = move_all(session, lab, actor(), asked, choices, now=datetime.now(UTC))
    _tell(one, outcome)
    return redirect(_way_back(lab, cycle, choices[0].id if len(choices) == 1 else None))


def _error(one: Move, message: str, days: str) -> str:
    if len(message) > LONGEST_MESSAGE:
        return f"Keep the message to {LONGEST_MESSAGE:,} characters; it has {len(message):,}."
    if one.name == "offer" and not 1 <= (whole_number(days) or 0) <= LONGEST_REPLY:
        return f"Say in days, from 1 to {LONGEST_REPLY}, how long they have to answer."
    return ""


def _tell(one: Move, outcome: Outcome) -> None:
    if len(outcome.moved) == 1:
        say(f"{outcome.moved[0].label}: {DONE[one.name]}")
    elif outcome.moved:
        say(f"{len(outcome.moved):,} applicants: {DONE[one.name]}")
    if outcome.already:
        say(f"{len(outcome.already):,} moved before, and not again.", "info")
    for shown, reason in outcome.refused[:MOST_REASONS]:
        say(f"{shown.label} was not moved. {reason}", "warn")
    if len(outcome.refused) > MOST_REASONS:
        say(f"{len(outcome.refused) - MOST_REASONS:,} more were not moved for such reasons.", "warn")
    if not (outcome.moved or outcome.already or outcome.refused):
        say("Nobody was moved: none of them is open to you in this cycle.", "warn")


def _lab_move(name: str) -> Move:
    if not is_lab_move(name):
        abort(404)
    return move("choice", name)


def bulk_moves(lab: Lab) -> list[Move]:
    """The moves that the person can make for the lab, in the order of the table."""
    seat = db.session().get(LabProfessor, (lab.id, actor().id))
    capacity: Capacity = "leader" if seat is not None and seat.position == "leader" else "reviewer"
    states = [state for _, _, of_column in COLUMNS for state in of_column]
    known = [one for state in states for one in moves_from("choice", state, capacity)]
    return list(dict.fromkeys(known))


def _queue_left() -> dict[str, str]:
    """What a form says of the queue that applicants were ticked in; nothing if they were ticked on the board."""
    left = request.form.get("queue", "")
    return {"queue": left} if left else {}


def _way_back(lab: Lab, cycle: Cycle, card: int | None = None) -> str:
    """The page of the queue that applicants were ticked in, or else the board."""
    left = dict(parse_qsl(_queue_left().get("queue", "")))
    if not left:
        return _board_address(lab, cycle, card)
    page = page_number(left.get("page"))
    shown = read_filter(left).of_cycle(cycle.slug).in_address(page=str(page) if page > 1 else "")
    return url_for("reviews.queue", slug=lab.slug) + shown


def _board_address(lab: Lab, cycle: Cycle, card: int | None = None) -> str:
    """The board where it was left, or where a card stands now."""
    if card is None:
        return url_for("reviews.board", slug=lab.slug, cycle=cycle.slug, **_place())
    return url_for("reviews.board", slug=lab.slug, cycle=cycle.slug, card=card, _anchor=f"card-{card}")
