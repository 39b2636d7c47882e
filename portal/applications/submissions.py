"""What an application contains and needs: as one value, as rows, as it was submitted, and what is missing."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, func, select

from portal.applications.cycles import application_path, last_submission, takes_no_applications
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.models import Application, Choice, Cycle, Document, Lab, Referee, Submission
from portal.moments import told_deadline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

LONGEST_REASON = 2_000  # characters
LONGEST_OF_REFEREE = 200  # characters of each field
LONGEST_ANSWER = 4_000  # characters, unless the question says otherwise
IF_KEPT_FROM_IT = "If something on our side kept you from it, write to the administrators."
IF_IT_SHOULD = "If you were told that it takes some, ask the administrators."
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no characters that look like another
RECEIPT_GROUPS, GROUP_LENGTH = 3, 4  # of a receipt, with a hyphen between them; characters of a group
IS_NEWEST = and_(Submission.application_id == Application.id, Submission.number == Application.submissions)
"""Joins an `Application` with what was submitted last, which is what counts."""
GONE = "A lab that is not in the portal any more"


@dataclass(frozen=True, slots=True)
class ChosenLab:
    """A lab that an applicant chooses, with the reason."""

    lab_id: int
    reason: str = ""


class NamedReferee(NamedTuple):
    """A referee whom an applicant names and has not asked yet; any part may be missing still."""

    name: str = ""
    email: str = ""
    relation: str = ""

    @property
    def can_be_asked(self) -> bool:
        """Whether there is a name, and what looks like an address."""
        return bool(self.name) and "@" in self.email.strip("@")


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form of an application holds: labs in the applicant's order, answers by the key of the question, and
    referees who are not asked yet.
    """

    labs: tuple[ChosenLab, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    referees: tuple[NamedReferee, ...] = ()


def draft_of(application: Application) -> Draft:
    """What is saved of an application, as the form holds it."""
    return Draft(
        tuple(ChosenLab(choice.lab_id, choice.reason) for choice in application.choices),
        {key: str(value) for key, value in application.answers.items()},
        tuple(NamedReferee(**row) for row in application.named_referees or ()),
    )


def why_not_save(application: Application, now: datetime, *, choices_change: bool) -> str | None:
    """Why it cannot be saved: applications are edited as drafts until the deadline, or completed when asked to."""
    cycle = application.cycle
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed."
    if application.state == "incomplete":
        if choices_change and now >= cycle.deadline_at:
            return "The deadline has passed: the labs and the reasons stay as they are. Add what is missing."
        return None
    if application.state != "draft":
        return "This application is not a draft. Open it for editing first, if the deadline allows."
    if now >= cycle.deadline_at:
        passed_on = told_deadline(cycle.deadline_at, cycle.zone)
        return f"The deadline of {cycle.name} passed on {passed_on}. {IF_KEPT_FROM_IT}"
    return None


def why_not_draft(session: Session, cycle: Cycle, draft: Draft, stored: Draft) -> str | None:
    """The first reason why a draft with this content is refused. A lab that is `stored` already and takes no
    applications any more keeps nobody from saving the rest; submitting is refused (`labs_open`).
    """
    lab_ids = [lab.lab_id for lab in draft.labs]
    if len(set(lab_ids)) != len(lab_ids):
        return "A lab is chosen twice. Keep it once."
    if len(lab_ids) > cycle.most_choices:
        return f"You can choose {cycle.most_choices} labs in {cycle.name}; these are {len(lab_ids)}. Take some off."
    existing_ids = set(session.scalars(select(Lab.id).where(Lab.id.in_(lab_ids))))
    if set(lab_ids) - existing_ids:
        return "One of the labs is not in the portal any more. Remove it from your choices."
    added_ids = set(lab_ids) - {lab.lab_id for lab in stored.labs}
    closed_lab = session.scalars(
        select(Lab.name).where(takes_no_applications(cycle.id), Lab.id.in_(added_ids)).order_by(Lab.name)
    ).first()
    if closed_lab:
        return f"{closed_lab} takes no applications in {cycle.name}. Remove it from your choices. {IF_IT_SHOULD}"
    if any(len(text) > LONGEST_OF_REFEREE for referee in draft.referees for text in referee):
        return f"A referee’s name, address and relation may have {LONGEST_OF_REFEREE} characters each."
    return next((reason for reason in map(why_not_reason, (lab.reason for lab in draft.labs)) if reason), None) or next(
        (reason for reason in (why_not_answer(cycle, key, text) for key, text in draft.answers.items()) if reason), None
    )


def why_not_chosen_labs(session: Session, application: Application) -> str | None:
    """Why the chosen labs cannot be submitted to: some take no applications in this cycle."""
    closed = session.scalars(
        select(Lab.name)
        .join(Choice, Choice.lab_id == Lab.id)
        .where(Choice.application_id == application.id, takes_no_applications(application.cycle_id))
        .order_by(Choice.position)
    ).all()
    if not closed:
        return None
    remove = "Remove it from your choices." if len(closed) == 1 else "Remove them from your choices."
    return f"No applications are taken in this cycle by: {', '.join(closed)}. {remove}"


def why_not_reason(text: str) -> str | None:
    """Why the reason for one lab is refused."""
    if len(text) > LONGEST_REASON:
        return f"A reason may have {LONGEST_REASON:,} characters; this one has {len(text):,}."
    return None


def most_characters(question: Mapping[str, Any]) -> int:
    """How long an answer may be."""
    return int(question.get("most") or LONGEST_ANSWER)


def why_not_answer(cycle: Cycle, key: str, text: str) -> str | None:
    """Why the answer to one question is refused."""
    question = next((question for question in cycle.questions if question["key"] == key), None)
    if question is None:
        return "The form has no such question."
    limit = most_characters(question)
    if len(text) > limit:
        return f"The answer to “{question['text']}” may have {limit:,} characters; this one has {len(text):,}."
    return None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing an application needs: what it is, how many fields are empty or wrong, what to do then and where."""

    key: str
    title: str
    left: int
    advice: str
    path: str

    @property
    def done(self) -> bool:
        """Whether it is complete."""
        return not self.left


def checklist(session: Session, application: Application) -> Sequence[Item]:
    """Every item, in the usual order of completing them."""
    user, cycle, here = application.applicant, application.cycle, application_path(application)
    stated = stated_in(interests_of(session, user))
    resume = resume_of(session, user)
    choices = session.scalars(
        select(Choice).where(Choice.application_id == application.id).order_by(Choice.position)
    ).all()
    # What was submitted keeps its labs, also while it is completed.
    closed = why_not_chosen_labs(session, application) if application.state == "draft" else None
    without_reason = [choice.position for choice in choices if not choice.reason.strip()]
    if choices:
        choose = closed or f"Choose at most {cycle.most_choices} labs; you have {len(choices)}."
    else:
        choose = "Choose at least one lab."
    labs = "1 lab" if cycle.most_choices == 1 else f"1 to {cycle.most_choices} labs, in your order"
    fits = 0 < len(choices) <= cycle.most_choices and closed is None
    why = f"Say why you choose {_places(without_reason)}." if without_reason else "Say why you choose each lab."
    confirmed = resume is not None and resume.confirmed_at is not None
    hand_in = ("Confirm the text of your resume.", "/me/resume/text") if resume else ("Add a resume.", "/me/resume")
    unstated = int(not (stated.topics or stated.statement.strip()))
    items = [
        Item("interests", "Interests", unstated, "State at least one topic or a statement.", "/me/interests"),
        Item("resume", "Resume, with its text confirmed", int(not confirmed), *hand_in),
        Item("choices", labs, int(not fits), choose, f"{here}/#choices"),
        Item("reasons", "A reason for each lab", len(without_reason) if choices else 1, why, f"{here}/#choices"),
    ]
    for question in cycle.questions:
        if question.get("required"):
            key, title = question["key"], question["text"]
            is_empty = not str(application.answers.get(key, "")).strip()
            items.append(Item(f"question:{key}", title, int(is_empty), f"Answer “{title}”.", f"{here}/#questions"))
    uploaded = current_documents(session, application) if cycle.documents else {}
    for asked in cycle.documents or ():
        if asked.get("required"):
            key, title = asked["key"], asked["text"]
            left, advice = int(key not in uploaded), f"Upload “{title}”."
            items.append(Item(f"document:{key}", title, left, advice, f"{here}/#documents"))
    if cycle.referees:
        items.append(_referees(session, application, cycle.referees))
    return items


def current_documents(session: Session, application: Application) -> dict[str, Document]:
    """The documents of an application as they are now, by their key."""
    of_this = select(Document).where(Document.application_id == application.id, Document.removed_at.is_(None))
    return {document.key: document for document in session.scalars(of_this.order_by(Document.id))}


def documents_sent(session: Session, submission: Submission, cycle: Cycle) -> list[tuple[str, Document]]:
    """The documents of a submission, each with what the cycle calls it, in the order of the cycle's list."""
    ids = submission.document_ids or ()
    sent = {row.key: row for row in session.scalars(select(Document).where(Document.id.in_(ids)))} if ids else {}
    names = {asked["key"]: asked["text"] for asked in cycle.documents or ()}
    in_order = (*names, *sorted(sent.keys() - names.keys()))
    return [(names.get(key, sent[key].filename), sent[key]) for key in in_order if key in sent]


def missing_from(session: Session, application: Application) -> Sequence[Item]:
    """The items that are missing."""
    return [item for item in checklist(session, application) if not item.done]


def _referees(session: Session, application: Application, required: int) -> Item:
    asked = select(func.count()).where(
        Referee.application_id == application.id,
        Referee.revoked_at.is_(None),
        Referee.declined_at.is_(None),
        Referee.token_hash.is_not(None) | Referee.received_at.is_not(None),
    )
    named = session.scalars(asked).one() + sum(referee.can_be_asked for referee in draft_of(application).referees)
    missing = max(0, required - named)
    more = "more " if named else ""
    return Item(
        "referees",
        f"{required} {'referee' if required == 1 else 'referees'}",
        missing,
        f"Name {missing} {more}{'referee' if missing == 1 else 'referees'}, with an e-mail address.",
        f"{application_path(application)}/#referees",
    )


def _places(positions: Sequence[int]) -> str:
    if len(positions) == 1:
        return f"lab {positions[0]}"
    return f"labs {', '.join(map(str, positions[:-1]))} and {positions[-1]}"


def write_choices(session: Session, application: Application, labs: Sequence[ChosenLab], *, now: datetime) -> None:
    """Make these the choices, in this order; a lab that stays keeps its row. New ids must not tell the order."""
    existing = {choice.lab_id: choice for choice in application.choices}
    chosen_ids = {chosen.lab_id for chosen in labs}
    for choice in list(application.choices):
        if choice.lab_id not in chosen_ids:
            application.choices.remove(choice)
    session.flush()
    positions = {chosen.lab_id: position for position, chosen in enumerate(labs, start=1)}
    for chosen in sorted(labs, key=lambda lab: lab.lab_id):
        choice = existing.get(chosen.lab_id) or Choice(
            lab_id=chosen.lab_id,
            state="pending",
            state_since=now,
            shown_state="pending",
            shown_since=now,
            created_at=now,
        )
        if choice.lab_id not in existing:
            application.choices.append(choice)
        choice.position, choice.reason = positions[chosen.lab_id], chosen.reason
    session.flush()
    session.expire(application, ["choices"])


def by_lab(choices: Iterable[Choice]) -> list[Choice]:
    """Choices in the order for acting on all: news and ids that labs see must not tell the applicant's order."""
    return sorted(choices, key=lambda choice: choice.lab_id)


def bring_back(session: Session, application: Application, *, now: datetime) -> None:
    """Restore the last submission into the draft, without labs that are no longer in the portal."""
    submission = last_submission(session, application)
    if submission is None:
        raise LookupError(f"application {application.id} was never submitted")
    existing_ids = set(session.scalars(select(Lab.id)))
    ordered = sorted(submission.choices, key=lambda choice: int(choice["position"]))
    labs = [ChosenLab(choice["lab_id"], choice["reason"]) for choice in ordered if choice["lab_id"] in existing_ids]
    application.answers = dict(submission.answers)
    application.version += 1
    for document in session.scalars(select(Document).where(Document.application_id == application.id)):
        document.removed_at = None if document.id in (submission.document_ids or ()) else document.removed_at or now
    write_choices(session, application, labs, now=now)


def count_submission(application: Application, now: datetime) -> None:
    """Count one more submission; the first one gets the receipt."""
    application.submissions += 1
    application.submitted_at = now
    if application.receipt is None:
        groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(RECEIPT_GROUPS))
        application.receipt = "-".join(groups)


