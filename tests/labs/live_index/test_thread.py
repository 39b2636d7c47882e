"""Long work is done by a thread: pages do not wait for it, edits are not lost, and it is retried after failures."""

from __future__ import annotations

import errno
import gc
import threading
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.db import db
from portal.labs.live_index import live as module
from portal.labs.live_index import thread as live_index_thread
from portal.labs.live_index.live import EXTENSION, LiveIndex, live_index
from portal.labs.live_index.state import IndexedLabs, fit_labs
from portal.labs.ranking_pages import SECONDS_TO_RETRY
from portal.matching import LabIndex
from portal.server import post_worker_init, when_ready
from portal.web.work import YOUNGER_PER_FULL
from tests.labs.following import (
    ANNEALING,
    BRAIDING,
    Quiet,
    current,
    ranked,
    recruit_for,
    recruit_for_all,
    store_labs,
    until,
)
from tests.labs.pages import Document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient

    from portal.labs.live_index.state import Corpus, Stages
    from tests.conftest import Settings

PAGES = ("/", "/labs/", "/labs/lab-001", "/systems/", "/healthz", "/readyz", "/accounts/login")


class Gate:
    """Holds every fit until it is opened; counts the fits, and has the first ones fail if asked to."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = 0
        self.failures = 0

    def fit(self, corpus: Corpus, stages: Stages | None = None) -> IndexedLabs:
        self.begun += 1
        if self.failures:
            self.failures -= 1
            raise RuntimeError("the fit failed")
        assert self.open.wait(600)
        return fit_labs(corpus, stages)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate()
    monkeypatch.setattr(module, "fit_labs", gate.fit)
    monkeypatch.setattr(module, "FITTED_QUICKLY", 0)
    monkeypatch.setattr(module, "BETWEEN_FITS", 0.0)
    monkeypatch.setattr(module, "LOOK_AGAIN", 0.01)
    monkeypatch.setattr(live_index_thread, "FIRST_PAUSE", 0.01)
    return gate


def serving(app: Flask) -> LiveIndex:
    """Make the application behave like a serving process."""
    live = LiveIndex(app, live_index(app).saved.folder, in_background=True)
    app.extensions[EXTENSION] = live
    return live


@pytest.fixture
def live(app: Flask, gate: Gate) -> Iterator[LiveIndex]:
    """The index of ten labs, in an application that serves."""
    store_labs(app)
    live = serving(app)
    yield live
    gate.open.set()
    live.caretaker.end()
    until(lambda: not live.caretaker.is_running)


def is_ready(live: LiveIndex) -> bool:
    labs = live.newest
    return labs is not None and labs.is_searchable


def test_nothing_but_matches_waits_for_the_index(live: LiveIndex, client: FlaskClient, gate: Gate) -> None:
    assert {url: client.get(url).status_code for url in PAGES} == dict.fromkeys(PAGES, 200)
    assert not is_ready(live)
    answer = client.get("/?q=serving+models")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(SECONDS_TO_RETRY))
    assert answer.headers["Refresh"] == str(SECONDS_TO_RETRY)
    assert Document(answer.text).root.findtext(".//{*}h1") == "Matches are being prepared"
    gate.open.set()
    until(lambda: is_ready(live))
    assert client.get("/?q=serving+models").status_code == 200
    assert gate.begun == 1


def test_a_program_is_told_in_json_when_to_come_back(live: LiveIndex, client: FlaskClient) -> None:
    answer = client.get("/?q=serving+models", headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json["error"]["status"]) == (503, 503)  # type: ignore[index]  # checked by ==
    assert answer.headers["Retry-After"] == str(SECONDS_TO_RETRY)
    assert not is_ready(live)


def test_many_labs_are_read_by_the_thread_too(
    live: LiveIndex, client: FlaskClient, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READ_QUICKLY", 5)
    with monkeypatch.context() as patch:
        patch.setattr(live.caretaker, "start", lambda: None)
        assert client.get("/labs/").status_code == 503
        assert client.get("/accounts/login").status_code == 200
    live.start()
    until(lambda: client.get("/labs/").status_code == 200)
    gate.open.set()
    until(lambda: is_ready(live))


def test_edits_made_while_the_first_index_is_built_are_in_it(live: LiveIndex, app: Flask, gate: Gate) -> None:
    live.start()
    until(lambda: gate.begun == 1)
    recruit_for(app, "lab-003", "We braid topological qubits.")
    gate.open.set()
    until(lambda: is_ready(live))
    assert ranked(app, BRAIDING) == ["lab-003"]


def test_edits_made_during_a_refit_are_answered_at_once_and_not_lost(
    live: LiveIndex, app: Flask, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate.open.set()
    live.start()
    until(lambda: is_ready(live))
    gate.open.clear()
    monkeypatch.setattr(module, "DRIFT", 0.02)
    recruit_for(app, "lab-001", "We build compilers for quantum annealers.")
    first = current(app)
    until(lambda: gate.begun == 2)
    recruit_for(app, "lab-002", "We braid topological qubits.")
    assert ranked(app, BRAIDING) == ["lab-002"]
    assert current(app).fit is first.fit
    monkeypatch.setattr(module, "DRIFT", 1.0)
    gate.open.set()
    until(lambda: current(app).fit is not first.fit)
    assert ranked(app, BRAIDING) == ["lab-002"]
    assert ranked(app, ANNEALING) == ["lab-001"]
    assert list(current(app).edited) == ["lab-002"]
    assert first.index.rank(BRAIDING) == []


def test_an_import_of_many_labs_is_fitted_beside_the_index_that_answers(
    live: LiveIndex, app: Flask, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate.open.set()
    live.start()
    until(lambda: is_ready(live))
    gate.open.clear()
    monkeypatch.setattr(module, "EDITS_AT_ONCE", 2)
    monkeypatch.setattr(module, "MOST_EDITS", 2)
    recruit_for_all(app, [f"lab-00{number}" for number in range(10)], "We braid topological qubits.")
    assert ranked(app, BRAIDING) == ["lab-008", "lab-009"]  # those that were saved last
    gate.open.set()
    until(lambda: len(ranked(app, BRAIDING)) == 10)


def test_of_two_workers_one_builds_and_both_answer(live: LiveIndex, app: Flask, settings: Settings, gate: Gate) -> None:
    other = create_app(settings)
    second = serving(other)
    live.start()
    second.start()
    until(lambda: gate.begun == 1)
    gate.open.set()
    until(lambda: is_ready(live) and is_ready(second))
    assert gate.begun == 1
    assert current(app).fit.generation == current(other).fit.generation
    second.caretaker.end()
    until(lambda: not second.caretaker.is_running)


def test_what_another_process_fitted_is_taken_over(live: LiveIndex, app: Flask, settings: Settings, gate: Gate) -> None:
    gate.open.set()
    live.start()
    until(lambda: is_ready(live))
    before = current(app)
    other = create_app(settings)
    with other.app_context():
        rebuilt = live_index(other).rebuild(db.session(), Quiet())
    assert rebuilt is not None
    until(lambda: current(app).fit.generation == rebuilt.fit.generation)
    assert before.fit.generation != rebuilt.fit.generation


def test_a_failure_is_logged_and_tried_again(live: LiveIndex, gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    gate.failures = 2
    gate.open.set()
    live.start()
    until(lambda: is_ready(live))
    assert gate.begun == 3
    failures = [record for record in caplog.records if "live index failed; it is tried again" in record.message]
    assert [record.exc_info is not None for record in failures] == [True, True]
    until(lambda: live.caretaker.failure == "")


def test_a_failure_can_be_read_while_it_lasts(live: LiveIndex, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_index_thread, "FIRST_PAUSE", 300)
    gate.failures = 1
    live.start()
    until(lambda: live.caretaker.failure != "")
    assert live.caretaker.failure == "RuntimeError: the fit failed"


def threads() -> list[str]:
    """The threads of live indexes; libraries start others, which come and go."""
    return [thread.name for thread in threading.enumerate() if thread.name == "live index"]


def test_any_number_of_requests_start_one_thread_and_an_end_is_an_end(
    live: LiveIndex, client: FlaskClient, gate: Gate
) -> None:
    for _ in range(5):
        client.get("/?q=serving")
    assert threads() == ["live index"]
    gate.open.set()
    live.caretaker.end()
    until(lambda: threads() == [])
    live.start()
    assert threads() == []


def test_tests_and_commands_have_no_thread(app: Flask, client: FlaskClient) -> None:
    store_labs(app)
    assert client.get("/?q=serving").status_code == 200
    assert threads() == []
    assert not live_index(app).caretaker.is_running


def test_a_worker_of_gunicorn_prepares_its_index_before_the_first_request(
    app: Flask, live: LiveIndex, request: pytest.FixtureRequest
) -> None:
    frozen, threshold = gc.get_freeze_count(), gc.get_threshold()
    request.addfinalizer(partial(gc.set_threshold, *threshold))
    when_ready(SimpleNamespace())  # in the process that forks the workers
    assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == (*threshold[:2], YOUNGER_PER_FULL)
    post_worker_init(SimpleNamespace(wsgi=app))
    until(lambda: live.newest is not None)


def test_a_full_disk_does_not_keep_the_weights_old(
    live: LiveIndex, app: Flask, gate: Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gate.open.set()
    live.start()
    until(lambda: is_ready(live))
    before = current(app)

    def full(_index: LabIndex, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)

    monkeypatch.setattr(LabIndex, "save", full)
    monkeypatch.setattr(module, "DRIFT", 0.02)
    recruit_for(app, "lab-001", "We build compilers for quantum annealers.")
    until(lambda: current(app).fit is not before.fit)
    assert (ranked(app), dict(current(app).edited)) == (["lab-001"], {})
    assert "No space left on device" in caplog.text
    saved = live.saved.load()
    assert saved is not None
    assert saved.fit.generation == before.fit.generation
