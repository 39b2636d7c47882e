"""Importing a file in one go, as the command line does: plan the proposals, store them, and accept them on request.

It does the same as the pages, for one lab or a table of labs, except that no file is stored to be read later.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError

from portal.admin.imports.deciding import Decided, decide_each
from portal.admin.imports.table_queries import count_open_rows, selected_again
from portal.labs.imports.service import (
    accept_fitting,
    count_open,
    new_proposals,
    propose,
    record_import,
    undecided,
    waiting_of_files,
)
from portal.labs.imports.tables import new_row_proposals, propose_rows, undecided_rows
from portal.labs.proposals.service import DecidedProposal
from portal.labs.service import StaleEdit
from portal.seeding.imports.planning_labs import LabPlan, row_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Lab, User
    from portal.seeding.imports.imported import Imported

TRIES = 5


class BusyError(Exception):
    """Others keep storing proposals with the same fingerprints at the same time."""


@dataclass(frozen=True, slots=True)
class FileProposals:
    """The proposals of a file: `fresh` are those not stored yet, `waiting` counts those stored before and still open.

    `rows` and `changes` are the fingerprints of all that are not decided yet.
    """

    fresh: Sequence[LabPlan]
    waiting: int
    rows: frozenset[str]
    changes: frozenset[str]

    @property
    def count(self) -> int:
        """How many single proposals are fresh."""
        return sum(len(plan.proposals) + (plan.new is not None) for plan in self.fresh)


def planned(session: Session, lab: Lab | None, imported: Imported) -> FileProposals:
    """The labs that a file would make and change; `lab` is None for a table of labs. Writes nothing.

    Raises:
        RefusedImport: A lab is given, but the file is not about one.
    """
    if lab is None:
        plans = undecided_rows(session, imported)
        fresh = new_row_proposals(session, plans)
        rows = frozenset(map(row_fingerprint, imported.labs))
    else:
        proposals = undecided(session, lab, imported)
        plans = [LabPlan(lab.slug, tuple(proposals))]
        unasked = tuple(new_proposals(session, lab, proposals))
        fresh = [LabPlan(lab.slug, unasked)] if unasked else []
        rows = frozenset()
    changes = frozenset(proposal.fingerprint for plan in plans for proposal in plan.proposals)
    fresh_only = FileProposals(fresh, 0, rows, changes)
    waiting = FileProposals(plans, 0, rows, changes).count - fresh_only.count
    return FileProposals(fresh, waiting, rows, changes)


def propose_file(
    session: Session, lab: Lab | None, imported: Imported, *, actor: User | None, now: datetime
) -> tuple[FileProposals, int | None]:
    """Store the fresh proposals, all or nothing; commits. `actor` is None for the command line.

    Returns:
        The proposals of the file, and the id of its import; None if nothing was to be stored.

    Raises:
        RefusedImport: A lab is given, but the file is not about one.
        BusyError: Others keep storing the same proposals; nothing was stored.
    """
    for _ in range(TRIES):
        proposals = planned(session, lab, imported)
        if not proposals.fresh:
            return proposals, None
        try:
            import_id = _store(session, lab, imported, proposals, actor, now)
            session.commit()
        except IntegrityError:  # somebody stored the same proposals at the same moment
            session.rollback()
        else:
            return proposals, import_id
    raise BusyError


def _store(
    session: Session,
    lab: Lab | None,
    imported: Imported,
    file_proposals: FileProposals,
    actor: User | None,
    now: datetime,
) -> int:
    lab_import = record_import(session, lab, filename=imported.filename, actor=actor, now=now)
    if lab is None:
        propose_rows(session, lab_import, imported, file_proposals.fresh, now=now, step=lambda _done, _of: None)
    else:
        proposals = [proposal for plan in file_proposals.fresh for proposal in plan.proposals]
        propose(session, lab_import, lab, imported, proposals, now=now)
    return lab_import.id


def accept(
    session: Session,
    lab: Lab | None,
    proposals: FileProposals,
    *,
    author: User,
    reason: str,
    step: Callable[[int, int], None],
) -> Decided:
    """Accept all undecided proposals of the file, one revision per lab. Commits after each lab.

    Proposals that no longer fit are left open, and so are those that a seed page or a leader of the lab made before:
    they are no proposals of a file. `step` is called with how many labs are done, and how many there are.
    """
    if lab is None:

        def committed(done: int, total: int, _name: str) -> None:
            session.commit()
            step(done, total)

        chosen = selected_again(session, proposals.rows, proposals.changes)
        decided = decide_each(session, chosen, "accept", author=author, reason=reason, step=committed)
        left = count_open_rows(session, proposals.rows) + count_open(session, proposals.changes)
        asked = decided.done + decided.left + decided.by_others + len(proposals.changes) - chosen.change_count
        return Decided(decided.done, left, by_others=max(0, asked - decided.done - left))
    for _ in range(TRIES):
        waiting = waiting_of_files(session, proposals.changes, lab)
        try:
            done, saved = accept_fitting(session, lab, waiting, author=author, reason=reason, now=datetime.now(UTC))
            revision = saved.number if saved else None
            session.commit()
        except (DecidedProposal, StaleEdit):
            session.rollback()
        else:
            left = count_open(session, proposals.changes, lab)
            return Decided(done, left, revision, by_others=len(proposals.changes) - done - left)
    return Decided(0, count_open(session, proposals.changes, lab))