def keep_submission(session: Session, application: Application, now: datetime) -> Submission:
    """Store the present content of the application, with the interests and the confirmed resume as they are now."""
    stated, resume = stated_in(interests_of(session, application.applicant)), resume_of(session, application.applicant)
    asked = {document["key"] for document in application.cycle.documents or ()}  # the form shows no others
    documents = current_documents(session, application).items()
    submission = Submission(
        application_id=application.id,
        number=application.submissions,
        submitted_at=now,
        answers=dict(application.answers),
        choices=[
            {"lab_id": choice.lab_id, "position": choice.position, "reason": choice.reason}
            for choice in application.choices
        ],
        interests={
            "topics": [{"text": topic.text, "weight": topic.weight} for topic in stated.topics],
            "statement": stated.statement,
            "education": stated.education,
            "facets": {name: list(values) for name, values in stated.facets.items()},
            "resume_weight": stated.resume_weight,
        },
        document_ids=[document.id for key, document in documents if key in asked],
    )
    if resume is not None and resume.confirmed_at is not None:
        submission.resume_kind = resume.kind
        submission.resume_filename = resume.filename
        submission.resume_size = resume.size
        submission.resume_pages = resume.pages
        submission.resume_text = resume.text
        submission.resume_hidden_text = resume.hidden_text
        submission.resume_warnings = list(resume.warnings)
        submission.storage_key = resume.storage_key
    session.add(submission)
    session.flush()
    return submission


def labs_sent(session: Session, submission: Submission) -> list[tuple[str, str]]:
    """The name of each lab of a submission, in order, and the reason."""
    lab_ids = [choice["lab_id"] for choice in submission.choices]
    names = {lab.id: lab.name for lab in session.scalars(select(Lab).where(Lab.id.in_(lab_ids)))}
    ordered = sorted(submission.choices, key=lambda choice: int(choice["position"]))
    return [(names.get(choice["lab_id"], GONE), choice["reason"]) for choice in ordered]
