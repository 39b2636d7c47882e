"""What administrators read and decide, as JSON."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from portal.api.fields import LONGEST_SLUG, PageArguments, StrictSchema, described, text
from portal.api.schemas_application import CycleSchema
from portal.web.whole_numbers import LARGEST

PROPOSAL_STATES = ("open", "accepted", "refused")
LONGEST_WHY = 500  # characters, as the column


class CountedCycle(CycleSchema):
    """A cycle with how far its applications are."""

    applications = fields.Dict(
        keys=fields.String(), values=fields.Integer(), required=True, metadata=described("How many, by state.")
    )
    staged = fields.Integer(required=True, metadata=described("Decisions that wait for their release."))


class CountedCycles(Schema):
    """All cycles, the one with the latest deadline first."""

    items = fields.List(fields.Nested(CountedCycle), required=True)


class ProposalsArguments(PageArguments):
    """Which proposals."""

    state = fields.String(load_default="open", validate=validate.OneOf(PROPOSAL_STATES))
    lab = text(LONGEST_SLUG, load_default="", description="The slug of a lab; left out: of all.")


class ProposalSchema(Schema):
    """A change that a page suggests and a person decides."""

    id = fields.Integer(required=True)
    lab = fields.String(required=True)
    lab_name = fields.String(required=True)
    lab_revision = fields.Integer(required=True, metadata=described("The lab’s revision now."))
    path = fields.String(required=True, metadata=described("The place in the profile."))
    current = fields.Raw(required=True, allow_none=True, metadata=described("What the profile said."))
    proposed = fields.Raw(required=True, allow_none=True, metadata=described("What the page says; null: remove it."))
    why = fields.String(required=True)
    state = fields.String(required=True)
    created_at = fields.AwareDateTime(required=True)
    decided_at = fields.AwareDateTime(required=True, allow_none=True)


class ProposalList(Schema):
    """A part of the proposals, the oldest first."""

    items = fields.List(fields.Nested(ProposalSchema), required=True)
    next = fields.String(required=True, allow_none=True)


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


class RevisionLine(Schema):
    """A revision of a lab in a list."""

    number = fields.Integer(required=True)
    saved_at = fields.AwareDateTime(required=True)
    author = fields.String(required=True)
    reason = fields.String(required=True)
    source = fields.String(required=True)


class RevisionList(Schema):
    """A part of a lab's revisions, the newest first."""

    items = fields.List(fields.Nested(RevisionLine), required=True)
    next = fields.String(required=True, allow_none=True)


class RevisionSchema(RevisionLine):
    """A revision with the whole profile as it left it."""

    lab = fields.String(required=True)
    profile = fields.Dict(keys=fields.String(), required=True)
