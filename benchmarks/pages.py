"""How fast a lab's queue responds with 30 and with 3,000 applicants, compared with a page of twenty bare rows.

    python -m benchmarks.pages [--applicants 30 3000] [--turns 60]

Everything runs in one process over one SQLite file, without a network, so that only the portal's own work is timed. The
bare page is of the portal as well – signed in, with header, menu and footer – and shows twenty rows of one SQL
statement. The pages are requested in turn, so that other work on the machine disturbs all equally; what counts is the
ratio of the medians of processor time, which is disturbed less than the time on the clock.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from flask import current_app, render_template
from flask_migrate import upgrade
from sqlalchemy import select

from portal.app import create_app
from portal.db import db
from portal.models import LabReviewing, User
from portal.reviews.blind_review import choices_to_redact, keep_redactions
from tests.admission import add_admission
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Flask
    from flask.testing import FlaskClient
    from jinja2 import Template

BARE = """{% extends "base.html" %}{% block title %}Bare{% endblock %}{% block content %}<table class="table">
{% for row in rows %}<tr><th scope="row"><a href="/{{ row.id }}">{{ row.name }}</a></th><td>{{ row.email }}</td>
<td>{{ row.active }}</td><td>{{ row.id }}</td></tr>{% endfor %}</table>{% endblock %}"""
WARM = 5
FINE = 200
AT_ONCE = 100  # choices that are redacted in one transaction
NOW = datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True, slots=True)
class Timed:
    """A page to time: its name, the client who requests it, and its addresses, which are requested in turn."""

    name: str
    client: FlaskClient
    addresses: Sequence[str]


def main() -> None:
    """Make the applicants, time the pages, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--applicants", type=int, nargs="+", default=[30, 3000])
    parser.add_argument("--turns", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": folder, "PORTAL_MAIL_URL": "memory:"})
        app.add_url_rule("/bare", view_func=_bare)
        timed = prepare(app, arguments.applicants)
        print(f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} cores; {arguments.turns} turns")
        report(timed, arguments.turns)
        with app.app_context():
            db.engine.dispose()


def prepare(app: Flask, sizes: list[int]) -> list[Timed]:
    """A lab for each number of applicants, open and blind, and the pages to time."""
    with app.app_context():
        upgrade()
        admission = add_admission(app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9))
        choices: dict[str, list[int]] = {}
        for size in sizes:
            for kind in ("open", "blind"):
                lab = admission.add_lab(f"{kind} {size}")
                if kind == "blind":
                    db.session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW))
                choice_ids = add_crowd(admission.session, admission.cycle, [lab], size, now=NOW - timedelta(days=2))
                choices[lab.name] = choice_ids
        # As the scheduled job does before anybody reads the choices.
        while to_redact := choices_to_redact(admission.session, AT_ONCE):
            keep_redactions(admission.session, to_redact)
            admission.session.commit()
    clients = {name: admission.leaders[name].sign_in() for name in choices}
    timed = [Timed("bare page of 20 rows", next(iter(clients.values())), ["/bare"])]
    for name, choice_ids in choices.items():
        home = f"/reviews/{name.replace(' ', '-')}/"
        pages = {
            "first page": [home],
            "state and score": [f"{home}?state=pending&least=0.1"],
            "text": [f"{home}?q=number+2"],
            "by newest, page 2": [f"{home}?sort=newest&page=2"],
            "next, previous": [f"{home}choices/{choice_id}?sort=newest" for choice_id in choice_ids],
            "next, previous by match": [f"{home}choices/{choice_id}" for choice_id in reversed(choice_ids)],
        }
        timed += [Timed(f"{name}: {page}", clients[name], addresses) for page, addresses in pages.items()]
    return timed


def report(timed: list[Timed], turns: int) -> None:
    """Request all pages in turn, and print milliseconds and the speed relative to the bare page."""
    # As each worker of a server does before its first request.
    gc.collect()
    gc.freeze()
    seconds: dict[str, list[float]] = {page.name: [] for page in timed}
    for turn in range(turns + WARM):
        for page in timed:
            start = time.process_time()
            address = page.addresses[turn % len(page.addresses)]
            status = page.client.get(address).status_code
            duration = time.process_time() - start
            if status != FINE:
                raise SystemExit(f"{address} answered {status}")
            if turn >= WARM:
                seconds[page.name].append(duration)
    bare = statistics.median(seconds[timed[0].name])
    print(f"{'page':44} {'CPU ms':>9} {'p90 ms':>8} {'speed':>6}")
    for name, times in seconds.items():
        median, late = statistics.median(times), statistics.quantiles(times, n=10)[-1]
        print(f"{name:44} {1000 * median:9.1f} {1000 * late:8.1f} {bare / median:6.2f}")


@cache
def _bare_template() -> Template:
    """Compiled once, as the portal's own templates are."""
    return current_app.jinja_env.from_string(BARE)


def _bare() -> str:
    rows = db.session().execute(select(User.id, User.name, User.email, User.active).order_by(User.id).limit(20)).all()
    return render_template(_bare_template(), rows=rows)


if __name__ == "__main__":
    main()
