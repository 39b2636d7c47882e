"""Admission cycles, and each lab's settings in one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import NEVER_TWICE, Base, one_of
from portal.models.user import User


class Cycle(Base):
    """An admission round.

    `zone` is the IANA name of the zone in which its dates are shown ("Etc/GMT+12" is Anywhere on Earth). `reply_by_at`
    is when every applicant is due a reply. `about` is what anybody should know before they apply. `questions` is the
    form: items with key, text, help, whether an answer is required, and the most characters. `documents` are the files
    it asks for, with key, text and whether one is required. `rubric` holds the texts
    of the scorecard's anchors where they differ from the usual ones. `referees` is how many letters an application
    needs. `closed_at` is set by an administrator when nothing is decided any more. `retention_days` after that, the
    applications are erased, at `erased_at`; `kept_counts` then holds how many
    applications and choices had ended in which state.
    """

    __tablename__ = "cycle"
    __table_args__ = (
        CheckConstraint("deadline_at > opens_at", name="deadline_after_opening"),
        CheckConstraint("reply_by_at > deadline_at", name="reply_after_deadline"),
        CheckConstraint("most_choices BETWEEN 1 AND 50", name="most_choices"),
        CheckConstraint("referees BETWEEN 0 AND 5", name="referees"),
        CheckConstraint("retention_days BETWEEN 1 AND 7300", name="retention_days"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(120), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    zone: Mapped[str] = mapped_column(String(64), default="Etc/GMT+12")
    opens_at: Mapped[datetime]
    deadline_at: Mapped[datetime] = mapped_column(index=True)
    reply_by_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    most_choices: Mapped[int] = mapped_column(default=5)
    referees: Mapped[int] = mapped_column(default=0)
    about: Mapped[str] = mapped_column(Text, default="")
    questions: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    documents: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    rubric: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    retention_days: Mapped[int] = mapped_column(default=730)
    erased_at: Mapped[datetime | None]
    kept_counts: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]


class LabIntake(Base):
    """A lab's intake in one cycle: its seats, and whether it accepts applications at all.

    Without a row, a lab is open and its seats are not stated. `seats` is how many offers may be open or accepted at
    once.
    """

    __tablename__ = "lab_intake"
    __table_args__ = (
        UniqueConstraint("lab_id", "cycle_id"),
        CheckConstraint("seats IS NULL OR seats >= 0", name="seats"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    cycle_id: Mapped[int] = mapped_column(ForeignKey("cycle.id", ondelete="CASCADE"))
    seats: Mapped[int | None]
    open: Mapped[bool] = mapped_column(default=True)


class LabReviewing(Base):
    """A lab's settings for reviews: blind first or not."""

    __tablename__ = "lab_reviewing"

    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), primary_key=True)
    blind_first: Mapped[bool] = mapped_column(default=False)
    changed_at: Mapped[datetime]


ANNOUNCED_TO = ("everybody", "not_submitted", "considered", "accepted")


class Announcement(Base):
    """A text to a group of applicants of one cycle; never changed.

    Who was in the group when it was written is in `AnnouncementRecipient`; `recipients` counts them, also once their
    applications are erased. `text_key` is the SHA-256 of its cycle, group and words: a second click writes nothing.
    """

    __tablename__ = "announcement"
    __table_args__ = (CheckConstraint(one_of("announced_to", ANNOUNCED_TO), name="announced_to"), NEVER_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    cycle_id: Mapped[int] = mapped_column(ForeignKey("cycle.id", ondelete="CASCADE"), index=True)
    text_key: Mapped[str] = mapped_column(String(64), unique=True)
    about: Mapped[str] = mapped_column(String(150))
    message: Mapped[str] = mapped_column(Text)
    announced_to: Mapped[str] = mapped_column(String(20))
    recipients: Mapped[int] = mapped_column(default=0)
    written_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    written_at: Mapped[datetime]

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
