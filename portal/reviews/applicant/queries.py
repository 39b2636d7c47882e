"""One applicant of a lab, or several side by side: what was submitted, the stored match, letters, the choice's moves.

While the applicant is hidden from the reviewer, texts are redacted and there is no file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, select

from portal.applications.match_records import match_of, resume_marks, strong_terms
from portal.applications.states import CHOICE_LABELS
from portal.applications.submissions import documents_sent
from portal.db import columns
from portal.documents.kinds import Kind
from portal.documents.notices import Notice
from portal.documents.pictures import MOST_PAGES
from portal.matching import mark as mark_terms
from portal.models import MoveRecord, Referee, User
from portal.models.user import called
from portal.reviews.blind_review import Redactor, shown_person
from portal.reviews.choice_snapshot import redactor_for, snapshot_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.matches import LabMatch, ProfileView
    from portal.models import Choice, Document, Lab, MatchRecord, Submission
    from portal.reviews.blind_review import Shown
    from portal.reviews.choice_snapshot import ChoiceSnapshot

SENTENCES = {
    Notice.CUT: ("This resume is longer than what is kept. Its end is missing below and did not count in the match."),
    Notice.VERY_SHORT: "Very little text was found in this resume, so that the match says little about it.",
    Notice.MOSTLY_NOT_LETTERS: (
        "Most of what was read from this resume is not letters. The match may miss what it says."
    ),
    Notice.GARBLED: (
        "Many words of this resume came out garbled, as happens with unusual fonts. The match may miss what it says."
    ),
    Notice.PICTURE_PAGES: (
        "At least one page of this file is a picture or a drawing, such as a scan. "
        "Text on it was not read and did not count in the match."
    ),
    Notice.RECOGNISED_TEXT: (
        "This file is a scan. The text below is what a program recognised in its pictures; nobody sees it in the file."
    ),
    Notice.MAY_BE_HIDDEN: (
        "Some text below has the colour of the paper in the file. It may be hidden there, or stand on a drawing."
    ),
    Notice.NOT_UTF8: (
        "The characters of this text file had to be inferred. Where accents or signs look odd, they were read wrongly."
    ),
}


def reading_notices(warnings: Iterable[str]) -> Sequence[str]:
    """The sentences for a resume's stored notices, except hidden text, which the page shows elsewhere."""
    return [SENTENCES[notice] for notice in map(Notice, warnings) if notice is not Notice.HIDDEN_TEXT]


_RECEIVED = (
    select(
        Referee.id,
        Referee.name,
        Referee.email,
        Referee.relation,
        Referee.letter,
        Referee.received_at,
        Referee.storage_key,
    )
    .where(Referee.application_id == bindparam("application"), Referee.received_at.is_not(None))
    .order_by(Referee.received_at, Referee.id)
)
_MOVES = (
    select(
        MoveRecord.move,
        MoveRecord.to_state,
        MoveRecord.at,
        MoveRecord.actor_role,
        MoveRecord.message,
        User.name,
        User.email,
    )
    .outerjoin(User, User.id == MoveRecord.actor_id)
    .where(MoveRecord.choice_id == bindparam("choice"))
    .order_by(MoveRecord.at, MoveRecord.id)
)


_EDUCATION = re.compile(
    r"^\W{0,3}(?:education|academic background|ausbildung|studium|formation|estudios|教育背景|教育经历)\W*\n"
    r"((?:[^\S\n]*\S.{,120}\n){1,3})",
    re.IGNORECASE | re.MULTILINE,
)


def education_in(resume: str) -> Sequence[str]:
    """The first lines below the heading of a resume that names the education, up to a blank one; none without it."""
    found = _EDUCATION.search(resume)
    return [line.strip(" •·*-–\t") for line in found[1].splitlines() if line.strip()] if found else []


class Letter(NamedTuple):
    """A letter of reference; `referee` is empty while the applicant is hidden."""

    id: int
    referee: str
    relation: str
    text: str
    received_at: datetime
    has_file: bool


class Step(NamedTuple):
    """One move of the choice: its new state, who moved it, and the message."""

    at: datetime
    label: str
    who: str
    message: str


class ApplicantView(NamedTuple):
    """The page of one applicant. `pictures` are the numbers of the pages of the file that are shown as pictures.
    `redactor` redacts further texts; None if nothing is hidden.
    """

    shown: Shown
    record: MatchRecord | None
    match: LabMatch | None
    topics: Sequence[tuple[str, float]]
    statement: str
    reason: str
    answers: Sequence[tuple[str, str]]
    education: Sequence[str]
    resume: str
    resume_spans: Sequence[tuple[int, int]]
    hidden_text: str
    notices: Sequence[str]
    file: Submission | None
    pictures: Sequence[int]
    documents: Sequence[tuple[str, Document]]
    letters: Sequence[Letter]
    steps: Sequence[Step]
    redactor: Redactor | None


