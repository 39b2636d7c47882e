"""One writer at a time for each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import lock_row
from portal.models import User

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def take_turn(session: Session, user: User) -> None:
    """Wait until no other transaction writes for this person, and keep others waiting until this one ends: two first
    saves at the same time do not both find nothing.
    """
    lock_row(session, User.active, user.id)
