"""`portal demo`: the portal with the seed labs and made-up people, on this machine."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from portal import create_app, instance
from portal.accounts.demo import ensure_demo_people
from portal.admin.cycles.announcements import ensure_demo_announcements
from portal.applications.demo import ensure_demo_admission, ensure_demo_interests
from portal.config import RESOURCES, read_settings, settings_of
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.seeding import seed_labs
from portal.mail.transport import mailbox_folder
from portal.server import in_address, serve
from portal.web.work import deliver_mail, job_queue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from flask import Flask

    from portal.storage import FileStore

WORKERS = 2
CONTACT = "admissions@demo.example"
HERE = {"", "localhost", "127.0.0.1", "0.0.0.0", "::"}  # noqa: S104  (compared with only)
"""Hosts whose portal this machine reaches as localhost."""
STOP_TIMEOUT = 15  # seconds that the process beside the server has to end


@click.command("demo")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8000,
    envvar="PORT",
    show_default=True,
    help="Port to listen on.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
def demo(port: int, host: str) -> None:
    """Run the portal with the seed labs and made-up people."""
    overrides = {
        "PORTAL_MODE": "demo",
        "PORTAL_BASE_URL": _address(host, port),
        "PORTAL_CONTACT": os.environ.get("PORTAL_CONTACT", "").strip() or CONTACT,
    }
    settings = read_settings({**os.environ, **overrides})
    instance.make_folder(settings)
    secret_key = _read_or_create(settings.instance / "demo-secret-key", settings.secret_key)
    overrides["PORTAL_SECRET_KEY"] = secret_key
    app = create_app(overrides)
    password = settings.demo_password or _read_or_create(settings.instance / "demo-password", secrets.token_urlsafe(9))
    with app.app_context():
        prepare(password, app.extensions["portal_files"])
        live_index(app).warm_up(db.session())
        ensure_demo_admission(
            db.session(), live_index(app).current(db.session()), RESOURCES / "seeds", datetime.now(UTC)
        )
        ensure_demo_announcements(db.session(), RESOURCES / "seeds", datetime.now(UTC))
        db.session.commit()
    settle(app)
    with working(overrides):
        serve(app, host=host, port=port, workers=WORKERS, greet=lambda: _greet(app, password))


def _address(host: str, port: int) -> str:
    """The address of the demo on this machine."""
    return f"http://{'localhost' if host in HERE else in_address(host)}:{port}"


def settle(app: Flask) -> None:
    """Run the jobs and send the mails that are due from the made-up past, without printing them. Commits."""
    queue, echo = job_queue(app), app.config["MAIL_ECHO"]
    app.config["MAIL_ECHO"] = False
    try:
        queue.do_due()
        with app.app_context():
            deliver_mail(db.session(), datetime.now(UTC))  # what the clock's work has just written
    finally:
        app.config["MAIL_ECHO"] = echo
        queue.close()


@contextmanager
def working(overrides: Mapping[str, str]) -> Iterator[None]:
    """Run `portal work` beside the server. It ends with this process, even if this one is killed."""
    server_pid = os.getpid()
    program = [sys.executable, "-m", "portal", "work", "--with-parent"]
    # A bare number: a forked worker would clean up a process object as if the process were its own.
    worker_pid = os.posix_spawn(program[0], program, {**os.environ, **overrides}, setpgroup=0)
    try:
        yield
    finally:
        # A worker that exits passes here, too.
        if os.getpid() == server_pid:
            _end(worker_pid)


def _end(pid: int) -> None:
    """End a process that this one started, unless it is known to have ended."""
    with suppress(ChildProcessError):
        for attempt in range(STOP_TIMEOUT * 10):
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
            if attempt == 0:
                os.kill(pid, signal.SIGTERM)
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def prepare(password: str, files: FileStore) -> None:
    """Create the tables, the seed labs and the demo people that are missing, unless there are real ones. Commits."""
    instance.bring_tables_up_to_date()
    session, now = db.session(), datetime.now(UTC)
    refusal = instance.why_not_demo(session)
    if refusal:
        raise click.ClickException(refusal)
    instance.mark_as_demo(session, now)
    seed_labs(session, RESOURCES / "seeds", now=now)
    ensure_demo_people(session, password, now)
    ensure_demo_interests(session, files, RESOURCES / "seeds", now)
    session.commit()


def _read_or_create(path: Path, content: str) -> str:
    """The text of a private file in the instance folder; creates it, atomically, with `content` if there is none."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.new")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(content, encoding="utf-8")
        draft.replace(path)
    return path.read_text(encoding="utf-8")


def _greet(app: Flask, password: str) -> None:
    settings = settings_of(app)
    click.echo(
        f"""
The Ph.D. portal is at {settings.base_url}

  Sign in as                  to see
  applicant@demo.example      a new applicant: interests, resume, ranked labs, an open cycle
  applicant2@demo.example     an applicant with an offer to answer
  professor@demo.example      the applicants of the Relaxed System Lab, as its leader
  professor2@demo.example     the applicants of another lab
  admin@demo.example          lab profiles, cycles, decisions to release
  admin2@demo.example         a second administrator, who releases what the first prepared

  Password of all of them     {password}
  Mails land in               {mailbox_folder(settings)} (new ones are printed here, too)
  Data lies in                {settings.instance}

Stop with Ctrl-C. The demo's people and passwords are made up: it refuses to serve as production."""
    )
