"""The portal killed again and again while people use it: nothing that it acknowledged is lost, or there twice.

    python -m benchmarks.chaos [--rounds 20] [--each 3] [--databases sqlite postgres]

In each round gunicorn and `portal work` are started as docs/deploy.md says, people sign in, and then submit, upload,
lock scorecards, pick times for interviews and approve releases, all at once. In the middle of it the whole group of
processes is killed with SIGKILL. After the last round the portal starts once more, does what is left to do, and its
database is compared with what people were told. The exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from flask_migrate import upgrade
from sqlalchemy import func, select, text

from benchmarks._chaos_acts import Act, Approve, Lock, Pick, Submit, Upload
from benchmarks._rush import HOST, LEAST_FAULT, Browser
from portal.admin.cycles.releases.service import prepare_release
from portal.app import create_app
from portal.applications.files import FOLDERS, NAMING, file_store
from portal.audit import verify
from portal.db import db
from portal.models import Choice, Decision, InterviewSlot, Job, OutboxMail, Release
from tests.admission import Admission, add_admission
from tests.people import add_person
from tests.servers import free_port, postgres

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from flask import Flask

    Connect: TypeAlias = Callable[[str], Browser]

LAB = "Chaos Lab"
STARTS_WITHIN = 120  # seconds
SETTLES_WITHIN = 180
LONGEST_WAIT = 1.0
"""Seconds before somebody begins, and between the act that was waited for and the kill."""
HALF = -1


@dataclass
class World:
    """The people of all rounds, and a browser for each."""

    app: Flask
    acts: list[Act] = field(default_factory=list)
    answers_after: list[float] = field(default_factory=list)


def main() -> None:
    """Print what happened, for each database."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--each", type=int, default=3, help="people who do each kind of act in a round")
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    arguments = parser.parse_args()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="portal-chaos-") as folder:
        for database in arguments.databases:
            with postgres() if database == "postgres" else nullcontext("") as url:
                faults += rounds(Path(folder) / database, url, arguments.rounds, arguments.each)
    if faults:
        raise SystemExit("\n".join(faults))


def rounds(folder: Path, url: str, number: int, each: int) -> list[str]:
    """Kill the portal so often; prints the table, and returns what is wrong."""
    settings = {
        "PORTAL_INSTANCE": str(folder),
        "PORTAL_BASE_URL": f"https://{HOST}",
        "PORTAL_SECRET_KEY": "a key of nothing but this run, which is over soon",
        "PORTAL_PROXIES": "1",
        "PORTAL_MAIL_URL": f"file://{folder}/mail",
    } | ({"PORTAL_DATABASE_URL": url} if url else {})
    world = World(create_app(settings, serving=False))
    with world.app.app_context():
        upgrade()
        parts = prepare(world.app, number, each)
        db.session.remove()
        db.engine.dispose()
    chance = random.Random(number)  # noqa: S311  (for pauses)
    for acts in parts:
        group = Group(settings, world)
        part = acts(partial(Browser, group.port))
        world.acts += part
        in_threads([act.sign_in for act in part])
        kill_amid(group, part, chance)
    group = Group(settings, world)
    try:
        settle(world.app)
    finally:
        group.end()
    return report(folder.name, world)


