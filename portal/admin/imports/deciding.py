"""Deciding many proposals of a table of labs, each lab by itself: what jobs and the command do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from portal.admin.imports.table_queries import NewRow
from portal.labs.imports_service import accept_fitting, refuse_many
from portal.labs.proposals import DecidedProposal
from portal.labs.service import StaleEdit
from portal.labs.table_imports import NotNew, accept_new, refuse_new

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from sqlalchemy.orm import Session

    from portal.admin.imports.table_queries import Selected
    from portal.models import Lab, LabProposal, User

    OfLab: TypeAlias = tuple[Lab, Sequence[LabProposal]]

Decision = Literal["accept", "refuse"]


@dataclass(frozen=True, slots=True)
class Decided:
    """How many proposals were decided, and how many could not be and are still open.

    `revision` is the number of the one that a lab got; None where there were several labs, or nothing changed.
    """

    done: int
    left: int
    revision: int | None = None


def decide_each(
    session: Session,
    chosen: Selected,
    decision: Decision,
    *,
    author: User,
    reason: str,
    step: Callable[[int, int, str], None],
) -> Decided:
    """Accept or refuse rows and changes, each lab by itself: what cannot be done is left open and counted.

    `step` is told how many labs are done, of how many, and which comes now; it may commit.
    """
    act = _accept if decision == "accept" else _refuse
    everything: list[NewRow | OfLab] = [*chosen.new, *chosen.changes]
    total, done, left = len(everything), 0, 0
    for place, one in enumerate(everything):
        name, asked = (one.record.name, 1) if isinstance(one, NewRow) else (one[0].name, len(one[1]))
        step(place, total, name)
        decided = 0
        try:
            with session.begin_nested():
                decided = act(session, one, author, reason)
        except (NotNew, DecidedProposal, StaleEdit):
            decided = 0
        done, left = done + decided, left + asked - decided
    step(total, total, "")
    return Decided(done, left)


def _accept(session: Session, one: NewRow | OfLab, author: User, reason: str) -> int:
    """Make the lab, or change it; how many proposals that took in."""
    now = datetime.now(UTC)
    if isinstance(one, NewRow):
        accept_new(session, one.proposal, one.record, like=one.like, author=author, reason=reason, now=now)
        return 1
    return accept_fitting(session, *one, author=author, reason=reason, now=now)[0]


def _refuse(session: Session, one: NewRow | OfLab, author: User, reason: str) -> int:
    """Make no lab, or leave it as it is; how many proposals that were."""
    now = datetime.now(UTC)
    if isinstance(one, NewRow):
        refuse_new(session, one.proposal, author=author, reason=reason, now=now)
        return 1
    refuse_many(session, *one, author=author, reason=reason, now=now)
    return len(one[1])
