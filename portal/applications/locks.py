"""One writer at a time for each person and each lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import lock_row
from portal.models import Lab, User

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def lock_person(session: Session, user: User) -> None:
    """Lock this person's data until the transaction ends, so that two first saves at once do not both find nothing."""
    lock_row(session, User.active, user.id)


def lock_lab(session: Session, lab_id: int) -> None:
    """Lock the lab until the transaction ends, waiting for other decisions about it."""
    lock_row(session, Lab.revision_number, lab_id)