def view_of_choice(session: Session, lab: Lab, choice: Choice, reviewer: User) -> ApplicantView:
    """What `reviewer` may see of a choice that they may open."""
    return view_of(session, choice, snapshot_of(session, lab, choice, reviewer))


def view_of(session: Session, choice: Choice, snapshot: ChoiceSnapshot) -> ApplicantView:
    """What the reviewer for whom `snapshot` was opened may see of the choice."""
    user, submission, record = choice.application.applicant, snapshot.submission, snapshot.record
    shown = shown_person(choice.id, user.name, user.email, snapshot.hidden)
    redactor = redactor_for(snapshot, user) if shown.hidden else None
    redact = redactor.redacted if redactor else str
    recorded = match_of(record) if record else None
    match = match_without_person(recorded, redactor) if recorded and redactor else recorded
    # Terms that are not shown are not marked, nor are words of a text that is not shown as it was stored.
    spans = resume_marks(record, submission.id) if record and not redactor else None
    resume = redact(submission.resume_text)
    if spans is None:
        spans = mark_terms(resume, strong_terms(match)) if resume and match else ()
    texts = {str(question["key"]): str(question["text"]) for question in choice.application.cycle.questions}
    file = submission if submission.storage_key and not shown.hidden else None
    stated = submission.interests
    return ApplicantView(
        shown=shown,
        record=record,
        match=match,
        topics=[(redact(topic["text"]), topic["weight"]) for topic in stated.get("topics", ())],
        statement=redact(stated.get("statement", "")),
        reason=redact(choice.reason),
        answers=[
            (texts.get(key, key), redact(str(submission.answers[key])))
            for key in (*texts, *(key for key in submission.answers if key not in texts))
            if submission.answers.get(key)
        ],
        # The institution tells who somebody is: while they are hidden, only what is left of the resume is read.
        education=[stated["education"]] if stated.get("education") and not redactor else education_in(resume),
        resume=resume,
        resume_spans=spans,
        hidden_text=redact(submission.resume_hidden_text),
        notices=reading_notices(submission.resume_warnings),
        file=file,
        pictures=range(1, min(file.resume_pages or 0, MOST_PAGES) + 1) if file and file.resume_kind == Kind.PDF else (),
        documents=[] if shown.hidden else documents_sent(session, submission, choice.application.cycle),
        letters=_letters(session, choice, redactor) if snapshot.has_letters else (),
        steps=_steps(session, choice, redact) if snapshot.last_move else (),
        redactor=redactor,
    )


def match_without_person(match: LabMatch, redactor: Redactor) -> LabMatch:
    """The match without identifying terms and sentences; the score and its parts stay."""
    terms = tuple(term for term in match.terms if not redactor.term_identifies(term.term, term.via))
    words = [term.term for term in terms]
    evidence = []
    for item in match.evidence:
        text = redactor.redacted(item.mine)
        spans = item.mine_spans if text == item.mine else tuple(mark_terms(text, words))
        evidence.append(replace(item, mine=text, mine_spans=spans))
    return replace(match, terms=terms, evidence=tuple(evidence), profile=_profile_with(match.profile, words))


def _profile_with(profile: ProfileView | None, words: list[str]) -> ProfileView | None:
    """The matched part of the lab's profile, as far as it contains these words."""
    spans = tuple(mark_terms(profile.sentence, words)) if profile else ()
    return replace(profile, spans=spans) if profile and spans else None


def letter_of(session: Session, choice: Choice, referee_id: int) -> Referee | None:
    """A letter received for the application of a choice."""
    return session.scalar(
        select(Referee).where(
            Referee.id == referee_id, Referee.application_id == choice.application_id, Referee.received_at.is_not(None)
        )
    )


def _letters(session: Session, choice: Choice, redactor: Redactor | None) -> list[Letter]:
    """The letters received. Referees often reveal a school, so they are unnamed while the applicant is hidden."""
    received = columns(session, _RECEIVED, {"application": choice.application_id})
    return [
        Letter(
            id=row.id,
            referee="" if redactor else row.name,
            relation="" if redactor else row.relation,
            # Without the names of the applicant and of its author.
            text=Redactor(row.name, row.email).redacted(redactor.redacted(row.letter)) if redactor else row.letter,
            received_at=row.received_at,
            has_file=bool(row.storage_key) and not redactor,
        )
        for row in received
    ]


def _steps(session: Session, choice: Choice, redact: Callable[[str], str]) -> list[Step]:
    moves = columns(session, _MOVES, {"choice": choice.id})
    return [
        Step(
            at=move.at,
            label="Decision released" if move.move == "release" else CHOICE_LABELS[move.to_state],
            who=_who(move),
            message=redact(move.message),
        )
        for move in moves
    ]


def _who(move: Any) -> str:  # noqa: ANN401  (a row of columns)
    match move.actor_role:
        case "reviewer" | "leader":
            return called(move.name, move.email) if move.email is not None else "somebody who left"
        case "applicant":
            return "the applicant"
        case "admin":
            return "an administrator"
        case _:
            return "the portal"
