"""People with an account and the roles they hold."""

from __future__ import annotations

from datetime import datetime

from flask_security import RoleMixin, UserMixin
from sqlalchemy import JSON, BigInteger, Column, ForeignKey, String, Table
from sqlalchemy.ext.mutable import MutableList
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base

APPLICANT = "applicant"
PROFESSOR = "professor"
ADMIN = "admin"
ROLES = (APPLICANT, PROFESSOR, ADMIN)

role_of_user = Table(
    "role_of_user",
    Base.metadata,
    Column("user_id", ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True),
    Column("role_id", ForeignKey("role.id", ondelete="CASCADE"), primary_key=True),
)


class Role(Base, RoleMixin):
    """One of `ROLES`; a person may hold several."""

    __tablename__ = "role"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    description: Mapped[str] = mapped_column(String(255), default="")


class User(Base, UserMixin):
    """An account. The columns from `password` on are Flask-Security's; it reads and writes them by these names."""

    __tablename__ = "user_account"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), default="")
    email: Mapped[str] = mapped_column(String(255), unique=True)
    password: Mapped[str | None] = mapped_column(String(255))
    active: Mapped[bool] = mapped_column(default=True)
    fs_uniquifier: Mapped[str] = mapped_column(String(64), unique=True)
    confirmed_at: Mapped[datetime | None]
    tf_primary_method: Mapped[str | None] = mapped_column(String(64))
    tf_totp_secret: Mapped[str | None] = mapped_column(String(255))
    # The time step of the last accepted code: a code is good for one sign-in.
    tf_last_counter: Mapped[int | None] = mapped_column(BigInteger)
    mf_recovery_codes: Mapped[list[str] | None] = mapped_column(MutableList.as_mutable(JSON()))
    created_at: Mapped[datetime | None]

    roles: Mapped[list[Role]] = relationship(  # type: ignore[assignment]  # the mixin says list[RoleMixin]
        secondary=role_of_user, lazy="selectin", order_by=Role.name
    )

    @property
    def display_name(self) -> str:
        """The name under which pages and mails show the person."""
        return called(self.name, self.email)

    @property
    def is_acting_admin(self) -> bool:
        """Whether they are an administrator whose account is not suspended."""
        return self.active and self.has_role(ADMIN)


def called(name: str, email: str) -> str:
    """The name under which somebody is shown: the one they gave, or the part of their address before the @."""
    return name or email.split("@", 1)[0]
