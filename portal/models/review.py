"""What professors say of applicants."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.user import User


class ReviewMark(Base):
    """One reviewer's yes, maybe or no on one applicant for one lab, with a note."""

    __tablename__ = "review_mark"
    __table_args__ = (
        CheckConstraint("mark IN ('yes', 'maybe', 'no')", name="mark"),
        UniqueConstraint("lab_id", "applicant_id", "reviewer_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    applicant_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    reviewer_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"))
    mark: Mapped[str] = mapped_column(String(10))
    note: Mapped[str] = mapped_column(Text, default="")
    marked_at: Mapped[datetime]

    applicant: Mapped[User] = relationship(foreign_keys=[applicant_id])
    reviewer: Mapped[User] = relationship(foreign_keys=[reviewer_id])
