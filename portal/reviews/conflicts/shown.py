"""Conflicts of interest on pages: reviewers see their own, leaders also who else of the lab has declared one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, exists, select

from portal.applications.states import READ_BY_LABS
from portal.db import columns
from portal.labs.profile_rules import leads
from portal.labs.queries import profile_of
from portal.models import Application, Choice, Conflict, LabProfessor, User
from portal.models.user import called
from portal.reviews.blind_review.blinding import shown_as
from portal.reviews.choice.opened import opened
from portal.reviews.conflicts.signs import Both, signs
from portal.reviews.queue.rows import in_conflict_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab
    from portal.reviews.blind_review.blinding import Shown
    from portal.reviews.choice.opened import Opened
    from portal.seeding.records import LabRecord

BLIND_SIGN = (
    "The portal found a sign that you and this applicant know each other, such as a shared work or institution. "
    "It does not say which, because your lab reviews blind first."
)
MOST_PROFILES = 64  # profiles cached per process
_PROFILES: dict[tuple[object, ...], LabRecord] = {}


class ConflictedReader(NamedTuple):
    """Who declared a conflict: the account and its displayed name."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class ConflictPanel:
    """A reviewer's conflict with the applicant of a choice, for templates/reviews/_conflict.html.

    `state` is "" for none, "suggested", "declared" or "dismissed". `signs` are sentences, only for a suggested one.
    `others` are the names of other readers of the lab with a conflict, shown to leaders only. An administrator's reason
    is not shown as `reason`: it may identify a hidden applicant.
    """

    slug: str
    choice_id: int
    state: str
    reason: str
    changed_at: datetime | None
    signs: tuple[str, ...]
    others: tuple[str, ...]
    by_administrator: bool


def conflict_panel(
    session: Session, lab: Lab, choice: Choice, reviewer: User, opened_choice: Opened | None = None
) -> ConflictPanel:
    """The panel. Signs that were never stored are looked for, and suggested until the reviewer answers.

    `opened_choice` is the choice as it was opened for the reviewer, if the caller has it.
    """
    opened_choice = opened_choice or opened(session, lab, choice, reviewer)
    stored = opened_choice.conflict
    state = stored.state if stored else ""
    suggested: Sequence[str] = ()
    if stored is None or stored.state == "suggested":
        suggested = _signs(session, lab, choice, reviewer, opened_choice)
        if not suggested and stored is not None:
            suggested = [BLIND_SIGN if opened_choice.hidden else stored.reason]
        state = "suggested" if suggested else ""
    shows_others = opened_choice.kept_out and leads(session, reviewer, lab)
    others = keeping_out(session, lab, [choice]).get(choice.id, ()) if shows_others else ()
    return ConflictPanel(
        slug=lab.slug,
        choice_id=choice.id,
        state=state,
        reason=stored.reason if stored and not stored.by_administrator else "",
        changed_at=stored.changed_at if stored else None,
        signs=tuple(suggested),
        others=tuple(other.name for other in others if other.id != reviewer.id),
        by_administrator=stored is not None and stored.by_administrator,
    )


def _signs(session: Session, lab: Lab, choice: Choice, reviewer: User, opened_choice: Opened) -> Sequence[str]:
    """Signs of a conflict, as sentences; for a hidden applicant, a single one that does not say which."""
    applicant = choice.application.applicant
    both = Both(
        applicant_name=applicant.name,
        applicant_email=applicant.email,
        resume=opened_choice.submission.resume_text,
        reviewer_name=reviewer.name,
        reviewer_email=reviewer.email,
    )
    sentences = signs(both, _profile(session, lab))
    return [BLIND_SIGN] if sentences and opened_choice.hidden else sentences


def _profile(session: Session, lab: Lab) -> LabRecord:
    """The lab's profile, cached by revision rather than read for each applicant."""
    key = (session.connection().engine.url, lab.id, lab.revision_number, lab.changed_at)
    profile = _PROFILES.get(key)
    if profile is None:
        profile = _PROFILES[key] = profile_of(session, lab)
        while len(_PROFILES) > MOST_PROFILES:
            _PROFILES.pop(next(iter(_PROFILES)), None)
    return profile


def own_conflicts(session: Session, lab: Lab, reviewer: User) -> Sequence[tuple[Choice, Shown, datetime]]:
    """Applicants of the lab with whom the reviewer declared a conflict, and since when; latest first."""
    rows = session.execute(
        select(Choice, Conflict.changed_at)
        .join(Application, Application.id == Choice.application_id)
        .join(Conflict, Conflict.applicant_id == Application.applicant_id)
        .where(
            Choice.lab_id == lab.id,
            Application.state.in_(READ_BY_LABS),
            Conflict.reviewer_id == reviewer.id,
            Conflict.state == "declared",
        )
        .order_by(Conflict.changed_at.desc(), Choice.id)
    ).all()
    shown = shown_as(session, lab, reviewer, [row[0] for row in rows])
    return [(choice, shown[choice.id], since) for choice, since in rows]


def conflicts_of_others(session: Session, lab: Lab, leader: User) -> Sequence[tuple[Choice, Shown, str]]:
    """For a leader: other readers' conflicts with applicants whose choices the leader may open."""
    choices = session.scalars(
        select(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.state.in_(READ_BY_LABS),
            ~in_conflict_with(leader),
            exists().where(Conflict.applicant_id == Application.applicant_id, Conflict.state == "declared"),
        )
        .order_by(Choice.id)
    ).all()
    shown, by_choice = shown_as(session, lab, leader, choices), keeping_out(session, lab, choices)
    return [(choice, shown[choice.id], reader.name) for choice in choices for reader in by_choice.get(choice.id, ())]


_KEEPING_OUT = (
    select(Choice.id, User.id, User.name, User.email)
    .join(Application, Application.id == Choice.application_id)
    .join(Conflict, Conflict.applicant_id == Application.applicant_id)
    .join(LabProfessor, (LabProfessor.user_id == Conflict.reviewer_id) & (LabProfessor.lab_id == Choice.lab_id))
    .join(User, User.id == Conflict.reviewer_id)
    .where(Choice.id.in_(bindparam("choices", expanding=True)), Choice.lab_id == bindparam("lab"))
    .where(Conflict.state == "declared")
    .order_by(Choice.id, User.id)
)


def keeping_out(session: Session, lab: Lab, choices: Iterable[Choice]) -> Mapping[int, Sequence[ConflictedReader]]:
    """The lab's readers who declared a conflict, by the id of the choice. One statement."""
    rows = columns(session, _KEEPING_OUT, {"choices": [choice.id for choice in choices], "lab": lab.id})
    by_choice: dict[int, list[ConflictedReader]] = {}
    for choice_id, user_id, name, email in rows:
        by_choice.setdefault(choice_id, []).append(ConflictedReader(user_id, called(name, email)))
    return by_choice
