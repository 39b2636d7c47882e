"""Answers to questions that were removed from a cycle's form while an applicant had it open: kept for them only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.drafting.forms import ApplicationForm
from portal.applications.moves.service import locked_application

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session
    from werkzeug.datastructures import MultiDict

    from portal.models import Application, Cycle

MOST_KEPT = 40  # questions of one application
LONGEST_KEY = 100  # characters
LONGEST_QUESTION = 500
LONGEST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """A question that the form does not ask any more, and the answer somebody typed. `stored` once that is saved."""

    key: str
    question: str
    answer: str
    stored: bool


def answers_to_removed(sent: MultiDict[str, str], cycle: Cycle) -> Sequence[AskedBefore]:
    """The answers of a sent form to questions that the cycle does not ask any more."""
    current_keys = {str(question["key"]) for question in cycle.questions}
    return [
        AskedBefore(key, row.form.asked.data or "A question", row.form.text.data, stored=False)
        for row in ApplicationForm(formdata=sent).answers
        if row.form.text.data and (key := row.form.key.data or "") and key not in current_keys
    ]


def asked_before(application: Application, typed: Iterable[AskedBefore] = ()) -> Sequence[AskedBefore]:
    """The stored answers of an application to removed questions, and typed ones that are not stored yet."""
    stored = {
        key: AskedBefore(key, entry["question"], entry["answer"], stored=True)
        for key, entry in (application.asked_before or {}).items()
    }
    new = {entry.key: entry for entry in typed if entry.key not in stored or stored[entry.key].answer != entry.answer}
    return tuple((stored | new).values())


def keep_asked_before(session: Session, application: Application, typed: Sequence[AskedBefore]) -> bool:
    """Store typed answers with the application; False if nothing changed. The caller commits.

    Side effects: takes the lock of the application. Its version stays, so that no other tab becomes out of date.
    """
    if not typed:
        return False
    application = locked_application(session, application)
    stored = dict(application.asked_before or {})
    for entry in typed:
        if entry.key in stored or len(stored) < MOST_KEPT:
            stored[entry.key[:LONGEST_KEY]] = {
                "question": entry.question[:LONGEST_QUESTION],
                "answer": entry.answer[:LONGEST_KEPT],
            }
    if stored == application.asked_before:
        return False
    application.asked_before = stored
    session.flush()
    return True
