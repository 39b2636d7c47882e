"""The applicant's addresses under /me/, and what answers them."""

from __future__ import annotations

from flask import Blueprint
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import RequestEntityTooLarge

from portal.applications.pages import application as routes_application
from portal.applications.pages import application_acts as routes_application_acts
from portal.applications.pages import beginning as routes_beginning
from portal.applications.pages import compare as routes_compare
from portal.applications.pages import interests as routes_interests
from portal.applications.pages import interviews as routes_interviews
from portal.applications.pages import invitations as routes_invitations
from portal.applications.pages import lab_match as routes_lab_match
from portal.applications.pages import labs as routes_labs
from portal.applications.pages import matches as routes_matches
from portal.applications.pages import offers as routes_offers
from portal.applications.pages import overview as routes_overview
from portal.applications.pages import privacy as routes_privacy
from portal.applications.pages import referees as routes_referees
from portal.applications.pages import resume as routes_resume
from portal.applications.refused_requests import keep_what_was_typed
from portal.models.user import APPLICANT
from portal.web.access import audience

blueprint = Blueprint("applications", __name__, url_prefix="/me")
audience(blueprint, APPLICANT)

READ = ["GET"]
FORM = ["GET", "POST"]
ACT = ["POST"]

REFEREE = "<int:referee_id>/<any(ask, remind, remove):act>"

CYCLE = "/application/<cycle>/"
CHOICE = f"{CYCLE}labs/<slug>/"

for address, name, view, methods in (
    ("/", "overview", routes_overview.overview, READ),
    ("/interests", "interests", routes_interests.interests, FORM),
    ("/interests/suggest", "suggest", routes_interests.suggest, READ),
    ("/resume", "resume", routes_resume.resume, FORM),
    ("/resume/text", "resume_text", routes_resume.resume_text, FORM),
    ("/resume/file", "resume_file", routes_resume.resume_file, READ),
    ("/resume/delete", "delete_resume", routes_resume.delete_resume, FORM),
    ("/matches", "matches", routes_matches.matches, READ),
    ("/matches/<slug>", "lab_match", routes_lab_match.lab_match, READ),
    ("/matches/weights", "keep_weights", routes_matches.keep_weights, ACT),
    ("/labs", "labs", routes_labs.labs, READ),
    ("/labs/<slug>", "share_with_lab", routes_labs.share_or_stop, ACT),
    ("/application/", "applications", routes_application.applications, READ),
    (CYCLE, "application", routes_application.application, FORM),
    (f"{CYCLE}preview", "preview_application", routes_application_acts.preview_application, READ),
    (f"{CYCLE}submit", "submit_application", routes_application_acts.submit_application, FORM),
    (f"{CYCLE}receipt", "receipt", routes_application_acts.receipt, READ),
    (f"{CYCLE}begin", "begin_with_another", routes_beginning.begin_with_another, ACT),
    (f"{CYCLE}edit", "edit_application", routes_application_acts.edit_application, ACT),
    (f"{CYCLE}restore", "restore_application", routes_application_acts.restore_application, ACT),
    (f"{CYCLE}withdraw", "withdraw_application", routes_application_acts.withdraw_application, FORM),
    (f"{CHOICE}match", "choice_match", routes_offers.choice_match, READ),
    (f"{CHOICE}<any(accept, decline):answer>", "answer_offer", routes_offers.answer, FORM),
    ("/invitations/<int:invitation_id>", "answer_invitation", routes_invitations.answer, ACT),
    ("/compare", "compare", routes_compare.compare, READ),
    ("/application/<cycle>/interview", "interview", routes_interviews.interview, FORM),
    ("/application/<cycle>/interview/give-back", "give_back_interview", routes_interviews.give_back_interview, ACT),
    ("/application/<cycle>/referees", "referees", routes_referees.referees_page, FORM),
    (f"/application/<cycle>/referees/{REFEREE}", "act_on_referee", routes_referees.act_on_referee, ACT),
    ("/export", "export", routes_privacy.export, READ),
    ("/erase", "erase", routes_privacy.erase, FORM),
    ("/erased", "erased", routes_privacy.erased, READ),
):
    blueprint.add_url_rule(address, name, view, methods=methods)

# Both are raised before a view is chosen to run, so a view cannot catch them.
blueprint.register_error_handler(CSRFError, keep_what_was_typed)
blueprint.register_error_handler(RequestEntityTooLarge, keep_what_was_typed)
