"""One applicant who chose the lab: the page, its moves, the files; and two to four applicants side by side."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, abort, render_template, request, url_for

from portal.applications.files import uploaded_file
from portal.applications.states import CHOICE_LABELS
from portal.db import db
from portal.reviews.access import choice_i_may_open
from portal.reviews.applicant.queries import letter_of, view_of, view_of_choice
from portal.reviews.assigning import assigned_in, readers_of
from portal.reviews.blind_review import is_hidden
from portal.reviews.choice_snapshot import snapshot_of
from portal.reviews.moves.rules import CONFIRMED, lab_moves
from portal.reviews.moves.service import begin_review
from portal.reviews.notes import LONGEST_NOTE, notes_on, tags_in
from portal.reviews.queue.queries import Queue, read_filter
from portal.reviews.queue.rows import NotInQueue, near
from portal.reviews.scorecards.service import scorecard_panel
from portal.web.access import Refused, actor, or_404
from portal.web.paging import page_with
from portal.web.templating import page_is_at

if TYPE_CHECKING:
    from portal.models import Choice, Lab
    from portal.reviews.queue.queries import QueueFilter
    from portal.reviews.queue.rows import Near
    from portal.reviews.scorecards.service import Sent

PARTS = ("applicant", "card")


def applicant(slug: str, choice_id: int) -> str:
    """The applicant between the queue and my scorecard. Side effect: begins the review if nobody has read it yet."""
    lab, choice = choice_i_may_open(slug, choice_id)
    begin_review(db.session(), choice, actor(), now=datetime.now(UTC))
    return applicant_page(lab, choice)


def applicant_page(lab: Lab, choice: Choice, sent: Sent | None = None) -> str:
    """The page of an applicant, also after a refused card, with the reason and what was sent."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    cycle = choice.application.cycle
    chosen = read_filter(request.args).of_cycle(cycle.slug)
    snapshot = snapshot_of(session, lab, choice, user)
    view = view_of(session, choice, snapshot)
    home = url_for("reviews.queue", slug=lab.slug)
    page_is_at(f"{home}choices/{choice.id}")
    # Phones show one part: after a refusal, the one with the reason.
    part = "card" if sent else request.args.get("part", "")
    tags = tags_in(session, lab, cycle) if snapshot.has_notes else {}
    readers = readers_of(session, lab) if snapshot.has_notes else {}
    given = assigned_in(session, lab, cycle).get(choice.id, ()) if snapshot.has_notes else ()
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
        ticket=f"{choice.id}.{snapshot.last_move or 0}",
        confirmed=CONFIRMED,
        staged=snapshot.staged,
        seats=snapshot.seats,
        panel=scorecard_panel(
            session, lab, choice, user, sent, snapshot=snapshot, locking=request.args.get("lock") == "yes"
        ),
        late=choice.replied_at is None and choice.reply_by_at is not None and choice.reply_by_at <= now,
        state_labels=CHOICE_LABELS,
        tags=tags,
        every_tag=sorted({tag for of_one in tags.values() for tag in of_one}),
        notes=notes_on(session, [choice.id], view.redactor.redacted if view.redactor else str).get(choice.id, ())
        if snapshot.has_notes
        else (),
        reader=user.id,
        assigned=[readers[one] for one in given if one in readers],
        longest_note=LONGEST_NOTE,
    )


def _place_in_queue(chosen: QueueFilter, near_choice: Near, choice: Choice) -> str:
    """The query and fragment of the queue at the row of a choice."""
    number = page_with(near_choice.position, chosen.rows)
    return f"{chosen.in_address(page=str(number) if number > 1 else '')}#choice-{choice.id}"


def _near(lab: Lab, choice: Choice, chosen: QueueFilter, since: datetime | None) -> Near:
    """The applicants around this one in the queue; 403 or 404 if it was closed to the reviewer after it was opened."""
    cycle = choice.application.cycle
    try:
        return near(db.session(), Queue(lab, cycle, actor(), since), chosen, choice)
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


def document_file(slug: str, choice_id: int, document_id: int) -> Response:
    """A document that was submitted with the application, as a sandboxed download."""
    lab, choice = choice_i_may_open(slug, choice_id)
    _ensure_shown(lab, choice, "The document")
    sent = dict(view_of_choice(db.session(), lab, choice, actor()).documents)
    document = or_404(next((document for document in sent.values() if document.id == document_id), None))
    return uploaded_file(document.storage_key, document.kind, f"document-{choice_id}-{document.id}.{document.kind}")


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
