"""The chosen labs and the answers to the form, as one value and as rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.cycles import last_submission
from portal.models import Choice, Lab

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application


@dataclass(frozen=True, slots=True)
class ChosenLab:
    """A lab that an applicant chooses, with the reason."""

    lab_id: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form of an application holds: labs in the applicant's order, and answers by the key of the question."""

    labs: tuple[ChosenLab, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)


def draft_of(application: Application) -> Draft:
    """What is saved of an application, as the form holds it."""
    return Draft(
        tuple(ChosenLab(choice.lab_id, choice.reason) for choice in application.choices),
        {key: str(value) for key, value in application.answers.items()},
    )


def write_choices(session: Session, application: Application, labs: Sequence[ChosenLab], *, now: datetime) -> None:
    """Make these the choices, in this order; a lab that stays keeps its row.

    New rows get ids in the order of the labs: somebody who reads for two of them sees the ids, which must not tell the
    applicant's order.
    """
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
    """Choices in the order for acting on all of them: the news, mails and ids of moves that labs see must not tell
    the applicant's order.
    """
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
    write_choices(session, application, labs, now=now)
