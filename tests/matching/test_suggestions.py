"""Suggestions of a corpus whose texts take long to read."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from portal.matching import LabDoc, LabIndex, WorkDoc, suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.suggest import Suggestions

TITLES = ("Federated learning on phones", "Kernel fusion for GPUs", "Quantum annealing of schedules")
MANY = [
    LabDoc(f"lab-{number:02}", "", tuple(WorkDoc(f"w{work}", TITLES[work % 3], "") for work in range(20)))
    for number in range(20)
]
NEW = LabDoc("lab-03", "", (WorkDoc("w", "Federated photonics", "", systems=("Fedora",)),))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many labs were read for suggestions, each time that some were."""
    counts: list[int] = []
    collect = suggest.collected

    def counting(labs: Sequence[LabDoc]) -> Suggestions:
        counts.append(len(labs))
        return collect(labs)

    monkeypatch.setattr(suggest, "collected", counting)
    return counts


def test_nobody_waits_for_the_suggestions_of_many_labs(read: list[int]) -> None:
    index = LabIndex.fit(MANY)
    assert index.suggest("fed", wait=False) == []
    for thread in threading.enumerate():
        if thread.name == "topics to suggest":
            thread.join()
    assert index.suggest("fed", wait=False) == ["Federated learning", "Federated"]
    assert read == [20]


def test_whoever_waits_gets_them_at_once(read: list[int]) -> None:
    index = LabIndex.fit(MANY)
    assert index.suggest("fed") == index.suggest("fed") == ["Federated learning", "Federated"]
    assert read == [20]
