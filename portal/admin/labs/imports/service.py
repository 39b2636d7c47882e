"""Importing a file in one go, as the command line does: its proposals are stored, and accepted on request.

A table of labs also makes the labs that are not there yet, when it is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError

from portal.labs.imports import accept_fitting, count_open, planned, propose, waiting_of_files
from portal.labs.proposals import DecidedProposal
from portal.labs.service import StaleEdit, create_lab

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from portal.labs.imports import FileProposals
    from portal.models import Lab, LabRevision, User
    from portal.seeding.pages import Reading
    from portal.seeding.records import LabRecord

TRIES = 5


class BusyError(Exception):
    """Others keep storing proposals with the same fingerprints at the same time. Nothing was stored."""

    def __init__(self) -> None:
        super().__init__("Others are importing the same just now. Nothing was stored; try again in a minute.")


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


def propose_file(
    session: Session, lab: Lab | None, imported: Reading, *, actor: User | None, now: datetime
) -> tuple[FileProposals, int | None]:
    """Store the fresh proposals, all or nothing; commits. `actor` is None for the command line.

    Returns:
        The proposals of the file, and the id of its import; None if nothing was to be stored.

    Raises:
        BusyError: Others keep storing the same proposals; nothing was stored.
    """
    for _ in range(TRIES):
        proposals = planned(session, lab, imported)
        if not proposals.fresh:
            return proposals, None
        try:
            import_id = propose(session, lab, imported, proposals.fresh, actor=actor, now=now).id
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
    """Accept all undecided proposals of the file, one revision per lab, and make its labs. Commits after each lab.

    Proposals that no longer fit are left open, and so are those that a seed page or a leader of the lab made before:
    they are no proposals of a file. `step` is called with how many labs are done, and how many there are.
    """
    waiting = waiting_of_files(session, proposals.changes, lab)
    labs = [each for each, _ in groupby(row.lab for row in waiting)]
    total, made, accepted, revision = len(proposals.new) + len(labs), 0, 0, None
    step(0, total)
    for done, plan in enumerate(proposals.new, start=1):
        if plan.new is not None:
            made += make_lab(session, plan.new, author=author, reason=reason)
        session.commit()
        step(done, total)
    for done, each in enumerate(labs, start=len(proposals.new) + 1):
        count, revision = _accept_in(session, each, proposals, author, reason)
        accepted += count
        step(done, total)
    left = count_open(session, proposals.changes)
    by_others = len(proposals.changes) - accepted - left + len(proposals.new) - made
    number = revision.number if revision is not None and lab is not None else None
    return Decided(accepted, left, number, by_others=by_others, made=made)


def _accept_in(
    session: Session, lab: Lab, proposals: FileProposals, author: User, reason: str
) -> tuple[int, LabRevision | None]:
    """Accept what is proposed for one lab, in spite of others who save or decide in the same moment."""
    for _ in range(TRIES):
        waiting = waiting_of_files(session, proposals.changes, lab)
        try:
            done = accept_fitting(session, lab, waiting, author=author, reason=reason, now=datetime.now(UTC))
            session.commit()
        except (DecidedProposal, StaleEdit):
            session.rollback()
        else:
            return done
    return 0, None


def make_lab(session: Session, record: LabRecord, *, author: User, reason: str) -> bool:
    """Make the lab of a row; False if somebody has made one at this address in the same moment."""
    try:
        with session.begin_nested():
            create_lab(session, record, author=author, reason=reason, now=datetime.now(UTC), source="import")
    except IntegrityError:
        return False
    return True
