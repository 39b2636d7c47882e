"""A lab's seats in a cycle, and whether it takes applications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal import audit
from portal.applications.cycles import intake_of
from portal.applications.locks import lock_lab
from portal.models import Application, Choice, LabIntake
from portal.web.forms import whole_number

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User

MOST_SEATS = 1_000


class SeatsRefused(Exception):
    """What was sent is not a number of seats; the message says what is. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Seats:
    """Seats of a lab in a cycle; `staged` offers wait for release, `out` ones for an answer; `open` to applications."""

    seats: int | None
    staged: int
    out: int
    accepted: int
    open: bool

    @property
    def free(self) -> int | None:
        """How many offers can still be made; negative if there are more offers than seats."""
        return None if self.seats is None else self.seats - self.staged - self.out - self.accepted


def seats_of(session: Session, lab: Lab, cycle: Cycle) -> Seats:
    """The lab's seats in a cycle. Two statements."""
    intake = intake_of(session, lab, cycle)
    rows = session.execute(
        select(Choice.state, Choice.shown_state, func.count())
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            Choice.state.in_(("offered", "accepted")),
        )
        .group_by(Choice.state, Choice.shown_state)
    ).all()
    return Seats(
        seats=intake.seats if intake else None,
        staged=sum(row[2] for row in rows if row[0] == "offered" and row[1] != "offered"),
        out=sum(row[2] for row in rows if row[0] == "offered" and row[1] == "offered"),
        accepted=sum(row[2] for row in rows if row[0] == "accepted"),
        open=intake.open if intake else True,
    )


def number_of_seats(text: str) -> int | None:
    """The number that was typed; None for an empty box. `SeatsRefused` if it is not from 0 to `MOST_SEATS`."""
    text = text.strip()
    if not text:
        return None
    seats = whole_number(text)
    if seats is None or seats > MOST_SEATS:
        raise SeatsRefused(f"Give the seats as a whole number from 0 to {MOST_SEATS:,}, or leave the box empty.")
    return seats


def set_intake(
    session: Session, lab: Lab, cycle: Cycle, *, seats: int | None, is_open: bool, actor: User, now: datetime
) -> bool:
    """Set a lab's seats in a cycle and whether it is open, with an audit entry; False if unchanged."""
    lock_lab(session, lab.id)
    intake = intake_of(session, lab, cycle)
    before = {"seats": intake.seats if intake else None, "open": intake.open if intake else True}
    after = {"seats": seats, "open": is_open}
    if before == after:
        return False
    if intake is None:
        intake = LabIntake(lab_id=lab.id, cycle_id=cycle.id)
        session.add(intake)
    intake.seats, intake.open = seats, is_open
    audit.record(
        session,
        actor=actor,
        act="lab.intake",
        object_type="lab in cycle",
        object_key=f"{lab.slug}/{cycle.slug}",
        now=now,
        before=before,
        after=after,
    )
    session.flush()
    return True
