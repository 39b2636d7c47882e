"""One applicant who chose the lab: the page, the file, the letters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, abort, current_app, render_template, request, url_for

from portal.applications.content.match_records import Replay, replay
from portal.applications.moves.service import LONGEST_MESSAGE, USUAL_REPLY_DAYS
from portal.applications.states import CHOICE_LABELS
from portal.applications.uploaded_files import uploaded_file
from portal.db import db
from portal.labs.live_index.labs import IndexPreparing
from portal.labs.live_index.live import live_index
from portal.models import MatchRecord
from portal.moments import format_in_zone
from portal.reviews.applicant.view import letter_of, match_without_person, view_of, view_of_choice
from portal.reviews.blind_review.blinding import is_hidden
from portal.reviews.choice.lab_moves import LONGEST_REPLY, lab_moves
from portal.reviews.choice.opened import opened
from portal.reviews.conflicts.shown import conflict_panel
from portal.reviews.pages.access import choice_i_may_open
from portal.reviews.queue.filter import read_filter
from portal.reviews.queue.order import NotInQueue
from portal.reviews.queue.page import near
from portal.reviews.queue.rows import Queue
from portal.reviews.scorecards.shown import scorecard_panel
from portal.web.access import Refused, actor, or_404
from portal.web.paging import page_with
from portal.web.recorded_downloads import record_download_while_impersonating
from portal.web.templating import page_is_at

if TYPE_CHECKING:
    from portal.models import Choice, Lab
    from portal.reviews.applicant.view import ApplicantView
    from portal.reviews.queue.filter import QueueFilter
    from portal.reviews.queue.page import Near
    from portal.reviews.scorecards.shown import Sent

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
