"""One's own applications and shortlist: read, edit, submit, answer offers, with the services and rules of the pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from flask import current_app, request
from marshmallow import fields, validate

from portal.accounts.api_tokens import APPLICATION_READ, APPLICATION_WRITE
from portal.api.blueprint import IF_MATCH, IF_NONE_MATCH, REPLAY, ApiBlueprint
from portal.api.fields import LONGEST_SLUG, StrictSchema, Text, answer_schema, described, text
from portal.api.idempotency import ensure_matches, once, tagged
from portal.api.problems import Problem, refusals
from portal.applications.application.submission import locked_to_submit, submit
from portal.applications.cycles import application_of, applications_of, cycle_by_slug, labs_with_slugs, open_cycles
from portal.applications.drafts import StaleApplication, save_draft, start_application
from portal.applications.locks import locked_application
from portal.applications.moves.rules import Case, why_not, why_not_apply
from portal.applications.moves.service import perform
from portal.applications.sharing import remove_saved, save_lab, saved_labs
from portal.applications.states import SUBMITTING, moves_from
from portal.applications.status import (
    announcements_to,
    answer_offer,
    choice_of_lab,
    shown_choices,
    shown_state,
    standing_of,
    timeline,
)
from portal.applications.submissions import (
    LONGEST_REASON,
    ChosenLab,
    Draft,
    checklist,
    current_documents,
    draft_of,
    most_characters,
    why_not_answer,
    why_not_draft,
    why_not_reason,
)
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.queries import lab_by_slug
from portal.web.access import actor, or_404

if TYPE_CHECKING:
    from flask import Response
    from sqlalchemy.orm import Session

    from portal.applications.status import Answer
    from portal.models import Application, Cycle, Lab, User


MOST_CHOICES = 100  # the cycle says how many of them it takes
LONGEST_ANSWER_SENT = 100_000  # characters; the question says how many of them it takes
APPLICANT_MOVES = ("submit", "complete", "edit", "restore", "withdraw")
ANSWERS = {"accept": "accept", "decline_offer": "decline"}


QuestionSchema = answer_schema(
    "QuestionSchema",
    "A question of the form.",
    texts="key text",
    booleans="required",
    most=fields.Integer(required=True, metadata=described("Characters that the answer may have.")),
)
CycleSchema = answer_schema(
    "CycleSchema",
    "An admission cycle.",
    texts="slug name",
    integers="most_choices referees",
    moments="opens_at deadline_at reply_by_at closed_at?",
    about=fields.String(required=True, metadata=described("What applicants should know; may be empty.")),
    zone=fields.String(required=True, metadata=described("The zone in which its dates are meant.")),
    questions=[QuestionSchema],
)
StandingSchema = answer_schema(
    "StandingSchema",
    "Where it stands, in words.",
    texts="label next",
    moments="due?",
    whose=fields.String(required=True, metadata=described("Whose turn it is; empty where it is nobody’s.")),
)
PossibleMoveSchema = answer_schema(
    "PossibleMoveSchema",
    "A move from here, and what speaks against it just now.",
    texts="move label",
    refused=fields.String(required=True, allow_none=True, metadata=described("The reason against it; null if none.")),
)
ShownChoiceSchema = answer_schema(
    "ShownChoiceSchema",
    "A lab that was chosen, as its applicant sees it.",
    texts="state label message why_not_answer?",
    moments="since reply_by? offer_until?",
    lab=fields.String(required=True, attribute="lab.slug", metadata=described("The slug of the lab.")),
    lab_name=fields.String(required=True, attribute="lab.name"),
    position=fields.Integer(required=True, attribute="choice.position"),
    reason=fields.String(required=True, attribute="choice.reason"),
)
ChecklistItem = answer_schema(
    "ChecklistItem", "One thing an application needs.", texts="key title advice", booleans="done"
)
DocumentSchema = answer_schema(
    "DocumentSchema",
    "A file that the cycle asks for; without a name, none is there. Files are sent on the page of the application.",
    texts="key text filename?",
    booleans="required",
    moments="uploaded_at?",
)
ShownMoveSchema = answer_schema("ShownMoveSchema", "One line of the timeline.", texts="text by message", moments="at")
AnnouncementSchema = answer_schema(
    "AnnouncementSchema",
    "What the administrators wrote to this applicant, among others.",
    texts="about message",
    moments="written_at",
)
ApplicationLine = answer_schema(
    "ApplicationLine",
    "An application in a list.",
    texts="state receipt?",
    moments="submitted_at?",
    cycle=CycleSchema,
    standing=StandingSchema,
)
CycleList = answer_schema("CycleList", "The cycles to come.", items=[CycleSchema])
ApplicationList = answer_schema(
    "ApplicationList",
    "One's applications, and the cycles that take one now.",
    items=[ApplicationLine],
    open_cycles=[CycleSchema],
)
ApplicationSchema = answer_schema(
    "ApplicationSchema",
    "An application as a whole.",
    base=ApplicationLine,
    integers="version",
    reason=fields.String(required=True, metadata=described("Why it is not eligible; else empty.")),
    choices=[ShownChoiceSchema],
    answers=fields.Dict(keys=fields.String(), values=fields.String(), required=True),
    checklist=[ChecklistItem],
    documents=[DocumentSchema],
    timeline=[ShownMoveSchema],
    announcements=[AnnouncementSchema],
    moves=[PossibleMoveSchema],
)
ShortlistLine = answer_schema("ShortlistLine", "A saved lab.", texts="slug name leader place", booleans="is_listed")
ShortlistSchema = answer_schema("ShortlistSchema", "One's saved labs, the first one first.", items=[ShortlistLine])


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


OF_CYCLE = (
    *("slug", "name", "about", "zone", "opens_at", "deadline_at", "reply_by_at", "closed_at"),
    *("most_choices", "referees"),
)
"""What the API tells of a cycle under the names of its columns."""


def cycle_values(cycle: Cycle) -> dict[str, Any]:
    """A cycle."""
    return {
        **{name: getattr(cycle, name) for name in OF_CYCLE},
        "questions": [
            {
                "key": question["key"],
                "text": question["text"],
                "required": bool(question.get("required")),
                "most": most_characters(question),
            }
            for question in cycle.questions
        ],
    }


def line_values(session: Session, application: Application, now: datetime) -> dict[str, Any]:
    """An application in a list."""
    return {
        "cycle": cycle_values(application.cycle),
        "state": application.state,
        "standing": standing_of(session, application, now),
        "submitted_at": application.submitted_at,
        "receipt": application.receipt,
    }


def application_values(session: Session, application: Application, *, actor: User, now: datetime) -> dict[str, Any]:
    """A whole application."""
    case = Case(application, None, actor, "applicant", now)
    uploaded = current_documents(session, application)
    return {
        **line_values(session, application, now),
        "version": application.version,
        "reason": application.state_reason if application.state == "ineligible" else "",
        "choices": shown_choices(session, application, actor=actor, now=now),
        "answers": application.answers,
        "checklist": checklist(session, application),
        "documents": [
            {
                **{name: asked.get(name, False) for name in ("key", "text", "required")},
                "filename": file and file.filename,
                "uploaded_at": file and file.uploaded_at,
            }
            for asked in application.cycle.documents or ()
            for file in [uploaded.get(asked["key"])]
        ],
        "timeline": timeline(session, application),
        "announcements": announcements_to(session, application),
        "moves": [
            {"move": move.name, "label": move.label, "refused": why_not(session, move, case)}
            for move in moves_from("application", application.state, "applicant")
        ],
    }


blueprint = ApiBlueprint("application", __name__, description="One’s own applications and shortlist")

NONE_YET = "You have no application in this cycle. PUT makes one, as long as the cycle takes applications."
FIRST_VERSION = 1  # of a form that nobody has saved yet
ANSWERED = {"offered", "accepted", "declined_by_applicant", "expired", "closed"}


@blueprint.operation("/application", APPLICATION_READ, response=ApplicationList)
def applications() -> dict[str, Any]:
    """One's applications, newest first, and the cycles that accept one now."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    own_applications = applications_of(session, user)
    cycle_ids = {application.cycle_id for application in own_applications}
    return {
        "items": [line_values(session, application, now) for application in own_applications],
        "open_cycles": [cycle_values(cycle) for cycle in open_cycles(session, now) if cycle.id not in cycle_ids],
    }


