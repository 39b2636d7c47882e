"""The addresses of the professors' pages, all below /reviews/ and for the role professor only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Flask

from portal.labs.live_index.live import live_index
from portal.models.user import PROFESSOR
from portal.reviews.discover.saved_scores import SavedScores
from portal.reviews.discover.scoreboard import EXTENSION, Scoreboard
from portal.reviews.pages import (
    applicant,
    board,
    compare,
    conflicts,
    discover,
    interviews,
    inviting,
    labs,
    moving,
    moving_many,
    queue,
    scorecards,
    scoring,
    settings,
    views,
)
from portal.reviews.pages.criteria import criterion_field
from portal.reviews.pages.sections import lab_sections
from portal.web.access import audience

if TYPE_CHECKING:
    from flask.sansio.blueprints import BlueprintSetupState

blueprint = Blueprint("reviews", __name__, url_prefix="/reviews")
audience(blueprint, PROFESSOR)
blueprint.context_processor(lambda: {"lab_sections": lab_sections, "criterion_field": criterion_field})


@blueprint.record_once
def _init_scoreboard(state: BlueprintSetupState) -> None:
    """Keep scores in memory and beside the saved index."""
    if isinstance(state.app, Flask):
        state.app.extensions[EXTENSION] = Scoreboard(SavedScores(live_index(state.app).saved.folder))


FORM = ("GET", "POST")
ACT = ("POST",)
LAB = "/<slug>"
CHOICE = f"{LAB}/choices/<int:choice_id>"
DISCOVER = f"{LAB}/discover"
PERSON = f"{DISCOVER}/<int:applicant_id>"
VIEW = f"{LAB}/views/<int:view_id>"

blueprint.add_url_rule("/", view_func=labs.labs)

blueprint.add_url_rule(f"{LAB}/", view_func=queue.queue)
blueprint.add_url_rule(f"{LAB}/applicants.csv", view_func=queue.queue_file)
blueprint.add_url_rule(f"{LAB}/views", view_func=views.save_view, methods=ACT)
blueprint.add_url_rule(f"{VIEW}/rename", view_func=views.rename_view, methods=ACT)
blueprint.add_url_rule(f"{VIEW}/delete", view_func=views.delete_view, methods=ACT)

blueprint.add_url_rule(f"{LAB}/choices/", view_func=queue.choices)
blueprint.add_url_rule(CHOICE, view_func=applicant.applicant)
blueprint.add_url_rule(f"{CHOICE}/move", view_func=moving.move, methods=ACT)
blueprint.add_url_rule(f"{CHOICE}/resume", view_func=applicant.submitted_file)
blueprint.add_url_rule(f"{CHOICE}/letters/<int:referee_id>", view_func=applicant.letter_file)

blueprint.add_url_rule(DISCOVER, view_func=discover.discover)
blueprint.add_url_rule(f"{DISCOVER}/scores", view_func=scoring.scoring_progress)
blueprint.add_url_rule(f"{DISCOVER}/scores", view_func=scoring.score_again, methods=ACT)
blueprint.add_url_rule(PERSON, view_func=discover.candidate)
blueprint.add_url_rule(PERSON, view_func=discover.mark, methods=ACT)
blueprint.add_url_rule(f"{PERSON}/unmark", view_func=discover.unmark, methods=ACT)
blueprint.add_url_rule(f"{PERSON}/resume", view_func=discover.candidate_file)
blueprint.add_url_rule(f"{PERSON}/invite", view_func=inviting.invite)
blueprint.add_url_rule(f"{PERSON}/invite", view_func=inviting.send_invitation, methods=ACT)
blueprint.add_url_rule(f"{PERSON}/invite/take-back", view_func=inviting.take_back_invitation, methods=ACT)

CARD = f"{CHOICE}/scorecard"
blueprint.add_url_rule(CARD, view_func=scorecards.scorecard)
blueprint.add_url_rule(CARD, view_func=scorecards.save_scorecard, methods=ACT)
blueprint.add_url_rule(f"{CARD}/lock", view_func=scorecards.confirm_lock)
blueprint.add_url_rule(f"{CARD}/lock", view_func=scorecards.lock_scorecard, methods=ACT)

CONFLICT = f"{CHOICE}/conflict"
blueprint.add_url_rule(f"{LAB}/conflicts", view_func=conflicts.my_conflicts)
blueprint.add_url_rule(CONFLICT, view_func=conflicts.conflict)
blueprint.add_url_rule(CONFLICT, view_func=conflicts.declare_conflict, methods=ACT)
blueprint.add_url_rule(f"{CONFLICT}/dismiss", view_func=conflicts.dismiss_conflict, methods=ACT)
blueprint.add_url_rule(f"{CONFLICT}/take-back", view_func=conflicts.take_back_conflict, methods=ACT)

BOARD = f"{LAB}/board"
blueprint.add_url_rule(BOARD, view_func=board.board)
blueprint.add_url_rule(f"{BOARD}/move", view_func=board.board_move, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/preview", view_func=moving_many.preview_moves, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/do", view_func=moving_many.do_moves, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/undo", view_func=moving_many.undo_moves, methods=ACT)
blueprint.add_url_rule(f"{BOARD}/order", view_func=board.order, methods=ACT)
blueprint.add_url_rule(f"{LAB}/compare", view_func=compare.compare)
blueprint.add_url_rule(f"{LAB}/compare", view_func=compare.compare_ticked, methods=ACT)

SETTINGS = f"{LAB}/settings"
blueprint.add_url_rule(SETTINGS, view_func=settings.settings)
blueprint.add_url_rule(f"{SETTINGS}/blind", view_func=settings.set_blind, methods=ACT)
blueprint.add_url_rule(f"{SETTINGS}/anchors", view_func=settings.save_anchors, methods=ACT)
blueprint.add_url_rule(f"{SETTINGS}/intake", view_func=settings.save_intake, methods=ACT)

TIMES = f"{LAB}/interviews"
SLOT = f"{TIMES}/<int:slot_id>"
blueprint.add_url_rule(TIMES, view_func=interviews.interviews)
blueprint.add_url_rule(f"{TIMES}/offer", view_func=interviews.offer_interviews, methods=FORM)
blueprint.add_url_rule(SLOT, view_func=interviews.interview_slot, methods=FORM)
blueprint.add_url_rule(f"{SLOT}/cancel", view_func=interviews.cancel_interview, methods=ACT)
