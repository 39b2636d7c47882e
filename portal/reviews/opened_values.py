"""What the pages of one choice read of its rows, each as a value of columns: that takes half the time of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime


class Submitted(NamedTuple):
    """What was submitted last, as labs read it; the names are those of `Submission`."""

    id: int
    submitted_at: datetime
    answers: Mapping[str, Any]
    interests: Mapping[str, Any]
    resume_kind: str
    resume_size: int
    resume_text: str
    resume_hidden_text: str
    resume_warnings: Sequence[str]
    storage_key: str


class OwnCard(NamedTuple):
    """The reviewer's own scorecard; the names are those of `Scorecard`."""

    version: int
    changed_at: datetime
    locked_at: datetime | None
    fit: int | None
    potential: int | None
    preparation: int | None
    writing: int | None
    confidence: int | None
    comment: str
    abstained: bool
    abstain_reason: str


class OwnConflict(NamedTuple):
    """The reviewer's conflict with the applicant, whatever its state; the names are those of `Conflict`."""

    state: str
    reason: str
    changed_at: datetime
    by_administrator: bool


class Redacted(NamedTuple):
    """What was found to be hidden of the applicant's texts, and for what it holds; the names are `Redaction`'s."""

    choice_id: int
    submission_id: int
    rules: str
    name: str
    email: str
    other_names: Sequence[str]
    hidden: Mapping[str, Any]
