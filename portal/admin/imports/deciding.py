"""Deciding many proposals of a table of labs, lab by lab; for jobs and the command."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from portal.admin.imports.table_queries import NewRow, still_open
from portal.jobs.registry import JobRefused
from portal.labs.imports.service import accept_fitting, refuse_many
from portal.labs.imports.tables import NotNew, accept_new, refuse_new
from portal.labs.proposals.service import DecidedProposal
from portal.labs.service import StaleEdit
from portal.models import User

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from sqlalchemy.orm import Session

    from portal.admin.imports.table_queries import Selected
    from portal.models import Lab, LabProposal

    OfLab: TypeAlias = tuple[Lab, Sequence[LabProposal]]

Decision = Literal["accept", "refuse"]

FORMER = "Whoever asked for this is not an administrator any more, or is suspended, so nothing was decided."


@dataclass(frozen=True, slots=True)
class Decided:
    """How many proposals were decided, how many could not be and are still open, and how many somebody else has decided
    meanwhile.

    `revision` is the number of the lab's new revision; None for several labs, or if nothing changed.
    """

    done: int
    left: int
    revision: int | None = None
    by_others: int = 0


def administrator_asking(session: Session, person_id: int) -> User:
    """The administrator for whom a job decides; it may have waited for long.

    Raises:
        JobRefused: They are none any more.
    """
    person = session.get(User, person_id)
    if person is None or not person.is_acting_admin:
        raise JobRefused(FORMER)
    return person


def decide_each(
    session: Session,
    chosen: Selected,
    decision: Decision,
    *,
    author: User,
    reason: str,
    step: Callable[[int, int, str], None],
) -> Decided:
    """Accept or refuse rows and changes, lab by lab; those that cannot be decided are left open and counted.

    `step` is called with how many labs are done, how many there are, and the name of the next; it may commit.
    """
    act = _accept if decision == "accept" else _refuse
    items: list[NewRow | OfLab] = [*chosen.new, *chosen.changes]
    new = {row.proposal.id for row in chosen.new}
    changes = {proposal.id for _, proposals in chosen.changes for proposal in proposals}
    total, done = len(items), 0
    for index, item in enumerate(items):
        step(index, total, item.record.name if isinstance(item, NewRow) else item[0].name)
        try:
            with session.begin_nested():
                decided = act(session, item, author, reason)
        except (NotNew, DecidedProposal, StaleEdit):
            decided = 0
        done += decided
    step(total, total, "")
    left = still_open(session, new, changes)
    return Decided(done, left, by_others=len(new) + len(changes) - done - left)


def _accept(session: Session, item: NewRow | OfLab, author: User, reason: str) -> int:
    """Make the lab, or change it; returns how many proposals were accepted."""
    now = datetime.now(UTC)
    if isinstance(item, NewRow):
        accept_new(session, item.proposal, item.record, like=item.like, author=author, reason=reason, now=now)
        return 1
    return accept_fitting(session, *item, author=author, reason=reason, now=now)[0]


def _refuse(session: Session, item: NewRow | OfLab, author: User, reason: str) -> int:
    """Refuse to make the lab, or to change it; returns how many proposals were refused."""
    now = datetime.now(UTC)
    if isinstance(item, NewRow):
        refuse_new(session, item.proposal, author=author, reason=reason, now=now)
        return 1
    refuse_many(session, *item, author=author, reason=reason, now=now)
    return len(item[1])
