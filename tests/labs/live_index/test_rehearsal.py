"""What the first query after a fit would wait for is computed before anybody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.live_index import live as live_module
from portal.labs.live_index.live import LiveIndex, live_index, rehearse
from portal.labs.live_index.state import index_records, unsearchable
from portal.matching import LabIndex, redact
from portal.matching.privacy import patterns
from portal.seeding.records import LabRecord
from tests.labs.following import small_labs, store_labs, until

if TYPE_CHECKING:
    from flask import Flask

    from portal.labs.live_index.state import IndexedLabs


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[IndexedLabs]:
    """The states that are rehearsed."""
    rehearsed: list[IndexedLabs] = []
    monkeypatch.setattr(live_module, "rehearse", rehearsed.append)
    return rehearsed


def test_the_thread_rehearses_before_anybody_asks(app: Flask, seen: list[IndexedLabs]) -> None:
    store_labs(app)
    live = LiveIndex(app, live_index(app).saved.folder, in_background=True)
    live.start()
    try:
        until(lambda: bool(seen))
    finally:
        live.caretaker.end()
        until(lambda: not live.caretaker.is_running)
    labs = live.newest
    assert labs is not None
    assert seen[0].fit is labs.fit


def test_warming_up_rehearses_without_a_thread(app: Flask, seen: list[IndexedLabs]) -> None:
    store_labs(app)
    live = live_index(app)
    with app.app_context():
        live.warm_up(db.session())
    assert seen == [live.newest]
    assert not live.caretaker.is_running


def test_a_fit_is_rehearsed_once_and_the_next_one_again(app: Flask, seen: list[IndexedLabs]) -> None:
    first, second = index_records(small_labs(2)), index_records(small_labs(3))
    for labs in (unsearchable(first.corpus), first, first, second):
        live_index(app)._rehearse(labs)
    assert seen == [first, second]


def test_a_rehearsal_that_fails_is_logged(
    app: Flask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_labs: object) -> None:
        raise MemoryError

    monkeypatch.setattr(live_module, "rehearse", fails)
    live_index(app)._rehearse(index_records(small_labs(2)))
    assert caplog.messages == ["The index answers, but could not be rehearsed"]


@pytest.mark.parametrize("records", [[], [LabRecord("empty", "A lab without works")]])
def test_labs_without_works_have_nothing_to_rehearse(records: list[LabRecord], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(LabIndex, "rank_explained")
    rehearse(index_records(records))


def test_what_is_left_out_of_resumes_is_compiled_by_then() -> None:
    redact.cache_clear()
    patterns._rules.cache_clear()
    rehearse(index_records(small_labs(2)))
    assert patterns._rules.cache_info().currsize == 1
