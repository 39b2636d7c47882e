"""The evening of a deadline: how the portal answers when many applicants sign in, save and submit at the same time.

    python -m benchmarks.load [--applicants 60] [--at-once 12] [--workers 2] [--threads 8] [--databases sqlite postgres]
        [--kill]

For each database, starts gunicorn as docs/deploy.md says and `portal work` beside it, on an empty instance with the
seed labs, and sends applicants through `_rush.py`, so many at once. Prints for each kind of request p50, p95 and p99 on
the clock and the ratio of p50 to that of a bare page of Flask, asked for just as often at once from the same number of
workers. At last, compares what the portal acknowledged with what is in the database.

With `--kill`, workers are killed with SIGKILL in the middle, one every ten seconds. The applicants share the machine's
cores with the server. PostgreSQL is started for the run if it is installed.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from flask_migrate import upgrade
from sqlalchemy import select

from benchmarks._rush import HOST, LEAST_FAULT, Applicant, Browser, Visit
from portal.app import create_app
from portal.config import RESOURCES
from portal.db import db
from portal.labs.seeding import seed_labs
from portal.models import Application, Cycle, Lab, User
from tests.admission import add_admission
from tests.people import PASSWORD
from tests.servers import free_port, postgres

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flask import Flask

QUANTILES = (50, 95, 99)
BARE = "bare page of Flask"
CHOSEN = 2
"""Labs that each draft has."""
STARTS_WITHIN = 120
"""Seconds."""
LEAST_GOOD = 20
"""Answers in a row."""
BETWEEN_KILLS = 10.0
WORK = ("portal", "work")


def main() -> None:
    """Print a table for each database."""
    arguments = _arguments()
    print(f"{platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores")
    print(f"{arguments.applicants} applicants, {arguments.at_once} at once, {arguments.workers} workers of", end=" ")
    print(f"{arguments.threads} threads")
    with tempfile.TemporaryDirectory(prefix="portal-load-") as folder:
        bare = bare_visits(Path(folder), arguments)
        for database in arguments.databases:
            with postgres() if database == "postgres" else nullcontext("") as url:
                evening(Path(folder) / database, url, bare, arguments)


def evening(folder: Path, url: str, bare: Sequence[Visit], arguments: argparse.Namespace) -> None:
    """Have everybody apply, and print how that went."""
    settings = {
        "PORTAL_INSTANCE": str(folder),
        "PORTAL_BASE_URL": f"https://{HOST}",
        "PORTAL_SECRET_KEY": "a key of nothing but this run, which is over soon",
        "PORTAL_PROXIES": "1",
    } | ({"PORTAL_DATABASE_URL": url} if url else {})
    app = create_app(settings, serving=False)
    applicants, cycle = prepare(app, arguments.applicants)
    options = ("--config", "python:portal.server")
    with served("portal:create_app()", options, settings, arguments) as (port, server), running(WORK, settings):
        people = [
            Applicant(Browser(port, f"10.0.{number // 250}.{number % 250 + 1}"), email, PASSWORD, cycle)
            for number, email in enumerate(applicants)
        ]
        start = time.perf_counter()
        with killing(server) if arguments.kill else nullcontext():
            at_once(people, arguments.at_once)
        seconds = time.perf_counter() - start
    visits = [visit for person in people for visit in person.browser.visits]
    print(f"\n{folder.name}: {len(visits)} requests in {seconds:.1f} s, {len(visits) / seconds:.0f} per second")
    show({BARE: bare} | by_step(visits))
    print(account(app, people))


def prepare(app: Flask, count: int) -> tuple[list[str], str]:
    """Fill the database: labs, an open cycle, applicants with a draft. Returns their addresses and the cycle."""
    with app.app_context():
        upgrade()
        now = datetime.now(UTC).replace(microsecond=0)
        seed_labs(db.session(), RESOURCES / "seeds", now=now)
        db.session.commit()
        admission = add_admission(app, now=now)
        admission.labs = {lab.slug: lab.id for lab in db.session.scalars(select(Lab))}
        people = [admission.add_applicant() for _ in range(count)]
        for person in people:
            admission.draft(person, *sorted(admission.labs)[:CHOSEN])
        slug = db.session.get_one(Cycle, admission.cycle_id).slug
        db.session.remove()
        db.engine.dispose()
    return [person.email for person in people], slug


def at_once(people: Sequence[Applicant], number: int) -> None:
    """Have all of them apply, so many at the same time."""
    with ThreadPoolExecutor(number) as pool:
        for done in [pool.submit(person.apply) for person in people]:
            done.result()


def bare_visits(folder: Path, arguments: argparse.Namespace) -> list[Visit]:
    """The same number of people at once, who ask for a page that does next to nothing."""
    settings = {"BARE_DATABASE": str(folder / "bare.sqlite")}
    with served("benchmarks._bare:create_app()", ("--no-control-socket",), settings, arguments) as (port, _):
        browsers = [Browser(port, "10.0.0.1") for _ in range(arguments.at_once)]
        with ThreadPoolExecutor(arguments.at_once) as pool:
            for done in [pool.submit(_ask, browser) for browser in browsers]:
                done.result()
    return [visit for browser in browsers for visit in browser.visits]


def _ask(browser: Browser, times: int = 60) -> None:
    for _ in range(times):
        browser.request(BARE, "/")
    browser.close()


@contextmanager
def served(
    application: str, options: Sequence[str], settings: dict[str, str], arguments: argparse.Namespace
) -> Iterator[tuple[int, int]]:
    """An application that gunicorn serves with these options; its port, and the number of gunicorn's process."""
    port = free_port()
    command = ("gunicorn", *options, "--bind", f"127.0.0.1:{port}", "--log-level", "warning")
    with running(
        (*command, f"--workers={arguments.workers}", f"--threads={arguments.threads}", application), settings
    ) as pid:
        wait_until_ready(port)
        yield port, pid


