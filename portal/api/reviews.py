"""The applicants of one's labs: the queue, one applicant, and moves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import request
from marshmallow import fields, validate

from portal.accounts.api_tokens import REVIEWS_READ, REVIEWS_WRITE
from portal.accounts.service import labs_read_by
from portal.api.applications import PossibleMoveSchema
from portal.api.blueprint import IF_MATCH, IF_NONE_MATCH, REPLAY, ApiBlueprint
from portal.api.fields import LONGEST_SLUG, PageArguments, StrictSchema, answer_schema, described, part_after, text
from portal.api.idempotency import etag_of, once, tagged
from portal.api.problems import Problem, refusals
from portal.api.ranking import ReasonsSchema
from portal.applications.cycles import staged_decision
from portal.applications.moves.service import LONGEST_MESSAGE, USUAL_REPLY_DAYS, lock_for, perform
from portal.applications.states import CHOICE_LABELS, MOVES, move_named
from portal.db import db
from portal.models import LabProfessor
from portal.reviews.access import choice_i_may_open, cycles_of_lab, lab_i_read_for
from portal.reviews.applicant.queries import view_of_choice
from portal.reviews.blind_review import is_blind
from portal.reviews.moves.service import LONGEST_REPLY, is_lab_move, lab_moves
from portal.reviews.queue.pages import record_queue
from portal.reviews.queue.queries import (
    CARDS,
    LONGEST_TEXT,
    SORTS,
    Queue,
    QueueFilter,
    ordered_ids,
    rows_of,
    visited_before,
)
from portal.reviews.rules import capacity_in
from portal.web.access import actor, or_404

if TYPE_CHECKING:
    from flask import Response

    from portal.models import Choice, Lab
    from portal.reviews.applicant.queries import ApplicantView
    from portal.reviews.queue.queries import QueueRow


LAB_MOVES = tuple(move.name for move in MOVES if move.subject == "choice" and is_lab_move(move.name))


class QueueArguments(PageArguments):
    """Which applicants, in which order."""

    cycle = text(LONGEST_SLUG, load_default="", description="The slug of a cycle; left out: the newest.")
    state = fields.String(load_default="", validate=validate.OneOf(["", *CHOICE_LABELS]))
    card = fields.String(
        load_default="", validate=validate.OneOf(["", *CARDS]), metadata=described("By one’s own scorecard.")
    )
    new = fields.Boolean(load_default=False, metadata=described("Only what is new since one’s last visit of the page."))
    q = text(LONGEST_TEXT, load_default="", description="A text in what was written.")
    sort = fields.String(load_default="match", validate=validate.OneOf(sorted(SORTS)))


CycleName = answer_schema("CycleName", "A cycle by name.", texts="slug name")
ReviewedLab = answer_schema(
    "ReviewedLab",
    "A lab that one reads for.",
    texts="slug name",
    booleans="blind",
    position=fields.String(required=True, metadata=described("leader or reviewer.")),
    cycles=[CycleName],
)
ReviewedLabs = answer_schema("ReviewedLabs", "The labs that one reads for.", items=[ReviewedLab])
ApplicantSchema = answer_schema(
    "ApplicantSchema", "Who it is, or a pseudonym while that is hidden.", texts="label email?", booleans="hidden"
)
StoredMatchSchema = answer_schema(
    "StoredMatchSchema",
    "What the match record says.",
    integers="labs applicant_position",
    position=fields.Integer(
        required=True, metadata=described("The lab among the labs that fit; 0 if it does not fit.")
    ),
    applicants=fields.Integer(required=True, metadata=described("With those that the lab could read at the time.")),
)
QueueRowSchema = answer_schema(
    "QueueRowSchema",
    "A choice of the lab in its queue.",
    texts="state card fresh",
    integers="id",
    floats="score",
    booleans="late",
    moments="state_since submitted_at? reply_by_at? replied_at?",
    lists="topics",
    applicant=ApplicantSchema,
    preference=fields.Integer(required=True, allow_none=True, metadata=described("The lab’s own order.")),
    points=fields.Float(
        required=True, allow_none=True, metadata=described("The mean of your own card, once it is locked.")
    ),
    match=fields.Nested(StoredMatchSchema, required=True, allow_none=True),
)
QueueSchema = answer_schema(
    "QueueSchema",
    "A part of a queue.",
    texts="next?",
    integers="total",
    cycle=fields.Nested(CycleName, required=True, allow_none=True),
    items=[QueueRowSchema],
)
StatedTopic = answer_schema("StatedTopic", "A topic of the applicant.", texts="text", floats="weight")
AnswerSchema = answer_schema("AnswerSchema", "An answer of the form.", texts="question answer")
LetterSchema = answer_schema(
    "LetterSchema", "A letter of reference.", texts="referee relation text", moments="received_at"
)
StepSchema = answer_schema("StepSchema", "A move of the choice.", texts="label who message", moments="at")
StagedSchema = answer_schema(
    "StagedSchema",
    "A decision of the lab that waits for its release.",
    texts="kind message",
    integers="reply_days?",
    moments="staged_at",
)
ChoiceSchema = answer_schema(
    "ChoiceSchema",
    "One applicant of the lab.",
    texts="state statement resume",
    integers="id preference?",
    floats="score",
    moments="state_since reply_by_at? replied_at?",
    lists="notices",
    cycle=CycleName,
    applicant=ApplicantSchema,
    topics=[StatedTopic],
    reason=fields.String(required=True, metadata=described("Why the applicant chose this lab.")),
    answers=[AnswerSchema],
    hidden_text=fields.String(required=True, metadata=described("Text of the resume that nobody sees on it.")),
    letters=[LetterSchema],
    steps=[StepSchema],
    match=fields.Nested(ReasonsSchema, required=True, allow_none=True),
    staged=fields.Nested(StagedSchema, required=True, allow_none=True),
    moves=[PossibleMoveSchema],
)


class LabMoveArguments(StrictSchema):
    """What to do with a choice."""

    move = fields.String(required=True, validate=validate.OneOf(LAB_MOVES))
    message = text(
        LONGEST_MESSAGE, load_default="", description="What the applicant is told with a decision, once it is released."
    )
    reply_days = fields.Integer(
        load_default=USUAL_REPLY_DAYS,
        strict=True,
        validate=validate.Range(min=1, max=LONGEST_REPLY),
        metadata=described(
            "For an offer: how many days after its release the applicant has to answer. The last one ends at 23:59 in "
            "the cycle's zone."
        ),
    )


blueprint = ApiBlueprint("reviews", __name__, description="The applicants of the labs one reads for")

CHOICE = "/reviews/<slug>/choices/<int:choice_id>"


@blueprint.operation("/reviews/labs", REVIEWS_READ, response=ReviewedLabs)
def labs() -> dict[str, Any]:
    """The labs that one leads or reviews for, with the cycles that have applicants to read."""
    session, user = db.session(), actor()
    return {
        "items": [
            {
                "slug": lab.slug,
                "name": lab.name,
                "position": session.get_one(LabProfessor, (lab.id, user.id)).position,
                "blind": is_blind(session, lab),
                "cycles": cycles_of_lab(session, lab),
            }
            for lab in labs_read_by(session, user)
        ]
    }


@blueprint.operation(
    "/reviews/<slug>/choices", REVIEWS_READ, arguments=QueueArguments, response=QueueSchema, errors=(404,)
)
def queue(arguments: dict[str, Any], slug: str) -> dict[str, Any]:
    """The applicants that chose the lab, in a cycle. Does not count as a visit of the queue's page."""
    lab, session, user = lab_i_read_for(slug), db.session(), actor()
    cycles = cycles_of_lab(session, lab)
    if arguments["cycle"]:
        cycle = or_404(next((candidate for candidate in cycles if candidate.slug == arguments["cycle"]), None))
    elif cycles:
        cycle = cycles[0]
    else:
        return {"cycle": None, "total": 0, "items": [], "next": None}
    chosen = QueueFilter(
        cycle=cycle.slug,
        state=arguments["state"],
        card=arguments["card"],
        new=arguments["new"],
        text=arguments["q"].strip(),
        sort=arguments["sort"],
    )
    shown = Queue(lab, cycle, user, visited_before(session, lab, user))
    ids = ordered_ids(session, shown, chosen)
    part, next_cursor = part_after(ids, arguments["cursor"], arguments["limit"], str)
    record_queue(lab, cycle, chosen, len(part))  # of each part: nothing obliges a program to begin with the first
    now = datetime.now(UTC)
    return {
        "cycle": cycle,
        "total": len(ids),
        "items": [_row(row, now) for row in rows_of(session, shown, part)],
        "next": next_cursor,
    }


