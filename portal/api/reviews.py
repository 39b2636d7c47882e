"""The applicants of one's labs: the queue, one applicant, and moves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import request

from portal.accounts.token_rules import REVIEWS_READ, REVIEWS_WRITE
from portal.api.blueprint import IF_MATCH, REPLAY, ApiBlueprint
from portal.api.etags import etag_of, tagged
from portal.api.idempotency import once
from portal.api.paging import part_after
from portal.api.problems import Problem, refusals
from portal.api.schemas_reviews import (
    ChoiceSchema,
    LabMoveArguments,
    QueueArguments,
    QueueSchema,
    ReviewedLabs,
)
from portal.applications.cycles import staged_decision
from portal.applications.moves import locked_application, perform
from portal.db import db
from portal.labs.queries import labs_of_professor
from portal.models import LabProfessor
from portal.reviews.applicant_view import view_of_choice
from portal.reviews.blinding import is_blind
from portal.reviews.lab_moves import capacity_for, lab_moves
from portal.reviews.pages.access import choice_i_may_open, lab_i_read_for
from portal.reviews.pages.queue_exports import record_queue
from portal.reviews.queue_filter import QueueFilter
from portal.reviews.queue_order import ordered_ids
from portal.reviews.queue_page import rows_of
from portal.reviews.queue_rows import Queue, cycles_of_lab
from portal.reviews.visits import visited_before
from portal.web.access import actor, found
from portal.web.whole_numbers import NUMBER

if TYPE_CHECKING:
    from flask import Response

    from portal.models import Choice, Lab
    from portal.reviews.applicant_view import ApplicantView
    from portal.reviews.queue_page import QueueRow

blueprint = ApiBlueprint("reviews", __name__, description="The applicants of the labs one reads for")

CHOICE = f"/reviews/<slug>/choices/{NUMBER}"


@blueprint.address("/reviews/labs", REVIEWS_READ, gives=ReviewedLabs)
def labs() -> dict[str, Any]:
    """The labs that one leads or reviews for, with the cycles that have applicants to read."""
    session, me = db.session(), actor()
    return {
        "items": [
            {
                "slug": lab.slug,
                "name": lab.name,
                "position": session.get_one(LabProfessor, (lab.id, me.id)).position,
                "blind": is_blind(session, lab),
                "cycles": cycles_of_lab(session, lab),
            }
            for lab in labs_of_professor(session, me)
        ]
    }


@blueprint.address("/reviews/<slug>/choices", REVIEWS_READ, takes=QueueArguments, gives=QueueSchema, refuses=(404,))
def queue(asked: dict[str, Any], slug: str) -> dict[str, Any]:
    """The applicants that chose the lab, in a cycle. Does not count as a visit of the queue's page."""
    lab, session, me = lab_i_read_for(slug), db.session(), actor()
    cycles = cycles_of_lab(session, lab)
    if asked["cycle"]:
        cycle = found(next((one for one in cycles if one.slug == asked["cycle"]), None))
    elif cycles:
        cycle = cycles[0]
    else:
        return {"cycle": None, "total": 0, "items": [], "next": None}
    chosen = QueueFilter(
        cycle=cycle.slug,
        state=asked["state"],
        card=asked["card"],
        new=asked["new"],
        least=asked["least"],
        text=asked["q"].strip(),
        sort=asked["sort"],
    )
    shown = Queue(lab, cycle, me, visited_before(session, lab, me))
    ids = ordered_ids(session, shown, chosen)
    part, after = part_after(ids, asked["cursor"], asked["limit"], str)
    if not asked["cursor"]:
        record_queue(lab, cycle, chosen, len(ids))
    now = datetime.now(UTC)
    return {
        "cycle": cycle,
        "total": len(ids),
        "items": [_row(row, now) for row in rows_of(session, shown, part)],
        "next": after,
    }


@blueprint.address(CHOICE, REVIEWS_READ, gives=ChoiceSchema, refuses=(404,))
def choice(slug: str, number: int) -> Response:
    """One applicant: what was submitted, the stored match record, letters, the moves so far."""
    lab, opened = choice_i_may_open(slug, number)
    return tagged(_dumped(lab, opened))


@blueprint.address(
    f"{CHOICE}/moves",
    REVIEWS_WRITE,
    method="POST",
    takes=LabMoveArguments,
    gives=ChoiceSchema,
    refuses=(404, 409, 412),
    headers=(IF_MATCH, REPLAY),
)
def move_choice(asked: dict[str, Any], slug: str, number: int) -> Response:
    """Make a move of a choice. With If-Match, only if it has not changed since it was read."""
    lab, opened = choice_i_may_open(slug, number)
    me, now, session = actor(), datetime.now(UTC), db.session()

    def make() -> dict[str, Any]:
        locked_application(session, opened)
        _ensure_read(lab, opened)
        with refusals():
            perform(
                session,
                asked["move"],
                opened,
                actor=me,
                capacity=capacity_for(session, opened, me),
                now=now,
                message=asked["message"],
                reply_days=asked["reply_days"],
            )
        return _dumped(lab, opened)

    return once(session, me, now, make)


def _ensure_read(lab: Lab, opened: Choice) -> None:
    """Check If-Match, if it was sent."""
    if "If-Match" in request.headers and not request.if_match.contains(etag_of(_dumped(lab, opened))):
        raise Problem(412)


def _row(row: QueueRow, now: datetime) -> dict[str, Any]:
    names = ("id", "state", "state_since", "score", "preference", "card", "fresh")
    times = ("submitted_at", "reply_by_at", "replied_at")
    return {
        **{name: getattr(row, name) for name in (*names, *times)},
        "applicant": row.shown,
        "late": row.is_late(now),
        "match": row.match,
    }


def _dumped(lab: Lab, opened: Choice) -> dict[str, Any]:
    session, me = db.session(), actor()
    view = view_of_choice(session, lab, opened, me)
    moves = lab_moves(session, opened, me, now=datetime.now(UTC))
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
            "moves": [
                {"move": one.move.name, "label": one.move.label, "refused": one.reason} for one in moves.possible
            ],
            "for_the_leader": moves.for_the_leader,
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
