"""A reviewer's scorecard on a choice: the draft, which saves itself, and the lock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, request, url_for

from portal.applications.forms import running_text
from portal.db import db
from portal.models.review import CRITERIA
from portal.reviews.access import choice_i_may_open
from portal.reviews.applicant.pages import applicant_page
from portal.reviews.queue.queries import read_filter
from portal.reviews.scorecards.rules import CONFIDENCE, POINTS, CardValues, differences, values_of
from portal.reviews.scorecards.service import (
    LONGEST_COMMENT,
    LONGEST_REASON,
    CardRefused,
    Sent,
    StaleCard,
    lock_card,
    own_card,
    reopen_card,
    save_card,
)
from portal.web.access import actor
from portal.web.errors import wants_json
from portal.web.forms import whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Choice, Lab, Scorecard


LEVELS = tuple(anchor.points for anchor in CONFIDENCE.anchors)


def card_from(sent: Mapping[str, str]) -> tuple[CardValues, dict[str, list[str]]]:
    """The card in a form and its errors by field. Points out of range count as not set."""
    errors: dict[str, list[str]] = {}
    points = {key: _chosen(sent, key, POINTS, errors) for key in CRITERIA}
    values = CardValues(
        **points,
        confidence=_chosen(sent, "confidence", LEVELS, errors),
        comment=_text(sent, "comment", LONGEST_COMMENT, errors),
        abstained=bool(sent.get("abstained")),
        abstain_reason=_text(sent, "abstain_reason", LONGEST_REASON, errors),
    )
    return values, errors


def version_in(sent: Mapping[str, str]) -> int:
    """The version with which the form was opened; -1, which no card has, if invalid."""
    version = whole_number(sent.get("version", ""))
    return -1 if version is None else version


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


CONFLICT = 409
UNPROCESSABLE = 422
ELSEWHERE = "This scorecard was saved in another tab or on another device since you opened this page."
NOTHING_LOST = "Nothing is lost: press “Save the draft” to see both versions."


def scorecard(slug: str, choice_id: int) -> ResponseReturnValue:
    """Redirects the address of a scorecard, as after signing in, to the applicant's page, which shows it."""
    choice_i_may_open(slug, choice_id)
    return redirect(_back(slug, choice_id))


def save_scorecard(slug: str, choice_id: int) -> ResponseReturnValue:
    """Save the draft; in JSON for the page that saves while typing."""
    lab, choice = choice_i_may_open(slug, choice_id)
    values, errors = card_from(request.form)
    if errors:
        return _not_saved(lab, choice, Sent(values, errors), "Something needs to be corrected.", UNPROCESSABLE)
    now = datetime.now(UTC)
    try:
        card = save_card(db.session(), choice, actor(), values, base=version_in(request.form), now=now)
    except CardRefused as refused:
        db.session.expire_all()
        sent = differences(values_of(own_card(db.session(), choice, actor())), values)
        return _not_saved(lab, choice, Sent(values, {"": [str(refused)]}, sent), str(refused), UNPROCESSABLE)
    except StaleCard as stale:
        saved = differences(values, values_of(stale.stored))
        return _not_saved(lab, choice, Sent(values, {}, saved), ELSEWHERE, CONFLICT)
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
    except CardRefused as refused:
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
    except CardRefused as refused:
        sent = Sent(CardValues(), {"reopen": [str(refused)]}, reopen_reason=reason)
        return applicant_page(lab, choice, sent=sent), UNPROCESSABLE
    flash_message("Your scorecard is a draft again. Lock it when it is done." if reopened else "It was not locked.")
    return redirect(_back(slug, choice_id))


def _not_saved(lab: Lab, choice: Choice, sent: Sent, reason: str, status: int) -> ResponseReturnValue:
    if wants_json():
        advice = NOTHING_LOST if status == CONFLICT else "What you wrote is kept on this page."
        return {"error": {"status": status, "reason": reason, "advice": advice}, "errors": sent.errors}, status
    db.session.expire_all()
    return applicant_page(lab, choice, sent=sent), status


def _back(slug: str, choice_id: int, lock: str = "") -> str:
    """The applicant's page, in the same queue. With `lock` it says what is missing."""
    query = read_filter(request.args).in_address(part="card", lock=lock)
    return url_for("reviews.applicant", slug=slug, choice_id=choice_id) + query + ("#scorecard" if lock else "")
