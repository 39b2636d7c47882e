"""Rows that the pages of one choice read, as values of columns: twice as fast as mapped objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime


class Submitted(NamedTuple):
    """The last submission, as labs read it; names as in `Submission`."""

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
    """The reviewer's own scorecard; names as in `Scorecard`."""

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
    """The reviewer's conflict with the applicant, in any state; names as in `Conflict`."""

    state: str
    reason: str
    changed_at: datetime
    by_administrator: bool


class Redacted(NamedTuple):
    """The stored redaction of the applicant's texts and its validity; names as in `Redaction`."""

    choice_id: int
    submission_id: int
    rules: str
    name: str
    email: str
    other_names: Sequence[str]
    hidden: Mapping[str, Any]
