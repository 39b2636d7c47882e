"""The applicants of one's labs as JSON: blind as long as the lab’s pages are."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from portal.api.fields import LONGEST_SLUG, PageArguments, StrictSchema, described, text
from portal.api.schemas_application import PossibleMoveSchema
from portal.api.schemas_rank import ReasonsSchema, TermSchema
from portal.applications.moves.service import LONGEST_MESSAGE, USUAL_REPLY_DAYS
from portal.applications.states import CHOICE_LABELS, MOVES
from portal.reviews.board.rules import LONGEST_REPLY, is_lab_move
from portal.reviews.queue.filters import CARDS, LONGEST_TEXT, SORTS

LAB_MOVES = tuple(move.name for move in MOVES if move.subject == "choice" and is_lab_move(move.name))


class QueueArguments(PageArguments):
    """Which applicants, in which order."""

    cycle = text(LONGEST_SLUG, load_default="", description="The slug of a cycle; left out: the newest.")
    state = fields.String(load_default="", validate=validate.OneOf(["", *CHOICE_LABELS]))
    card = fields.String(
        load_default="", validate=validate.OneOf(["", *CARDS]), metadata=described("By one’s own scorecard.")
    )
    new = fields.Boolean(load_default=False, metadata=described("Only what is new since one’s last visit of the page."))
    least = fields.Float(
        load_default=0.0, validate=validate.Range(min=0, max=1), metadata=described("Score from here on.")
    )
    q = text(LONGEST_TEXT, load_default="", description="A text in what was written.")
    sort = fields.String(load_default="match", validate=validate.OneOf(sorted(SORTS)))


class CycleName(Schema):
    """A cycle by name."""

    slug = fields.String(required=True)
    name = fields.String(required=True)


class ReviewedLab(Schema):
    """A lab that one reads for."""

    slug = fields.String(required=True)
    name = fields.String(required=True)
    position = fields.String(required=True, metadata=described("leader or reviewer."))
    blind = fields.Boolean(required=True)
    cycles = fields.List(fields.Nested(CycleName), required=True)


class ReviewedLabs(Schema):
    """The labs that one reads for."""

    items = fields.List(fields.Nested(ReviewedLab), required=True)


class ApplicantSchema(Schema):
    """Who it is, or a pseudonym while that is hidden."""

    label = fields.String(required=True)
    email = fields.String(required=True, allow_none=True)
    hidden = fields.Boolean(required=True)


class StoredMatchSchema(Schema):
    """What the match record says."""

    position = fields.Integer(
        required=True, metadata=described("The lab among the labs that fit; 0 if it does not fit.")
    )
    labs = fields.Integer(required=True)
    applicant_position = fields.Integer(required=True)
    applicants = fields.Integer(required=True, metadata=described("With those that the lab could read at the time."))
    terms = fields.List(fields.Nested(TermSchema), required=True)


class QueueRowSchema(Schema):
    """A choice of the lab in its queue."""

    id = fields.Integer(required=True)
    applicant = fields.Nested(ApplicantSchema, required=True)
    state = fields.String(required=True)
    state_since = fields.AwareDateTime(required=True)
    score = fields.Float(required=True)
    preference = fields.Integer(required=True, allow_none=True, metadata=described("The lab’s own order."))
    card = fields.String(required=True)
    fresh = fields.String(required=True)
    submitted_at = fields.AwareDateTime(required=True, allow_none=True)
    reply_by_at = fields.AwareDateTime(required=True, allow_none=True)
    replied_at = fields.AwareDateTime(required=True, allow_none=True)
    late = fields.Boolean(required=True)
    match = fields.Nested(StoredMatchSchema, required=True, allow_none=True)


class QueueSchema(Schema):
    """A part of a queue."""

    cycle = fields.Nested(CycleName, required=True, allow_none=True)
    total = fields.Integer(required=True)
    items = fields.List(fields.Nested(QueueRowSchema), required=True)
    next = fields.String(required=True, allow_none=True)


class StatedTopic(Schema):
    """A topic of the applicant."""

    text = fields.String(required=True)
    weight = fields.Float(required=True)


class AnswerSchema(Schema):
    """An answer of the form."""

    question = fields.String(required=True)
    answer = fields.String(required=True)


class LetterSchema(Schema):
    """A letter of reference."""

    referee = fields.String(required=True)
    relation = fields.String(required=True)
    text = fields.String(required=True)
    received_at = fields.AwareDateTime(required=True)


class StepSchema(Schema):
    """A move of the choice."""

    at = fields.AwareDateTime(required=True)
    label = fields.String(required=True)
    who = fields.String(required=True)
    message = fields.String(required=True)


class StagedSchema(Schema):
    """A decision of the lab that waits for its release."""

    kind = fields.String(required=True)
    message = fields.String(required=True)
    reply_days = fields.Integer(required=True, allow_none=True)
    staged_at = fields.AwareDateTime(required=True)


class ChoiceSchema(Schema):
    """One applicant of the lab."""

    id = fields.Integer(required=True)
    cycle = fields.Nested(CycleName, required=True)
    applicant = fields.Nested(ApplicantSchema, required=True)
    state = fields.String(required=True)
    state_since = fields.AwareDateTime(required=True)
    score = fields.Float(required=True)
    preference = fields.Integer(required=True, allow_none=True)
    reply_by_at = fields.AwareDateTime(required=True, allow_none=True)
    replied_at = fields.AwareDateTime(required=True, allow_none=True)
    topics = fields.List(fields.Nested(StatedTopic), required=True)
    statement = fields.String(required=True)
    reason = fields.String(required=True, metadata=described("Why the applicant chose this lab."))
    answers = fields.List(fields.Nested(AnswerSchema), required=True)
    resume = fields.String(required=True)
    hidden_text = fields.String(required=True, metadata=described("Text of the resume that nobody sees on it."))
    notices = fields.List(fields.String(), required=True)
    letters = fields.List(fields.Nested(LetterSchema), required=True)
    steps = fields.List(fields.Nested(StepSchema), required=True)
    match = fields.Nested(ReasonsSchema, required=True, allow_none=True)
    staged = fields.Nested(StagedSchema, required=True, allow_none=True)
    moves = fields.List(fields.Nested(PossibleMoveSchema), required=True)
    for_the_leader = fields.List(fields.String(), required=True, metadata=described("What only the leader can do."))


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
