"""Long work: jobs with their progress, and when the clock last began each of its pieces of work."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from portal.db import Base, one_of
from portal.models.user import User

JOB_STATES = ("waiting", "running", "done", "refused", "failed", "cancelled")
OPEN_JOB_STATES = ("waiting", "running")


class Job(Base):
    """One piece of long work. `arguments` and `outcome` are small JSON values, never files or secrets. Until the job is
    done, `outcome` holds at most the path of the page that the job is about.

    `error` says why a job was refused (it could not be done as things were) or failed (something was wrong with the
    portal). `done` of `total` steps; `total` is empty while unknown. `beat_at` is the last heartbeat of the
    process that runs it: a running job without a recent one was killed, and may be taken over.
    """

    __tablename__ = "job"
    __table_args__ = (
        CheckConstraint(one_of("state", JOB_STATES), name="state"),
        Index("ix_job_state_created_at", "state", "created_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(60))
    title: Mapped[str] = mapped_column(String(300))
    arguments: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    state: Mapped[str] = mapped_column(String(20), default="waiting")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    now_doing: Mapped[str] = mapped_column(String(300), default="")
    outcome: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    error: Mapped[str] = mapped_column(Text, default="")
    cancel_asked: Mapped[bool] = mapped_column(default=False)
    tries: Mapped[int] = mapped_column(default=0)
    created_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    beat_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    created_by: Mapped[User | None] = relationship()


class ClockMark(Base):
    """When a piece of clock work was last begun, so that only one of several processes does it.

    `done_at` is when it last ended well; if it is before `begun_at`, the work is under way, failed or was killed.
    """

    __tablename__ = "clock_mark"

    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    begun_at: Mapped[datetime]
    done_at: Mapped[datetime | None]
