"""Reads of assignment rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import defer

from portal.models import AssignmentRound, Lab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle


def rounds_of(session: Session, cycle: Cycle) -> Sequence[AssignmentRound]:
    """The rounds of a cycle, the newest first, without their certificates, which are large."""
    return session.scalars(_newest_first(cycle).options(defer(AssignmentRound.certificate))).all()


def last_round(session: Session, cycle: Cycle) -> AssignmentRound | None:
    """The newest round of a cycle."""
    return session.scalar(_newest_first(cycle).limit(1))


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
