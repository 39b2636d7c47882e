"""Impersonations: administrators who view the portal as somebody else."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.user import User


class Impersonation(Base):
    """An administrator views the portal as `person`, read-only, until `ended_at` or `ends_at`.

    `pages` counts how often each page was opened, by its URL rule; `refused` counts refused attempts. `how_ended` is
    empty while it goes on.
    """

    __tablename__ = "impersonation"
    __table_args__ = (CheckConstraint("admin_id <> person_id", name="two_people"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    admin_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    reason: Mapped[str] = mapped_column(String(500))
    began_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    how_ended: Mapped[str] = mapped_column(String(80), default="")
    pages: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    refused: Mapped[int] = mapped_column(default=0)

    admin: Mapped[User] = relationship(foreign_keys=[admin_id])
    person: Mapped[User] = relationship(foreign_keys=[person_id])
