"""Tables of labs: what their rows would make, and change in labs that are there. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from portal.labs.imports.service import as_row, record_reading
from portal.labs.live_index.corpus import Stamp, read_corpus
from portal.labs.service import create_lab
from portal.models import Lab, LabProposal
from portal.seeding.imports.planning_labs import plan_labs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import LabImport, User
    from portal.seeding.imports.imported import Imported
    from portal.seeding.imports.planning_labs import LabPlan
    from portal.seeding.records import LabRecord


def planned_rows(session: Session, imported: Imported) -> Sequence[LabPlan]:
    """What the rows would make and change, without changes accepted or refused before. Writes nothing."""
    profiles = read_corpus(session, Stamp()).profiles
    decided = frozenset(session.scalars(select(LabProposal.fingerprint).where(LabProposal.state != "open")))
    return plan_labs(profiles, imported, excluded=decided)


def propose_rows(
    session: Session, lab_import: LabImport, imported: Imported, plans: Sequence[LabPlan], *, now: datetime
) -> None:
    """Store the changes of labs that are there as proposals, and record what became of the rows."""
    lab_ids = {lab.slug: lab.id for lab in session.execute(select(Lab.slug, Lab.id))}
    session.add_all(
        as_row(proposal, lab_ids[plan.lab], lab_import.id, now) for plan in plans for proposal in plan.proposals
    )
    session.flush()
    record_reading(lab_import, imported, now)


def make_lab(session: Session, record: LabRecord, *, author: User, reason: str, now: datetime) -> bool:
    """Make the lab of a row; False if somebody has made one at this address in the same moment."""
    try:
        with session.begin_nested():
            create_lab(session, record, author=author, reason=reason, now=now, source="import")
    except IntegrityError:
        return False
    return True
