"""One choice of an application, for its applicant: the match that was recorded, and the answer to an offer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from flask import current_app, redirect, render_template, request, url_for

from portal.applications.content.match_records import match_of, record_of, replay
from portal.applications.drafting.page import can
from portal.applications.facet_names import with_facets_in_words
from portal.applications.moves.possible import why_not
from portal.applications.moves.rules import Case
from portal.applications.moves.service import AlreadyMoved, MoveRefused
from portal.applications.pages.application import UNPROCESSABLE
from portal.applications.pages.application_acts import own
from portal.applications.states import move_named
from portal.applications.status.offers import MOVES, Answer, answer_offer, closing_with, why_settled
from portal.applications.status.shown import choice_of_lab, shown_state
from portal.db import db
from portal.labs.live_index.labs import IndexPreparing
from portal.labs.live_index.live import live_index
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Application, Choice


def choice_match(cycle: str, slug: str) -> ResponseReturnValue:
    """The match as it was computed at the submission; with ?again=1 also computed anew, beside it."""
    application = own(cycle)
    choice = or_404(choice_of_lab(application, slug))
    record = record_of(db.session(), choice)
    again, preparing = None, False
    if record is not None and request.args.get("again") == "1":
        try:
            again = replay(live_index(current_app).current(db.session()), record)
        except IndexPreparing:
            preparing = True
    return render_template(
        "applications/choice_match.html",
        application=application,
        cycle=application.cycle,
        choice=choice,
        record=record,
        may_edit=can(db.session(), application, "edit", actor(), datetime.now(UTC)),
        match=with_facets_in_words(match_of(record)) if record else None,
        again=again,
        preparing=preparing,
    )


def answer(cycle: str, slug: str, answer: str) -> ResponseReturnValue:
    """Explain what an answer means, then give it; repeating the same answer redirects to the application."""
    application = own(cycle)
    choice = or_404(choice_of_lab(application, slug))
    given = cast("Answer", answer)
    if shown_state(application, choice)[0] not in {"offered", "accepted", "declined_by_applicant", "expired", "closed"}:
        flash_message("There is no offer to answer.", "info")
        return redirect(url_for("applications.application", cycle=cycle))
    now = datetime.now(UTC)
    if request.method == "GET":
        case = Case(application, choice, actor(), "applicant", now)
        refusal = why_settled(application, choice) or why_not(db.session(), move_named("choice", MOVES[given]), case)
        return _answer_page(application, choice, given, refusal)
    try:
        answer_offer(db.session(), choice, given, actor=actor(), now=now)
    except AlreadyMoved:
        verb = "accepted" if given == "accept" else "declined"
        flash_message(f"You {verb} the offer of {choice.lab.name} already; it stands.", "info")
    except MoveRefused as refusal:
        return _answer_page(application, choice, given, str(refusal)), UNPROCESSABLE
    else:
        outcome = f"You {'accepted' if given == 'accept' else 'declined'} the offer of {choice.lab.name}."
        flash_message(f"{outcome} The lab has been told.")
    return redirect(url_for("applications.application", cycle=cycle))


def _answer_page(application: Application, choice: Choice, given: Answer, refusal: str | None) -> str:
    return render_template(
        "applications/answer.html",
        application=application,
        cycle=application.cycle,
        choice=choice,
        answer=given,
        refusal=refusal,
        closing=closing_with(application, choice) if given == "accept" else [],
    )
