"""Kinds of jobs that exist for the length of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.jobs.registry import JOBS, JobKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.jobs.registry import JobFunction


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Declares a job for the length of a test; no step of it is too close to the last."""
    monkeypatch.setattr("portal.jobs.progress.BETWEEN_WRITES", 0.0)

    def add(function: JobFunction, *, tries: int = 3) -> None:
        monkeypatch.setitem(JOBS, "test", JobKind("test", function, tries))

    return add
