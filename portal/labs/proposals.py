"""Proposed changes of profiles, which a person decides, such as those that a lab's leaders make. The caller commits."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from portal import audit, mail
from portal.db import insert_into
from portal.labs.queries import profile_of
from portal.labs.service import save_profile
from portal.models import LabProposal
from portal.seeding.changes import Change, apply
from portal.seeding.snapshots import COLLECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, LabRevision, User
    from portal.models.lab import RevisionSource
    from portal.seeding.records import LabRecord


LONGEST_WHY = 500


class DecidedProposal(Exception):
    """The proposal has already been accepted or refused. Nothing was written."""


def accept_proposal(
    session: Session,
    proposal: LabProposal,
    *,
    author: User,
    reason: str,
    now: datetime,
    source: RevisionSource = "question",
) -> LabRevision | None:
    """Apply a proposal to the profile as a new revision; None if the profile already says so. Tells its author.

    Raises:
        DecidedProposal: It has already been decided.
        MergeError: The profile no longer has the item that the proposal is about.
    """
    _decide(session, proposal, "accepted", author, now, reason)
    lab = proposal.lab
    profile = profile_of(session, lab)
    changed = with_proposal(profile, proposal)
    base = lab.revision_number
    if proposal.proposed_by is not None:
        reason = f"{reason} (proposed by {proposal.proposed_by.display_name})"[:LONGEST_WHY]
    return save_profile(session, lab, changed, base=base, author=author, reason=reason, now=now, source=source)


def refuse_proposal(session: Session, proposal: LabProposal, *, author: User, now: datetime, reason: str = "") -> None:
    """Refuse a proposal: the profile stays, and it is not made again. The audit log keeps the reason.

    Raises:
        DecidedProposal: It has already been decided.
    """
    _decide(session, proposal, "refused", author, now, reason)


def _decide(session: Session, proposal: LabProposal, state: str, author: User, now: datetime, reason: str = "") -> None:
    decided = session.execute(
        update(LabProposal)
        .where(LabProposal.id == proposal.id, LabProposal.state == "open")
        .values(state=state, decided_at=now, decided_by_id=author.id, decided_why=reason[:LONGEST_WHY])
    )
    if not decided.rowcount:  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        raise DecidedProposal
    audit.record(
        session,
        actor=author,
        act=f"lab.proposal_{state}",
        object_type="lab",
        object_key=proposal.lab.slug,
        now=now,
        before={"path": proposal.path, "value": proposal.current},
        after={"path": proposal.path, "value": proposal.proposed, "reason": reason},
    )
    if proposal.proposed_by is not None:
        context = {"lab": proposal.lab.name, "outcome": state, "reason": reason}
        path, dedupe = f"/reviews/{proposal.lab.slug}/profile", f"proposal:{proposal.id}:decided"
        mail.tell(session, proposal.proposed_by, "profile_edit_decided", context, now=now, path=path, dedupe=dedupe)


def with_proposal(profile: LabRecord, proposal: LabProposal) -> LabRecord:
    """The profile as it would be with the proposal accepted.

    Raises:
        MergeError: The profile no longer has the item that the proposal is about.
    """
    return apply(profile, [_proposed_change(proposal, profile)])


def _proposed_change(proposal: LabProposal, profile: LabRecord) -> Change:
    """The proposal as a change of the present profile, which may have changed since it was made."""
    if proposal.proposed is None:
        return Change(proposal.path, "removed", proposal.current, None)
    if proposal.path in COLLECTIONS:
        return Change(proposal.path, "moved", proposal.current, proposal.proposed)
    collection, _, key = proposal.path.partition("/")
    keys = [item.key for item in getattr(profile, collection)] if collection in COLLECTIONS else []
    if "/" in key or not key or key in keys:
        return Change(proposal.path, "changed", proposal.current, proposal.proposed)
    return Change(proposal.path, "added", proposal.current, proposal.proposed, after=keys[-1] if keys else "")


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
