"""Releases of decisions: prepared by one administrator, released by another."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base, one_of
from portal.models.admission import Decision
from portal.models.cycle import Cycle
from portal.models.user import User


class AssignmentRound(Base):
    """One computed round; never changed except for `staged_at`, when its offers were staged.

    `certificate` is the JSON that `portal/assignment/verify.py` checks. It names applicants by the receipts of their
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


RELEASE_STATES = ("prepared", "approved", "held", "discarded", "done")


class Release(Base):
    """A set of decisions that are released together, at `due_at` or, if that is empty, as soon as it is approved.

    The approver is never the person who prepared it. A held release stops before its next decision; restoring a backup
    holds it without a person.
    """

    __tablename__ = "release"
    __table_args__ = (
        CheckConstraint(one_of("state", RELEASE_STATES), name="state"),
        CheckConstraint("approved_by_id IS NULL OR approved_by_id <> prepared_by_id", name="two_people"),
        CheckConstraint("state NOT IN ('approved', 'done') OR approved_at IS NOT NULL", name="approved"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    cycle_id: Mapped[int] = mapped_column(ForeignKey("cycle.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(20), default="prepared")
    prepared_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    prepared_at: Mapped[datetime]
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    approved_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    approved_at: Mapped[datetime | None]
    held_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    held_at: Mapped[datetime | None]
    done_at: Mapped[datetime | None]

    cycle: Mapped[Cycle] = relationship()
    prepared_by: Mapped[User | None] = relationship(foreign_keys=[prepared_by_id])
    approved_by: Mapped[User | None] = relationship(foreign_keys=[approved_by_id])
    held_by: Mapped[User | None] = relationship(foreign_keys=[held_by_id])
    items: Mapped[list[ReleaseItem]] = relationship(cascade="all, delete-orphan", order_by="ReleaseItem.id")


class ReleaseItem(Base):
    """One decision of a release: when it was released, or why it could not be."""

    __tablename__ = "release_item"

    id: Mapped[int] = mapped_column(primary_key=True)
    release_id: Mapped[int] = mapped_column(ForeignKey("release.id", ondelete="CASCADE"), index=True)
    decision_id: Mapped[int] = mapped_column(ForeignKey("decision.id", ondelete="CASCADE"), index=True)
    released_at: Mapped[datetime | None]
    problem: Mapped[str] = mapped_column(String(500), default="")

    decision: Mapped[Decision] = relationship()
