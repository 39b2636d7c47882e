"""Accounts that were merged into another one of the same person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.user import User


class MergedAccount(Base):
    """The account `user_id` is closed for good, and all its data belongs to `into_id`. The row stays as history."""

    __tablename__ = "merged_account"
    __table_args__ = (CheckConstraint("user_id <> into_id", name="two_accounts"),)

    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    into_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"), index=True)
    merged_at: Mapped[datetime]

    into: Mapped[User | None] = relationship(foreign_keys=[into_id])
