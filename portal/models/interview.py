"""Interview slots."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.admission import Choice
from portal.models.cycle import Cycle
from portal.models.lab import Lab
from portal.models.user import User


class InterviewSlot(Base):
    """A time that a lab offers for an interview; taken if `choice_id` is set, at most one slot per choice.

    `sequence` grows with every change that calendars must follow; `uid` identifies the event in them, and `organizer`
    is its mail address there. `zone` is the IANA name of the zone in which the lab gave the time. If the slot was
    cancelled after somebody picked it, `cancelled_choice_id` and `cancel_reason` say whose it was and why.
    """

    __tablename__ = "interview_slot"
    __table_args__ = (
        CheckConstraint("minutes BETWEEN 5 AND 480", name="minutes"),
        CheckConstraint("choice_id IS NULL OR cancelled_at IS NULL", name="taken_or_cancelled"),
        Index("ix_interview_slot_lab_id_starts_at", "lab_id", "starts_at"),
        Index(
            "uq_interview_slot_choice_id",
            "choice_id",
            unique=True,
            sqlite_where=text("choice_id IS NOT NULL"),
            postgresql_where=text("choice_id IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    cycle_id: Mapped[int] = mapped_column(ForeignKey("cycle.id", ondelete="CASCADE"))
    interviewer_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    choice_id: Mapped[int | None] = mapped_column(ForeignKey("choice.id", ondelete="SET NULL"))
    uid: Mapped[str] = mapped_column(String(80), unique=True)
    organizer: Mapped[str] = mapped_column(String(255), default="")
    sequence: Mapped[int] = mapped_column(default=0)
    starts_at: Mapped[datetime] = mapped_column(index=True)
    minutes: Mapped[int] = mapped_column(default=30)
    zone: Mapped[str] = mapped_column(String(64))
    where: Mapped[str] = mapped_column(String(500), default="")
    picked_at: Mapped[datetime | None]
    cancelled_at: Mapped[datetime | None]
    cancelled_choice_id: Mapped[int | None] = mapped_column(ForeignKey("choice.id", ondelete="SET NULL"), index=True)
    cancel_reason: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime]

    lab: Mapped[Lab] = relationship()
    cycle: Mapped[Cycle] = relationship()
    interviewer: Mapped[User | None] = relationship()
    choice: Mapped[Choice | None] = relationship(foreign_keys=[choice_id])
    cancelled_choice: Mapped[Choice | None] = relationship(foreign_keys=[cancelled_choice_id])
