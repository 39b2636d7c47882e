"""Submitted applications that lack something, all of a cycle at once, and the reminder of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select
from sqlalchemy.orm import joinedload

from portal import mail
from portal.applications.cycles import application_path
from portal.applications.submissions import IS_NEWEST
from portal.models import Application, Document, Referee, Submission, User
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.models import Cycle

BLANK = " \t\r\n\f\v"
MAY_LACK = ("submitted", "incomplete", "eligible")


@dataclass(frozen=True, slots=True)
class Lacking:
    """An application that was submitted, and what it lacks, each in a few words."""

    application_id: int
    name: str
    email: str
    state: str
    submitted_at: datetime | None
    items: tuple[str, ...]


def lacking(session: Session, cycle: Cycle, *, only: Application | None = None) -> list[Lacking]:
    """The submitted applications of a cycle, or `only` one, whose last submission lacks something, the first one first.
    Five statements at most.
    """
    conditions = () if only is None else (Application.id == only.id,)
    rows = session.execute(
        select(
            Application.id,
            Application.state,
            Application.submitted_at,
            User.name,
            User.email,
            Submission.answers,
            Submission.document_ids,
            # Read here: thousands of resumes need not be fetched to learn that they are there.
            or_(Submission.storage_key != "", func.ltrim(Submission.resume_text, BLANK) != "").label("has_resume"),
        )
        .join(User, User.id == Application.applicant_id)
        .join(Submission, IS_NEWEST)
        .where(Application.cycle_id == cycle.id, Application.state.in_(MAY_LACK), *conditions)
        .order_by(Application.submitted_at, Application.id)
    ).all()
    received, asked = _letters(session, cycle, conditions)
    documents = [document for document in cycle.documents or () if document.get("required")]
    of_cycle = select(Document.id, Document.key).join(Application).where(Application.cycle_id == cycle.id, *conditions)
    keys = dict(session.execute(of_cycle).all()) if documents else {}
    result = []
    for row in rows:
        items = [] if row.has_resume else ["a resume"]
        items += [
            f"an answer to “{question['text']}”"
            for question in cycle.questions
            if question.get("required") and not str(row.answers.get(question["key"], "")).strip()
        ]
        sent = {keys.get(number) for number in row.document_ids or ()}
        items += [f"the document “{document['text']}”" for document in documents if document["key"] not in sent]
        missing = max(0, cycle.referees - received[row.id])
        awaited = asked.get(row.id, [])[:missing]
        items += awaited
        if missing > len(awaited):
            items.append(counted(missing - len(awaited), "referee", "referees") + " to ask for a letter")
        if items:
            name = row.name or row.email
            result.append(Lacking(row.id, name, row.email, row.state, row.submitted_at, tuple(items)))
    return result


def remind_of_lacking(session: Session, cycle: Cycle, reminded: Sequence[Lacking], *, asked_at: datetime) -> None:
    """Tell these applicants what their application lacks, by mail and news, each at most once on a day."""
    ids = [entry.application_id for entry in reminded]
    of_these = select(Application).where(Application.id.in_(ids), Application.state.in_(MAY_LACK))
    with_people = of_these.options(joinedload(Application.applicant))
    applications = {application.id: application for application in session.scalars(with_people)}
    with mail.together(session):
        for entry in reminded:
            application = applications.get(entry.application_id)
            if application is None:  # withdrawn meanwhile
                continue
            mail.tell(
                session,
                application.applicant,
                "application_lacks",
                {"cycle": cycle.name, "missing": "\n".join(f"– {item}" for item in entry.items)},
                now=asked_at,
                path=application_path(application),
                dedupe=f"application:{application.id}:lacks:{asked_at:%Y%m%d}",
            )


def _letters(
    session: Session, cycle: Cycle, conditions: Sequence[ColumnElement[bool]]
) -> tuple[Counter[int], dict[int, list[str]]]:
    """How many letters came, and which are awaited, in words, by application. Removed referees do not count."""
    received: Counter[int] = Counter()
    awaited: dict[int, list[str]] = {}
    referees = session.execute(
        select(Referee.application_id, Referee.name, Referee.received_at, Referee.declined_at, Referee.token_hash)
        .join(Application, Application.id == Referee.application_id)
        .where(Application.cycle_id == cycle.id, Referee.revoked_at.is_(None), *conditions)
        .order_by(Referee.id)
    )
    for application_id, name, received_at, declined_at, token in referees:
        if received_at is not None:
            received[application_id] += 1
        elif declined_at is None and token is not None:
            awaited.setdefault(application_id, []).append(f"the letter of {name}, who was asked")
    return received, awaited
