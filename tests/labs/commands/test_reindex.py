"""`portal reindex`, and what is said of the saved index."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from portal.app import create_app
from portal.db import db
from portal.labs.commands.rank import reindex
from portal.labs.live_index import live as module
from portal.labs.live_index.live import SavedState, live_index, saved_state
from tests.labs.following import ANNEALING, current, ranked, recruit_for, store_labs

if TYPE_CHECKING:
    from pathlib import Path

    from click import Command
    from click.testing import Result
    from flask import Flask

    from tests.conftest import Settings


def run(app: Flask, command: Command, *arguments: str) -> Result:
    return app.test_cli_runner().invoke(command, list(arguments))


def state_of(app: Flask) -> SavedState:
    with app.app_context():
        return saved_state(app, db.session())


def test_the_index_is_built_and_saved_and_says_so(app: Flask) -> None:
    store_labs(app)
    done = run(app, reindex)
    assert (done.exit_code, done.stdout) == (0, "The index of 10 labs with 100 works is saved.\n")
    assert [line.split(" … ")[0] for line in done.stderr.splitlines()] == [
        "Loading 10 profiles",
        "Reading 100 works",
        "Weighing their words",
        "Saving",
    ]
    saved = live_index(app).saved.load()
    assert saved is not None
    assert len(saved.index) == 10
    assert run(app, reindex).exit_code == 0


@pytest.mark.thorough
def test_a_terminal_gets_a_bar_of_the_labs_that_are_read(app: Flask, settings: Settings) -> None:
    store_labs(app, 80)
    master, terminal = pty.openpty()
    code = (
        "import json, sys\n"
        "from flask.cli import ScriptInfo\n"
        "from portal import create_app\n"
        "from portal.labs.commands.rank import reindex\n"
        "reindex.main([], obj=ScriptInfo(create_app=lambda: create_app(json.loads(sys.argv[1]))))\n"
    )
    output = b""
    with subprocess.Popen([sys.executable, "-c", code, json.dumps(settings)], stderr=terminal) as process:
        os.close(terminal)
        with contextlib.suppress(OSError):  # the terminal is closed
            while part := os.read(master, 4096):
                output += part
    os.close(master)
    assert process.returncode == 0
    stages = output.decode().split("\r\n")
    assert [stage.split(" … ")[0] for stage in stages if "[" not in stage] == [
        "Loading 80 profiles",
        "Reading 800 works",
        "Weighing their words",
        "Saving",
        "",
    ]
    (bar,) = [stage for stage in stages if "[" in stage.replace("\x1b[", "")]
    steps = [int(step) for step in re.findall(r"(\d+)/80", bar)]
    assert (steps[0], steps[-1], steps) == (0, 80, sorted(steps))
    assert len(steps) > 40


def test_what_serves_takes_it_over_with_its_edits(app: Flask) -> None:
    store_labs(app)
    before = current(app)
    run(app, reindex)
    recruit_for(app, "lab-005", "We build compilers for quantum annealers.")
    assert ranked(app, ANNEALING) == ["lab-005"]
    assert before.index.rank(ANNEALING) == []


def test_an_interrupted_one_leaves_the_index_before(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    store_labs(app)
    run(app, reindex)
    before = live_index(app).saved.load()

    def interrupted(_corpus: object, _stages: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "fit_labs", interrupted)
    assert run(app, reindex).exit_code == 1
    after = live_index(app).saved.load()
    assert before is not None
    assert after is not None
    assert after.fit.generation == before.fit.generation
    assert not live_index(app).saved.is_claimed()


def test_it_does_not_work_beside_another_one(app: Flask) -> None:
    store_labs(app)
    with live_index(app).saved.claim() as mine:
        assert mine
        refused = run(app, reindex)
        assert state_of(app).is_building
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "Another process is building the index just now" in refused.stderr


def test_the_state_tells_what_is_saved_and_what_was_edited_since(app: Flask) -> None:
    store_labs(app)
    assert state_of(app).fitted_at is None
    run(app, reindex)
    recruit_for(app, "lab-005", "We build compilers for quantum annealers.")
    state = state_of(app)
    saved = live_index(app).saved.load()
    assert saved is not None
    assert state == SavedState(10, 100, saved.fit.at, 1, is_building=False)


def test_without_tables_it_says_what_to_do(tmp_path: Path) -> None:
    bare = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(tmp_path / "bare")})
    refused = run(bare, reindex)
    assert refused.exit_code == 1
    assert "Run portal db upgrade" in refused.stderr
    with bare.app_context():
        db.engine.dispose()
