"""What a season adds to a big department: states, scorecards, interviews, decisions, and what piles up."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import func, insert, select, update

from portal.models import (
    Application,
    AuditEntry,
    AuditHead,
    Choice,
    Conflict,
    Cycle,
    Decision,
    InterviewSlot,
    Invitation,
    LabProfessor,
    MoveRecord,
    Notification,
    OutboxMail,
    Referee,
    Release,
    ReleaseItem,
    Scorecard,
    User,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    ChoiceRow = Any
    """A choice with its id, application_id, lab_id, applicant_id."""

Item = TypeVar("Item")
ADMINS = ("admin@example.edu", "admin2@example.edu")
LEADER, REVIEWER = "leader0@example.edu", "reviewer0@example.edu"
STATES = ("pending",) * 8 + ("in_review",) * 4 + ("shortlisted", "interview", "interviewed", "ranked", "declined")
PILES = {"audit entries": 40_000, "mails": 60_000, "news": 3_000}


def add_states(session: Session, cycle: Cycle, chance: random.Random, now: datetime) -> None:
    """Spread the choices of a cycle over all states, with everything that belongs to these."""
    choices = session.execute(
        select(Choice.id, Choice.application_id, Choice.lab_id, Application.applicant_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id)
        .order_by(Choice.id)
    ).all()
    newest_professor = select(LabProfessor.lab_id, func.max(LabProfessor.user_id)).group_by(LabProfessor.lab_id)
    reviewers: dict[int, int] = dict(session.execute(newest_professor).all())
    states = {choice.id: chance.choice(STATES) for choice in choices}
    _set_states(session, choices, states, now)
    _moves(session, choices, states, reviewers, now)
    _scorecards(session, choices, states, reviewers, chance, now)
    _release(session, cycle, [choice.id for choice in choices if states[choice.id] == "declined"], now)
    _interviews(session, cycle, [choice for choice in choices if states[choice.id] == "interview"], now)
    _referees(session, choices[::2], now)
    _conflicts(session, choices[::60], reviewers, now)
    _invitations(session, choices[::70], now)


def _set_states(session: Session, choices: Sequence[ChoiceRow], states: Mapping[int, str], now: datetime) -> None:
    for some_choices in _in_parts(choices, 2_000):
        rows = [
            {
                "id": choice.id,
                "state": states[choice.id],
                "shown_state": "interview" if states[choice.id] in {"interview", "interviewed"} else "pending",
                "preference": choice.id if states[choice.id] == "ranked" else None,
                "replied_at": now - timedelta(days=1) if states[choice.id] == "interview" else None,
            }
            for choice in some_choices
        ]
        session.execute(update(Choice), rows)


def _moves(
    session: Session,
    choices: Sequence[ChoiceRow],
    states: Mapping[int, str],
    reviewers: Mapping[int, int],
    now: datetime,
) -> None:
    """One move of every choice that is not pending any more, and the submission of every application."""
    moves = [
        {
            "application_id": choice.application_id,
            "choice_id": choice.id,
            "move": "start_review",
            "from_state": "pending",
            "to_state": states[choice.id],
            "at": now - timedelta(hours=choice.id % 200),
            "actor_id": reviewers[choice.lab_id],
            "actor_role": "reviewer",
            "shown_at": None,
        }
        for choice in choices
        if states[choice.id] != "pending"
    ]
    session.execute(insert(MoveRecord), moves)
    submissions = [
        {
            "application_id": application_id,
            "choice_id": None,
            "move": "submit",
            "from_state": "draft",
            "to_state": "submitted",
            "at": now - timedelta(days=10),
            "actor_role": "applicant",
            "shown_at": now,
        }
        for application_id in dict.fromkeys(choice.application_id for choice in choices)
    ]
    session.execute(insert(MoveRecord), submissions)


def _scorecards(
    session: Session,
    choices: Sequence[ChoiceRow],
    states: Mapping[int, str],
    reviewers: Mapping[int, int],
    chance: random.Random,
    now: datetime,
) -> None:
    """A locked scorecard for every choice that was reviewed."""
    rows = [
        {
            "choice_id": choice.id,
            "reviewer_id": reviewers[choice.lab_id],
            "changed_at": now,
            "locked_at": now,
            "confidence": 2,
            **{name: chance.randint(1, 5) for name in ("fit", "potential", "preparation", "writing")},
        }
        for choice in choices
        if states[choice.id] not in {"pending", "in_review"}
    ]
    session.execute(insert(Scorecard), rows)


def _release(session: Session, cycle: Cycle, declined: Sequence[int], now: datetime) -> None:
    """Staged decisions to decline these choices, and a prepared release of three quarters of them."""
    rows = [
        {"choice_id": choice_id, "kind": "decline", "message": "We had to decline many.", "staged_at": now}
        for choice_id in declined
    ]
    decisions = session.scalars(insert(Decision).returning(Decision.id, sort_by_parameter_order=True), rows).all()
    admin = session.scalars(select(User.id).where(User.email == ADMINS[0])).one()
    release = Release(cycle_id=cycle.id, prepared_by_id=admin, prepared_at=now)
    session.add(release)
    session.flush()
    released = decisions[: len(decisions) * 3 // 4]
    items = [{"release_id": release.id, "decision_id": decision_id} for decision_id in released]
    session.execute(insert(ReleaseItem), items)


def _interviews(session: Session, cycle: Cycle, choices: Sequence[ChoiceRow], now: datetime) -> None:
    """A slot for each of the choices; every other one is picked."""
    slots = [
        {
            "lab_id": choice.lab_id,
            "cycle_id": cycle.id,
            "choice_id": choice.id if position % 2 else None,
            "uid": f"slot{choice.id}",
            "starts_at": now + timedelta(minutes=30 * position),
            "zone": "Europe/Berlin",
            "created_at": now,
            "picked_at": now if position % 2 else None,
        }
        for position, choice in enumerate(choices)
    ]
    session.execute(insert(InterviewSlot), slots)


def _referees(session: Session, choices: Sequence[ChoiceRow], now: datetime) -> None:
    """A referee for the application of each choice; two thirds have sent their letters."""
    rows = [
        {
            "application_id": choice.application_id,
            "name": "A referee",
            "email": f"referee{choice.id}@example.edu",
            "invited_at": now,
            "received_at": now if choice.id % 3 else None,
            "letter": "Good.",
            "created_at": now,
        }
        for choice in choices
    ]
    session.execute(insert(Referee), rows)


def _conflicts(session: Session, choices: Sequence[ChoiceRow], reviewers: Mapping[int, int], now: datetime) -> None:
    """A conflict with each applicant of the choices; every other one is only suggested."""
    rows = [
        {
            "reviewer_id": reviewers[choice.lab_id],
            "applicant_id": choice.applicant_id,
            "state": "declared" if choice.id % 2 else "suggested",
            "reason": "A colleague.",
            "changed_at": now,
        }
        for choice in {choice.applicant_id: choice for choice in choices}.values()
    ]
    session.execute(insert(Conflict), rows)


def _invitations(session: Session, choices: Sequence[ChoiceRow], now: datetime) -> None:
    rows = [
        {"lab_id": choice.lab_id, "applicant_id": choice.applicant_id, "message": "Come.", "invited_at": now}
        for choice in choices
    ]
    session.execute(insert(Invitation), rows)


def add_piles(session: Session, people: Sequence[int], now: datetime) -> None:
    """What piles up: the audit log (not sealed), mails of the outbox, news of one administrator and one leader."""
    _audit_entries(session, now)
    _mails(session, people, now)
    _news(session, now)


def _audit_entries(session: Session, now: datetime) -> None:
    sealed = session.scalar(select(AuditHead.position)) or 0
    for positions in _in_parts(range(sealed, PILES["audit entries"]), 5_000):
        rows = [
            {
                "at": now - timedelta(minutes=position),
                "actor_label": ADMINS[position % 2],
                "act": ("application.mark_eligible", "lab.save", "person.change")[position % 3],
                "object_type": "application",
                "object_key": str(position),
                "before": {"state": "submitted"},
                "after": {"state": "eligible"},
                "position": position + 1,
                "seal": f"{position:064d}",
            }
            for position in positions
        ]
        session.execute(insert(AuditEntry), rows)
    head = update(AuditHead).values(position=PILES["audit entries"], seal=f"{PILES['audit entries'] - 1:064d}")
    session.execute(head)


def _mails(session: Session, people: Sequence[int], now: datetime) -> None:
    """Mails, one in thirty of which could not be sent."""
    for numbers in _in_parts(range(PILES["mails"]), 5_000):
        rows: list[dict[str, Any]] = [
            {
                "kind": "application_submitted",
                "user_id": people[number % len(people)],
                "address": f"crowd{number}@example.edu",
                "context": {},
                "attachments": [],
                "message_id": f"<{number}@example.edu>",
                "state": "dead" if number % 30 == 0 else "sent",
                "due_at": now - timedelta(minutes=number),
                "created_at": now - timedelta(minutes=number),
                "sent_at": now,
                "error": "550 no" if number % 30 == 0 else "",
            }
            for number in numbers
        ]
        session.execute(insert(OutboxMail), rows)


def _news(session: Session, now: datetime) -> None:
    for email in (ADMINS[0], LEADER):
        user = session.scalars(select(User.id).where(User.email == email)).one()
        rows = [
            {
                "user_id": user,
                "kind": "new_applicants",
                "text": f"News {number}",
                "path": "/reviews/",
                "created_at": now - timedelta(minutes=number),
            }
            for number in range(PILES["news"])
        ]
        session.execute(insert(Notification), rows)


def _in_parts(items: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    """The items in consecutive parts of at most `most`."""
    for begin in range(0, len(items), most):
        yield items[begin : begin + most]
