"""Steps for tests of the live index: many small labs, edits, a second process, and waiting for the thread."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.db import db
from portal.labs import queries, service
from portal.labs.live_index.live import live_index
from portal.matching import Query, Topic
from portal.seeding.records import LabRecord, WorkRecord
from tests.labs.records import SAVED, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flask import Flask

    from portal.labs.live_index.state import IndexedLabs
    from tests.conftest import Settings

PATIENCE = 300.0  # seconds
ANNEALING = Query((Topic("compilers for quantum annealers"),))
BRAIDING = Query((Topic("braiding of topological qubits"),))
WORDS = ("serving", "weaving", "training", "pruning", "caching", "tracing", "routing", "sorting", "hashing", "tiling")


def small_labs(count: int = 10) -> list[LabRecord]:
    """Labs with two works each, no two alike; an edit of one changes a few per cent of all."""
    return [
        LabRecord(
            f"lab-{number:03}",
            f"Lab {number}",
            interests=f"We study {WORDS[number % 10]} of models number {number}.",
            works=tuple(
                WorkRecord(f"work-{work}", f"On {WORDS[number % 10]} and {WORDS[work]} of case{number} models")
                for work in range(10)
            ),
        )
        for number in range(count)
    ]


def store_labs(app: Flask, count: int = 10) -> list[LabRecord]:
    labs = small_labs(count)
    store(app, *labs)
    return labs


def recruit_for(app: Flask, slug: str, focus: str) -> None:
    """Save what a lab looks for."""
    recruit_for_all(app, (slug,), focus)


def recruit_for_all(app: Flask, slugs: Iterable[str], focus: str) -> None:
    """Save what labs look for, all in one transaction."""
    with app.app_context():
        session = db.session()
        for slug in slugs:
            lab = queries.lab_by_slug(session, slug)
            assert lab is not None
            profile = replace(queries.profile_of(session, lab), recruiting_focus=focus)
            base = lab.revision_number
            service.save_profile(session, lab, profile, base=base, author=None, reason="edited", now=SAVED)
        session.commit()


class Quiet:
    """Receives the stages of a fit and reports nothing."""

    def begin(self, label: str) -> None: ...

    def done(self, count: int, total: int) -> None: ...


def current(app: Flask) -> IndexedLabs:
    with app.app_context():
        return live_index(app).current(db.session())


def ranked(app: Flask, query: Query = ANNEALING) -> list[str]:
    return [match.lab for match in current(app).index.rank(query)]


def until(true: Callable[[], bool]) -> None:
    """Wait for something that a thread is about to do."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)


ANSWERING = """
import json, sys
from portal import create_app
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.matching import Query, Topic

app = create_app(json.loads(sys.argv[1]))
for line in sys.stdin:
    with app.app_context():
        index = live_index(app).current(db.session()).index
        answer = [(match.lab, match.score) for match in index.rank(Query((Topic(line.strip()),)))]
    print(json.dumps(answer), flush=True)
"""


@contextmanager
def another_process(settings: Settings) -> Iterator[Callable[[str], list[tuple[str, float]]]]:
    """Another process over the same database; gives a function that asks it for the labs that fit a topic."""
    process = subprocess.Popen(
        [sys.executable, "-c", ANSWERING, json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    asks, answers = process.stdin, process.stdout

    def ask(topic: str) -> list[tuple[str, float]]:
        asks.write(f"{topic}\n")
        asks.flush()
        return [(lab, score) for lab, score in json.loads(answers.readline())]

    try:
        yield ask
    finally:
        asks.close()
        process.wait(timeout=PATIENCE)
        answers.close()
