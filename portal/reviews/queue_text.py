"""Which choices of a queue hold a text: in a name or an address, as far as these are shown, and in what was written.

A search must not tell what is hidden: while somebody is, their name finds nobody, and a text is found only by words
that are still in it when it is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import String, and_, func, or_

from portal.applications.called import called_so, has_other_letters
from portal.applications.submissions import IS_NEWEST
from portal.matching.spelling import is_common
from portal.models import Application, Choice, Submission, User
from portal.reviews.blinding import HIDDEN
from portal.reviews.queue_rows import fetch, of_queue, with_application
from portal.reviews.redaction import other_names, searchable

if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle
    from portal.reviews.queue_rows import Queue


def with_person_and_submission(statement: Select[Any]) -> Select[Any]:
    """A statement over choices and their applications, with whose they are and what was submitted last."""
    return statement.join(User, User.id == Application.applicant_id).outerjoin(Submission, IS_NEWEST)


def holds_text(session: Session, queue: Queue, text: str) -> ColumnElement[bool]:
    """As a part of such a statement: whether `text` stands in what its reader may see. Two statements, for the names
    with other letters than those of ASCII, and for those who are hidden.
    """
    texts = _texts(queue.cycle)
    written = or_(*(column.icontains(text, autoescape=True) for column in texts))
    people = with_application(of_queue(Choice.id, User.name)).join(User, User.id == Application.applicant_id)
    accented = people.where(has_other_letters(User.name.expression))
    named = or_(
        User.name.icontains(text, autoescape=True),
        User.email.icontains(text, autoescape=True),
        Choice.id.in_(called_so(fetch(session, accented, queue), text)),
    )
    hidden = with_person_and_submission(
        with_application(of_queue(Choice.id, User.name, User.email, Submission.resume_text, *texts))
    )
    needle = text.casefold()
    kept = [
        number
        for number, name, email, resume, *found in fetch(session, hidden.where(HIDDEN, written), queue)
        if _is_found(needle, resume or "", tuple(one for one in found if one), name, email)
    ]
    return or_(and_(~HIDDEN, or_(named, written)), Choice.id.in_(kept))


def _is_found(needle: str, resume: str, texts: tuple[str, ...], name: str, email: str) -> bool:
    """Whether the texts show what is sought. Ordinary words are no names, so the resume need not be read for them."""
    if needle not in searchable(texts, name, email):
        return False
    return all(map(is_common, needle.split())) or needle in searchable(
        texts, name, email, other_names((resume, *texts), name, email)
    )


def _texts(cycle: Cycle) -> list[ColumnElement[str]]:
    """What is searched of a submission: the statement, the reason for this lab, the answers."""
    keys = [str(question["key"]) for question in cycle.questions]
    return [
        Submission.interests["statement"].as_string(),
        func.coalesce(Choice.reason, "", type_=String),
        *(Submission.answers[key].as_string() for key in keys),
    ]
