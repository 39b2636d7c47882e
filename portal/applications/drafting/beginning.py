"""Beginning an application with what its applicant wrote in another cycle, as where it was begun in the wrong one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.content.choosing import Draft, draft_of
from portal.applications.content.rules import why_not_answer
from portal.applications.cycles import applications_of
from portal.applications.drafting.candidates import closed_labs
from portal.applications.drafting.service import save_draft, start_application
from portal.applications.moves.service import MoveRefused, locked_application
from portal.applications.status.shown import labs_by_id

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application, Cycle, User

MOST_OFFERED = 3  # other applications to begin with


@dataclass(frozen=True, slots=True)
class Taken:
    """What a new draft takes from another application, and what stays behind, each as a sentence without its stop."""

    draft: Draft
    left_out: tuple[str, ...] = ()


def is_empty(application: Application) -> bool:
    """Whether nothing is in it yet: no lab, and no word in an answer."""
    draft = draft_of(application)
    return not draft.labs and not any(text.strip() for text in draft.answers.values())


def others_to_begin_with(session: Session, user: User, cycle: Cycle) -> list[Application]:
    """The applications in other cycles that hold something, the newest first."""
    others = (one for one in applications_of(session, user) if one.cycle_id != cycle.id)
    return [other for other in others if not is_empty(other)][:MOST_OFFERED]


def taken_from(session: Session, other: Application, cycle: Cycle) -> Taken:
    """What of another application a draft in `cycle` can hold: labs that take applications in it, in their order with
    their reasons, and the answers to questions that it asks in the same words.
    """
    written, names, closed = draft_of(other), labs_by_id(other.choices), closed_labs(session, cycle)
    takes = [chosen for chosen in written.labs if chosen.lab_id not in closed]
    left_out = [
        f"{names[chosen.lab_id].name} takes no applications in {cycle.name}"
        for chosen in written.labs
        if chosen.lab_id in closed
    ]
    left_out += [
        f"{names[chosen.lab_id].name} would be one more than the {cycle.most_choices} that you can choose"
        for chosen in takes[cycle.most_choices :]
    ]
    asked = {_plain(question["text"]): question["key"] for question in cycle.questions}
    answers: dict[str, str] = {}
    for question in other.cycle.questions:
        text = written.answers.get(question["key"], "")
        key = asked.get(_plain(question["text"]))
        if not text.strip():
            continue
        if key is None:
            left_out.append(f"“{question['text']}” is not asked in {cycle.name}")
        elif why_not_answer(cycle, key, text) is not None:
            left_out.append(f"the answer to “{question['text']}” is longer than {cycle.name} allows")
        else:
            answers[key] = text
    return Taken(Draft(tuple(takes[: cycle.most_choices]), answers), tuple(left_out))


def begin_with(session: Session, user: User, other: Application, cycle: Cycle, *, now: datetime) -> Taken:
    """Put into the applicant's draft in a cycle what another application of theirs holds, which stays as it is. Doing
    so again changes nothing. The caller commits.

    Raises:
        MoveRefused: The draft holds something already, or cannot be edited.
    """
    application = locked_application(session, start_application(session, user, cycle, now=now))
    taken = taken_from(session, other, cycle)
    if draft_of(application) == taken.draft:
        return taken
    if not is_empty(application):
        raise MoveRefused(f"Your application for {cycle.name} holds something already, which would be overwritten.")
    save_draft(session, application, taken.draft, base=application.version, now=now)
    return taken


def in_words(taken: Taken, counted: Sequence[str]) -> str:
    """What was taken, `counted` being how many labs and answers, and what was not, in sentences."""
    left_out = f" Left out: {'; '.join(taken.left_out)}." if taken.left_out else ""
    return f"Begun with {' and '.join(counted) or 'nothing'}.{left_out} Look through it before you submit."


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
