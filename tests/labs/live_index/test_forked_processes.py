"""A process that is forked while its thread may hold a lock gets a thread and locks of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.labs.following import store_labs

if TYPE_CHECKING:
    from flask import Flask

    from tests.conftest import Settings

FORKED = """
import json, os, sys, threading, time
from portal import create_app
from portal.db import db
from portal.labs.live_index.live import live_index

app = create_app({**json.loads(sys.argv[1]), "PORTAL_MODE": "development"})
live = live_index(app)
live.start()
with app.app_context():
    live.current(db.session())
    db.engine.dispose()
live._lock.acquire()  # as the thread may hold it at that moment
child = os.fork()
if child == 0:
    assert not live.caretaker.is_running
    live.start()
    with app.app_context():
        labs = live.current(db.session())
    names = [thread.name for thread in threading.enumerate()]
    os._exit(10 + (live.caretaker.is_running and len(labs.index) == 10 and names.count("live index") == 1))
live._lock.release()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.usefixtures("concept_file")
def test_a_process_that_is_forked_has_a_thread_and_locks_of_its_own(app: Flask, settings: Settings) -> None:
    store_labs(app)
    forked = subprocess.run([sys.executable, "-c", FORKED, json.dumps(settings)], check=False, timeout=600)
    assert forked.returncode == 11
