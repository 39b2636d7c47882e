"""One applicant who chose the lab: the page, the files, and the scorecard beside it, whose draft saves itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, abort, redirect, render_template, request, url_for

from portal.applications.cycles import why_closed
from portal.applications.files import picture, uploaded_file
from portal.applications.forms import conflict_answer, running_text
from portal.applications.locks import Refusal
from portal.applications.states import CHOICE_LABELS
from portal.db import db
from portal.documents.kinds import Kind
from portal.models.review import CRITERIA
from portal.reviews import notes
from portal.reviews.access import choice_i_may_open
from portal.reviews.applicant.queries import letter_of, view_of, view_of_choice
from portal.reviews.assigning import assigned_in, readers_of
from portal.reviews.blind_review import is_hidden
from portal.reviews.choice_snapshot import snapshot_of
from portal.reviews.moves.service import CONFIRMED, begin_review, lab_moves
from portal.reviews.notes import LONGEST_NOTE, LONGEST_TAG, notes_on, tags_in
from portal.reviews.queue.queries import NotInQueue, Queue, near, read_filter
from portal.reviews.scorecards.rules import CONFIDENCE, POINTS, CardValues, differences, values_of
from portal.reviews.scorecards.service import (
    LONGEST_COMMENT,
    LONGEST_REASON,
    Sent,
    StaleCard,
    lock_card,
    own_card,
    reopen_card,
    save_card,
    scorecard_panel,
)
from portal.web.access import Refused, actor, ensure, or_404
from portal.web.errors import wants_json
from portal.web.forms import whole_number
from portal.web.messages import flash_message
from portal.web.paging import page_with
from portal.web.templating import page_is_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Choice, Lab, Scorecard, Submission
    from portal.reviews.queue.queries import Near, QueueFilter


PARTS = ("applicant", "card")


def applicant(slug: str, choice_id: int) -> str:
    """The applicant between the queue and my scorecard. Side effect: begins the review if nobody has read it yet."""
    lab, choice = choice_i_may_open(slug, choice_id)
    begin_review(db.session(), choice, actor(), now=datetime.now(UTC))
    return applicant_page(lab, choice)


def applicant_page(
    lab: Lab, choice: Choice, sent: Sent | None = None, note_errors: Mapping[str, str] | None = None
) -> str:
    """The page of an applicant, also after a refused card or note, with the reason and what was sent."""
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
        tags=tags,
        every_tag=sorted({tag for of_one in tags.values() for tag in of_one}),
        notes=notes_on(session, [choice.id], view.redactor.redacted if view.redactor else str).get(choice.id, ())
        if snapshot.has_notes
        else (),
        reader=user.id,
        assigned=[readers[one] for one in given if one in readers],
        limits={"tag": LONGEST_TAG, "note": LONGEST_NOTE},
        note_errors=note_errors or {},
    )


def change_notes(slug: str, choice_id: int) -> ResponseReturnValue:
    """Add or remove a tag or a note of the lab, as the form says."""
    lab, choice = choice_i_may_open(slug, choice_id)
    ensure(why_closed(choice.application.cycle))
    sent = {name: running_text(text).strip() for name, text in request.form.items()}
    if errors := notes.change(db.session(), lab, choice, sent, actor()):
        return applicant_page(lab, choice, note_errors=errors), 422
    page = url_for("reviews.applicant", slug=slug, choice_id=choice_id)
    return redirect(f"{page}?{request.query_string.decode('latin-1')}#notes")


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
    submission = _submitted(slug, choice_id)
    return uploaded_file(submission.storage_key, submission.resume_kind, f"resume-{choice_id}")


def resume_picture(slug: str, choice_id: int, number: int) -> Response:
    """A page of the submitted resume as a picture, for whoever may open the file."""
    submission = _submitted(slug, choice_id)
    if submission.resume_kind != Kind.PDF:
        abort(404)
    return picture(submission.storage_key, number)


def _submitted(slug: str, choice_id: int) -> Submission:
    lab, choice = choice_i_may_open(slug, choice_id)
    _ensure_shown(lab, choice, "The file")
    submission = snapshot_of(db.session(), lab, choice, actor()).submission
    if not submission.storage_key:
        abort(404)
    return submission


def document_file(slug: str, choice_id: int, document_id: int) -> Response:
    """A document that was submitted with the application, as a sandboxed download."""
    lab, choice = choice_i_may_open(slug, choice_id)
    _ensure_shown(lab, choice, "The document")
    sent = dict(view_of_choice(db.session(), lab, choice, actor()).documents)
    document = or_404(next((document for document in sent.values() if document.id == document_id), None))
    return uploaded_file(document.storage_key, document.kind, f"document-{choice_id}-{document.id}")


def letter_file(slug: str, choice_id: int, referee_id: int) -> Response:
    """A letter of reference as its referee uploaded it."""
    lab, choice = choice_i_may_open(slug, choice_id)
    _ensure_shown(lab, choice, "The letter’s file")
    letter = or_404(letter_of(db.session(), choice, referee_id))
    if not letter.storage_key:
        abort(404)
    return uploaded_file(letter.storage_key, letter.letter_kind, f"letter-{choice_id}-{referee_id}")


def _ensure_shown(lab: Lab, choice: Choice, subject: str) -> None:
    if is_hidden(db.session(), lab, actor(), choice):
        raise Refused(
            f"{subject} shows whose it is. It is open to you once your scorecard on this applicant is locked."
        )


def card_from(sent: Mapping[str, str]) -> tuple[CardValues, dict[str, list[str]]]:
    """The card in a form and its errors by field. Points out of range count as not set."""
    errors: dict[str, list[str]] = {}
    points = {key: _chosen(sent, key, POINTS, errors) for key in CRITERIA}
    values = CardValues(
        **points,
        confidence=_chosen(sent, "confidence", tuple(anchor.points for anchor in CONFIDENCE.anchors), errors),
        comment=_text(sent, "comment", LONGEST_COMMENT, errors),
        abstained=bool(sent.get("abstained")),
        abstain_reason=_text(sent, "abstain_reason", LONGEST_REASON, errors),
    )
    return values, errors


def _chosen(sent: Mapping[str, str], name: str, allowed: Sequence[int], errors: dict[str, list[str]]) -> int | None:
    text = sent.get(name, "")
    if not text:
        return None
    points = next((value for value in allowed if str(value) == text), None)
    if points is None:
        errors[name] = [f"Choose one of {', '.join(map(str, allowed))}, or nothing yet."]
    return points


def _text(sent: Mapping[str, str], name: str, longest: int, errors: dict[str, list[str]]) -> str:
    text = running_text(sent.get(name, "")).strip()
    if len(text) > longest:
        errors[name] = [f"Keep this to {longest:,} characters; it has {len(text):,}."]
    return text


def scorecard(slug: str, choice_id: int) -> ResponseReturnValue:
    """Redirects the address of a scorecard, as after signing in, to the applicant's page, which shows it."""
    choice_i_may_open(slug, choice_id)
    return redirect(_back(slug, choice_id))