@contextmanager
def running(command: Sequence[str], settings: dict[str, str]) -> Iterator[int]:
    """A program of this environment at work; the number of its process. What it complains of is shown."""
    program = Path(sys.executable).parent / command[0]
    # Real installations have compiled modules.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen([program, *command[1:]], env=environment | settings)  # noqa: S603  (of our own)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=60)


def wait_until_ready(port: int) -> None:
    """Ask until every worker is likely to have answered."""
    deadline, good = time.monotonic() + STARTS_WITHIN, 0
    while good < LEAST_GOOD:
        if time.monotonic() > deadline:
            raise SystemExit(f"The server does not answer within {STARTS_WITHIN} s.")
        browser = Browser(port, "10.0.0.1")
        good = good + 1 if browser.request("ready", "/").status < LEAST_FAULT else 0
        browser.close()
        time.sleep(0.05)


@contextmanager
def killing(server: int) -> Iterator[None]:
    """Kill a worker of the server now and then, in the middle of whatever it does."""
    over = threading.Event()

    def kill() -> None:
        while not over.wait(BETWEEN_KILLS):
            workers = Path(f"/proc/{server}/task/{server}/children").read_text().split()
            if workers:
                os.kill(int(random.choice(workers)), signal.SIGKILL)  # noqa: S311  (any will do)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def by_step(visits: Sequence[Visit]) -> dict[str, list[Visit]]:
    """The visits of each kind, in the order in which the kinds came."""
    found: dict[str, list[Visit]] = {}
    for visit in visits:
        found.setdefault(visit.step, []).append(visit)
    return found


def show(rows: Mapping[str, Sequence[Visit]]) -> None:
    """Print a row for each kind: number, quantiles of those that were answered, ratio to the first row, faults."""
    print(
        f"{'request':24} {'number':>7} "
        + " ".join(f"{f'p{q} ms':>8}" for q in QUANTILES)
        + f" {'ratio':>6} {'faults':>7}"
    )
    base = 0.0
    for name, visits in rows.items():
        answered = [visit.milliseconds for visit in visits if visit.status < LEAST_FAULT]
        values = np.percentile(answered, QUANTILES) if answered else np.full(len(QUANTILES), np.nan)
        base = base or values[0]
        times = " ".join(f"{value:8.1f}" for value in values)
        print(f"{name:24} {len(visits):7} {times} {values[0] / base:6.2f} {len(visits) - len(answered):7}")


def account(app: Flask, people: Sequence[Applicant]) -> str:
    """What was acknowledged, beside what is stored."""
    with app.app_context():
        found = select(User.email, Application).join(Application, Application.applicant_id == User.id)
        rows = {row[0]: row[1] for row in db.session.execute(found)}
        kept = submitted = 0
        for person in people:
            application = rows[person.email]
            kept += application.choices[0].reason == person.reason
            submitted += application.state == "submitted" and application.submissions == 1
        db.session.remove()
        db.engine.dispose()
    receipts = sum(person.receipt for person in people)
    return f"receipts {receipts} of {len(people)}; submitted once {submitted}; last saved text as acknowledged {kept}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("--applicants", type=int, default=60)
    parser.add_argument("--at-once", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    parser.add_argument("--kill", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