class Group:
    """gunicorn and `portal work`, as one group of processes that ends together."""

    def __init__(self, settings: dict[str, str], world: World) -> None:
        self.port = free_port()
        programs = Path(sys.executable).parent
        serve = ("--config", "python:portal.server", "--bind", f"127.0.0.1:{self.port}", "--log-level", "error")
        # Real installations have compiled modules.
        environment = {**os.environ, **settings}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        begun = time.perf_counter()
        web = (programs / "gunicorn", *serve, "--workers=2", "--threads=8", "portal:create_app()")
        self._web = subprocess.Popen(web, env=environment, process_group=0)  # noqa: S603  (of our own)
        self._work = subprocess.Popen(  # noqa: S603
            (programs / "portal", "work"),
            env=environment,
            process_group=self._web.pid,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        probe = Browser(self.port, "10.9.9.9")
        while probe.request("ready", "/").status >= LEAST_FAULT:
            if time.perf_counter() - begun > STARTS_WITHIN:
                self.kill()
                raise SystemExit(f"The portal does not answer within {STARTS_WITHIN} s.")
            time.sleep(0.02)
        probe.close()
        world.answers_after.append(time.perf_counter() - begun)

    def kill(self) -> None:
        """Kill all its processes at once."""
        os.killpg(self._web.pid, signal.SIGKILL)
        self._wait()

    def end(self) -> None:
        """Have them end as a service manager would."""
        os.killpg(self._web.pid, signal.SIGTERM)
        self._wait()

    def _wait(self) -> None:
        for process in (self._web, self._work):
            process.wait(timeout=STARTS_WITHIN)


def prepare(app: Flask, number: int, each: int) -> list[Callable[[Connect], list[Act]]]:
    """The people of all rounds, and what each of them is about to do: for each round a function of how an address is
    connected.
    """
    now = datetime.now(UTC).replace(microsecond=0)
    opened = add_admission(app, now=now)
    closed = add_admission(app, now=now - timedelta(days=40), deadline_in=timedelta(days=30))
    opened.add_lab(LAB)
    closed.labs, closed.leaders, closed.reviewers = opened.labs, opened.leaders, opened.reviewers
    second = add_person(app, "admin").email
    for hour in range(number * each * 2):
        slot = InterviewSlot(
            lab_id=opened.labs[LAB],
            cycle_id=closed.cycle_id,
            uid=f"slot{hour}",
            starts_at=now + timedelta(days=10, hours=hour),
            zone="Europe/Berlin",
            created_at=now,
        )
        db.session.add(slot)
    db.session.commit()
    return [_round(opened, closed, second, each, at) for at in range(number)]


def _round(opened: Admission, closed: Admission, second: str, each: int, at: int) -> Callable[[Connect], list[Act]]:
    made: list[Callable[[Browser], Act]] = []
    for _ in range(each):
        made += [*_applying(opened), *_deciding(closed, second)]

    def connected(connect: Connect) -> list[Act]:
        return [make(connect(f"10.{at}.{number}.1")) for number, make in enumerate(made)]

    return connected


def _applying(admission: Admission) -> list[Callable[[Browser], Act]]:
    """Somebody who submits, and somebody who uploads."""
    person, other, cycle = admission.add_applicant(), admission.add_applicant(), admission.cycle.slug
    application = admission.draft(person, LAB)
    return [
        lambda browser, key=application.id: Submit(browser, person.email, application_id=key, cycle=cycle),  # type: ignore[misc]
        lambda browser: Upload(browser, other.email, user_id=other.id),
    ]


def _deciding(admission: Admission, second: str) -> list[Callable[[Browser], Act]]:
    """Somebody who locks a scorecard, somebody who picks a time, and an administrator who approves a release."""
    reviewer, cycle = admission.reviewers[LAB], admission.cycle.slug
    reviewed = _choice(admission, "start_review")
    invited = _choice(admission, "start_review", "shortlist", "invite_to_interview")
    declined = [_choice(admission, "start_review", "decline") for _ in range(2)]
    decisions = db.session.scalars(
        select(Decision).where(Decision.choice_id.in_([choice.id for choice in declined]))
    ).all()
    release = prepare_release(
        db.session(),
        admission.cycle,
        decisions,
        actor=admission.user(admission.admin),
        now=admission.now,
        due_at=None,
    )
    db.session.commit()
    path = f"/reviews/{LAB.lower().replace(' ', '-')}/choices/{reviewed.id}"
    keys = reviewed.id, invited.id, release.id
    invited_email = invited.application.applicant.email
    return [
        lambda browser: Lock(browser, reviewer.email, choice_id=keys[0], path=path, reviewer_id=reviewer.id),
        lambda browser: Pick(browser, invited_email, choice_id=keys[1], cycle=cycle),
        lambda browser: Approve(browser, second, release_id=keys[2]),
    ]


def _choice(admission: Admission, *moves: str) -> Choice:
    choice = admission.choice(admission.eligible(admission.add_applicant(), LAB), LAB)
    admission.move(choice, *moves, as_="leader")
    return choice


def kill_amid(group: Group, acts: Sequence[Act], chance: random.Random) -> None:
    """Have everybody act, and kill the portal when some of them have their answer and others have not, however slow
    the machine is.
    """
    answered = threading.Semaphore(0)
    waits = [chance.uniform(0, LONGEST_WAIT) for _ in acts]

    def do(act: Act, wait: float) -> None:
        time.sleep(wait)
        act.do()
        answered.release()

    def kill(after: int, wait: float) -> None:
        for _ in range(after):
            answered.acquire()
        time.sleep(wait)
        group.kill()

    killing = partial(kill, chance.randrange(len(acts)), chance.uniform(0, LONGEST_WAIT) / 5)
    in_threads([killing, *(partial(do, act, wait) for act, wait in zip(acts, waits, strict=True))])


def in_threads(functions: Sequence[Callable[[], object]]) -> None:
    """Call them at the same time, and wait for all."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def settle(app: Flask) -> None:
    """Wait until nothing is left to do."""
    deadline = time.monotonic() + SETTLES_WITHIN
    unfinished = (
        (Job, Job.state.in_(("waiting", "running"))),
        (OutboxMail, OutboxMail.state == "waiting"),
        (Release, Release.state == "approved"),
    )
    with app.app_context():
        while any(db.session.scalar(select(func.count()).select_from(table).where(of)) for table, of in unfinished):
            if time.monotonic() > deadline:
                break
            db.session.rollback()
            time.sleep(0.5)
        db.session.remove()


def report(name: str, world: World) -> list[str]:
    """Print what people were told beside what is stored; returns what is wrong."""
    seconds = sorted(world.answers_after)
    print(f"\n{name}: {len(seconds) - 1} kills; after a start the first answer came within", end=" ")
    print(f"{seconds[len(seconds) // 2]:.1f} s (half of the starts), {seconds[-1]:.1f} s at most")
    print(f"{'act':14} {'done':>6} {'acknowledged':>13} {'stored':>7} {'lost':>5} {'twice':>6} {'by half':>8}")
    faults: list[str] = []
    with world.app.app_context():
        for kind in dict.fromkeys(act.kind for act in world.acts):
            acts = [(act, act.times_stored()) for act in world.acts if act.kind == kind]
            lost = sum(act.acknowledged and times == 0 for act, times in acts)
            twice, by_half = sum(times > 1 for _, times in acts), sum(times == HALF for _, times in acts)
            told, stored = sum(act.acknowledged for act, _ in acts), sum(times != 0 for _, times in acts)
            print(f"{kind:14} {len(acts):6} {told:13} {stored:7} {lost:5} {twice:6} {by_half:8}")
            if lost or twice or by_half:
                faults.append(f"{name}: {kind}: {lost} lost, {twice} twice, {by_half} by half")
        checks = integrity(world.app)
        db.session.remove()
        db.engine.dispose()
    for check, wrong in checks.items():
        print(f"{check}: {wrong or 'good'}")
    return faults + [f"{name}: {check}: {wrong}" for check, wrong in checks.items() if wrong]


def integrity(app: Flask) -> dict[str, str]:
    """What else must hold, and what is wrong with each."""
    session, files = db.session(), file_store(app)
    checks: dict[str, str] = {}
    if db.engine.dialect.name == "sqlite":
        found = session.scalar(text("PRAGMA integrity_check"))
        checks["pages of the database"] = "" if found == "ok" else str(found)
        broken = session.execute(text("PRAGMA foreign_key_check")).all()
        checks["foreign keys"] = f"{len(broken)} lead nowhere" if broken else ""
    checks["chain of the audit log"] = verify(session).wrong or ""
    named = {key for column in NAMING for key in session.scalars(select(column).where(column != ""))}
    stored = {file.key for folder in FOLDERS for file in files.list(folder)}
    checks["files that rows name"] = f"{len(named - stored)} are missing" if named - stored else ""
    print(f"files that no row names, which portal sweep-files deletes after a day: {len(stored - named)}")
    unsent = select(func.count()).select_from(OutboxMail)
    leased = session.scalar(unsent.where(OutboxMail.state == "sending"))
    print(f"mails that a killed process had begun to send, and that go out when its lease ends: {leased}")
    dead = session.scalar(unsent.where(OutboxMail.state.not_in(("sent", "sending", "cancelled"))))
    checks["mails"] = f"{dead} are not sent" if dead else ""
    return checks


if __name__ == "__main__":
    main()
