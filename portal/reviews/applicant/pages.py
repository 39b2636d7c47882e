"""One applicant who chose the lab: the page, its moves, the files; and two to four applicants side by side."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, abort, current_app, redirect, render_template, request, url_for

from portal.applications.files import uploaded_file
from portal.applications.locks import MoveRefused
from portal.applications.match_records import Replay, replay
from portal.applications.moves.service import LONGEST_MESSAGE, USUAL_REPLY_DAYS, AlreadyMoved, perform
from portal.applications.states import CHOICE_LABELS, move_named
from portal.db import db
from portal.labs.live_index.labs import IndexPreparing
from portal.labs.live_index.live import live_index
from portal.models import MatchRecord
from portal.moments import format_in_zone
from portal.reviews.access import choice_i_may_open, chosen_cycle, lab_i_read_for, labs_cycles, newest_instead
from portal.reviews.applicant.queries import (
    FEWEST,
    MOST,
    compared,
    letter_of,
    match_without_person,
    view_of,
    view_of_choice,
)
from portal.reviews.blind_review import is_hidden, shown_as
from portal.reviews.board.pages import where_now
from portal.reviews.board.queries import CARDS_AT_ONCE, Part, board_of, choices_named, names_near
from portal.reviews.board.rules import DONE, LONGEST_REPLY, is_lab_move, lab_moves, undoing_move, was_moved_with
from portal.reviews.board.service import chosen_of
from portal.reviews.choice_snapshot import opened
from portal.reviews.conflicts.queries import conflict_panel
from portal.reviews.queue.filters import LONGEST_TEXT, plain, read_filter
from portal.reviews.queue.queries import NotInQueue, near
from portal.reviews.queue.statements import Queue
from portal.reviews.rules import capacity_for
from portal.reviews.scorecards.queries import scorecard_panel
from portal.reviews.scorecards.rules import rubric_of
from portal.web.access import Refused, actor, or_404
from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import page_number, page_with
from portal.web.recorded_downloads import record_download_while_impersonating
from portal.web.templating import page_is_at
from portal.web.whole_numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.applications.states import Move
    from portal.models import Choice, Cycle, Lab
    from portal.reviews.applicant.queries import ApplicantView
    from portal.reviews.queue.filters import QueueFilter
    from portal.reviews.queue.queries import Near
    from portal.reviews.scorecards.queries import Sent

NEAR = 6  # applicants before and after this one
PARTS = ("applicant", "card", "queue")


@dataclass(frozen=True, slots=True)
class RefusedMove:
    """A move that was refused, with the reason and the message written with it."""

    name: str
    reason: str
    message: str
    days: str


def applicant(slug: str, choice_id: int) -> str:
    """The applicant between the queue and my scorecard."""
    lab, choice = choice_i_may_open(slug, choice_id)
    return applicant_page(lab, choice)


def asks_to_lock() -> bool:
    """Whether somebody tried to lock an incomplete card, so that the page says what is missing."""
    return request.args.get("lock") == "yes"


def applicant_page(lab: Lab, choice: Choice, refused: RefusedMove | None = None, sent: Sent | None = None) -> str:
    """The page of an applicant, also after a refused move or card, with the reason and what was sent."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    cycle = choice.application.cycle
    chosen = read_filter(request.args).of_cycle(cycle.slug)
    opened_choice = opened(session, lab, choice, user)
    view = view_of(session, choice, opened_choice)
    home = url_for("reviews.queue", slug=lab.slug)
    page_is_at(f"{home}choices/{choice.id}")
    # Phones show one part: after a refusal, the one with the reason.
    part = "card" if refused or sent else request.args.get("part", "")
    near_choice = _near(lab, choice, chosen, opened_choice.since)
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
        moves=lab_moves(session, choice, user, now=now, opened_choice=opened_choice),
        refused=refused,
        staged=opened_choice.staged,
        seats=opened_choice.seats,
        replayed=_replayed(view) if request.args.get("replay") == "yes" else None,
        replay_asked=request.args.get("replay") == "yes",
        panel=scorecard_panel(session, lab, choice, user, sent, opened_choice=opened_choice, locking=asks_to_lock()),
        conflict=conflict_panel(session, lab, choice, user, opened_choice),
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
    """The applicants around this one in the queue.

    Raises:
        NotFound, Refused: The choice was closed to the reviewer after it was opened, as the applicant withdrew.
    """
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
    record_download_while_impersonating(
        act="resume.download", object_type="application", object_key=str(choice.application_id)
    )
    return uploaded_file(submission.storage_key, submission.resume_kind, f"resume-{choice_id}.{submission.resume_kind}")


def letter_file(slug: str, choice_id: int, referee_id: int) -> Response:
    """A letter of reference as its referee uploaded it."""
    lab, choice = choice_i_may_open(slug, choice_id)
    _ensure_shown(lab, choice, "The letter’s file")
    letter = or_404(letter_of(db.session(), choice, referee_id))
    if not letter.storage_key:
        abort(404)
    record_download_while_impersonating(act="letter.download", object_type="referee", object_key=str(referee_id))
    return uploaded_file(
        letter.storage_key, letter.letter_kind, f"letter-{choice_id}-{referee_id}.{letter.letter_kind}"
    )


