"""How the pages of every role answer in a big department: time, SQL statements and bytes of HTML.

    python -m benchmarks.department FOLDER [--applicants 10000] [--labs 150] [--only admin] [--above 0.3]

Makes the department in FOLDER on the first run (minutes) and opens every page as its user would: first in a process
that has just started, then again. Times are of the processor, so that other work on the machine disturbs them less.
Time, statements and bytes of the second visit are those of the quicker of two. `PORTAL_DATABASE_URL` puts the rows into
PostgreSQL; the folder then holds the index only.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from flask_migrate import upgrade
from sqlalchemy import func, select

from benchmarks._department import Size, make_department
from benchmarks._department_pages import addresses
from benchmarks._department_season import ADMINS
from portal.accounts.api_tokens import make_token, revoke_token, scopes_for, tokens_of
from portal.admin.cycles.assignment.service import draft_round
from portal.app import create_app
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.models import AssignmentRound, Cycle, User
from tests.people import Person
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask
    from flask.testing import FlaskClient

LEAST_REDIRECT, LEAST_ERROR = 300, 400
"""HTTP statuses."""
SLOW = 3
"""Seconds. Slower pages are opened only once more."""
HEAD = f"{'page':66} {'first s':>8} {'again s':>8} {'SQL':>5} {'KB':>7}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one visit took."""

    seconds: float
    statements: int
    size: int
    status: int


def main() -> None:
    """Make the department if the folder has none, and print the table."""
    arguments = _arguments()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    settings = {"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(arguments.folder), "PORTAL_MAIL_URL": "memory:"}
    if "PORTAL_DATABASE_URL" in os.environ:
        settings["PORTAL_DATABASE_URL"] = os.environ["PORTAL_DATABASE_URL"]
    app = create_app(settings)
    with app.app_context():
        prepare(app, Size(arguments.applicants, arguments.labs))
        pages = addresses()
        tokens = {email: _token(email) for email, _ in pages.values() if email}
        db.session.commit()
    print(HEAD)
    for role, (email, paths) in pages.items():
        client = _signed_in(app, email) if email else app.test_client()
        for path in paths:
            if arguments.only in f"{role} {path}":
                headers = {"Authorization": f"Bearer {tokens[email]}"} if email and path.startswith("/api/") else {}
                measure(app, client, role, path, headers, above=arguments.above)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--applicants", type=int, default=10_000)
    parser.add_argument("--labs", type=int, default=150)
    parser.add_argument("--only", default="", help="pages whose role or address holds this text")
    parser.add_argument("--above", type=float, default=0.0, help="only pages that take longer than this, in seconds")
    return parser.parse_args()


def prepare(app: Flask, size: Size) -> None:
    """Migrate the database and fill what is missing: the department, the index of labs, an assignment round."""
    upgrade()
    if db.session.scalar(select(func.count(User.id))) == 0:
        make_department(db.session(), size, datetime.now(UTC).replace(microsecond=0))
    with _timed("the index of labs"):
        live_index(app).current(db.session())
    if db.session.scalar(select(func.count(AssignmentRound.id))) == 0:
        with _timed("an assignment round"):
            _draft_round()


def measure(app: Flask, client: FlaskClient, role: str, path: str, headers: Mapping[str, str], *, above: float) -> None:
    """Open a page two or three times, and print its row of the table if it takes at least `above` seconds or fails."""
    first = visit(app, client, path, headers)
    later = [visit(app, client, path, headers) for _ in range(2 if first.seconds < SLOW else 1)]
    again = min(later, key=lambda answer: answer.seconds)
    if max(first.seconds, again.seconds) < above and first.status < LEAST_ERROR:
        return
    status = "" if first.status < LEAST_REDIRECT else f" ({first.status})"
    print(
        f"{f'{role} {path}'[:60] + status:66} {first.seconds:8.2f} {again.seconds:8.2f} "
        f"{again.statements:5} {again.size / 1000:7.0f}",
        flush=True,
    )


def visit(app: Flask, client: FlaskClient, path: str, headers: Mapping[str, str]) -> Answer:
    """Open a page."""
    with statements_sent(app) as statements:
        start = time.process_time()
        response = client.get(path, headers=headers)
        size = len(response.data)
        seconds = time.process_time() - start
    return Answer(seconds, len(statements), size, response.status_code)


def _draft_round() -> None:
    session = db.session()
    cycle = session.scalars(select(Cycle).where(Cycle.slug == "review")).one()
    admin = session.scalars(select(User).where(User.email == ADMINS[0])).one()
    draft_round(session, cycle, seed="a benchmark", actor=admin, now=datetime.now(UTC))
    session.commit()


def _signed_in(app: Flask, email: str) -> FlaskClient:
    """A client of whoever has this address."""
    with app.app_context():
        user_id = db.session.scalars(select(User.id).where(User.email == email)).one()
    return Person(app, user_id, email).sign_in()


def _token(email: str) -> str:
    """A token of the API for a person, whose older ones are revoked."""
    session, now = db.session(), datetime.now(UTC)
    user = session.scalars(select(User).where(User.email == email)).one()
    for token in tokens_of(session, user):
        revoke_token(session, user, token, now=now)
    return make_token(
        session, user, name="benchmark", scopes=[scope.name for scope in scopes_for(user)], days=1, now=now
    )[1]


@contextmanager
def _timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what}: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
