"""Announcements: what administrators write to the applicants of a cycle."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import NEVER_TWICE, Base, one_of
from portal.models.cycle import Cycle
from portal.models.user import User

ANNOUNCED_TO = ("everybody", "not_submitted", "considered", "accepted")


class Announcement(Base):
    """A text to a group of applicants of one cycle; never changed.

    Who was in the group when it was written is in `AnnouncementRecipient`; `recipients` counts them, also once their
    applications are erased. `form_key` is the form's that it was written in: a second click writes nothing.
    `taken_back_at` is when it was taken back: from then on nobody is told of it and no page shows it to applicants.
    """

    __tablename__ = "announcement"
    __table_args__ = (CheckConstraint(one_of("announced_to", ANNOUNCED_TO), name="announced_to"), NEVER_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    cycle_id: Mapped[int] = mapped_column(ForeignKey("cycle.id", ondelete="CASCADE"), index=True)
    form_key: Mapped[str] = mapped_column(String(40), unique=True)
    about: Mapped[str] = mapped_column(String(150))
    message: Mapped[str] = mapped_column(Text)
    announced_to: Mapped[str] = mapped_column(String(20))
    recipients: Mapped[int] = mapped_column(default=0)
    written_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    written_at: Mapped[datetime]
    taken_back_at: Mapped[datetime | None]

    cycle: Mapped[Cycle] = relationship()
    written_by: Mapped[User | None] = relationship()


class AnnouncementRecipient(Base):
    """An application whose applicant an announcement is for; `told_at` is when the news and the mail were written."""

    __tablename__ = "announcement_recipient"

    announcement_id: Mapped[int] = mapped_column(ForeignKey("announcement.id", ondelete="CASCADE"), primary_key=True)
    application_id: Mapped[int] = mapped_column(
        ForeignKey("application.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    told_at: Mapped[datetime | None]
