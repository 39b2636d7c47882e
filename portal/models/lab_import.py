"""Files that administrators import for a lab, and what became of their entries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.lab import Lab
from portal.models.user import User


class LabImport(Base):
    """One file, for a lab or (without one) a table of several.

    It is stored under `storage_key` until it has been read; its proposals are rows of `LabProposal`. `refusal` says why
    it could not be read at all. `counts` is how many entries were taken, merged, ignored or problematic; `left_out`
    lists those in no proposal, each with place, excerpt, outcome and reason; `remarks` are guesses and repairs.
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
