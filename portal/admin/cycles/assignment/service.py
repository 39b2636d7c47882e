"""The one writer of assignment rounds: their lists from the current state of a cycle, certificates, and offers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import defer

from portal import audit
from portal.admin.rules import NotAllowed
from portal.applications.cycles import IS_STAGED
from portal.applications.locks import Refusal, lock_applications
from portal.applications.moves.rules import FILLING_A_SEAT, Case, SeatsTaken
from portal.applications.moves.service import Made, conclude, perform_locked
from portal.applications.people import applicants_in_conflict
from portal.applications.states import move_named
from portal.assignment import Lab as MarketLab
from portal.assignment import Market, certificate, read_round, solve
from portal.assignment.verify import check
from portal.db import lock_row, lock_rows
from portal.models import Application, AssignmentRound, Choice, Cycle, Decision, Lab, LabIntake, User
from portal.models.user import called

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session


ACCEPTABLE = ("ranked", "waitlisted")
FILLED = ("offered", "accepted")
LONGEST_SEED = 200  # characters


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


def rounds_of(session: Session, cycle: Cycle) -> Sequence[AssignmentRound]:
    """The rounds of a cycle, the newest first, without their certificates, which are large."""
    return session.scalars(_newest_first(cycle).options(defer(AssignmentRound.certificate))).all()


def round_numbered(session: Session, cycle: Cycle, number: int) -> AssignmentRound | None:
    """The round of a cycle with this number."""
    return session.scalar(
        select(AssignmentRound).where(AssignmentRound.cycle_id == cycle.id, AssignmentRound.number == number)
    )


def names_of_labs(session: Session) -> dict[str, str]:
    """The names of all labs by their slugs."""
    return {row.slug: row.name for row in session.execute(select(Lab.slug, Lab.name))}


def _newest_first(cycle: Cycle) -> Select[AssignmentRound]:
    return select(AssignmentRound).where(AssignmentRound.cycle_id == cycle.id).order_by(AssignmentRound.number.desc())


def offer_places(
    session: Session, cycle: Cycle, lab_of: Mapping[str, str], *, actor: User, now: datetime, reply_days: int
) -> Sequence[str]:
    """Offer each applicant (by receipt) a place in their lab (by slug); returns a sentence for each who cannot get one.

    Side effects: those of `portal.applications.moves.service.perform`, without its statements for each move. Locks the
    labs and then the applications, both by ascending id, as bulk moves of labs do.
    """
    rows = session.execute(
        select(Application.receipt, Lab.slug, Application.id, Choice.id, Lab.id)
        .join(Application, Application.id == Choice.application_id)
        .join(Lab, Lab.id == Choice.lab_id)
        .where(Application.cycle_id == cycle.id, Choice.state.in_(ACCEPTABLE))
    )
    places = {(receipt, slug): ids for receipt, slug, *ids in rows if receipt and lab_of.get(receipt) == slug}
    lock_rows(session, Lab.id, {lab_id for _, _, lab_id in places.values()})
    applications = {
        locked.id: locked
        for locked in lock_applications(session, {application_id for application_id, _, _ in places.values()})
    }
    # The choices are kept in memory, so that no move has to read one again.
    of_places = select(Choice).where(Choice.id.in_([choice_id for _, choice_id, _ in places.values()]))
    choices = {choice.id: choice for choice in session.scalars(of_places)}
    in_conflict, staged = applicants_in_conflict(session, actor), _staged(session, cycle)
    intakes = session.scalars(select(LabIntake).where(LabIntake.cycle_id == cycle.id))
    seats, offers = {intake.lab_id: intake.seats for intake in intakes}, _offers(session, cycle)
    made: list[Made] = []
    refused, offer = [], move_named("choice", "offer")
    for receipt, slug in sorted(lab_of.items()):
        application_id, choice_id, lab_id = places.get((receipt, slug), (0, 0, 0))
        if application_id not in applications:
            refused.append(f"{receipt}, {slug}: This application was erased or changed in the meantime.")
            continue
        application = applications[application_id]
        case = Case(
            application,
            choices[choice_id],
            actor,
            "admin",
            now,
            in_conflict=application.applicant_id in in_conflict,
            staged=staged,
            taken=SeatsTaken(seats.get(lab_id), offers[lab_id]),
        )
        try:
            perform_locked(session, offer, case, reply_days=reply_days, later=made)
        except Refusal as refusal:
            refused.append(f"{receipt}, {slug}: {refusal}")
        else:
            offers[lab_id] += 1
    conclude(session, made)
    return refused


def _staged(session: Session, cycle: Cycle) -> frozenset[int]:
    """The choices on which a decision waits for its release."""
    return frozenset(
        session.scalars(
            select(Decision.choice_id)
            .join(Choice, Choice.id == Decision.choice_id)
            .join(Application, Application.id == Choice.application_id)
            .where(Application.cycle_id == cycle.id, IS_STAGED)
        )
    )


def _offers(session: Session, cycle: Cycle) -> Counter[int]:
    """How many offers of each lab are staged, out or accepted."""
    rows = session.execute(
        select(Choice.lab_id, func.count().label("offers"))
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id, Choice.state.in_(FILLING_A_SEAT))
        .group_by(Choice.lab_id)
    )
    return Counter({row.lab_id: row.offers for row in rows})


class AlreadyStaged(NotAllowed):
    """The offers of a round are staged; nothing was written."""


class NothingStaged(NotAllowed):
    """No offer of a round can be staged; nothing was written. `refused` has a sentence for each offer."""

    def __init__(self, refused: Sequence[str]) -> None:
        super().__init__("No offer of this round could be staged, so the round is as it was.")
        self.refused = refused


def draft_round(
    session: Session, cycle: Cycle, *, seed: str, actor: User, now: datetime, after: int | None = None
) -> AssignmentRound:
    """Compute a round from the current lists. Nobody is told, and no state changes.

    `after` is the number of the last round on the page. If the next round has been drafted from the same seed and lists
    since, as by the first of two clicks, that round is returned.

    Side effect: takes the lock of the cycle until the transaction ends, so that rounds get their numbers one by one.

    Raises:
        NotAllowed: There is no seed, nobody to assign, the cycle is closed, or the checker does not prove the result.
    """
    seed = seed.strip()
    if cycle.closed_at is not None:
        raise NotAllowed(f"{cycle.name} is closed.")
    if not seed or len(seed) > LONGEST_SEED:
        raise NotAllowed("Give the public phrase for tie-breaking, such as the numbers that were drawn.")
    lock_row(session, Cycle.version, cycle.id)
    market = market_of(session, cycle)
    if not any(lab.order for lab in market.labs.values()):
        raise NotAllowed("No lab has ranked anybody yet. Once labs do so on their boards, a round can be computed.")
    text = certificate(solve(market, seed))
    verdict = check(text.encode())
    if verdict.violations:
        raise NotAllowed(f"The checker does not prove this round: {verdict.violations[0]}")
    last = session.scalar(_newest_first(cycle).limit(1))
    if last is not None and (last.number - 1, last.seed, last.certificate) == (after, seed, text):
        return last
    number = last.number + 1 if last is not None else 1
    drafted = AssignmentRound(
        cycle_id=cycle.id, number=number, seed=seed, certificate=text, made_by_id=actor.id, made_at=now
    )
    session.add(drafted)
    session.flush()
    _record(session, drafted, "assignment.draft", actor, now)
    return drafted


def stage_offers(
    session: Session, assignment_round: AssignmentRound, *, reply_days: int, actor: User, now: datetime
) -> Sequence[str]:
    """Stage an offer for each applicant who got a lab; returns a sentence for each offer that cannot be staged.
    Releases nothing.

    Side effect: locks the cycle, the labs and the applications until the transaction ends, so that the second of two
    clicks finds the offers staged.

    Raises:
        AlreadyStaged: The offers were staged before.
        NothingStaged: None of them can be staged, or nobody got a lab.
        NotAllowed: The lists have changed since the round was computed, so that it may not be stable any more.
    """
    lock_row(session, Cycle.version, assignment_round.cycle_id)
    session.refresh(assignment_round)
    if assignment_round.staged_at is not None:
        raise AlreadyStaged("The offers of this round are staged already. They go out with a release.")
    computed = read_round(assignment_round.certificate)
    if computed.market != market_of(session, assignment_round.cycle):
        raise NotAllowed(
            "The lists have changed since this round was computed. Compute a new one; it shows what moved."
        )
    refused = offer_places(
        session, assignment_round.cycle, computed.lab_of, actor=actor, now=now, reply_days=reply_days
    )
    if len(refused) == len(computed.lab_of):
        raise NothingStaged(refused)
    assignment_round.staged_at = now
    session.flush()
    _record(session, assignment_round, "assignment.stage", actor, now)
    return refused


def _record(session: Session, assignment_round: AssignmentRound, act: str, actor: User, now: datetime) -> None:
    key = f"{assignment_round.cycle.slug}/{assignment_round.number}"
    audit.record(session, actor, act, "assignment round", key, now, after={"seed": assignment_round.seed})