@blueprint.operation(CHOICE, REVIEWS_READ, response=ChoiceSchema, errors=(404,), headers=(IF_NONE_MATCH,))
def choice(slug: str, choice_id: int) -> Response:
    """One applicant: what was submitted, the stored match record, letters, the moves so far."""
    lab, opened = choice_i_may_open(slug, choice_id)
    return tagged(_dumped(lab, opened))


@blueprint.operation(
    f"{CHOICE}/moves",
    REVIEWS_WRITE,
    method="POST",
    arguments=LabMoveArguments,
    response=ChoiceSchema,
    errors=(404, 409, 412),
    headers=(IF_MATCH, REPLAY),
)
def move_choice(arguments: dict[str, Any], slug: str, choice_id: int) -> Response:
    """Make a move of a choice. With If-Match, only if it has not changed since it was read."""
    lab, opened = choice_i_may_open(slug, choice_id)
    user, now, session = actor(), datetime.now(UTC), db.session()

    def make() -> dict[str, Any]:
        lock_for(session, move_named("choice", arguments["move"]), opened)
        _ensure_read(lab, opened)
        with refusals():
            perform(
                session,
                arguments["move"],
                opened,
                actor=user,
                capacity=capacity_in(session, opened.lab_id, user),
                now=now,
                message=arguments["message"],
                reply_days=arguments["reply_days"],
            )
        return _dumped(lab, opened)

    return once(session, user, now, make)


