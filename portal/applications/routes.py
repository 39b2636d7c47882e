"""The applicant's addresses under /me/, those that a secret opens, help, and what answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from portal.applications import matches, overview, resume, shortlist, status
from portal.applications.application import documents, invitations, submission
from portal.applications.application import pages as application
from portal.applications.interests import pages as interests
from portal.applications.interviews import pages as interviews
from portal.applications.referees import pages as referees
from portal.db import db
from portal.models.user import APPLICANT
from portal.web.access import actor_or_none, audience
from portal.web.errors import http_error, wants_json
from portal.web.headers import OUT_OF_DATE

if TYPE_CHECKING:
    from flask.blueprints import BlueprintSetupState
    from flask.typing import ResponseReturnValue


blueprint = Blueprint("applications", __name__, url_prefix="/me")
audience(blueprint, APPLICANT)

READ = ["GET"]
FORM = ["GET", "POST"]
ACT = ["POST"]

CYCLE = "/application/<cycle>/"
CHOICE = f"{CYCLE}labs/<slug>/"

for address, name, view, methods in (
    ("/", "overview", overview.overview, READ),
    ("/interests", "interests", interests.interests, FORM),
    ("/interests/suggest", "suggest", interests.suggest, READ),
    ("/resume", "resume", resume.resume, FORM),
    ("/resume/text", "resume_text", resume.resume_text, FORM),
    ("/resume/file", "resume_file", resume.resume_file, READ),
    ("/resume/delete", "delete_resume", resume.delete_page, FORM),
    ("/matches", "matches", matches.matches, READ),
    ("/matches/<slug>", "lab_match", matches.lab_match, READ),
    ("/matches/weights", "keep_weights", matches.keep_weights, ACT),
    ("/compare", "compare", matches.compare, READ),
    ("/labs", "labs", shortlist.labs, READ),
    ("/labs/<slug>", "act_on_lab", shortlist.act_on_lab, ACT),
    (CYCLE, "application", application.application, FORM),
    (f"{CYCLE}deadline.ics", "deadline_file", application.deadline_file, READ),
    (f"{CYCLE}documents/<key>", "document", documents.document, READ),
    (f"{CYCLE}submit", "submit_application", submission.submit_application, FORM),
    (f"{CYCLE}receipt", "receipt", submission.receipt, READ),
    (f"{CYCLE}edit", "edit_application", submission.move_application, ACT),
    (f"{CYCLE}restore", "restore_application", submission.move_application, ACT),
    (f"{CYCLE}withdraw", "withdraw_application", submission.withdraw_application, FORM),
    (f"{CHOICE}match", "choice_match", status.choice_match, READ),
    (f"{CHOICE}<any(accept, decline):answer>", "answer_offer", status.answer, FORM),
    ("/invitations/<int:invitation_id>", "answer_invitation", invitations.answer, ACT),
    (f"{CYCLE}interview", "interview", interviews.interview, FORM),
    (f"{CYCLE}referees", "referees", referees.referees_page, FORM),
    (f"{CYCLE}referees/<int:referee_id>/remove", "remove_referee", referees.remove_referee, ACT),
    ("/export", "export", overview.export, READ),
    ("/erase", "erase", overview.erase_page, FORM),
    ("/erased", "erased", overview.erased, READ),
    ("/delete-account", "delete_account", overview.delete_account, FORM),
):
    blueprint.add_url_rule(address, name, view, methods=methods)

blueprint.app_context_processor(lambda: {"shortlist": shortlist.shortlist})

secret_blueprint = Blueprint("secret", __name__)
"""A referee's letter: without an account."""
secret_blueprint.add_url_rule("/letters/<token>", "letter", referees.letter_page, methods=FORM)


def keep_what_was_typed(error: HTTPException) -> ResponseReturnValue:
    """Answer a stale form or an upload that is too large with the form itself; anything else as usual.

    These errors are raised before a view is chosen to run, and before the package's guard has checked the role, so it
    is checked here.
    """
    db.session.rollback()
    person = actor_or_none()
    if person is not None and person.has_role(APPLICANT) and request.method == "POST" and not wants_json():
        match error, request.endpoint:
            case RequestEntityTooLarge(), "applications.resume":
                return resume.show_again()
            case RequestEntityTooLarge(), "applications.application":
                return application.show_again() or http_error(error)
            case CSRFError(), "applications.resume":
                return resume.show_again(OUT_OF_DATE)
            case CSRFError(), "applications.interests":
                return interests.show_again_unsaved(OUT_OF_DATE)
            case CSRFError(), "applications.application":
                return application.show_again(OUT_OF_DATE) or http_error(error)
            case _:
                pass
    return http_error(error)


def _exempt_secret_pages(state: BlueprintSetupState) -> None:
    """Forms here send no referrer, which the usual check of tokens asks for; `LetterForm` checks the token alone."""
    state.app.extensions["csrf"].exempt(secret_blueprint)


secret_blueprint.record_once(_exempt_secret_pages)
blueprint.register_error_handler(CSRFError, keep_what_was_typed)
blueprint.register_error_handler(RequestEntityTooLarge, keep_what_was_typed)


help_blueprint = Blueprint("help", __name__, url_prefix="/help")


@help_blueprint.get("/", endpoint="applying")
def help_page() -> str:
    """Help for applicants. Open to everybody."""
    return render_template("help/applying.html")
