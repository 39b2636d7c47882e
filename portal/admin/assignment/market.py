"""The lists of an assignment round, from the current state of a cycle, and the names behind its receipts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.assignment import Lab as MarketLab
from portal.assignment import Market
from portal.models import Application, Choice, Lab, LabIntake, User
from portal.models.user import called

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Cycle

ACCEPTABLE = ("ranked", "waitlisted")
FILLED = ("offered", "accepted")


@dataclass(frozen=True, slots=True)
class LabReadiness:
    """A lab before a round: its seats (None: not stated), how many are filled, and how many applicants it has ranked
    and not ranked yet.
    """

    slug: str
    name: str
    seats: int | None
    filled: int
    ranked: int
    unranked: int

    @property
    def free(self) -> int:
        """Seats that the round may fill: those left, or one for each ranked applicant if the lab states no seats."""
        return max(0, self.seats - self.filled) if self.seats is not None else self.ranked


def readiness(session: Session, cycle: Cycle) -> Sequence[LabReadiness]:
    """The labs that somebody chose in the cycle, by name."""
    counts: dict[int, dict[str, int]] = {}
    for lab_id, state, count in session.execute(
        select(Choice.lab_id, Choice.state, func.count())
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id, Application.state.in_(("eligible", "closed")))
        .group_by(Choice.lab_id, Choice.state)
    ):
        counts.setdefault(lab_id, {})[state] = count
    intakes = session.scalars(select(LabIntake).where(LabIntake.cycle_id == cycle.id))
    seats = {intake.lab_id: intake.seats for intake in intakes}
    labs = session.scalars(select(Lab).where(Lab.id.in_(counts)).order_by(Lab.name)).all()
    return [
        LabReadiness(
            lab.slug,
            lab.name,
            seats.get(lab.id),
            sum(counts[lab.id].get(state, 0) for state in FILLED),
            sum(counts[lab.id].get(state, 0) for state in ACCEPTABLE),
            sum(
                counts[lab.id].get(state, 0)
                for state in ("pending", "in_review", "shortlisted", "interview", "interviewed")
            ),
        )
        for lab in labs
    ]


def market_of(session: Session, cycle: Cycle) -> Market:
    """Applicants by receipt with their order of labs, and labs by slug with their seats and order of applicants.

    A lab accepts those whom it ranked or waitlisted, in its order of preference. Applicants with equal numbers tie, and
    those without a number tie at the end. Applicants who have or accepted an offer, and filled seats, are left out.
    """
    rows = session.execute(
        select(Application.receipt, Lab.slug, Choice.position, Choice.state, Choice.preference)
        .join(Application, Application.id == Choice.application_id)
        .join(Lab, Lab.id == Choice.lab_id)
        .where(Application.cycle_id == cycle.id, Application.state == "eligible")
        .order_by(Application.id, Choice.position)
    ).all()
    placed = {row.receipt for row in rows if row.state in FILLED}
    applicants: dict[str, tuple[str, ...]] = {}
    groups: dict[str, dict[float, list[str]]] = {}
    for row in rows:
        if row.receipt in placed or row.state in {"declined", "declined_by_applicant", "expired", "closed"}:
            continue
        applicants[row.receipt] = (*applicants.get(row.receipt, ()), row.slug)
        if row.state in ACCEPTABLE:
            preference = float("inf") if row.preference is None else float(row.preference)
            groups.setdefault(row.slug, {}).setdefault(preference, []).append(row.receipt)
    labs = {
        lab.slug: MarketLab(lab.free, tuple(tuple(group) for _, group in sorted(groups.get(lab.slug, {}).items())))
        for lab in readiness(session, cycle)
    }
    return Market(applicants, labs)


def names_of(session: Session, cycle: Cycle) -> Mapping[str, tuple[int, str]]:
    """By receipt: the id of the application, and the applicant's name."""
    rows = session.execute(
        select(Application.receipt, Application.id, User.name, User.email)
        .join(User, User.id == Application.applicant_id)
        .where(Application.cycle_id == cycle.id, Application.receipt.is_not(None))
    )
    return {receipt: (application_id, called(name, email)) for receipt, application_id, name, email in rows if receipt}
