"""What a season adds to a big department: states, cards, interviews, decisions, and what piles up."""

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
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

Row = TypeVar("Row")
ADMINS = ("admin@example.edu", "admin2@example.edu")
LEADER, REVIEWER = "leader0@example.edu", "reviewer0@example.edu"
STATES = ("pending",) * 8 + ("in_review",) * 4 + ("shortlisted", "interview", "interviewed", "ranked", "declined")
PILES = {"audit entries": 40_000, "mails": 60_000, "news": 3_000}


def add_states(session: Session, cycle: Cycle, chance: random.Random, now: datetime) -> None:
    """Choices in all states with their moves, cards, staged decisions and a prepared release, interviews, referees."""
    rows = session.execute(
        select(Choice.id, Choice.application_id, Choice.lab_id, Application.applicant_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id)
        .order_by(Choice.id)
    ).all()
    seats = select(LabProfessor.lab_id, func.max(LabProfessor.user_id)).group_by(LabProfessor.lab_id)
    seat: dict[int, int] = dict(session.execute(seats).all())
    states = {row.id: chance.choice(STATES) for row in rows}
    for some in _in_parts(rows, 2_000):
        session.execute(
            update(Choice),
            [
                {
                    "id": row.id,
                    "state": states[row.id],
                    "shown_state": "interview" if states[row.id] in {"interview", "interviewed"} else "pending",
                }
                | {"preference": row.id if states[row.id] == "ranked" else None}
                | {"replied_at": now - timedelta(days=1) if states[row.id] == "interview" else None}
                for row in some
            ],
        )
    moves = [
        {"application_id": row.application_id, "choice_id": row.id, "move": "start_review", "from_state": "pending"}
        | {"to_state": states[row.id], "at": now - timedelta(hours=row.id % 200), "actor_id": seat[row.lab_id]}
        | {"actor_role": "reviewer", "shown_at": None}
        for row in rows
        if states[row.id] != "pending"
    ]
    session.execute(insert(MoveRecord), moves)
    session.execute(
        insert(MoveRecord),
        [
            {
                "application_id": number,
                "choice_id": None,
                "move": "submit",
                "from_state": "draft",
                "to_state": "submitted",
            }
            | {"at": now - timedelta(days=10), "actor_role": "applicant", "shown_at": now}
            for number in dict.fromkeys(row.application_id for row in rows)
        ],
    )
    cards = [
        {"choice_id": row.id, "reviewer_id": seat[row.lab_id], "changed_at": now, "locked_at": now, "confidence": 2}
        | {name: chance.randint(1, 5) for name in ("fit", "potential", "preparation", "writing")}
        for row in rows
        if states[row.id] not in {"pending", "in_review"}
    ]
    session.execute(insert(Scorecard), cards)
    decided = [row.id for row in rows if states[row.id] == "declined"]
    decisions = session.scalars(
        insert(Decision).returning(Decision.id, sort_by_parameter_order=True),
        [
            {"choice_id": one, "kind": "decline", "message": "We had to decline many.", "staged_at": now}
            for one in decided
        ],
    ).all()
    admin = session.scalars(select(User.id).where(User.email == ADMINS[0])).one()
    release = Release(cycle_id=cycle.id, prepared_by_id=admin, prepared_at=now)
    session.add(release)
    session.flush()
    session.execute(
        insert(ReleaseItem),
        [{"release_id": release.id, "decision_id": decision} for decision in decisions[: len(decisions) * 3 // 4]],
    )
    _interviews(session, cycle, [row for row in rows if states[row.id] == "interview"], now)
    referees = [
        {"application_id": row.application_id, "name": "A referee", "email": f"referee{row.id}@example.edu"}
        | {"invited_at": now, "received_at": now if row.id % 3 else None, "letter": "Good.", "created_at": now}
        for row in rows[::2]
    ]
    session.execute(insert(Referee), referees)
    session.execute(
        insert(Conflict),
        [
            {
                "reviewer_id": seat[row.lab_id],
                "applicant_id": row.applicant_id,
                "state": "declared" if row.id % 2 else "suggested",
                "reason": "A colleague.",
                "changed_at": now,
            }
            for row in {row.applicant_id: row for row in rows[::60]}.values()
        ],
    )
    session.execute(
        insert(Invitation),
        [
            {"lab_id": row.lab_id, "applicant_id": row.applicant_id, "message": "Come.", "invited_at": now}
            for row in rows[::70]
        ],
    )


def _interviews(session: Session, cycle: Cycle, rows: Sequence[Any], now: datetime) -> None:
    slots = [
        {"lab_id": row.lab_id, "cycle_id": cycle.id, "choice_id": row.id if at % 2 else None, "uid": f"slot{row.id}"}
        | {"starts_at": now + timedelta(minutes=30 * at), "zone": "Europe/Berlin", "created_at": now}
        | {"picked_at": now if at % 2 else None}
        for at, row in enumerate(rows)
    ]
    session.execute(insert(InterviewSlot), slots)


def add_piles(session: Session, people: Sequence[int], now: datetime) -> None:
    """What piles up: the audit log (not sealed), mails of the outbox, news of one administrator and leader."""
    sealed = session.scalar(select(AuditHead.position)) or 0
    for some in _in_parts(range(sealed, PILES["audit entries"]), 5_000):
        session.execute(
            insert(AuditEntry),
            [
                {
                    "at": now - timedelta(minutes=at),
                    "actor_label": ADMINS[at % 2],
                    "act": ("application.mark_eligible", "lab.save", "person.change")[at % 3],
                }
                | {
                    "object_type": "application",
                    "object_key": str(at),
                    "before": {"state": "submitted"},
                    "after": {"state": "eligible"},
                }
                | {"position": at + 1, "seal": f"{at:064d}"}
                for at in some
            ],
        )
    session.execute(
        update(AuditHead).values(position=PILES["audit entries"], seal=f"{PILES['audit entries'] - 1:064d}")
    )
    for some in _in_parts(range(PILES["mails"]), 5_000):
        session.execute(
            insert(OutboxMail),
            [
                {
                    "kind": "application_submitted",
                    "user_id": people[at % len(people)],
                    "address": f"crowd{at}@example.edu",
                }
                | {
                    "context": {},
                    "attachments": [],
                    "message_id": f"<{at}@example.edu>",
                    "state": "dead" if at % 30 == 0 else "sent",
                }
                | {
                    "due_at": now - timedelta(minutes=at),
                    "created_at": now - timedelta(minutes=at),
                    "sent_at": now,
                    "error": "550 no" if at % 30 == 0 else "",
                }
                for at in some
            ],
        )
    for email in (ADMINS[0], LEADER):
        user = session.scalars(select(User.id).where(User.email == email)).one()
        session.execute(
            insert(Notification),
            [
                {
                    "user_id": user,
                    "kind": "new_applicants",
                    "text": f"News {at}",
                    "path": "/reviews/",
                    "created_at": now - timedelta(minutes=at),
                }
                for at in range(PILES["news"])
            ],
        )


def _in_parts(items: Sequence[Row], most: int) -> Iterator[Sequence[Row]]:
    for begin in range(0, len(items), most):
        yield items[begin : begin + most]
