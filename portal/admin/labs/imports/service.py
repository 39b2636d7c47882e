"""Importing a file in one go, as the command line does: plan the proposals, store them, and accept them on request.

For one lab it does the same as the pages, except that no file is stored to be read later. A table of labs also makes
the labs that are not there yet, when it is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from portal.labs.imports import (
    accept_fitting,
    count_open,
    make_lab,
    new_proposals,
    planned_rows,
    propose,
    propose_rows,
    record_import,
    undecided,
    waiting_of_files,
)
from portal.labs.proposals import DecidedProposal
from portal.labs.service import StaleEdit
from portal.models import LabProposal
from portal.seeding.imports.labs_table import LabPlan

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

    `new` are the labs of a table that are not there yet. `changes` are the fingerprints of all proposals that are not
    decided yet.
    """

    fresh: Sequence[LabPlan]
    waiting: int
    changes: frozenset[str]
    new: Sequence[LabPlan] = ()

    @property
    def count(self) -> int:
        """How many single proposals are fresh."""
        return sum(len(plan.proposals) for plan in self.fresh)


@dataclass(frozen=True, slots=True)
class Decided:
    """How many labs were made and proposals accepted, how many proposals could not be and are still open, and how many
    of both somebody else has made or decided meanwhile.

    `revision` is the number of the lab's new revision; None for a table of labs, or if nothing changed.
    """

    accepted: int
    left: int
    revision: int | None = None
    by_others: int = 0
    made: int = 0


def planned(session: Session, lab: Lab | None, imported: Imported) -> FileProposals:
    """The labs that a file would make and change; `lab` is None for a table of labs. Writes nothing.

    Raises:
        RefusedImport: A lab is given, but the file is not about one.
    """
    if lab is None:
        plans = planned_rows(session, imported)
        stored = frozenset(session.scalars(select(LabProposal.fingerprint)))
        fresh = [
            LabPlan(plan.lab, proposals, line=plan.line)
            for plan in plans
            if (proposals := tuple(one for one in plan.proposals if one.fingerprint not in stored))
        ]
    else:
        proposals = tuple(undecided(session, lab, imported))
        plans = [LabPlan(lab.slug, proposals)]
        unasked = tuple(new_proposals(session, lab, proposals))
        fresh = [LabPlan(lab.slug, unasked)] if unasked else []
    changes = frozenset(proposal.fingerprint for plan in plans for proposal in plan.proposals)
    waiting = sum(len(plan.proposals) for plan in plans) - sum(len(plan.proposals) for plan in fresh)
    return FileProposals(fresh, waiting, changes, [plan for plan in plans if plan.new is not None])


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
            lab_import = record_import(session, lab, filename=imported.filename, actor=actor, now=now)
            if lab is None:
                propose_rows(session, lab_import, imported, proposals.fresh, now=now)
            else:
                single = [proposal for plan in proposals.fresh for proposal in plan.proposals]
                propose(session, lab_import, lab, imported, single, now=now)
            import_id = lab_import.id
            session.commit()
        except IntegrityError:  # somebody stored the same proposals at the same moment
            session.rollback()
        else:
            return proposals, import_id
    raise BusyError


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
        return _accept_table(session, proposals, author=author, reason=reason, step=step)
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


def _accept_table(
    session: Session, proposals: FileProposals, *, author: User, reason: str, step: Callable[[int, int], None]
) -> Decided:
    """Make the labs of a table that are not there, and change the others, lab by lab."""
    waiting = waiting_of_files(session, proposals.changes)
    by_lab = [(lab, list(rows)) for lab, rows in groupby(waiting, key=lambda row: row.lab)]
    total, made, accepted = len(proposals.new) + len(by_lab), 0, 0
    step(0, total)
    for done, plan in enumerate(proposals.new, start=1):
        if plan.new is not None:
            made += make_lab(session, plan.new, author=author, reason=reason, now=datetime.now(UTC))
        session.commit()
        step(done, total)
    for done, (lab, rows) in enumerate(by_lab, start=len(proposals.new) + 1):
        try:
            accepted += accept_fitting(session, lab, rows, author=author, reason=reason, now=datetime.now(UTC))[0]
            session.commit()
        except (DecidedProposal, StaleEdit):  # they are left open, or somebody has decided them
            session.rollback()
        step(done, total)
    left = count_open(session, proposals.changes)
    by_others = len(proposals.changes) - accepted - left + len(proposals.new) - made
    return Decided(accepted, left, by_others=by_others, made=made)
