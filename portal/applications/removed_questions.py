"""Answers to questions that were taken off the form of a cycle while somebody had it open: kept, for them alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.application_forms import ApplicationForm
from portal.applications.moves import locked_application

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
    """A question that the form does not ask any more, and what somebody typed to it. `stored` once that is saved."""

    key: str
    question: str
    answer: str
    stored: bool


def typed_to_gone(sent: MultiDict[str, str], cycle: Cycle) -> Sequence[AskedBefore]:
    """What a sent form says to questions that the cycle does not ask any more."""
    asked = {str(question["key"]) for question in cycle.questions}
    return [
        AskedBefore(key, row.form.asked.data or "A question", row.form.text.data, stored=False)
        for row in ApplicationForm(formdata=sent).answers
        if row.form.text.data and (key := row.form.key.data or "") and key not in asked
    ]


def asked_before(application: Application, typed: Iterable[AskedBefore] = ()) -> Sequence[AskedBefore]:
    """What is kept of an application, with what was typed and is not kept yet."""
    kept = {
        key: AskedBefore(key, one["question"], one["answer"], stored=True)
        for key, one in (application.asked_before or {}).items()
    }
    new = {one.key: one for one in typed if one.key not in kept or kept[one.key].answer != one.answer}
    return tuple((kept | new).values())


def keep_asked_before(session: Session, application: Application, typed: Sequence[AskedBefore]) -> bool:
    """Keep what was typed with the application; False where it is kept already. The caller commits.

    Side effects: takes the lock of the application. Its version stays: no other tab is made out of date by it.
    """
    if not typed:
        return False
    application = locked_application(session, application)
    kept = dict(application.asked_before or {})
    for one in typed:
        if one.key in kept or len(kept) < MOST_KEPT:
            kept[one.key[:LONGEST_KEY]] = {
                "question": one.question[:LONGEST_QUESTION],
                "answer": one.answer[:LONGEST_KEPT],
            }
    if kept == application.asked_before:
        return False
    application.asked_before = kept
    session.flush()
    return True
