"""What leaders of a lab change and administrators approve first. The caller commits."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from portal import audit
from portal.labs.proposals import LONGEST_WHY, DecidedProposal
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
    """Keep changes until an administrator decides. What the same person proposed before for the same place, and is
    not decided yet, is replaced; the same change sent twice waits once.
    """
    new = [change for change in changes if _propose_one(session, lab, change, author, reason, now)]
    if new:
        _record(session, lab, "lab.propose", [change.path for change in new], author, now, reason)


def withdraw(session: Session, proposal: LabProposal, *, author: User, now: datetime) -> None:
    """Take back a change that waits.

    Raises:
        DecidedProposal: It was decided already.
    """
    taken = session.execute(delete(LabProposal).where(LabProposal.id == proposal.id, LabProposal.state == "open"))
    if not taken.rowcount:  # type: ignore[attr-defined]  # a DELETE gives a CursorResult
        raise DecidedProposal
    _record(session, proposal.lab, "lab.withdraw_proposal", [proposal.path], author, now, "")


def proposals_of_leaders(session: Session, lab: Lab) -> Sequence[LabProposal]:
    """What leaders of the lab proposed: all that waits, oldest first, then the last decided."""
    own = select(LabProposal).where(LabProposal.lab_id == lab.id, LabProposal.proposed_by_id.is_not(None))
    waiting = session.scalars(own.where(LabProposal.state == "open").order_by(LabProposal.id)).all()
    decided = own.where(LabProposal.state != "open").order_by(LabProposal.decided_at.desc(), LabProposal.id.desc())
    return [*waiting, *session.scalars(decided.limit(DECIDED_SHOWN))]


def _propose_one(session: Session, lab: Lab, change: Change, author: User, reason: str, now: datetime) -> bool:
    own = (LabProposal.lab_id == lab.id, LabProposal.path == change.path, LabProposal.proposed_by_id == author.id)
    before = session.scalars(select(LabProposal).where(*own, _IS_OPEN)).all()
    if any(one.proposed == change.new for one in before):
        return False
    # Only what was seen: the same change may be coming from another request at this moment.
    session.execute(delete(LabProposal).where(LabProposal.id.in_([one.id for one in before]), *own, _IS_OPEN))
    decided = session.scalar(select(func.count(LabProposal.id)).where(*own, ~_IS_OPEN)) or 0
    # Two of the same at the same moment get the same name, of which the database takes one.
    named = json.dumps([change.path, change.new, author.id, decided], sort_keys=True)
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    row = insert(LabProposal).values(
        lab_id=lab.id,
        path=change.path,
        current=change.old,
        proposed=change.new,
        why=f"{author.display_name} proposes this for the lab: {reason}"[:LONGEST_WHY],
        fingerprint=hashlib.sha256(named.encode()).hexdigest(),
        state="open",
        created_at=now,
        proposed_by_id=author.id,
        decided_why="",
    )
    made = session.execute(row.on_conflict_do_nothing().returning(LabProposal.id))
    return made.one_or_none() is not None


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
