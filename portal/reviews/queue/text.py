"""Text search in a queue: in displayed names and addresses, and in what was submitted.

A search must not reveal what is hidden: it does not find hidden applicants by name, and finds texts only by words that
remain after redaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import String, and_, exists, func, or_

from portal.applications.content.submissions import IS_NEWEST
from portal.applications.name_search import has_other_letters, ids_of_names, is_plainly_named
from portal.models import Application, Choice, Redaction, Submission, User
from portal.reviews.blind_review.blinding import HIDDEN
from portal.reviews.choice.stored_redactions import HOLDS, redactors_of
from portal.reviews.queue.rows import fetch, of_queue, with_application

if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle
    from portal.reviews.queue.rows import Queue


def with_person_and_submission(statement: Select[Any]) -> Select[Any]:
    """Join a statement over choices and applications with the applicant and the last submission."""
    return statement.join(User, User.id == Application.applicant_id).outerjoin(Submission, IS_NEWEST)


def holds_text(session: Session, queue: Queue, text: str) -> ColumnElement[bool]:
    """An SQL condition on such a statement: whether what its reader may see contains `text`. Executes two
    statements, for names with non-ASCII letters and for hidden applicants without a valid redaction; one more if
    there are any.
    """
    texts = _texts(queue.cycle)
    in_texts = or_(*(column.icontains(text, autoescape=True) for column in texts))
    people = with_application(of_queue(Choice.id, User.name)).join(User, User.id == Application.applicant_id)
    accented = people.where(has_other_letters(User.name.expression))
    named = or_(
        is_plainly_named(User.name.expression, text),
        User.email.icontains(text, autoescape=True),
        Choice.id.in_(ids_of_names(fetch(session, accented, queue), text)),
    )
    needle = text.casefold()
    has_redaction = exists().where(HOLDS)
    readable = has_redaction.where(Redaction.searchable.contains(needle, autoescape=True))
    unredacted = with_person_and_submission(with_application(of_queue(Choice.id, *texts))).where(
        HIDDEN, ~has_redaction, in_texts
    )
    texts_of = {choice_id: tuple(filter(None, values)) for choice_id, *values in fetch(session, unredacted, queue)}
    redactors = redactors_of(session, [*texts_of]) if texts_of else {}
    matching_ids = [
        choice_id for choice_id, redactor in redactors.items() if needle in redactor.searchable(texts_of[choice_id])
    ]
    return or_(and_(~HIDDEN, or_(named, in_texts)), and_(HIDDEN, readable), Choice.id.in_(matching_ids))


def _texts(cycle: Cycle) -> list[ColumnElement[str]]:
    """The searched texts of a submission: the statement, the reason for this lab, the answers."""
    keys = [str(question["key"]) for question in cycle.questions]
    return [
        Submission.interests["statement"].as_string(),
        func.coalesce(Choice.reason, "", type_=String),
        *(Submission.answers[key].as_string() for key in keys),
    ]