def save_scorecard(slug: str, choice_id: int) -> ResponseReturnValue:
    """Save the draft; in JSON for the page that saves while typing."""
    lab, choice = choice_i_may_open(slug, choice_id)
    values, errors = card_from(request.form)
    if errors:
        return _not_saved(lab, choice, Sent(values, errors), "Something needs to be corrected.")
    now = datetime.now(UTC)
    try:
        opened_with = whole_number(request.form.get("version", ""))
        base = -1 if opened_with is None else opened_with  # -1, which no card has, if it is no number
        card = save_card(db.session(), choice, actor(), values, base=base, now=now)
    except Refusal as refused:
        db.session.expire_all()
        sent = differences(values_of(own_card(db.session(), choice, actor())), values)
        return _not_saved(lab, choice, Sent(values, {"": [str(refused)]}, sent), str(refused))
    except StaleCard as stale:
        return _saved_elsewhere(lab, choice, Sent(values, {}, differences(values, values_of(stale.stored))))
    if wants_json():
        saved_at = card.changed_at if card else now
        return {"saved_at": saved_at.isoformat(), "fields": {"version": str(card.version if card else 0)}}
    if request.form.get("then") == "lock":
        return _lock(lab, choice, card)
    flash_message("Your draft is saved. Nobody else sees it.")
    return redirect(_back(slug, choice_id))


def _lock(lab: Lab, choice: Choice, card: Scorecard | None) -> ResponseReturnValue:
    """Lock the card that was just saved, or say beside its fields what it lacks; a double click finds it locked."""
    if card is None or values_of(card).lacking():
        return redirect(_back(lab.slug, choice.id, lock="yes"))
    try:
        locked = lock_card(db.session(), lab, choice, actor(), now=datetime.now(UTC))
    except Refusal as refused:
        flash_message(str(refused), "warn")
    else:
        flash_message("Your scorecard is locked." if locked else "Your scorecard was locked already.")
    return redirect(_back(lab.slug, choice.id))


def reopen_scorecard(slug: str, choice_id: int) -> ResponseReturnValue:
    """Make the reader's locked card a draft again, with a reason."""
    lab, choice = choice_i_may_open(slug, choice_id)
    reason = running_text(request.form.get("reason", ""))
    try:
        reopened = reopen_card(db.session(), lab, choice, actor(), reason, now=datetime.now(UTC))
    except Refusal as refused:
        sent = Sent(CardValues(), {"reopen": [str(refused)]}, reopen_reason=reason)
        return applicant_page(lab, choice, sent=sent), 422
    flash_message("Your scorecard is a draft again. Lock it when it is done." if reopened else "It was not locked.")
    return redirect(_back(slug, choice_id))


def _saved_elsewhere(lab: Lab, choice: Choice, sent: Sent) -> ResponseReturnValue:
    if wants_json():
        return conflict_answer("This scorecard was", "Save the draft")
    db.session.expire_all()
    return applicant_page(lab, choice, sent=sent), 409


def _not_saved(lab: Lab, choice: Choice, sent: Sent, reason: str) -> ResponseReturnValue:
    if wants_json():
        error = {"status": 422, "reason": reason, "advice": "What you wrote is kept on this page."}
        return {"error": error, "errors": sent.errors}, 422
    db.session.expire_all()
    return applicant_page(lab, choice, sent=sent), 422


def _back(slug: str, choice_id: int, lock: str = "") -> str:
    """The applicant's page, in the same queue. With `lock` it says what is missing."""
    query = read_filter(request.args).in_address(part="card", lock=lock)
    return url_for("reviews.applicant", slug=slug, choice_id=choice_id) + query + ("#scorecard" if lock else "")
