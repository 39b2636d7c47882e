"""Bringing a file that was read in one go, as the command line does: planned, stored, and accepted if it is asked for.

All of it is what the pages do, for one lab or a table of labs; what differs is that no file waits to be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError

from portal.admin.imports.deciding import Decided, decide_each
from portal.admin.imports.table_queries import selected_again
from portal.labs.imports_service import accept_fitting, not_asked, note_import, propose, undecided, waiting_of_files
from portal.labs.proposals import DecidedProposal
from portal.labs.service import StaleEdit
from portal.labs.table_imports import not_asked_rows, propose_rows, undecided_rows
from portal.seeding.imports.planning_labs import LabPlan, row_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Lab, User
    from portal.seeding.imports.imported import Imported

TRIES = 5


class BusyError(Exception):
    """Proposals of the same fingerprints are stored by others faster than they can be planned."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What a file proposes: `fresh` is what nobody was asked yet, `waiting` how much was asked before and is open.

    `rows` and `changes` are the fingerprints of all of it that was not decided yet.
    """

    fresh: Sequence[LabPlan]
    waiting: int
    rows: frozenset[str]
    changes: frozenset[str]

    @property
    def count(self) -> int:
        """How many single proposals are fresh."""
        return sum(len(plan.proposals) + (plan.new is not None) for plan in self.fresh)


def planned(session: Session, lab: Lab | None, imported: Imported) -> Brought:
    """What a file would make and change, for a lab or (with None) a table of several. Writes nothing.

    Raises:
        RefusedImport: It is for one lab, and not about one.
    """
    if lab is None:
        plans = undecided_rows(session, imported)
        fresh = not_asked_rows(session, plans)
        rows = frozenset(map(row_fingerprint, imported.labs))
    else:
        proposals = undecided(session, lab, imported)
        plans = [LabPlan(lab.slug, tuple(proposals))]
        unasked = tuple(not_asked(session, lab, proposals))
        fresh = [LabPlan(lab.slug, unasked)] if unasked else []
        rows = frozenset()
    changes = frozenset(proposal.fingerprint for plan in plans for proposal in plan.proposals)
    brought = Brought(fresh, 0, rows, changes)
    waiting = Brought(plans, 0, rows, changes).count - brought.count
    return Brought(fresh, waiting, rows, changes)


def propose_file(
    session: Session, lab: Lab | None, imported: Imported, *, actor: User | None, now: datetime
) -> tuple[Brought, int | None]:
    """Store what nobody was asked yet as proposals, all or nothing; commits. `actor` is None for the command line.

    Returns:
        What the file proposes, and the number of the import that it became; None where nothing was to be stored.

    Raises:
        RefusedImport: It is for one lab, and not about one.
        BusyError: Others bring the same all the time; nothing was stored.
    """
    for _ in range(TRIES):
        brought = planned(session, lab, imported)
        if not brought.fresh:
            return brought, None
        try:
            number = _store(session, lab, imported, brought, actor, now)
            session.commit()
        except IntegrityError:  # somebody brought the same in the same moment
            session.rollback()
        else:
            return brought, number
    raise BusyError


def _store(
    session: Session, lab: Lab | None, imported: Imported, brought: Brought, actor: User | None, now: datetime
) -> int:
    kept = note_import(session, lab, filename=imported.filename, actor=actor, now=now)
    if lab is None:
        propose_rows(session, kept, imported, brought.fresh, now=now, step=lambda _done, _of: None)
    else:
        proposals = [proposal for plan in brought.fresh for proposal in plan.proposals]
        propose(session, kept, lab, imported, proposals, now=now)
    return kept.id


def accept(
    session: Session,
    lab: Lab | None,
    brought: Brought,
    *,
    author: User,
    reason: str,
    step: Callable[[int, int], None],
) -> Decided:
    """Accept what the file proposes and nobody decided yet, one revision per lab. Commits, lab by lab.

    What no longer fits is left open, as is what a page or the lab's leader asked before: that is no proposal of a
    file. `step` is told how many labs are done, of how many.
    """
    if lab is None:

        def committed(done: int, of: int, _name: str) -> None:
            session.commit()
            step(done, of)

        chosen = selected_again(session, brought.rows, brought.changes)
        elsewhere = len(brought.changes) - chosen.change_count
        decided = decide_each(session, chosen, "accept", author=author, reason=reason, step=committed)
        return Decided(decided.done, decided.left + elsewhere)
    for _ in range(TRIES):
        waiting = waiting_of_files(session, brought.changes, lab)
        try:
            done, saved = accept_fitting(session, lab, waiting, author=author, reason=reason, now=datetime.now(UTC))
            revision = saved.number if saved else None
            session.commit()
        except (DecidedProposal, StaleEdit):
            session.rollback()
        else:
            return Decided(done, len(brought.changes) - done, revision)
    return Decided(0, len(brought.changes))
