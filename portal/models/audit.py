"""The audit log, and marks about this instance as a whole."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from portal.db import Base


class AuditEntry(Base):
    """One privileged act. Rows are only ever added.

    `position` counts the entries from 1 without gaps; `seal` is the SHA-256 of this entry and the previous seal, so
    that changing, removing or inserting an entry breaks the chain. Both are set when the transaction commits.
    """

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_object_type_object_key", "object_type", "object_key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    actor_label: Mapped[str] = mapped_column(String(255), default="")
    act: Mapped[str] = mapped_column(String(80), index=True)
    object_type: Mapped[str] = mapped_column(String(80))
    object_key: Mapped[str] = mapped_column(String(255))
    before: Mapped[Any] = mapped_column(JSON)
    after: Mapped[Any] = mapped_column(JSON)
    position: Mapped[int | None] = mapped_column(unique=True)
    seal: Mapped[str | None] = mapped_column(String(64))


class AuditHead(Base):
    """The end of the chain: one row, locked by each transaction that adds an entry."""

    __tablename__ = "audit_head"
    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(default=0)
    seal: Mapped[str] = mapped_column(String(64), default="")


class InstanceMark(Base):
    """A fact about this whole instance: the mark `demo` says that its people and passwords are made up."""

    __tablename__ = "instance_mark"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    set_at: Mapped[datetime]
