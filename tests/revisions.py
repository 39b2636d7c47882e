"""The revisions of a lab, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import LabRevision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from portal.models import Lab


def revisions_of(session: Session, lab: Lab) -> Sequence[LabRevision]:
    """All revisions of a lab, newest first."""
    return session.scalars(
        select(LabRevision).where(LabRevision.lab_id == lab.id).order_by(LabRevision.number.desc())
    ).all()
