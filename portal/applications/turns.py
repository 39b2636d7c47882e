"""One writer at a time for each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import update

from portal.models import User

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def take_turn(session: Session, user: User) -> None:
    """Wait until no other transaction writes for this person, and keep others waiting until this one ends.

    An update of the account to what it is locks its row on PostgreSQL, and on SQLite the database. What is read
    after it is what is true: two first saves at the same time do not both find nothing.
    """
    session.execute(
        update(User).where(User.id == user.id).values(active=User.active).execution_options(synchronize_session=False)
    )
