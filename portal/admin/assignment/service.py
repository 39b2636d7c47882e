"""The one writer of assignment rounds. What comes of a round goes through the door of all moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.admin.assignment.market import market_of
from portal.admin.assignment.offering import offer_places
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


def draft_round(
    session: Session, cycle: Cycle, *, seed: str, actor: User, now: datetime, after: int | None = None
) -> AssignmentRound:
    """Compute a round from the lists as they are now; nobody is told, and no state changes. `after` is the last round
    that was known: where the next one is there already with the same words over the same lists, as after a second
    click, it is given.

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
    last = session.scalar(
        select(AssignmentRound)
        .where(AssignmentRound.cycle_id == cycle.id)
        .order_by(AssignmentRound.number.desc())
        .limit(1)
    )
    if last is not None and (last.number - 1, last.seed, last.certificate) == (after, seed, text):
        return last
    number = last.number + 1 if last is not None else 1
    made = AssignmentRound(
        cycle_id=cycle.id, number=number, seed=seed, certificate=text, made_by_id=actor.id, made_at=now
    )
    session.add(made)
    session.flush()
    _record(session, made, "assignment.draft", actor, now)
    return made


def stage_offers(
    session: Session, held: AssignmentRound, *, reply_days: int, actor: User, now: datetime
) -> Sequence[str]:
    """Stage an offer for everybody who got a lab; what cannot be staged is told in sentences. Releases nothing.

    Side effect: takes the locks of the cycle, the labs and the applications until the transaction ends: of two clicks,
    the second finds it done. All offers are staged or none.

    Raises:
        AlreadyStaged: That was done.
        NotAllowed: The lists have changed since the round was computed, so that it may not be stable any more.
    """
    lock_row(session, Cycle.version, held.cycle_id)
    session.refresh(held)
    if held.staged_at is not None:
        raise AlreadyStaged("The offers of this round are staged already. They go out with a release.")
    computed = read_round(held.certificate.encode())
    if computed.market != market_of(session, held.cycle):
        raise NotAllowed(
            "The lists have changed since this round was computed. Compute a new one; it shows what moved."
        )
    refused = offer_places(session, held.cycle, computed.lab_of, actor=actor, now=now, reply_days=reply_days)
    held.staged_at = now
    session.flush()
    _record(session, held, "assignment.stage", actor, now)
    return refused


def _record(session: Session, held: AssignmentRound, act: str, actor: User, now: datetime) -> None:
    audit.record(
        session,
        actor=actor,
        act=act,
        object_type="assignment round",
        object_key=f"{held.cycle.slug if held.cycle else held.cycle_id}/{held.number}",
        now=now,
        after={"seed": held.seed},
    )
