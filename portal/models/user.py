"""People with an account and the roles they hold."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask_security import RoleMixin, UserMixin
from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    String,
    Table,
    UniqueConstraint,
)
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
    # The time zone of their browser at the last sign-in; empty if it told none.
    zone: Mapped[str] = mapped_column(String(64), default="")

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


class SignIn(Base):
    """One browser in which somebody is signed in. Its cookie holds `key`; without the row it opens nothing.

    `identity` is the account's `fs_uniquifier` at that time: once that is renewed, all sign-ins before have ended.
    The key is stored as it is, because a cookie is signed with the secret key as well.
    """

    __tablename__ = "sign_in"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    identity: Mapped[str] = mapped_column(String(64))
    device: Mapped[str] = mapped_column(String(80))
    created_at: Mapped[datetime]


def called(name: str, email: str) -> str:
    """The name under which somebody is shown: the one they gave, or the part of their address before the @."""
    return name or email.split("@", 1)[0]


class MergedAccount(Base):
    """The account `user_id` is closed for good, and all its data belongs to `into_id`. The row stays as history."""

    __tablename__ = "merged_account"
    __table_args__ = (CheckConstraint("user_id <> into_id", name="two_accounts"),)

    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    into_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"), index=True)
    merged_at: Mapped[datetime]

    into: Mapped[User | None] = relationship(foreign_keys=[into_id])


class OpenIdentity(Base):
    """What a provider of OpenID Connect calls the owner of an account, who may sign in with it."""

    __tablename__ = "open_identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)
    LONGEST_SUBJECT = 255  # characters (OpenID Connect Core, section 2)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    issuer: Mapped[str] = mapped_column(String(200))
    subject: Mapped[str] = mapped_column(String(LONGEST_SUBJECT))
    connected_at: Mapped[datetime]

    user: Mapped[User] = relationship()


class ApiToken(Base):
    """A token of the JSON API. Only its digest is stored: it is shown once and cannot be read again.

    `hint` is the beginning of the token, so that its owner can tell several apart. `scopes` limit what it permits; it
    never permits more than its owner may do now.
    """

    __tablename__ = "api_token"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(80))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    hint: Mapped[str] = mapped_column(String(12))
    scopes: Mapped[list[str]] = mapped_column(JSON)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    user: Mapped[User] = relationship()


class ApiAnswer(Base):
    """The stored response to a request with an idempotency key, returned again if the request is repeated.

    `request_digest` is of method, path and body; it tells whether a request with the same key is the same request.
    """

    __tablename__ = "api_answer"
    __table_args__ = (UniqueConstraint("user_id", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(64))
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    body: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(index=True)
