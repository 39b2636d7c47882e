"""Cycles with their counts: applications by state, and decisions that wait for release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.admin.releases.queries import count_to_release
from portal.applications.cycles import count_by_state, count_staged, cycles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle


@dataclass(frozen=True, slots=True)
class CycleRow:
    """A cycle with how many applications are in each state, how many decisions wait for their release, and how many of
    these are in no open release yet.
    """

    cycle: Cycle
    by_state: Mapping[str, int]
    staged: int
    to_release: int

    @property
    def applications(self) -> int:
        """How many there are in all, drafts included."""
        return sum(self.by_state.values())

    @property
    def drafts(self) -> int:
        """How many their applicants have not submitted yet."""
        return self.by_state.get("draft", 0)

    @property
    def submitted(self) -> int:
        """How many are submitted and not checked yet."""
        return self.by_state.get("submitted", 0)

    def to_check(self, now: datetime) -> int:
        """How many wait for an administrator: none before the deadline, until which applicants may edit theirs."""
        return self.submitted if now >= self.cycle.deadline_at else 0


def cycle_rows(session: Session) -> Sequence[CycleRow]:
    """All cycles, the one with the latest deadline first."""
    return [cycle_row(session, cycle) for cycle in cycles(session)]


def cycle_row(session: Session, cycle: Cycle) -> CycleRow:
    """One cycle with its counts."""
    staged = count_staged(session, cycle)
    return CycleRow(cycle, count_by_state(session, cycle), staged, count_to_release(session, cycle) if staged else 0)
