"""Outgoing mail, notifications in the portal, and mail preferences."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import NEVER_TWICE, Base, one_of
from portal.models.user import User

OUTBOX_STATES = ("waiting", "sending", "sent", "dead", "cancelled")


class OutboxMail(Base):
    """A mail, written in the transaction that it reports and delivered by a job.

    It is rendered from `kind` and `context` when it is delivered; secrets in the context are deleted once it is sent.
    `dedupe_key` lets the same news be queued once. `message_id` is the same for every try, so that a mail server or
    reader can recognise a second copy. Until `lease_until`, the process that claimed it may be sending it.
    """

    __tablename__ = "outbox_mail"
    __table_args__ = (
        CheckConstraint(one_of("state", OUTBOX_STATES), name="state"),
        Index("ix_outbox_mail_state_due_at", "state", "due_at"),
        # Mails are cancelled by the beginning of their key, which no unique index serves outside of the C collation.
        Index("ix_outbox_mail_dedupe_key", "dedupe_key", postgresql_ops={"dedupe_key": "varchar_pattern_ops"}),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(60))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    address: Mapped[str] = mapped_column(String(255))
    context: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    attachments: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    dedupe_key: Mapped[str | None] = mapped_column(String(200), unique=True)
    message_id: Mapped[str] = mapped_column(String(200), unique=True)
    state: Mapped[str] = mapped_column(String(20), default="waiting")
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime]
    lease_until: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]

    user: Mapped[User | None] = relationship()


class Notification(Base):
    """A piece of news for a person, shown in the portal. `digested_at` is when a digest mail included it."""

    __tablename__ = "notification"
    __table_args__ = (
        UniqueConstraint("user_id", "dedupe_key"),
        Index("ix_notification_user_id_read_at", "user_id", "read_at"),
        # News is withdrawn by the beginning of its key, whoever got it.
        Index("ix_notification_dedupe_key", "dedupe_key", postgresql_ops={"dedupe_key": "varchar_pattern_ops"}),
        NEVER_TWICE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(60))
    text: Mapped[str] = mapped_column(String(500))
    path: Mapped[str] = mapped_column(String(500), default="")
    dedupe_key: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[datetime]
    read_at: Mapped[datetime | None]
    in_digest: Mapped[bool] = mapped_column(default=False)
    digested_at: Mapped[datetime | None]


class MailPreference(Base):
    """How somebody wants one kind of mail: at once, in the daily digest, or not at all."""

    __tablename__ = "mail_preference"
    __table_args__ = (CheckConstraint("how IN ('at_once', 'digest', 'never')", name="how"),)

    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(60), primary_key=True)
    how: Mapped[str] = mapped_column(String(20))
