"""The last hour before a deadline at its pace: so many submissions an hour beside so many reads a second.

    python -m benchmarks.hour [--submissions 2000] [--reads 50] [--minutes 5] [--databases sqlite postgres]

People come at fixed times, whether or not others have their answers (an open loop), and their wait counts from that
time. Readers open the home page, a ranking, labs, help and, signed in, their matches and their application. Servers
and people share the machine's cores. For each kind of request, prints p50, p95 and p99 of the wait and what failed.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import repeat
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from benchmarks._rush import HOST, LEAST_FAULT, Browser, Visit, filled, sign_in
from benchmarks.load import QUANTILES, WORK, by_step, prepare, running, served
from portal.app import create_app
from tests.people import PASSWORD
from tests.servers import postgres

if TYPE_CHECKING:
    from collections.abc import Callable

READERS = 40
"""People who read; each has one connection, and a read waits for one that is free."""
PUBLIC = ("/", "/?q=LLM+serving+on+GPUs", "/labs/", "/labs/relaxed-system-lab", "/help")
OWN = ("/me/matches", "/me/")
SECONDS_PER_HOUR = 3600
SUBMITTERS = 16


def main() -> None:
    """Print a table for each database."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hour")
    parser.add_argument("--submissions", type=int, default=2000, help="in an hour")
    parser.add_argument("--reads", type=int, default=50, help="in a second")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    arguments = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="portal-hour-") as folder:
        for database in arguments.databases:
            with postgres() if database == "postgres" else nullcontext("") as url:
                hour(Path(folder) / database, url, arguments)


def hour(folder: Path, url: str, arguments: argparse.Namespace) -> None:
    """Have everybody come at their time, and print how long they waited."""
    settings = {
        "PORTAL_INSTANCE": str(folder),
        "PORTAL_BASE_URL": f"https://{HOST}",
        "PORTAL_SECRET_KEY": "a key of nothing but this run, which is over soon",
        "PORTAL_PROXIES": "1",
    } | ({"PORTAL_DATABASE_URL": url} if url else {})
    seconds = arguments.minutes * 60
    submissions = round(arguments.submissions * seconds / SECONDS_PER_HOUR)
    emails, cycle = prepare(create_app(settings, serving=False), submissions + READERS)
    options = ("--config", "python:portal.server")
    with served("portal:create_app()", options, settings, arguments) as (port, _), running(WORK, settings):
        browsers = [Browser(port, f"10.{number // 250}.{number % 250}.1") for number in range(len(emails))]
        with ThreadPoolExecutor(SUBMITTERS) as pool:
            signed_in = list(pool.map(sign_in, browsers, emails, repeat(PASSWORD)))
        if max(signed_in) >= LEAST_FAULT:
            raise SystemExit("Not everybody could sign in.")
        for browser in browsers:
            browser.close()
            browser.visits.clear()
        visits = comes_and_goes(browsers, cycle, submissions, arguments.reads, seconds)
    print(f"\n{folder.name}: {submissions} submissions and {len(visits) - 2 * submissions:,} reads in {seconds:.0f} s")
    print(f"{'request':24} {'number':>7} " + " ".join(f"{f'p{q} ms':>8}" for q in QUANTILES) + f" {'faults':>7}")
    for name, of_step in {"all": visits, **by_step(visits)}.items():
        waits = np.percentile([visit.milliseconds for visit in of_step], QUANTILES)
        faults = sum(visit.status >= LEAST_FAULT for visit in of_step)
        print(f"{name:24} {len(of_step):7} {' '.join(f'{wait:8.1f}' for wait in waits)} {faults:7}")


def comes_and_goes(browsers: list[Browser], cycle: str, submissions: int, reads: int, seconds: float) -> list[Visit]:
    """Everything that was asked, with the wait from the time at which it was to be asked."""
    visits: list[Visit] = []
    free: SimpleQueue[Browser] = SimpleQueue()
    for browser in browsers[submissions:]:
        free.put(browser)
    begun = time.perf_counter()

    def at(moment: float, act: Callable[[], Visit]) -> None:
        visit = act()
        visits.append(Visit(visit.step, (time.perf_counter() - begun - moment) * 1000, visit.status))

    def read(number: int) -> Visit:
        browser = free.get()
        pages = (*PUBLIC, *OWN)
        path = pages[number % len(pages)]
        answer = browser.request(path, path)
        free.put(browser)
        return Visit(path.partition("?")[0], 0, answer.status)

    def submit(browser: Browser, moment: float) -> Visit:
        path = f"/me/application/{cycle}/submit"
        page = browser.request("page before submitting", path)
        visits.append(Visit("page before submitting", (time.perf_counter() - begun - moment) * 1000, page.status))
        started = time.perf_counter() - begun
        if page.status >= LEAST_FAULT:
            return Visit("submit", 0, page.status)
        status = browser.request("submit", path, filled(page.text, "after")).status
        visits.append(Visit("submit", (time.perf_counter() - begun - started) * 1000, status))
        browser.close()
        return Visit("both", 0, status)

    gap = seconds / max(1, submissions)
    due: list[tuple[float, Callable[[], Visit]]] = [
        *((number / reads, partial(read, number)) for number in range(int(reads * seconds))),
        *((place * gap, partial(submit, browser, place * gap)) for place, browser in enumerate(browsers[:submissions])),
    ]
    with ThreadPoolExecutor(READERS + SUBMITTERS) as pool:
        for moment, act in sorted(due, key=lambda one: one[0]):
            time.sleep(max(0.0, begun + moment - time.perf_counter()))
            pool.submit(at, moment, act)
    return [visit for visit in visits if visit.step != "both"]


if __name__ == "__main__":
    main()
