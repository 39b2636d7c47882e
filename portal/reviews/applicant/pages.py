"""One applicant who chose the lab: the page, its moves, the files; and two to four applicants side by side."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, abort, redirect, render_template, request, url_for

from portal.applications.files import uploaded_file
from portal.applications.locks import MoveRefused
from portal.applications.moves.service import LONGEST_MESSAGE, USUAL_REPLY_DAYS, AlreadyMoved, perform
from portal.applications.states import CHOICE_LABELS, move_named
from portal.db import db
from portal.moments import format_in_zone
from portal.reviews.access import choice_i_may_open, chosen_cycle, lab_i_read_for
from portal.reviews.applicant.queries import FEWEST, MOST, compared, letter_of, view_of, view_of_choice
from portal.reviews.blind_review import is_hidden
from portal.reviews.board.pages import way_to
from portal.reviews.board.rules import DONE, LONGEST_REPLY, is_lab_move, lab_moves, undoing_move, was_moved_with
from portal.reviews.board.service import begin_review
from portal.reviews.choice_snapshot import snapshot_of
from portal.reviews.conflicts.service import conflict_panel
from portal.reviews.queue.queries import Queue, read_filter
from portal.reviews.queue.rows import NotInQueue, near
from portal.reviews.rules import capacity_in
from portal.reviews.scorecards.service import scorecard_panel
from portal.web.access import Refused, actor, or_404
from portal.web.forms import whole_number, whole_numbers
from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import page_with
from portal.web.templating import page_is_at

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.applications.states import Move
    from portal.models import Choice, Lab
    from portal.reviews.queue.queries import QueueFilter
    from portal.reviews.queue.rows import Near
    from portal.reviews.scorecards.service import Sent

NEAR = 6  # applicants before and after this one
PARTS = ("applicant", "card", "queue")
HOW_TO_COMPARE = f"Tick {FEWEST} to {MOST} applicants to compare them."


@dataclass(frozen=True, slots=True)
class RefusedMove:
    """A move that was refused, with the reason and the message written with it."""

    name: str
    reason: str
    message: str
    days: str


def applicant(slug: str, choice_id: int) -> str:
    """The applicant between the queue and my scorecard. Side effect: begins the review if nobody has read it yet."""
    lab, choice = choice_i_may_open(slug, choice_id)
    begin_review(db.session(), choice, actor(), now=datetime.now(UTC))
    return applicant_page(lab, choice)


def applicant_page(lab: Lab, choice: Choice, refused: RefusedMove | None = None, sent: Sent | None = None) -> str:
    """The page of an applicant, also after a refused move or card, with the reason and what was sent."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    cycle = choice.application.cycle
    chosen = read_filter(request.args).of_cycle(cycle.slug)
    snapshot = snapshot_of(session, lab, choice, user)
    view = view_of(session, choice, snapshot)
    home = url_for("reviews.queue", slug=lab.slug)
    page_is_at(f"{home}choices/{choice.id}")
    # Phones show one part: after a refusal, the one with the reason.
    part = "card" if refused or sent else request.args.get("part", "")
    near_choice = _near(lab, choice, chosen, snapshot.since)
    return render_template(
        "reviews/applicant.html",
        lab=lab,
        choice=choice,
        cycle=cycle,
        view=view,
        near=near_choice,
        narrows=chosen.narrows,
        home=home,
        in_address=chosen.in_address(),
        queue_page=home + _place_in_queue(chosen, near_choice, choice),
        part=part if part in PARTS else PARTS[0],
        state=CHOICE_LABELS[choice.state],
        moves=lab_moves(session, choice, user, now=now, snapshot=snapshot),
        refused=refused,
        staged=snapshot.staged,
        seats=snapshot.seats,
        panel=scorecard_panel(
            session, lab, choice, user, sent, snapshot=snapshot, locking=request.args.get("lock") == "yes"
        ),
        conflict=conflict_panel(session, lab, choice, user, snapshot),
        reply_by=format_in_zone(choice.reply_by_at, cycle.zone) if choice.reply_by_at else "",
        late=choice.replied_at is None and choice.reply_by_at is not None and choice.reply_by_at <= now,
        longest_message=LONGEST_MESSAGE,
        usual_days=USUAL_REPLY_DAYS,
        longest_reply=LONGEST_REPLY,
        state_labels=CHOICE_LABELS,
    )


