"""One's own applications as JSON: what their applicant may see, and nothing that is not released."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from portal.api.fields import LONGEST_SLUG, StrictSchema, Text, described, text
from portal.applications.checklist import LONGEST_REASON

MOST_CHOICES = 100  # the cycle says how many of them it takes
LONGEST_ANSWER_SENT = 100_000  # characters; the question says how many of them it takes
APPLICANT_MOVES = ("submit", "complete", "edit", "restore", "withdraw")
ANSWERS = {"accept": "accept", "decline_offer": "decline"}


class QuestionSchema(Schema):
    """A question of the form."""

    key = fields.String(required=True)
    text = fields.String(required=True)
    required = fields.Boolean(required=True)
    most = fields.Integer(required=True, metadata=described("Characters that the answer may have."))


class CycleSchema(Schema):
    """An admission cycle."""

    slug = fields.String(required=True)
    name = fields.String(required=True)
    about = fields.String(required=True, metadata=described("What applicants should know; may be empty."))
    zone = fields.String(required=True, metadata=described("The zone in which its dates are meant."))
    opens_at = fields.AwareDateTime(required=True)
    deadline_at = fields.AwareDateTime(required=True)
    reply_by_at = fields.AwareDateTime(required=True)
    closed_at = fields.AwareDateTime(required=True, allow_none=True)
    most_choices = fields.Integer(required=True)
    referees = fields.Integer(required=True)
    questions = fields.List(fields.Nested(QuestionSchema), required=True)


class StandingSchema(Schema):
    """Where it stands, in words."""

    label = fields.String(required=True)
    next = fields.String(required=True)
    whose = fields.String(required=True, metadata=described("Whose turn it is; empty where it is nobody’s."))
    due = fields.AwareDateTime(required=True, allow_none=True)


class PossibleMoveSchema(Schema):
    """A move from here, and what speaks against it just now."""

    move = fields.String(required=True)
    label = fields.String(required=True)
    refused = fields.String(required=True, allow_none=True, metadata=described("The reason against it; null if none."))


class ShownChoiceSchema(Schema):
    """A lab that was chosen, as its applicant sees it."""

    lab = fields.String(required=True, metadata=described("The slug of the lab."))
    lab_name = fields.String(required=True)
    position = fields.Integer(required=True)
    reason = fields.String(required=True)
    state = fields.String(required=True)
    label = fields.String(required=True)
    since = fields.AwareDateTime(required=True)
    message = fields.String(required=True)
    reply_by = fields.AwareDateTime(required=True, allow_none=True)
    offer_until = fields.AwareDateTime(required=True, allow_none=True)
    why_not_answer = fields.String(required=True, allow_none=True)


class ChecklistItem(Schema):
    """One thing an application needs."""

    key = fields.String(required=True)
    title = fields.String(required=True)
    done = fields.Boolean(required=True)
    advice = fields.String(required=True)


class ShownMoveSchema(Schema):
    """One line of the timeline."""

    at = fields.AwareDateTime(required=True)
    text = fields.String(required=True)
    by = fields.String(required=True)
    message = fields.String(required=True)


class AnnouncementSchema(Schema):
    """What the administrators wrote to this applicant, among others."""

    written_at = fields.AwareDateTime(required=True)
    about = fields.String(required=True)
    message = fields.String(required=True)


class ApplicationLine(Schema):
    """An application in a list."""

    cycle = fields.Nested(CycleSchema, required=True)
    state = fields.String(required=True)
    standing = fields.Nested(StandingSchema, required=True)
    submitted_at = fields.AwareDateTime(required=True, allow_none=True)
    receipt = fields.String(required=True, allow_none=True)


class CycleList(Schema):
    """The cycles to come."""

    items = fields.List(fields.Nested(CycleSchema), required=True)


class ApplicationList(Schema):
    """One's applications, and the cycles that take one now."""

    items = fields.List(fields.Nested(ApplicationLine), required=True)
    open_cycles = fields.List(fields.Nested(CycleSchema), required=True)


class ApplicationSchema(ApplicationLine):
    """An application as a whole."""

    version = fields.Integer(required=True)
    reason = fields.String(required=True, metadata=described("Why it is not eligible; else empty."))
    choices = fields.List(fields.Nested(ShownChoiceSchema), required=True)
    answers = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    checklist = fields.List(fields.Nested(ChecklistItem), required=True)
    timeline = fields.List(fields.Nested(ShownMoveSchema), required=True)
    announcements = fields.List(fields.Nested(AnnouncementSchema), required=True)
    moves = fields.List(fields.Nested(PossibleMoveSchema), required=True)


class ChoiceArguments(StrictSchema):
    """A lab and why."""

    lab = text(LONGEST_SLUG, least=1, required=True, description="The slug of the lab.")
    reason = text(LONGEST_REASON, load_default="")


class DraftArguments(StrictSchema):
    """The whole form: what is left out is taken off."""

    choices = fields.List(
        fields.Nested(ChoiceArguments),
        required=True,
        validate=validate.Length(max=MOST_CHOICES),
        metadata=described("The labs in one’s own order."),
    )
    answers = fields.Dict(
        keys=Text(validate=validate.Length(max=LONGEST_SLUG)),
        values=Text(validate=validate.Length(max=LONGEST_ANSWER_SENT)),
        load_default=dict,
        metadata=described("Answers by the key of their question."),
    )


class MoveArguments(StrictSchema):
    """What to do with an application."""

    move = fields.String(required=True, validate=validate.OneOf(APPLICANT_MOVES))


class AnswerArguments(StrictSchema):
    """How to answer an offer."""

    move = fields.String(required=True, validate=validate.OneOf(sorted(ANSWERS)))
