"""The one writer of assignment rounds. Offers from a round are made by the same moves as all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal import audit
from portal.admin.assignment.market import market_of
from portal.admin.assignment.offering import offer_places
from portal.admin.assignment.queries import last_round
from portal.admin.rules import NotAllowed
from portal.assignment import certificate, read_round, solve
from portal.assignment.verify import check
from portal.db import lock_row
from portal.models import AssignmentRound, Cycle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User

LONGEST_SEED = 200  # characters


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
        raise NotAllowed("Give the words that the lottery begins with, such as the date and place of the draw.")
    lock_row(session, Cycle.version, cycle.id)
    market = market_of(session, cycle)
    if not any(lab.order for lab in market.labs.values()):
        raise NotAllowed("No lab has ranked anybody yet. Once labs do so on their boards, a round can be computed.")
    text = certificate(solve(market, seed))
    verdict = check(text.encode())
    if verdict.violations:
        raise NotAllowed(f"The checker does not prove this round: {verdict.violations[0]}")
    last = last_round(session, cycle)
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
    computed = read_round(assignment_round.certificate.encode())
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
    audit.record(
        session,
        actor=actor,
        act=act,
        object_type="assignment round",
        object_key=f"{assignment_round.cycle.slug}/{assignment_round.number}",
        now=now,
        after={"seed": assignment_round.seed},
    )
