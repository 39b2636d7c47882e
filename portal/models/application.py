"""What an applicant states before applying: interests, the resume, labs that are saved, labs that are shared with."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base
from portal.models.lab import Lab


class Interests(Base):
    """An applicant's stated interests. `facets` are the wanted ones, by name; `discoverable` says whether labs that
    the applicant does not share with may find them; `version` grows with every save, so that a save from an outdated
    tab is detected.
    """

    __tablename__ = "interests"
    __table_args__ = (CheckConstraint("resume_weight BETWEEN 0 AND 1", name="resume_weight"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), unique=True)
    statement: Mapped[str] = mapped_column(Text, default="")
    education: Mapped[str] = mapped_column(String(300), default="")
    facets: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    resume_weight: Mapped[float] = mapped_column(default=0.3)
    discoverable: Mapped[bool] = mapped_column(default=False)
    version: Mapped[int] = mapped_column(default=1)
    changed_at: Mapped[datetime]

    topics: Mapped[list[InterestTopic]] = relationship(
        cascade="all, delete-orphan", order_by="InterestTopic.position", back_populates="interests"
    )


class InterestTopic(Base):
    """One topic with its weight."""

    __tablename__ = "interest_topic"
    __table_args__ = (
        UniqueConstraint("interests_id", "position"),
        CheckConstraint("weight >= 0 AND weight <= 5", name="weight"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    interests_id: Mapped[int] = mapped_column(ForeignKey("interests.id", ondelete="CASCADE"))
    position: Mapped[int]
    text: Mapped[str] = mapped_column(String(200))
    weight: Mapped[float] = mapped_column(default=1.0)

    interests: Mapped[Interests] = relationship(back_populates="topics")


class LabShare(Base):
    """An applicant shares with a lab: its professors may read their interests and confirmed resume. It is not an
    application.
    """

    __tablename__ = "lab_share"

    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), primary_key=True)
    shared_at: Mapped[datetime]

    lab: Mapped[Lab] = relationship()


class SavedLab(Base):
    """A lab on an applicant's shortlist. Nobody else learns of it."""

    __tablename__ = "saved_lab"

    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), primary_key=True)
    saved_at: Mapped[datetime]

    lab: Mapped[Lab] = relationship()


class Resume(Base):
    """An uploaded file (or pasted text) and the text extracted from it. At most one per applicant.

    `confirmed_at` is empty until the applicant has confirmed the text; only then does it count in matching.
    `hidden_text` is the text that a reader of the file would not see; it never counts.
    """

    __tablename__ = "resume"
    __table_args__ = (CheckConstraint("kind IN ('pdf', 'docx', 'txt', 'pasted')", name="kind"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), unique=True)
    kind: Mapped[str] = mapped_column(String(20))
    filename: Mapped[str] = mapped_column(String(255), default="")
    storage_key: Mapped[str] = mapped_column(String(255), default="", index=True)
    size: Mapped[int] = mapped_column(default=0)
    sha256: Mapped[str] = mapped_column(String(64), default="")
    pages: Mapped[int | None]
    text: Mapped[str] = mapped_column(Text)
    hidden_text: Mapped[str] = mapped_column(Text, default="")
    warnings: Mapped[list[str]] = mapped_column(JSON, default=list)
    uploaded_at: Mapped[datetime]
    confirmed_at: Mapped[datetime | None]
