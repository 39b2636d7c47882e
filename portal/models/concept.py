"""Concepts: plain words and the field's terms for them, as maintained by the administrators.

The current text of an entry is in its row, earlier ones in its revisions; `portal.labs.concepts.service` writes both
together. Entries are retired, never deleted, so that the sum of their revision numbers only grows.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.user import User


class ConceptEntry(Base):
    """One concept. A retired one is not added to queries.

    `seeded` is the snapshot last brought by the shipped file: an entry that differs from it was changed by hand.
    """

    __tablename__ = "concept"
    __table_args__ = (
        CheckConstraint("strength > 0 AND strength <= 1", name="strength"),
        CheckConstraint("state IN ('active', 'retired')", name="state"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    plain: Mapped[list[str]]
    terms: Mapped[list[str]]
    strength: Mapped[float]
    why: Mapped[str] = mapped_column(Text)
    added_by: Mapped[str] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(20), default="active")
    revision_number: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    seeded: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class ConceptRevision(Base):
    """One save of a concept. Never changed after it is written. `number` counts from 1 within the concept."""

    __tablename__ = "concept_revision"
    __table_args__ = (UniqueConstraint("concept_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    concept_id: Mapped[int] = mapped_column(ForeignKey("concept.id", ondelete="CASCADE"))
    number: Mapped[int]
    saved_at: Mapped[datetime]
    author_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    author_label: Mapped[str] = mapped_column(String(255), default="")
    reason: Mapped[str] = mapped_column(String(500))
    snapshot: Mapped[dict[str, Any]] = mapped_column(JSON)

    author: Mapped[User | None] = relationship()
