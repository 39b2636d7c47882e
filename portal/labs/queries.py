"""Reads labs, and says who may edit them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from portal.models import Lab, LabProfessor, LabRevision
from portal.models.user import ADMIN
from portal.seeding.records import from_json

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import User
    from portal.seeding.records import LabRecord


IS_NEWEST = (LabRevision.lab_id == Lab.id) & (LabRevision.number == Lab.revision_number)
"""A condition on `Lab` and `LabRevision`: the revision is the lab's profile today."""

IS_LISTED = Lab.archived_at.is_(None) & Lab.is_draft.is_(False)
"""A condition on `Lab`: it is neither archived nor a draft, so that it is on the public pages and in rankings."""

_BY_SLUG = select(Lab).where(Lab.slug == bindparam("slug"))


def lab_by_slug(session: Session, slug: str) -> Lab | None:
    """The lab at this address. Checks for NUL, which PostgreSQL refuses."""
    if "\0" in slug:
        return None
    return session.scalar(_BY_SLUG, {"slug": slug})


def profile_of(session: Session, lab: Lab) -> LabRecord:
    """The lab's present profile."""
    profile = profile_at(session, lab, lab.revision_number)
    if profile is None:
        raise LookupError(f"{lab.slug} has no revision {lab.revision_number}")
    return profile


def profile_at(session: Session, lab: Lab, revision_number: int) -> LabRecord | None:
    """The lab's profile at one of its revisions; None if there is no such revision."""
    revision = revision_at(session, lab, revision_number)
    return None if revision is None else from_json(revision.snapshot)


def revision_at(session: Session, lab: Lab, revision_number: int) -> LabRevision | None:
    """The revision of a lab with this number."""
    return session.scalar(
        select(LabRevision).where(LabRevision.lab_id == lab.id, LabRevision.number == revision_number)
    )


def why_not_edit(session: Session, person: User, lab: Lab) -> str | None:
    """Why a person may not edit a profile: only administrators and the lab's leaders may."""
    if person.has_role(ADMIN) or leads(session, person, lab):
        return None
    return f"Only the leader of {lab.name} and administrators can edit its profile."


def leads(session: Session, person: User, lab: Lab) -> bool:
    """Whether a person is a leader of the lab."""
    seat = session.get(LabProfessor, (lab.id, person.id))
    return seat is not None and seat.position == "leader"
