"""Files that administrators import for a lab, and what became of their entries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.lab import Lab
from portal.models.user import User


class LabImport(Base):
    """One file, for a lab or (without one) a table of several.

    It is stored under `storage_key` until it has been read; its proposals are rows of `LabProposal` and
    `NewLabProposal`. `refusal` says why it could not be read at all. `counts` is how many entries were taken, merged,
    ignored or problematic; `left_out` lists those in no proposal, each with place, excerpt, outcome and reason;
    `remarks` are guesses and repairs.
    """

    __tablename__ = "lab_import"

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int | None] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), index=True)
    filename: Mapped[str] = mapped_column(String(255))
    kind: Mapped[str] = mapped_column(String(40), default="")
    storage_key: Mapped[str] = mapped_column(String(255), default="", index=True)
    created_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    read_at: Mapped[datetime | None]
    refusal: Mapped[str] = mapped_column(String(1000), default="")
    counts: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    left_out: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    remarks: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)

    lab: Mapped[Lab | None] = relationship()
    created_by: Mapped[User | None] = relationship()


class NewLabProposal(Base):
    """A row of a table that matches no existing lab: a profile that a person accepts, edits or refuses.

    `fingerprint` identifies the row's content, so that the same row is proposed once. `lab` is the lab created from it.
    """

    __tablename__ = "new_lab_proposal"
    __table_args__ = (CheckConstraint("state IN ('open', 'accepted', 'refused')", name="state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    import_id: Mapped[int | None] = mapped_column(ForeignKey("lab_import.id", ondelete="SET NULL"), index=True)
    line: Mapped[int] = mapped_column(default=0)
    name: Mapped[str] = mapped_column(String(300))
    snapshot: Mapped[dict[str, Any]] = mapped_column(JSON)
    fingerprint: Mapped[str] = mapped_column(String(64), unique=True)
    state: Mapped[str] = mapped_column(String(20), default="open")
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    decided_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    lab_id: Mapped[int | None] = mapped_column(ForeignKey("lab.id", ondelete="SET NULL"))
