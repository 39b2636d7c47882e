"""Invitations to create an account, sent by administrators."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.lab import Lab
from portal.models.user import User

_OPEN = "taken_at IS NULL AND revoked_at IS NULL"


class AccountInvitation(Base):
    """An invitation for somebody without an account to create one, with `roles` and perhaps a `position` at a lab.

    Only the SHA-256 of the link's token is stored. The link opens one form until the invitation is taken, revoked or
    expires (`expires_at`). An address has one open invitation at most. `linked_at` is when the newest link was mailed;
    `opened_at` when that link was first opened, by a person or a program. `user_id` is the resulting account.
    """

    __tablename__ = "account_invitation"
    __table_args__ = (
        CheckConstraint("position IS NULL OR position IN ('leader', 'reviewer')", name="position"),
        CheckConstraint("taken_at IS NULL OR revoked_at IS NULL", name="taken_or_revoked"),
        CheckConstraint(f"(token_hash IS NOT NULL) = ({_OPEN})", name="link_while_open"),
        Index(
            "uq_account_invitation_one_open",
            "email",
            unique=True,
            sqlite_where=text(_OPEN),
            postgresql_where=text(_OPEN),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(255))
    name: Mapped[str] = mapped_column(String(200), default="")
    roles: Mapped[list[str]]
    lab_id: Mapped[int | None] = mapped_column(ForeignKey("lab.id", ondelete="SET NULL"))
    position: Mapped[str | None] = mapped_column(String(20))
    token_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    invited_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    linked_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    taken_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))

    lab: Mapped[Lab | None] = relationship()
    invited_by: Mapped[User | None] = relationship(foreign_keys=[invited_by_id])
    user: Mapped[User | None] = relationship(foreign_keys=[user_id])
