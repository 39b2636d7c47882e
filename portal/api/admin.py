"""For administrators: cycles, proposals, revisions of labs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from marshmallow import fields, validate
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.accounts.api_tokens import ADMIN_READ, ADMIN_WRITE
from portal.api.applications import CycleSchema, cycle_values
from portal.api.blueprint import ApiBlueprint
from portal.api.fields import (
    LONGEST_SLUG,
    PageArguments,
    StrictSchema,
    answer_schema,
    cursor_for,
    described,
    place_of,
    text,
)
from portal.api.problems import Problem
from portal.applications.cycles import count_by_state, count_staged
from portal.applications.cycles import cycles as all_cycles
from portal.db import db
from portal.labs.proposals import DecidedProposal, accept_proposal, refuse_proposal
from portal.labs.queries import lab_by_slug, revision_at
from portal.labs.service import StaleEdit
from portal.models import LabProposal, LabRevision
from portal.seeding.changes import MergeError
from portal.web.access import actor, or_404
from portal.web.forms import LARGEST

if TYPE_CHECKING:
    from portal.models import Cycle


PROPOSAL_STATES = ("open", "accepted", "refused")
LONGEST_WHY = 500  # characters, as the column


CountedCycle = answer_schema(
    "CountedCycle",
    "A cycle with how far its applications are.",
    base=CycleSchema,
    applications=fields.Dict(
        keys=fields.String(), values=fields.Integer(), required=True, metadata=described("How many, by state.")
    ),
    staged=fields.Integer(required=True, metadata=described("Decisions that wait for their release.")),
)
CountedCycles = answer_schema(
    "CountedCycles", "All cycles, the one with the latest deadline first.", items=[CountedCycle]
)


class ProposalsArguments(PageArguments):
    """Which proposals."""

    state = fields.String(load_default="open", validate=validate.OneOf(PROPOSAL_STATES))
    lab = text(LONGEST_SLUG, load_default="", description="The slug of a lab; left out: of all.")


ProposalSchema = answer_schema(
    "ProposalSchema",
    "A change that a page suggests and a person decides.",
    texts="why state",
    integers="id",
    moments="created_at decided_at?",
    lab=fields.String(required=True, attribute="lab.slug"),
    lab_name=fields.String(required=True, attribute="lab.name"),
    lab_revision=fields.Integer(
        required=True, attribute="lab.revision_number", metadata=described("The lab’s revision now.")
    ),
    path=fields.String(required=True, metadata=described("The place in the profile.")),
    current=fields.Raw(required=True, allow_none=True, metadata=described("What the profile said.")),
    proposed=fields.Raw(required=True, allow_none=True, metadata=described("What the page says; null: remove it.")),
)
ProposalList = answer_schema(
    "ProposalList", "A part of the proposals, the oldest first.", texts="next?", items=[ProposalSchema]
)


class DecisionArguments(StrictSchema):
    """How to decide a proposal."""

    decision = fields.String(required=True, validate=validate.OneOf(("accept", "refuse")))
    reason = text(LONGEST_WHY, least=1, required=True)
    lab_revision = fields.Integer(
        required=True,
        strict=True,
        validate=validate.Range(min=0, max=LARGEST),
        metadata=described("The revision of the lab that was read: what was saved since is not decided unseen."),
    )


RevisionLine = answer_schema(
    "RevisionLine",
    "A revision of a lab in a list.",
    texts="reason source",
    integers="number",
    moments="saved_at",
    author=fields.String(required=True, attribute="author_label"),
)
RevisionList = answer_schema(
    "RevisionList", "A part of a lab's revisions, the newest first.", texts="next?", items=[RevisionLine]
)
RevisionSchema = answer_schema(
    "RevisionSchema",
    "A revision with the whole profile as it left it.",
    base=RevisionLine,
    lab=fields.String(required=True, attribute="lab.slug"),
    profile=fields.Dict(keys=fields.String(), required=True, attribute="snapshot"),
)


blueprint = ApiBlueprint("admin", __name__, description="Cycles, proposals and revisions, for administrators")


@blueprint.operation("/admin/cycles", ADMIN_READ, response=CountedCycles)
def cycles() -> dict[str, Any]:
    """All cycles, with counts of their applications."""
    return {"items": [_counted(cycle) for cycle in all_cycles(db.session())]}


@blueprint.operation("/admin/proposals", ADMIN_READ, arguments=ProposalsArguments, response=ProposalList, errors=(404,))
def proposals(arguments: dict[str, Any]) -> dict[str, Any]:
    """Changes that pages suggest, oldest first."""
    place = place_of(arguments["cursor"], (int,))
    query = select(LabProposal).where(
        LabProposal.state == arguments["state"], LabProposal.id > (_bounded(place[0]) if place else 0)
    )
    if arguments["lab"]:
        query = query.where(LabProposal.lab_id == or_404(lab_by_slug(db.session(), arguments["lab"])).id)
    ordered = query.options(joinedload(LabProposal.lab)).order_by(LabProposal.id).limit(arguments["limit"] + 1)
    rows = db.session().scalars(ordered).all()
    page_rows = rows[: arguments["limit"]]
    next_cursor = cursor_for([page_rows[-1].id]) if len(rows) > len(page_rows) else None
    return {"items": page_rows, "next": next_cursor}


@blueprint.operation(
    "/admin/proposals/<int:proposal_id>/decision",
    ADMIN_WRITE,
    method="POST",
    arguments=DecisionArguments,
    response=ProposalSchema,
    errors=(404, 409, 412),
)
def decide(arguments: dict[str, Any], proposal_id: int) -> LabProposal:
    """Accept what a page says, or refuse it, with a reason. A proposal is decided once."""
    session, now = db.session(), datetime.now(UTC)
    proposal = or_404(session.get(LabProposal, proposal_id))
    if proposal.state != "open":
        raise Problem(409, _decided(proposal))
    if arguments["lab_revision"] != proposal.lab.revision_number:
        raise Problem(412)
    if not arguments["reason"].strip():
        raise Problem(422, errors=(("/reason", "Say why: it stands in the history."),))
    reason = arguments["reason"].strip()
    try:
        if arguments["decision"] == "accept":
            accept_proposal(session, proposal, author=actor(), reason=reason, now=now, source="api")
        else:
            refuse_proposal(session, proposal, author=actor(), reason=reason, now=now)
    except MergeError as error:
        raise Problem(409, f"The profile has no such place any more: {error}") from None
    except StaleEdit:
        raise Problem(412) from None
    except DecidedProposal:
        session.rollback()
        session.refresh(proposal)
        raise Problem(409, _decided(proposal)) from None
    session.flush()
    session.refresh(proposal)
    return proposal


@blueprint.operation(
    "/admin/labs/<slug>/revisions", ADMIN_READ, arguments=PageArguments, response=RevisionList, errors=(404,)
)
def revisions(arguments: dict[str, Any], slug: str) -> dict[str, Any]:
    """The revisions of a lab, newest first."""
    lab = or_404(lab_by_slug(db.session(), slug))
    place = place_of(arguments["cursor"], (int,))
    rows = (
        db.session()
        .scalars(
            select(LabRevision)
            .where(LabRevision.lab_id == lab.id, LabRevision.number < (_bounded(place[0]) if place else LARGEST))
            .order_by(LabRevision.number.desc())
            .limit(arguments["limit"] + 1)
        )
        .all()
    )
    page_rows = rows[: arguments["limit"]]
    next_cursor = cursor_for([page_rows[-1].number]) if len(rows) > len(page_rows) else None
    return {"items": page_rows, "next": next_cursor}


@blueprint.operation("/admin/labs/<slug>/revisions/<int:number>", ADMIN_READ, response=RevisionSchema, errors=(404,))
def revision(slug: str, number: int) -> LabRevision:
    """A revision with the whole profile at that point."""
    lab = or_404(lab_by_slug(db.session(), slug))
    return or_404(revision_at(db.session(), lab, number))


def _counted(cycle: Cycle) -> dict[str, Any]:
    session = db.session()
    counts = {"applications": count_by_state(session, cycle), "staged": count_staged(session, cycle)}
    return {**cycle_values(cycle), **counts}


def _decided(proposal: LabProposal) -> str:
    return f"This question was {proposal.state} already. The lab’s history shows what came of it."


def _bounded(number: int) -> int:
    """A cursor's number, limited to the range of the column."""
    return min(max(number, 0), LARGEST)