@blueprint.operation(
    "/application/<cycle>", APPLICATION_READ, response=ApplicationSchema, errors=(404,), headers=(IF_NONE_MATCH,)
)
def application(cycle: str) -> Response:
    """One's application in a cycle, with its ETag."""
    return _answer(_own(cycle))


@blueprint.operation(
    "/application/<cycle>",
    APPLICATION_WRITE,
    method="PUT",
    arguments=DraftArguments,
    response=ApplicationSchema,
    errors=(404, 409, 412, 428),
    headers=(IF_MATCH,),
)
def save_application(arguments: dict[str, Any], cycle: str) -> Response:
    """Save the form; without an application in the cycle, create one."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    row = or_404(cycle_by_slug(session, cycle))
    application = application_of(session, user, row)
    if application is not None:
        application = locked_application(session, application)
        ensure_matches(application.version)
    elif "If-Match" in request.headers:
        raise Problem(412)
    elif (reason := why_not_apply(row, now)) is not None:
        raise Problem(409, reason)
    draft = _draft(row, arguments, application)
    # A form may have been saved between the look for an application and here: it is not overwritten unseen.
    base = FIRST_VERSION if application is None else application.version
    with refusals():
        application = start_application(session, user, row, now=now)
        try:
            application = save_draft(session, application, draft, base=base, now=now)
        except StaleApplication:
            raise Problem(412) from None
    return _answer(application)


@blueprint.operation(
    "/application/<cycle>/moves",
    APPLICATION_WRITE,
    method="POST",
    arguments=MoveArguments,
    response=ApplicationSchema,
    errors=(404, 409, 412),
    headers=(IF_MATCH, REPLAY),
)
def move_application(arguments: dict[str, Any], cycle: str) -> Response:
    """Submit, open for editing, restore what was submitted, complete, or withdraw.

    With If-Match, only if the application has not changed since it was read.
    """
    user, now, application = actor(), datetime.now(UTC), _own(cycle)
    # Before anything is locked: a process's first use of the index takes seconds, and on SQLite all writers would wait.
    # While the index is being built, match records are computed later.
    is_submitting = arguments["move"] in SUBMITTING
    labs = live_index(current_app).current_if_ready(db.session()) if is_submitting else None

    def make() -> dict[str, Any]:
        session = db.session()
        locked = (locked_to_submit if is_submitting else locked_application)(session, application)
        if "If-Match" in request.headers:
            ensure_matches(locked.version)
        expected = "complete" if locked.state == "incomplete" else "submit"
        with refusals():
            if is_submitting and arguments["move"] == expected:
                submit(session, labs, locked, actor=user, now=now)
            else:
                perform(session, arguments["move"], locked, actor=user, capacity="applicant", now=now)
        return _dumped(locked)

    return once(db.session(), user, now, make)


@blueprint.operation(
    "/application/<cycle>/choices/<lab>/moves",
    APPLICATION_WRITE,
    method="POST",
    arguments=AnswerArguments,
    response=ApplicationSchema,
    errors=(404, 409),
    headers=(REPLAY,),
)
def answer(arguments: dict[str, Any], cycle: str, lab: str) -> Response:
    """Accept or decline the offer of a lab. Accepting closes the other choices."""
    user, now, application = actor(), datetime.now(UTC), _own(cycle)
    choice = or_404(choice_of_lab(application, lab))

    def make() -> dict[str, Any]:
        if shown_state(application, choice)[0] not in ANSWERED:
            raise Problem(409, "There is no offer to answer.")
        with refusals():
            answer_offer(db.session(), choice, cast("Answer", ANSWERS[arguments["move"]]), actor=user, now=now)
        return _dumped(application)

    return once(db.session(), user, now, make)


@blueprint.operation("/shortlist", APPLICATION_READ, response=ShortlistSchema)
def shortlist() -> dict[str, Any]:
    """One's saved labs. One that is not listed any more stays until it is removed."""
    return {"items": saved_labs(db.session(), actor())}


