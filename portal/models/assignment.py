"""Assignment rounds: drafts of who would be offered which lab, each with its certificate."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.cycle import Cycle
from portal.models.user import User


class AssignmentRound(Base):
    """One computed round; never changed except for `staged_at`, when its offers were staged.

    `certificate` is the JSON that `portal assignment verify` checks. It identifies applicants by the receipts of their
    applications, and labs by their slugs.
    """

    __tablename__ = "assignment_round"
    __table_args__ = (UniqueConstraint("cycle_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    cycle_id: Mapped[int] = mapped_column(ForeignKey("cycle.id", ondelete="CASCADE"))
    number: Mapped[int]
    seed: Mapped[str] = mapped_column(String(200))
    certificate: Mapped[str] = mapped_column(Text)
    made_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    made_at: Mapped[datetime]
    staged_at: Mapped[datetime | None]

    cycle: Mapped[Cycle] = relationship()
    made_by: Mapped[User | None] = relationship()
