"""Labs.

The profile of a lab is the snapshot in its latest revision (a `portal.seeding.records.LabRecord` as JSON). What the
database itself looks for, counts and offers as facets stands in tables too; `portal.labs.service` writes both together.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import NEVER_TWICE, Base
from portal.models.user import User

RevisionSource = Literal["form", "pages", "import", "question", "command", "undo"]


class Lab(Base):
    """A research group with a public profile. `seeded` is the snapshot from the last seeding, the base for merging.

    `confirmed_on` is when somebody last confirmed that the profile is up to date, `reminded_on` when its leaders were
    last asked to. A draft is not published yet, a lab with `archived_at` is no more, for the reason in
    `archived_why`: both are on no public page and in no ranking. `untold_since` is when it was made public, until those
    whom it fits are told of it.
    """

    __tablename__ = "lab"
    # Because every request asks how many are listed, and a row holds long texts before what tells that.
    __table_args__ = (Index("ix_lab_listed", "archived_at", "is_draft"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(120), unique=True)
    name: Mapped[str] = mapped_column(String(300))
    leader: Mapped[str] = mapped_column(String(200), default="")
    institution: Mapped[str] = mapped_column(String(300), default="", index=True)
    place: Mapped[str] = mapped_column(String(200), default="", index=True)
    hardware: Mapped[list[str]] = mapped_column(JSON, default=list)
    # Long and rarely needed, so it is loaded on demand.
    search_text: Mapped[str] = mapped_column(Text, default="", deferred=True)
    revision_number: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime]
    confirmed_on: Mapped[date | None]
    reminded_on: Mapped[date | None]
    is_draft: Mapped[bool] = mapped_column(default=False)
    archived_at: Mapped[datetime | None]
    archived_why: Mapped[str] = mapped_column(String(500), default="")
    untold_since: Mapped[datetime | None]
    seeded: Mapped[dict[str, Any] | None] = mapped_column(JSON, deferred=True)

    @property
    def is_listed(self) -> bool:
        """Whether it is on the public pages and in rankings."""
        return self.archived_at is None and not self.is_draft

    works: Mapped[list[Work]] = relationship(back_populates="lab", cascade="all, delete-orphan")
    openings: Mapped[list[Opening]] = relationship(back_populates="lab", cascade="all, delete-orphan")


class LabRevision(Base):
    """One save of a lab's profile. Never changed after it is written. `number` counts from 1 within the lab; `id`
    grows over all labs, so that the largest one tells whether anything has changed. `source` is a `RevisionSource`:
    where the change came from; empty for revisions older than this column.
    """

    __tablename__ = "lab_revision"
    # An id is never reused, not even after the newest lab was deleted: the live index distinguishes states by it.
    __table_args__ = (
        UniqueConstraint("lab_id", "number"),
        NEVER_TWICE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    number: Mapped[int]
    saved_at: Mapped[datetime]
    author_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    author_label: Mapped[str] = mapped_column(String(255), default="")
    reason: Mapped[str] = mapped_column(String(500))
    source: Mapped[str] = mapped_column(String(20), default="")
    snapshot: Mapped[dict[str, Any]] = mapped_column(JSON)

    author: Mapped[User | None] = relationship()


class LabProposal(Base):
    """A change of one path of a profile that a page or a file proposes and an administrator decides on."""

    __tablename__ = "lab_proposal"
    __table_args__ = (
        CheckConstraint("state IN ('open', 'accepted', 'refused')", name="state"),
        UniqueConstraint("lab_id", "fingerprint"),
        NEVER_TWICE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), index=True)
    path: Mapped[str] = mapped_column(String(500))
    current: Mapped[Any] = mapped_column(JSON)
    proposed: Mapped[Any] = mapped_column(JSON)
    why: Mapped[str] = mapped_column(String(500))
    fingerprint: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(20), default="open")
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    decided_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    import_id: Mapped[int | None] = mapped_column(ForeignKey("lab_import.id", ondelete="SET NULL"), index=True)

    lab: Mapped[Lab] = relationship()


class LabProfessor(Base):
    """Which professor reads for which lab, as its leader or a reviewer."""

    __tablename__ = "lab_professor"
    __table_args__ = (CheckConstraint("position IN ('leader', 'reviewer')", name="position"),)

    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[str] = mapped_column(String(20), default="leader")

    lab: Mapped[Lab] = relationship()
    user: Mapped[User] = relationship()


class Work(Base):
    """A publication of a lab."""

    __tablename__ = "work"
    __table_args__ = (UniqueConstraint("lab_id", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(200))
    title: Mapped[str] = mapped_column(String(1000), default="")
    question: Mapped[str] = mapped_column(String(500), default="")

    lab: Mapped[Lab] = relationship(back_populates="works")


class LabPhoto(Base):
    """The photo or logo of a lab, and what it shows."""

    __tablename__ = "lab_photo"

    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), primary_key=True)
    storage_key: Mapped[str] = mapped_column(String(255), index=True)
    alt: Mapped[str] = mapped_column(String(200))


class Opening(Base):
    """A position a lab recruits for."""

    __tablename__ = "opening"
    __table_args__ = (UniqueConstraint("lab_id", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(200))
    degree: Mapped[str] = mapped_column(String(40), index=True)
    funding: Mapped[str] = mapped_column(String(300), default="")
    start: Mapped[str] = mapped_column(String(100), default="")

    lab: Mapped[Lab] = relationship(back_populates="openings")


class LabImport(Base):
    """A file that was read for a lab, for a lab to be made, or (without one) as a table of several.

    Its proposals are rows of `LabProposal`; what is read for a new lab is its `profile` until that lab is saved.
    `digest` tells the same content sent again. `counts` is how many entries were taken, merged, ignored or problematic;
    `left_out` lists those in no proposal, each with place, excerpt, outcome and reason; `remarks` are guesses, repairs
    and doubts.
    """

    __tablename__ = "lab_import"

    id: Mapped[int] = mapped_column(primary_key=True)
    lab_id: Mapped[int | None] = mapped_column(ForeignKey("lab.id", ondelete="CASCADE"), index=True)
    filename: Mapped[str] = mapped_column(String(255))
    kind: Mapped[str] = mapped_column(String(40), default="")
    digest: Mapped[str] = mapped_column(String(64), default="")
    created_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    counts: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    left_out: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    remarks: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    profile: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)

    lab: Mapped[Lab | None] = relationship()
    created_by: Mapped[User | None] = relationship()


_OPEN = "taken_at IS NULL AND revoked_at IS NULL"


class AccountInvitation(Base):
    """An invitation for somebody without an account to create one, with `roles` and perhaps a `position` at a lab.

    Only the SHA-256 of the link's token is stored. The link opens one form until the invitation is taken, revoked or
    expires (`expires_at`). An address has one open invitation at most. `linked_at` is when the newest link was mailed.
    `user_id` is the resulting account.
    """

    __tablename__ = "account_invitation"
    __table_args__ = (
        CheckConstraint("position IS NULL OR position IN ('leader', 'reviewer')", name="position"),
        CheckConstraint("taken_at IS NULL OR revoked_at IS NULL", name="taken_or_revoked"),
        CheckConstraint(f"(token_hash IS NOT NULL) = ({_OPEN})", name="link_while_open"),
        Index(
            "uq_account_invitation_one_open",
            "email",
            unique=True,
            sqlite_where=text(_OPEN),
            postgresql_where=text(_OPEN),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(255))
    roles: Mapped[list[str]]
    lab_id: Mapped[int | None] = mapped_column(ForeignKey("lab.id", ondelete="SET NULL"))
    position: Mapped[str | None] = mapped_column(String(20))
    token_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    invited_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    linked_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    taken_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))

    lab: Mapped[Lab | None] = relationship()
    invited_by: Mapped[User | None] = relationship(foreign_keys=[invited_by_id])
    user: Mapped[User | None] = relationship(foreign_keys=[user_id])