@blueprint.operation("/shortlist/<lab>", APPLICATION_WRITE, method="PUT", response=ShortlistSchema, errors=(404, 409))
def save_to_shortlist(lab: str) -> dict[str, Any]:
    """Save a lab for later. Of one that is saved, nothing changes."""
    with refusals():
        save_lab(db.session(), actor(), _listed_once(lab), now=datetime.now(UTC))
    return shortlist()


@blueprint.operation("/shortlist/<lab>", APPLICATION_WRITE, method="DELETE", response=ShortlistSchema, errors=(404,))
def remove_from_shortlist(lab: str) -> dict[str, Any]:
    """Take a lab off one's shortlist. Of one that is not on it, nothing changes."""
    remove_saved(db.session(), actor(), _listed_once(lab))
    return shortlist()


def _listed_once(slug: str) -> Lab:
    """The lab at this address, archived or not; drafts are nobody's business."""
    lab = lab_by_slug(db.session(), slug)
    return or_404(None if lab is None or lab.is_draft else lab)


def _own(cycle: str) -> Application:
    row = or_404(cycle_by_slug(db.session(), cycle))
    application = application_of(db.session(), actor(), row)
    if application is None:
        raise Problem(404, NONE_YET)
    return application


def _dumped(application: Application) -> dict[str, Any]:
    values = application_values(db.session(), application, actor=actor(), now=datetime.now(UTC))
    dumped: dict[str, Any] = ApplicationSchema().dump(values)
    return dumped


def _answer(application: Application) -> Response:
    return tagged(_dumped(application), application.version)


def _draft(cycle: Cycle, arguments: dict[str, Any], application: Application | None) -> Draft:
    """What was sent, as the form's values.

    Raises:
        Problem: 422, with the error of each field.
    """
    session = db.session()
    slugs = [choice["lab"] for choice in arguments["choices"]]
    labs = labs_with_slugs(session, slugs)
    errors = [
        (f"/choices/{place}/lab", "There is no such lab.") for place, slug in enumerate(slugs) if slug not in labs
    ]
    reasons = ((place, why_not_reason(choice["reason"])) for place, choice in enumerate(arguments["choices"]))
    errors += [(f"/choices/{place}/reason", error) for place, error in reasons if error]
    answers = ((key, why_not_answer(cycle, key, text)) for key, text in arguments["answers"].items())
    errors += [("/answers/" + key.replace("~", "~0").replace("/", "~1"), error) for key, error in answers if error]
    if errors:
        raise Problem(422, errors=tuple(errors))
    chosen = tuple(ChosenLab(labs[choice["lab"]].id, choice["reason"]) for choice in arguments["choices"])
    stored = draft_of(application) if application is not None else Draft()
    draft = Draft(chosen, arguments["answers"], stored.referees)
    reason = why_not_draft(session, cycle, draft, stored)
    if reason is not None and (application is None or draft != stored):
        raise Problem(422, errors=(("/choices", reason),))
    return draft
