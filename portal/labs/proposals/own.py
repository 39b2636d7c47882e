"""Changes that a lab's leaders make and administrators approve first. The caller commits."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from portal import audit
from portal.db import insert_into
from portal.labs.proposals.service import LONGEST_WHY, DecidedProposal
from portal.models import LabProposal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User
    from portal.seeding.changes import Change

DECIDED_SHOWN = 10
_IS_OPEN = LabProposal.state == "open"


def propose(session: Session, lab: Lab, changes: Sequence[Change], *, author: User, reason: str, now: datetime) -> None:
    """Store changes, with an audit entry, until an administrator decides. They replace the same person's undecided
    proposals for the same items; the same change sent twice is stored once.
    """
    new = [change for change in changes if _propose_one(session, lab, change, author, reason, now)]
    if new:
        _record(session, lab, "lab.propose", [change.path for change in new], author, now, reason)


def withdraw(session: Session, proposal: LabProposal, *, author: User, now: datetime) -> None:
    """Withdraw an undecided change.

    Raises:
        DecidedProposal: It has been decided.
    """
    deleted = session.execute(delete(LabProposal).where(LabProposal.id == proposal.id, LabProposal.state == "open"))
    if not deleted.rowcount:  # type: ignore[attr-defined]  # a DELETE gives a CursorResult
        raise DecidedProposal
    _record(session, proposal.lab, "lab.withdraw_proposal", [proposal.path], author, now, "")


def proposals_of_leaders(session: Session, lab: Lab) -> Sequence[LabProposal]:
    """Proposals of the lab's leaders: all undecided ones, oldest first, then the last decided ones."""
    own = select(LabProposal).where(LabProposal.lab_id == lab.id, LabProposal.proposed_by_id.is_not(None))
    waiting = session.scalars(own.where(LabProposal.state == "open").order_by(LabProposal.id)).all()
    decided = own.where(LabProposal.state != "open").order_by(LabProposal.decided_at.desc(), LabProposal.id.desc())
    return [*waiting, *session.scalars(decided.limit(DECIDED_SHOWN))]


def _propose_one(session: Session, lab: Lab, change: Change, author: User, reason: str, now: datetime) -> bool:
    own = (LabProposal.lab_id == lab.id, LabProposal.path == change.path, LabProposal.proposed_by_id == author.id)
    undecided = session.scalars(select(LabProposal).where(*own, _IS_OPEN)).all()
    if any(proposal.proposed == change.new for proposal in undecided):
        return False
    # Delete only rows that were read: another request may be storing the same change.
    read_ids = [proposal.id for proposal in undecided]
    session.execute(delete(LabProposal).where(LabProposal.id.in_(read_ids), *own, _IS_OPEN))
    decided = session.scalar(select(func.count(LabProposal.id)).where(*own, ~_IS_OPEN)) or 0
    # Two equal concurrent changes get the same fingerprint, of which the database accepts one.
    identity = json.dumps([change.path, change.new, author.id, decided], sort_keys=True)
    insertion = insert_into(session, LabProposal).values(
        lab_id=lab.id,
        path=change.path,
        current=change.old,
        proposed=change.new,
        why=f"{author.display_name} proposes this for the lab: {reason}"[:LONGEST_WHY],
        fingerprint=hashlib.sha256(identity.encode()).hexdigest(),
        state="open",
        created_at=now,
        proposed_by_id=author.id,
        decided_why="",
    )
    inserted = session.execute(insertion.on_conflict_do_nothing().returning(LabProposal.id))
    return inserted.one_or_none() is not None


def _record(session: Session, lab: Lab, act: str, paths: list[str], author: User, now: datetime, reason: str) -> None:
    audit.record(
        session,
        actor=author,
        act=act,
        object_type="lab",
        object_key=lab.slug,
        now=now,
        after={"paths": paths, **({"reason": reason} if reason else {})},
    )
