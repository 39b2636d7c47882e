"""Professors' reviews of applicants, and the state of their work through a lab's queue."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import NEVER_TWICE, Base
from portal.models.lab import Lab
from portal.models.user import User

CRITERIA = ("fit", "potential", "preparation", "writing")
_EMPTY_OR_1_TO_5 = " AND ".join(f"({name} IS NULL OR {name} BETWEEN 1 AND 5)" for name in CRITERIA)
_ALL_SET = " AND ".join(f"{name} IS NOT NULL" for name in (*CRITERIA, "confidence"))


class Scorecard(Base):
    """One reviewer's review of one choice. A draft until `locked_at`; then it changes only if its author reopens it.

    Either all criteria (1–5) and the confidence (1–3) are set when it is locked, or the reviewer abstains with a
    reason. `version` grows with every save of the draft. `reopened_at` is when its author reopened it last, with a
    reason, having seen so many locked cards of others (`reopened_after`).
    """

    __tablename__ = "scorecard"
    __table_args__ = (
        UniqueConstraint("choice_id", "reviewer_id"),
        CheckConstraint(_EMPTY_OR_1_TO_5, name="criteria"),
        CheckConstraint("confidence IS NULL OR confidence BETWEEN 1 AND 3", name="confidence"),
        CheckConstraint(
            f"locked_at IS NULL OR (abstained AND abstain_reason <> '') OR ({_ALL_SET})", name="locked_when_complete"
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"))
    reviewer_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    fit: Mapped[int | None]
    potential: Mapped[int | None]
    preparation: Mapped[int | None]
    writing: Mapped[int | None]
    confidence: Mapped[int | None]
    comment: Mapped[str] = mapped_column(Text, default="")
    abstained: Mapped[bool] = mapped_column(default=False)
    abstain_reason: Mapped[str] = mapped_column(Text, default="")
    version: Mapped[int] = mapped_column(default=1)
    changed_at: Mapped[datetime]
    locked_at: Mapped[datetime | None]
    reopened_at: Mapped[datetime | None]
    reopen_reason: Mapped[str] = mapped_column(Text, default="")
    reopened_after: Mapped[int] = mapped_column(default=0)

    reviewer: Mapped[User] = relationship()


class Conflict(Base):
    """A conflict of interest: a reviewer should not read an applicant. Declared, and dismissed when taken back.

    `declared_by_id` is who declared it; `by_administrator` says in which capacity, even after that account is erased.
    """

    __tablename__ = "conflict"
    __table_args__ = (
        UniqueConstraint("reviewer_id", "applicant_id"),
        CheckConstraint("state IN ('declared', 'dismissed')", name="state"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    reviewer_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"))
    applicant_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(20))
    reason: Mapped[str] = mapped_column(Text, default="")
    changed_at: Mapped[datetime]
    declared_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"), index=True)
    by_administrator: Mapped[bool] = mapped_column(default=False)

    reviewer: Mapped[User] = relationship(foreign_keys=[reviewer_id])
    declared_by: Mapped[User | None] = relationship(foreign_keys=[declared_by_id])


class AssignedReviewer(Base):
    """Somebody of the lab who is to score a choice. All that were assigned at once have the same time."""

    __tablename__ = "assigned_reviewer"

    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"), primary_key=True)
    reviewer_id: Mapped[int] = mapped_column(
        ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    assigned_at: Mapped[datetime]


class ChoiceTag(Base):
    """A tag that the lab put on a choice, for the lab alone."""

    __tablename__ = "choice_tag"

    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"), primary_key=True)
    tag: Mapped[str] = mapped_column(String(40), primary_key=True)


class ChoiceNote(Base):
    """A note on a choice, for the lab alone and outside the scorecards."""

    __tablename__ = "choice_note"

    id: Mapped[int] = mapped_column(primary_key=True)
    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"), index=True)
    author_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"), index=True)
    text: Mapped[str] = mapped_column(Text)
    written_at: Mapped[datetime]

    author: Mapped[User | None] = relationship()


class LabText(Base):
    """A lab's own text for a message to applicants, with place-holders such as {name}."""

    __tablename__ = "lab_text"
    __table_args__ = (CheckConstraint("kind IN ('decline', 'waitlist', 'offer', 'invitation')", name="kind"),)

    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(20), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class QueueVisit(Base):
    """When a reviewer last opened a lab's queue, and the time before that: later applicants are marked as new."""

    __tablename__ = "queue_visit"

    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), primary_key=True)
    reviewer_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    visited_at: Mapped[datetime]
    before_at: Mapped[datetime | None]


class Invitation(Base):
    """A lab invites an applicant who agreed to be found to choose it; the applicant decides."""

    __tablename__ = "invitation"
    __table_args__ = (
        UniqueConstraint("lab_id", "applicant_id"),
        CheckConstraint("answer IS NULL OR answer IN ('accepted', 'refused')", name="answer"),
        NEVER_TWICE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    applicant_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    invited_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    message: Mapped[str] = mapped_column(Text, default="")
    invited_at: Mapped[datetime]
    answer: Mapped[str | None] = mapped_column(String(20))
    answered_at: Mapped[datetime | None]

    lab: Mapped[Lab] = relationship()


class Redaction(Base):
    """The parts of an applicant's texts that are hidden while a lab reviews blind, computed once and cached.

    It is valid for one submission and match record (`record_id`, empty while there is none), for an account of this
    `name` and `email`, and for one version of the `rules`; otherwise it is computed anew. `other_names` are further
    names of the applicant found in the texts. `hidden` holds the spans [start, end, label] of each text, by the text's
    digest; `topics` are the applicant's topics without these parts. `searchable` is the text that
    a search covers: statement, reason and answers without the hidden parts, in small letters.
    """

    __tablename__ = "redaction"

    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"), index=True)
    record_id: Mapped[int | None] = mapped_column(ForeignKey("match_record.id", ondelete="SET NULL"), index=True)
    rules: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(200))
    email: Mapped[str] = mapped_column(String(255))
    other_names: Mapped[list[str]] = mapped_column(JSON, default=list)
    hidden: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    topics: Mapped[list[str]] = mapped_column(JSON, default=list)
    searchable: Mapped[str] = mapped_column(Text, default="")
