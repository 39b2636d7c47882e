"""The addresses of the professors' pages, all below /reviews/ and for the role professor only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Flask

from portal.labs.live_index.live import live_index
from portal.models.user import PROFESSOR
from portal.reviews import assigning, board, conflicts, discover, lab_settings
from portal.reviews.access import lab_sections, labs
from portal.reviews.applicant import pages as applicant
from portal.reviews.interviews import pages as interviews
from portal.reviews.moves import pages as moves
from portal.reviews.queue import pages as queue
from portal.reviews.scoreboard import EXTENSION, Scoreboard
from portal.web.access import audience

if TYPE_CHECKING:
    from flask.sansio.blueprints import BlueprintSetupState

blueprint = Blueprint("reviews", __name__, url_prefix="/reviews")
audience(blueprint, PROFESSOR)
blueprint.context_processor(lambda: {"lab_sections": lab_sections})


@blueprint.record_once
def _init_scoreboard(state: BlueprintSetupState) -> None:
    """Keep scores in memory and beside the saved index."""
    if isinstance(state.app, Flask):
        state.app.extensions[EXTENSION] = Scoreboard(live_index(state.app).saved.folder)


FORM = ("GET", "POST")
ACT = ("POST",)
LAB = "/<slug>"
CHOICE = f"{LAB}/choices/<int:choice_id>"
DISCOVER = f"{LAB}/discover"
PERSON = f"{DISCOVER}/<int:applicant_id>"

blueprint.add_url_rule("/", view_func=labs)

blueprint.add_url_rule(f"{LAB}/", view_func=queue.queue)
blueprint.add_url_rule(f"{LAB}/applicants.csv", view_func=queue.queue_file)
blueprint.add_url_rule(f"{LAB}/applicants/print", view_func=queue.queue_print)

blueprint.add_url_rule(CHOICE, view_func=applicant.applicant)
blueprint.add_url_rule(f"{CHOICE}/resume", view_func=applicant.submitted_file)
blueprint.add_url_rule(f"{CHOICE}/resume/<int:number>.webp", view_func=applicant.resume_picture)
blueprint.add_url_rule(f"{CHOICE}/documents/<int:document_id>", view_func=applicant.document_file)
blueprint.add_url_rule(f"{CHOICE}/letters/<int:referee_id>", view_func=applicant.letter_file)

blueprint.add_url_rule(f"{CHOICE}/notes", view_func=applicant.change_notes, methods=ACT)

ASSIGNMENT = f"{LAB}/assignment"
blueprint.add_url_rule(ASSIGNMENT, view_func=assigning.assignment)
blueprint.add_url_rule(ASSIGNMENT, view_func=assigning.assign_reviewers, methods=ACT)
blueprint.add_url_rule(f"{ASSIGNMENT}/undo", view_func=assigning.unassign_reviewers, methods=ACT)

blueprint.add_url_rule(DISCOVER, view_func=discover.discover)
blueprint.add_url_rule(PERSON, view_func=discover.candidate)
blueprint.add_url_rule(f"{PERSON}/resume", view_func=discover.candidate_file)
blueprint.add_url_rule(f"{PERSON}/invite", view_func=discover.send_invitation, methods=ACT)
blueprint.add_url_rule(f"{PERSON}/invite/take-back", view_func=discover.take_back_invitation, methods=ACT)

CARD = f"{CHOICE}/scorecard"
blueprint.add_url_rule(CARD, view_func=applicant.scorecard)
blueprint.add_url_rule(CARD, view_func=applicant.save_scorecard, methods=ACT)
blueprint.add_url_rule(f"{CARD}/reopen", view_func=applicant.reopen_scorecard, methods=ACT)

CONFLICT = f"{CHOICE}/conflict"
blueprint.add_url_rule(f"{LAB}/conflicts", view_func=conflicts.my_conflicts)
blueprint.add_url_rule(CONFLICT, view_func=conflicts.conflict)
blueprint.add_url_rule(CONFLICT, view_func=conflicts.declare_conflict, methods=ACT)
blueprint.add_url_rule(f"{CONFLICT}/take-back", view_func=conflicts.take_back_conflict, methods=ACT)

BOARD = f"{LAB}/board"
blueprint.add_url_rule(BOARD, view_func=board.board)
blueprint.add_url_rule(f"{BOARD}/move", view_func=board.board_move, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/preview", view_func=moves.preview_moves, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/do", view_func=moves.do_moves, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/undo", view_func=moves.undo_moves, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/order", view_func=board.order, methods=ACT)

SETTINGS = f"{LAB}/settings"
blueprint.add_url_rule(SETTINGS, view_func=lab_settings.settings)
blueprint.add_url_rule(f"{SETTINGS}/blind", view_func=lab_settings.set_blind, methods=ACT)
blueprint.add_url_rule(f"{SETTINGS}/messages", view_func=lab_settings.save_messages, methods=ACT)
blueprint.add_url_rule(f"{SETTINGS}/intake", view_func=lab_settings.save_intake, methods=ACT)

TIMES = f"{LAB}/interviews"
SLOT = f"{TIMES}/<int:slot_id>"
blueprint.add_url_rule(TIMES, view_func=interviews.interviews)
blueprint.add_url_rule(f"{TIMES}/offer", view_func=interviews.offer_interviews, methods=FORM)
blueprint.add_url_rule(SLOT, view_func=interviews.interview_slot, methods=FORM)
blueprint.add_url_rule(f"{SLOT}/cancel", view_func=interviews.cancel_interview, methods=ACT)
