"""Proposed changes of profiles, which a person decides. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import update

from portal import audit
from portal.labs.queries import profile_of
from portal.labs.service import save_profile
from portal.models import LabProposal
from portal.seeding.merging import Change, apply
from portal.seeding.records import COLLECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import LabRevision, User
    from portal.seeding.merging import Proposal
    from portal.seeding.records import LabRecord


LONGEST_WHY = 500  # characters


class DecidedProposal(Exception):
    """The proposal has already been accepted or refused. Nothing was written."""


def as_row(proposal: Proposal, lab_id: int, import_id: int | None, now: datetime) -> LabProposal:
    """A proposal of a page, or of the file of an import, as a row for the lab with this id."""
    return LabProposal(
        lab_id=lab_id,
        import_id=import_id,
        path=proposal.path,
        current=proposal.current,
        proposed=proposal.proposed,
        why=proposal.why[:LONGEST_WHY],
        fingerprint=proposal.fingerprint,
        created_at=now,
    )


def accept_proposal(
    session: Session,
    proposal: LabProposal,
    *,
    author: User,
    reason: str,
    now: datetime,
) -> LabRevision | None:
    """Apply a proposal to the profile as a new revision; None if the profile already says so.

    Raises:
        DecidedProposal: It has already been decided.
        MergeError: The profile no longer has the item that the proposal is about.
    """
    _decide(session, proposal, "accepted", author, now, reason)
    lab = proposal.lab
    profile = profile_of(session, lab)
    changed = with_proposal(profile, proposal)
    base = lab.revision_number
    return save_profile(session, lab, changed, base=base, author=author, reason=reason, now=now, source="question")


def refuse_proposal(session: Session, proposal: LabProposal, *, author: User, now: datetime, reason: str = "") -> None:
    """Refuse a proposal: the profile stays, and it is not made again. The audit log keeps the reason.

    Raises:
        DecidedProposal: It has already been decided.
    """
    _decide(session, proposal, "refused", author, now, reason)


def decide(session: Session, proposals: Sequence[LabProposal], state: str, author: User, now: datetime) -> None:
    """Mark proposals as accepted or refused, all or none.

    Raises:
        DecidedProposal: One of them has already been decided.
    """
    ids = [proposal.id for proposal in proposals]
    decided = session.execute(
        update(LabProposal)
        .where(LabProposal.id.in_(ids), LabProposal.state == "open")
        .values(state=state, decided_at=now, decided_by_id=author.id)
    )
    if decided.rowcount != len(ids):  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        raise DecidedProposal(f"{len(ids)} proposals were not all open any more")


def _decide(session: Session, proposal: LabProposal, state: str, author: User, now: datetime, reason: str) -> None:
    decide(session, [proposal], state, author, now)
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
