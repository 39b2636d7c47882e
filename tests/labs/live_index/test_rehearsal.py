"""What the first query after a fit would wait for is computed before anybody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.live_index.live import EXTENSION, LiveIndex, Rehearsals, ask, live_index
from portal.labs.live_index.state import index_records, unsearchable
from portal.labs.topic_map import topic_maps
from portal.matching import LabIndex, redact
from portal.matching.privacy import patterns
from portal.seeding.records import LabRecord
from tests.labs.following import small_labs, store_labs, until

if TYPE_CHECKING:
    from flask import Flask

    from portal.labs.live_index.state import IndexedLabs


def test_the_thread_draws_the_map_before_anybody_asks_for_it(app: Flask) -> None:
    store_labs(app)
    live = LiveIndex(app, live_index(app).saved.folder, in_background=True)
    live.rehearsals = live_index(app).rehearsals
    app.extensions[EXTENSION] = live
    maps = topic_maps(app)
    live.start()
    try:
        until(lambda: maps._fit is not None)
    finally:
        live.caretaker.end()
        until(lambda: not live.caretaker.is_running)
    labs = live.last_used()
    assert labs is not None
    assert maps._fit is labs.fit


def test_warming_up_rehearses_without_a_thread(app: Flask) -> None:
    store_labs(app)
    seen: list[IndexedLabs] = []
    live = live_index(app)
    live.rehearsals.add(seen.append)
    with app.app_context():
        live.warm_up(db.session())
    assert seen == [live.last_used()]
    assert not live.caretaker.is_running


def test_a_fit_is_rehearsed_once_and_the_next_one_again() -> None:
    seen: list[IndexedLabs] = []
    rehearsals = Rehearsals()
    rehearsals.add(seen.append)
    first, second = index_records(small_labs(2)), index_records(small_labs(3))
    for labs in (unsearchable(first.corpus), first, first, second):
        rehearsals.run(labs)
    assert seen == [first, second]


def test_a_rehearsal_that_fails_is_logged_and_the_next_ones_take_place(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_labs: object) -> None:
        raise MemoryError

    seen: list[IndexedLabs] = []
    rehearsals = Rehearsals()
    rehearsals.add(fails)
    rehearsals.add(seen.append)
    labs = index_records(small_labs(2))
    rehearsals.run(labs)
    assert seen == [labs]
    assert caplog.messages == ["The index answers, but could not be rehearsed"]


@pytest.mark.parametrize("records", [[], [LabRecord("empty", "A lab without works")]])
def test_labs_without_works_have_nothing_to_rehearse(
    records: list[LabRecord], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr(LabIndex, "rank_explained")
    Rehearsals().run(index_records(records))
    assert caplog.messages == []


def test_what_is_left_out_of_resumes_is_compiled_by_then() -> None:
    redact.cache_clear()
    patterns._rules.cache_clear()
    ask(index_records(small_labs(2)))
    assert patterns._rules.cache_info().currsize == 1
