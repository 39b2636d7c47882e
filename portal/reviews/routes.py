"""The addresses of the professors' pages, all under /reviews/ and only for people with the role professor."""

from __future__ import annotations

from flask import Blueprint

from portal.models.user import PROFESSOR
from portal.reviews.pages import conflicts, discover, interviews, labs, scorecards
from portal.reviews.scoreboard import EXTENSION, Scoreboard
from portal.web.access import audience

blueprint = Blueprint("reviews", __name__, url_prefix="/reviews")
audience(blueprint, PROFESSOR)
blueprint.record_once(lambda state: state.app.extensions.update({EXTENSION: Scoreboard()}))

FORM = ("GET", "POST")
ACT = ("POST",)
LAB = "/<slug>"
# Numbers are those that a column of whole numbers holds.
CHOICE = f"{LAB}/choices/<int(max=2147483647):number>"
PERSON = f"{LAB}/<int(max=2147483647):applicant_id>"

blueprint.add_url_rule("/", view_func=labs.labs)

blueprint.add_url_rule(f"{LAB}/", view_func=discover.discover)
blueprint.add_url_rule(PERSON, view_func=discover.candidate)
blueprint.add_url_rule(PERSON, view_func=discover.mark, methods=ACT)
blueprint.add_url_rule(f"{PERSON}/unmark", view_func=discover.unmark, methods=ACT)
blueprint.add_url_rule(f"{PERSON}/resume", view_func=discover.candidate_file)

CARD = f"{CHOICE}/scorecard"
blueprint.add_url_rule(CARD, view_func=scorecards.scorecard)
blueprint.add_url_rule(CARD, view_func=scorecards.save_scorecard, methods=ACT)
blueprint.add_url_rule(f"{CARD}/lock", view_func=scorecards.confirm_lock)
blueprint.add_url_rule(f"{CARD}/lock", view_func=scorecards.lock_scorecard, methods=ACT)

CONFLICT = f"{CHOICE}/conflict"
blueprint.add_url_rule(CONFLICT, view_func=conflicts.conflict)
blueprint.add_url_rule(CONFLICT, view_func=conflicts.declare_conflict, methods=ACT)
blueprint.add_url_rule(f"{CONFLICT}/dismiss", view_func=conflicts.dismiss_conflict, methods=ACT)
blueprint.add_url_rule(f"{CONFLICT}/take-back", view_func=conflicts.take_back_conflict, methods=ACT)

TIMES = f"{LAB}/interviews"
SLOT = f"{TIMES}/<int(max=2147483647):number>"
blueprint.add_url_rule(TIMES, view_func=interviews.interviews)
blueprint.add_url_rule(f"{TIMES}/offer", view_func=interviews.offer_interviews, methods=FORM)
blueprint.add_url_rule(SLOT, view_func=interviews.interview_slot, methods=FORM)
blueprint.add_url_rule(f"{SLOT}/cancel", view_func=interviews.cancel_interview, methods=ACT)
