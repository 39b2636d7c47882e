"""Reports of the bias audit."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from portal.db import Base


class BiasReport(Base):
    """The findings of one audit, fit for publication: it names nobody, and holds no figures about fewer than five
    applicants.

    `cycle_id` is the cycle whose applicants were included; empty if there was none.
    """

    __tablename__ = "bias_report"

    id: Mapped[int] = mapped_column(primary_key=True)
    cycle_id: Mapped[int | None] = mapped_column(ForeignKey("cycle.id", ondelete="SET NULL"))
    made_at: Mapped[datetime]
    made_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    findings: Mapped[dict[str, Any]]