def _ensure_shown(lab: Lab, choice: Choice, subject: str) -> None:
    if is_hidden(db.session(), lab, actor(), choice):
        raise Refused(
            f"{subject} shows whose it is. It is open to you once your scorecard on this applicant is locked."
        )


def _replayed(view: ApplicantView) -> Replay | None:
    """The record recomputed; None while the index is being built."""
    if view.record is None:
        return None
    try:
        record = db.session().get_one(MatchRecord, view.record.id)
        replayed = replay(live_index(current_app).current(db.session()), record)
    except IndexPreparing:
        return None
    if view.redactor is None:
        return replayed
    return Replay(
        holds=replayed.holds,
        now=match_without_person(replayed.now, view.redactor) if replayed.now else None,
        score_before=replayed.score_before,
        score_now=replayed.score_now,
        changes=tuple(map(view.redactor.redacted, replayed.changes)),
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
            capacity=capacity_for(db.session(), choice, actor()),
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
    if performed.undoes:
        text = f"{text} {where_now([(CHOICE_LABELS[choice.state], 1)])}"
    if back:
        flash_with_undo(text, address, {"name": back.name, "state": choice.state})
    else:
        flash_message(text)


def _days(text: str) -> int:
    """How many days an offer stands.

    Raises:
        MoveRefused: It is not a valid number of days.
    """
    if not text:
        return USUAL_REPLY_DAYS
    days = whole_number(text) or 0
    if not 1 <= days <= LONGEST_REPLY:
        raise MoveRefused(f"Say in days, from 1 to {LONGEST_REPLY}, how long the applicant has to answer.")
    return days


def compare(slug: str) -> str:
    """The choices of `?choice=…&choice=…`; if too few or too many, or on request, a list to tick."""
    lab = lab_i_read_for(slug)
    ids = whole_numbers(request.args.getlist("choice"))
    # The Enter key presses the form's first button; a typed search text tells that searching is meant.
    searches = "everybody" in request.args or _sought("q") != _sought("found")
    if searches or "more" in request.args or not FEWEST <= len(ids) <= MOST:
        return _chooser(slug, ids)
    choices = [choice_i_may_open(slug, choice_id)[1] for choice_id in ids]
    return render_template(
        "reviews/compare.html",
        lab=lab,
        cycle=choices[0].application.cycle,
        compared=compared(db.session(), lab, choices, actor()),
        criteria=rubric_of(db.session(), lab, choices[0].application.cycle),
    )


def compare_ticked(slug: str) -> ResponseReturnValue:
    """Redirects from the board's ticks to the address of their comparison."""
    lab = lab_i_read_for(slug)
    ids = whole_numbers(request.form.getlist("choice"))
    cycle = chosen_cycle(lab)
    return redirect(url_for("reviews.compare", slug=slug, choice=ids, cycle=cycle.slug if cycle else None))


def _chooser(slug: str, ids: list[int]) -> str:
    lab = lab_i_read_for(slug)
    cycle = chosen_cycle(lab)
    column, _, page_text = request.args.get("more", "").partition(".")
    board = board_of(db.session(), lab, cycle, actor(), Part(column, page_number(page_text))) if cycle else None
    text = "" if "everybody" in request.args else _sought("q")
    matching = choices_named(db.session(), lab, cycle, actor(), text) if cycle and text else []
    first = matching[:CARDS_AT_ONCE]
    listed = (
        {card.id for item in board.columns for card in item.cards}
        if board and not text
        else {item.id for item in first}
    )
    return render_template(
        "reviews/compare_chooser.html",
        lab=lab,
        cycle=cycle,
        board=board,
        newest=newest_instead(cycle, labs_cycles(lab)),
        at_once=CARDS_AT_ONCE,
        more=bool(column) or "everybody" in request.args or text != _sought("found"),
        sought=text,
        first=first,
        count=len(matching),
        near=names_near(db.session(), lab, cycle, actor(), text) if cycle and text and not matching else (),
        elsewhere=_labels(lab, cycle, [item for item in ids if item not in listed]) if cycle else {},
        ticked=set(ids),
        fewest=FEWEST,
        most=MOST,
    )


def _sought(name: str) -> str:
    return plain(request.args.get(name, ""))[:LONGEST_TEXT]


def _labels(lab: Lab, cycle: Cycle, ids: Sequence[int]) -> dict[int, str]:
    """Displayed names of ticked choices that are not listed, as far as the reader may open them."""
    choices = chosen_of(db.session(), lab, cycle, actor(), ids)
    shown = shown_as(db.session(), lab, actor(), choices)
    return {choice.id: shown[choice.id].label for choice in choices}
