"""One writer at a time for each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import lock_row
from portal.models import User

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def take_turn(session: Session, user: User) -> None:
    """Lock this person's data until the transaction ends, so that two first saves at once do not both find nothing."""
    lock_row(session, User.active, user.id)