def _place_in_queue(chosen: QueueFilter, near_choice: Near, choice: Choice) -> str:
    """The query and fragment of the queue at the row of a choice."""
    number = page_with(near_choice.position, chosen.rows)
    return f"{chosen.in_address(page=str(number) if number > 1 else '')}#choice-{choice.id}"


def _near(lab: Lab, choice: Choice, chosen: QueueFilter, since: datetime | None) -> Near:
    """The applicants around this one in the queue; 403 or 404 if it was closed to the reviewer after it was opened."""
    cycle = choice.application.cycle
    try:
        return near(db.session(), Queue(lab, cycle, actor(), since), chosen, choice, reach=NEAR)
    except NotInQueue:
        choice_i_may_open(lab.slug, choice.id)
        abort(404)


def submitted_file(slug: str, choice_id: int) -> Response:
    """The submitted resume as a sandboxed download."""
    lab, choice = choice_i_may_open(slug, choice_id)
    _ensure_shown(lab, choice, "The file")
    submission = view_of_choice(db.session(), lab, choice, actor()).file
    if submission is None:
        abort(404)
    return uploaded_file(submission.storage_key, submission.resume_kind, f"resume-{choice_id}.{submission.resume_kind}")


def letter_file(slug: str, choice_id: int, referee_id: int) -> Response:
    """A letter of reference as its referee uploaded it."""
    lab, choice = choice_i_may_open(slug, choice_id)
    _ensure_shown(lab, choice, "The letter’s file")
    letter = or_404(letter_of(db.session(), choice, referee_id))
    if not letter.storage_key:
        abort(404)
    return uploaded_file(
        letter.storage_key, letter.letter_kind, f"letter-{choice_id}-{referee_id}.{letter.letter_kind}"
    )


def _ensure_shown(lab: Lab, choice: Choice, subject: str) -> None:
    if is_hidden(db.session(), lab, actor(), choice):
        raise Refused(
            f"{subject} shows whose it is. It is open to you once your scorecard on this applicant is locked."
        )


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
            capacity=capacity_in(db.session(), choice.lab_id, actor()),
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
    if back:
        flash_with_undo(text, address, {"name": back.name, "state": choice.state})
    else:
        flash_message(text)


def _days(text: str) -> int:
    """How many days an offer stands; `MoveRefused` if it is not a valid number of days."""
    if not text:
        return USUAL_REPLY_DAYS
    days = whole_number(text) or 0
    if not 1 <= days <= LONGEST_REPLY:
        raise MoveRefused(f"Say in days, from 1 to {LONGEST_REPLY}, how long the applicant has to answer.")
    return days


def compare(slug: str) -> ResponseReturnValue:
    """The choices of `?choice=…&choice=…`, two to four of them."""
    lab = lab_i_read_for(slug)
    ids = whole_numbers(request.args.getlist("choice"))
    if not FEWEST <= len(ids) <= MOST:
        flash_message(HOW_TO_COMPARE, "warn")
        return redirect(url_for("reviews.queue", slug=slug))
    columns = compared(db.session(), lab, [choice_i_may_open(slug, choice_id)[1] for choice_id in ids], actor())
    return render_template("reviews/compare.html", lab=lab, compared=columns, criteria=columns[0].criteria)


def compare_ticked(slug: str) -> ResponseReturnValue:
    """Redirects from the ticks of the queue or the board to the address of their comparison."""
    lab = lab_i_read_for(slug)
    ids, cycle = whole_numbers(request.form.getlist("choice")), or_404(chosen_cycle(lab))
    if not FEWEST <= len(ids) <= MOST:
        flash_message(HOW_TO_COMPARE, "warn")
        return redirect(way_to(lab, cycle))
    return redirect(url_for("reviews.compare", slug=slug, choice=ids))