def _ensure_read(lab: Lab, opened: Choice) -> None:
    """Check If-Match, if it was sent."""
    if "If-Match" in request.headers and not request.if_match.contains(etag_of(_dumped(lab, opened))):
        raise Problem(412)


def _row(row: QueueRow, now: datetime) -> dict[str, Any]:
    names = ("id", "state", "state_since", "score", "preference", "card", "points", "topics", "fresh")
    times = ("submitted_at", "reply_by_at", "replied_at")
    return {
        **{name: getattr(row, name) for name in (*names, *times)},
        "applicant": row.shown,
        "late": row.is_late(now),
        "match": row if row.labs is not None else None,
    }


def _dumped(lab: Lab, opened: Choice) -> dict[str, Any]:
    session, user = db.session(), actor()
    view = view_of_choice(session, lab, opened, user)
    moves = lab_moves(session, opened, user, now=datetime.now(UTC))
    texts = ("statement", "reason", "resume", "hidden_text", "notices", "letters", "steps", "match")
    columns = ("id", "state", "state_since", "score", "preference", "reply_by_at", "replied_at")
    dumped: dict[str, Any] = ChoiceSchema().dump(
        {
            **{name: getattr(opened, name) for name in columns},
            **{name: getattr(view, name) for name in texts},
            "cycle": opened.application.cycle,
            "applicant": view.shown,
            "topics": [{"text": text, "weight": weight} for text, weight in view.topics],
            "answers": [{"question": question, "answer": answer} for question, answer in view.answers],
            "staged": _staged(opened, view),
            "moves": [{"move": move.name, "label": move.label, "refused": reason} for move, reason in moves],
        }
    )
    return dumped


def _staged(opened: Choice, view: ApplicantView) -> dict[str, Any] | None:
    decision = staged_decision(db.session(), opened)
    if decision is None:
        return None
    names = ("kind", "message", "reply_days", "staged_at")
    values = {name: getattr(decision, name) for name in names}
    if view.redactor:
        values["message"] = view.redactor.redacted(decision.message)
    return values
