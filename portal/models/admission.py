"""An applicant's way through a cycle: application, choices, what was submitted, decisions, referees."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import NEVER_TWICE, Base, one_of
from portal.models.cycle import Cycle
from portal.models.lab import Lab
from portal.models.user import User

APPLICATION_STATES = ("draft", "submitted", "incomplete", "eligible", "ineligible", "closed", "withdrawn")
CHOICE_STATES = (
    "pending",
    "in_review",
    "shortlisted",
    "declined",
    "interview",
    "interviewed",
    "ranked",
    "waitlisted",
    "offered",
    "accepted",
    "declined_by_applicant",
    "expired",
    "closed",
)
DECISIONS = ("offer", "waitlist", "decline")


class Application(Base):
    """One applicant in one cycle.

    `submissions` counts how often it was submitted; the newest `Submission` remains valid while a draft is edited
    again. `state_reason` is an administrator's reason for the state (what is missing, why not eligible). `receipt` is
    the code that confirms the first submission. `version` grows with every save of the form. `named_referees` are those
    with name, email and relation whom the form names and nobody has asked yet.
    """

    __tablename__ = "application"
    __table_args__ = (
        UniqueConstraint("cycle_id", "applicant_id"),
        CheckConstraint(one_of("state", APPLICATION_STATES), name="state"),
        CheckConstraint(
            "state IN ('draft', 'withdrawn') OR (submitted_at IS NOT NULL AND submissions > 0)", name="submitted"
        ),
        Index("ix_application_cycle_id_state", "cycle_id", "state"),
        NEVER_TWICE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    cycle_id: Mapped[int] = mapped_column(ForeignKey("cycle.id", ondelete="CASCADE"))
    applicant_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(20), default="draft")
    state_since: Mapped[datetime]
    state_reason: Mapped[str] = mapped_column(Text, default="")
    answers: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    named_referees: Mapped[list[dict[str, str]]] = mapped_column(JSON, default=list)
    version: Mapped[int] = mapped_column(default=1)
    submissions: Mapped[int] = mapped_column(default=0)
    submitted_at: Mapped[datetime | None]
    receipt: Mapped[str | None] = mapped_column(String(40), unique=True)
    created_at: Mapped[datetime]

    cycle: Mapped[Cycle] = relationship()
    applicant: Mapped[User] = relationship()
    choices: Mapped[list[Choice]] = relationship(
        cascade="all, delete-orphan", order_by="Choice.position", back_populates="application"
    )


class Document(Base):
    """A file that the cycle asks for besides the resume, such as a transcript; `key` is that of the cycle's list.

    One that is replaced or removed after it was submitted stays, with `removed_at`: the submission refers to it.
    So does one that was uploaded in place of it, where what was submitted has been restored.
    """

    __tablename__ = "document"

    id: Mapped[int] = mapped_column(primary_key=True)
    application_id: Mapped[int] = mapped_column(ForeignKey("application.id", ondelete="CASCADE"), index=True)
    key: Mapped[str] = mapped_column(String(60))
    kind: Mapped[str] = mapped_column(String(20))
    filename: Mapped[str] = mapped_column(String(255))
    storage_key: Mapped[str] = mapped_column(String(255), index=True)
    size: Mapped[int]
    uploaded_at: Mapped[datetime]
    removed_at: Mapped[datetime | None]


class Submission(Base):
    """The content of an application when it was submitted; never changed.

    `choices` is a list of {lab_id, position, reason}. `interests` is the matcher's query without the resume: topics
    with weights, statement, facets, weight of the resume. The resume file is a separate copy under `storage_key`.
    `document_ids` are those of the `Document`s.
    """

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("application_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    application_id: Mapped[int] = mapped_column(ForeignKey("application.id", ondelete="CASCADE"))
    number: Mapped[int]
    submitted_at: Mapped[datetime]
    answers: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    choices: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    interests: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    document_ids: Mapped[list[int]] = mapped_column(JSON, default=list)
    resume_kind: Mapped[str] = mapped_column(String(20), default="")
    resume_filename: Mapped[str] = mapped_column(String(255), default="")
    resume_size: Mapped[int] = mapped_column(default=0)
    resume_pages: Mapped[int | None]
    resume_text: Mapped[str] = mapped_column(Text, default="")
    resume_hidden_text: Mapped[str] = mapped_column(Text, default="")
    resume_warnings: Mapped[list[str]] = mapped_column(JSON, default=list)
    storage_key: Mapped[str] = mapped_column(String(255), default="", index=True)


class Choice(Base):
    """An application to one lab.

    `position` is the applicant's own order, from 1; no lab ever sees it. `state` is what the lab and the
    administrators see; `shown_state` is what the applicant sees: it follows `state` except for decisions, which it
    follows when they are released. `preference` is the lab's own order, from 1. `score` and `percentile` repeat the
    newest match record's, for sorting. `reply_by_at` is when the applicant is due a reply from the lab;
    `replied_at` when the first released decision or invitation to an interview went out. While the lab may read the
    application, `listed_in_id` repeats its cycle, so that a list of thousands is read by one index; access to a single
    application depends on its own state. `listed_since` is when the lab became able to read it. `submitted_at` repeats
    the application's, for sorting as well.
    """

    __tablename__ = "choice"
    __table_args__ = (
        UniqueConstraint("application_id", "lab_id"),
        CheckConstraint(one_of("state", CHOICE_STATES), name="state"),
        CheckConstraint(one_of("shown_state", CHOICE_STATES), name="shown_state"),
        CheckConstraint("position >= 1", name="position"),
        CheckConstraint("preference IS NULL OR preference >= 1", name="preference"),
        # An applicant's answer and an expired offer imply an earlier release.
        CheckConstraint(
            "state NOT IN ('accepted', 'declined_by_applicant', 'expired') OR released_at IS NOT NULL", name="released"
        ),
        CheckConstraint(
            "shown_state NOT IN ('declined', 'waitlisted', 'offered', 'accepted', 'declined_by_applicant', 'expired') "
            "OR released_at IS NOT NULL",
            name="shown_after_release",
        ),
        CheckConstraint("shown_state NOT IN ('shortlisted', 'ranked')", name="never_shown"),
        Index("ix_choice_lab_id_replied_at", "lab_id", "replied_at"),
        Index(
            "uq_choice_one_accepted",
            "application_id",
            unique=True,
            sqlite_where=text("state = 'accepted'"),
            postgresql_where=text("state = 'accepted'"),
        ),
        NEVER_TWICE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    application_id: Mapped[int] = mapped_column(ForeignKey("application.id", ondelete="CASCADE"))
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    position: Mapped[int]
    reason: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(String(30), default="pending")
    state_since: Mapped[datetime]
    shown_state: Mapped[str] = mapped_column(String(30), default="pending")
    shown_since: Mapped[datetime]
    preference: Mapped[int | None]
    score: Mapped[float] = mapped_column(default=0.0)
    percentile: Mapped[float] = mapped_column(default=0.0)
    reply_by_at: Mapped[datetime | None] = mapped_column(index=True)
    replied_at: Mapped[datetime | None]
    released_at: Mapped[datetime | None]
    offer_reply_by_at: Mapped[datetime | None] = mapped_column(index=True)
    listed_in_id: Mapped[int | None]
    listed_since: Mapped[datetime | None]
    submitted_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    application: Mapped[Application] = relationship(back_populates="choices")
    lab: Mapped[Lab] = relationship()


class MatchRecord(Base):
    """A match as it was computed when the choice was submitted; never changed. The applicant and the lab see this one.

    `position` of `labs` is the lab's place in the applicant's ranking (0: did not fit), `percentile` that place in per
    cent; `applicant_position` of `applicants` is the applicant's place among those whom the lab could read at the time.
    `found` holds what the pages show: terms, evidence, facets, gaps. `model` identifies what computed it: version of
    the package and of the analyzer, hash of the corpus, parameters. The query is the submission's.
    """

    __tablename__ = "match_record"
    __table_args__ = (UniqueConstraint("choice_id", "submission_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"), index=True)
    computed_at: Mapped[datetime]
    score: Mapped[float]
    fits: Mapped[bool]
    position: Mapped[int]
    labs: Mapped[int]
    percentile: Mapped[float]
    applicant_position: Mapped[int]
    applicants: Mapped[int]
    applicant_percentile: Mapped[float]
    found: Mapped[dict[str, Any]] = mapped_column(JSON)
    model: Mapped[dict[str, Any]] = mapped_column(JSON)

    choice: Mapped[Choice] = relationship()
    submission: Mapped[Submission] = relationship()


class MoveRecord(Base):
    """One move of an application (`choice_id` empty) or of a choice; never changed except for `shown_at`.

    `shown_at` is when the applicant begins to see it: at once, at the release of a decision, or never.
    """

    __tablename__ = "move_record"

    id: Mapped[int] = mapped_column(primary_key=True)
    application_id: Mapped[int] = mapped_column(ForeignKey("application.id", ondelete="CASCADE"), index=True)
    choice_id: Mapped[int | None] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"), index=True)
    move: Mapped[str] = mapped_column(String(40))
    from_state: Mapped[str] = mapped_column(String(30))
    to_state: Mapped[str] = mapped_column(String(30))
    at: Mapped[datetime]
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    actor_role: Mapped[str] = mapped_column(String(20))
    message: Mapped[str] = mapped_column(Text, default="")
    shown_at: Mapped[datetime | None]

    actor: Mapped[User | None] = relationship()


class Decision(Base):
    """A lab's decision on a choice. Staged until `released_at`; if `taken_back_at` is set, it was never released.

    `reply_days` is how many days an offer stands once it is released, to the end of the last one in the cycle's zone.
    `preference` is the place in the lab's order that a decline gave up, for the case that it is taken back.
    """

    __tablename__ = "decision"
    __table_args__ = (
        CheckConstraint(one_of("kind", DECISIONS), name="kind"),
        CheckConstraint("released_at IS NULL OR taken_back_at IS NULL", name="released_or_taken_back"),
        CheckConstraint("reply_days IS NULL OR reply_days BETWEEN 1 AND 365", name="reply_days"),
        Index("ix_decision_choice_id_released_at", "choice_id", "released_at"),
        Index(
            "uq_decision_one_staged",
            "choice_id",
            unique=True,
            sqlite_where=text("released_at IS NULL AND taken_back_at IS NULL"),
            postgresql_where=text("released_at IS NULL AND taken_back_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    choice_id: Mapped[int] = mapped_column(ForeignKey("choice.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(20))
    message: Mapped[str] = mapped_column(Text, default="")
    reply_days: Mapped[int | None]
    preference: Mapped[int | None]
    staged_at: Mapped[datetime]
    staged_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    released_at: Mapped[datetime | None]
    released_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    taken_back_at: Mapped[datetime | None]

    choice: Mapped[Choice] = relationship()


class Referee(Base):
    """Somebody an applicant asked for a letter. The applicant only ever learns that it was received.

    Only the SHA-256 of the link's token is stored; the link opens one form, until `expires_at` or `revoked_at`.
    """

    __tablename__ = "referee"
    __table_args__ = (UniqueConstraint("application_id", "email"), NEVER_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    application_id: Mapped[int] = mapped_column(ForeignKey("application.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(200))
    email: Mapped[str] = mapped_column(String(255))
    relation: Mapped[str] = mapped_column(String(300), default="")
    token_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    invited_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    reminded_at: Mapped[datetime | None]
    declined_at: Mapped[datetime | None]
    received_at: Mapped[datetime | None]
    letter: Mapped[str] = mapped_column(Text, default="")
    letter_filename: Mapped[str] = mapped_column(String(255), default="")
    letter_kind: Mapped[str] = mapped_column(String(20), default="")
    storage_key: Mapped[str] = mapped_column(String(255), default="", index=True)
    created_at: Mapped[datetime]

    application: Mapped[Application] = relationship()


_LISTED = (Choice.lab_id, Choice.listed_in_id)
# A lab's list by score, by time, by state and score, and, for those without a reply, by due date. Each index covers
# everything that filters and counts the list, so that the table itself is not read for it.
LISTED_BY = (
    Index("ix_choice_listed_by_score", *_LISTED, Choice.score.desc(), Choice.id, Choice.state, Choice.application_id),
    Index(
        "ix_choice_listed_by_time",
        *_LISTED,
        Choice.submitted_at.desc(),
        Choice.score.desc(),
        Choice.id,
        Choice.state,
        Choice.application_id,
    ),
    Index(
        "ix_choice_listed_by_state",
        *_LISTED,
        Choice.state,
        Choice.score.desc(),
        Choice.id,
        Choice.state_since,
        Choice.listed_since,
        Choice.application_id,
    ),
    Index(
        "ix_choice_listed_unanswered",
        *_LISTED,
        Choice.reply_by_at,
        Choice.application_id,
        Choice.replied_at,
        sqlite_where=Choice.replied_at.is_(None),
        postgresql_where=Choice.replied_at.is_(None),
    ),
)
