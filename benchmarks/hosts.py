"""Three hosts in network namespaces, one of which is killed: two with gunicorn, one with `portal work`.

    python -m benchmarks.hosts [--each 6]

They share PostgreSQL, Redis and an S3 server, as docs/deploy.md says for several hosts, and nothing else. Checks that a
session of one host holds on the other and limits are counted together, and how soon an edit is ranked on both; then has
people act on both, kills one of these, and lets who got no answer go on at the other. Needs root, `ip` and the servers.
The exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from flask_migrate import upgrade

from benchmarks._rush import HOST, LEAST_FAULT, Browser, filled, sign_in
from benchmarks.chaos import STARTS_WITHIN, World, in_threads, prepare, report, settle
from portal.app import create_app
from portal.db import db
from portal.labs.service import create_lab
from portal.seeding.records import LabRecord, WorkRecord
from tests.people import PASSWORD
from tests.s3_server import BUCKET, s3_server
from tests.servers import postgres, redis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks._chaos_acts import Act

NETWORK = "10.77.0"
SERVERS = f"{NETWORK}.1"
"""The address at which PostgreSQL, Redis and S3 listen."""
BRIDGE = "portal-hosts"
PORT = 8000
WEB = ("gunicorn", "--config", "python:portal.server", "--log-level", "error", "--workers=2", "--threads=8")
FOLLOWS_WITHIN = 1.0  # seconds
MOST_TRIES = 40


@dataclass
class Host:
    """A host: the name of its namespace, its address, and its program."""

    name: str
    address: str
    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """Kill all that runs on it."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def main() -> None:
    """Run it and print what happened."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hosts")
    parser.add_argument("--each", type=int, default=6, help="people who do each kind of act")
    each = parser.parse_args().each
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="portal-hosts-")))
        stack.enter_context(network())
        shared = {
            "PORTAL_DATABASE_URL": stack.enter_context(postgres(SERVERS)),
            "PORTAL_LIMITS_URL": (limits := stack.enter_context(redis(folder, SERVERS))),
            "PORTAL_JOBS_URL": limits,
            "PORTAL_FILES_URL": f"s3://{BUCKET}/chaos?http=allowed",
            "AWS_ENDPOINT_URL": stack.enter_context(s3_server(SERVERS)).address,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "eu-central-1",
            "PORTAL_BASE_URL": f"https://{HOST}",
            "PORTAL_SECRET_KEY": "a key of nothing but this run, which is over soon",
            "PORTAL_PROXIES": "1",
        }
        os.environ |= shared
        world = World(create_app({"PORTAL_INSTANCE": str(folder / "here")}, serving=False))
        with world.app.app_context():
            upgrade()
            (acts,) = prepare(world.app, 1, each)
            db.session.remove()
        one, two = (stack.enter_context(host(folder, f"web{number}", number)) for number in (1, 2))
        stack.enter_context(host(folder, "work", 3))
        for web in (one, two):
            wait_until_it_answers(web, world)
        turns = cycle((one, two))
        world.acts = acts(lambda address: Browser(PORT, address, next(turns).address))
        wrong = [*in_common(world.acts[0], one, two), *followed(world, one, two)]
        amid(world.acts, one, two)
        settle(world.app)
        wrong += report("three hosts", world)
    if wrong:
        raise SystemExit("\n".join(wrong))


@contextmanager
def network() -> Iterator[None]:
    """A bridge with the address of the servers."""
    _ip("link", "add", BRIDGE, "type", "bridge")
    try:
        _ip("addr", "add", f"{SERVERS}/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        yield
    finally:
        _ip("link", "del", BRIDGE)


@contextmanager
def host(folder: Path, name: str, number: int) -> Iterator[Host]:
    """A host on the bridge, with an instance folder of its own, and its program at work."""
    space, link, address = f"portal-{name}", f"portal-{name}", f"{NETWORK}.{number + 10}"
    _ip("netns", "add", space)
    try:
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
        _ip("link", "set", link, "master", BRIDGE, "up")
        _ip("-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
        _ip("-n", space, "link", "set", "eth0", "up")
        _ip("-n", space, "link", "set", "lo", "up")
        program = ("portal", "work") if name == "work" else (*WEB, "--bind", f"{address}:{PORT}", "portal:create_app()")
        command = ("ip", "netns", "exec", space, Path(sys.executable).parent / program[0], *program[1:])
        settings = os.environ | {"PORTAL_INSTANCE": str(folder / name)}
        process = subprocess.Popen(command, env=settings, process_group=0, stderr=subprocess.DEVNULL)  # noqa: S603
        try:
            yield Host(space, address, process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=STARTS_WITHIN)
    finally:
        _ip("netns", "del", space)


def _ip(*arguments: str) -> None:
    subprocess.run(("ip", *arguments), check=True)  # noqa: S603, S607  (as root)


def wait_until_it_answers(web: Host, world: World) -> None:
    """Ask until it answers."""
    begun = time.perf_counter()
    while Browser(PORT, "10.9.9.9", web.address).request("ready", "/").status >= LEAST_FAULT:
        if time.perf_counter() - begun > STARTS_WITHIN:
            raise SystemExit(f"{web.name} does not answer within {STARTS_WITHIN} s.")
        time.sleep(0.05)
    world.answers_after.append(time.perf_counter() - begun)


def in_common(act: Act, one: Host, two: Host) -> list[str]:
    """Whether a session holds on the other host, and wrong passwords count on both together; what is wrong."""
    browser = Browser(PORT, "10.8.8.8", one.address)
    sign_in(browser, act.email, PASSWORD)
    there = Browser(PORT, "10.8.8.8", two.address, cookies=browser.cookies)
    status = there.request("session", "/accounts/").status
    print(f"a session of {one.name} on {two.name}: {status}")
    tries = 0
    for tries in range(1, MOST_TRIES):
        guesser = Browser(PORT, "10.7.7.7", (one, two)[tries % 2].address)
        page = guesser.request("sign-in page", "/accounts/login").text
        sent = filled(page, "password", email="nobody@example.edu", password="a guess")  # noqa: S106
        if guesser.request("guess", "/accounts/login", sent).status == http.client.TOO_MANY_REQUESTS:
            break
    alone = _tries_alone(two)
    print(f"wrong passwords, on both in turn: {tries} until refused; on one host: {alone}")
    return ["a session does not hold"] * (status != http.client.OK) + ["limits differ"] * (tries != alone)


def _tries_alone(web: Host) -> int:
    for tries in range(1, MOST_TRIES):
        guesser = Browser(PORT, "10.6.6.6", web.address)
        page = guesser.request("sign-in page", "/accounts/login").text
        sent = filled(page, "password", email="nobody.else@example.edu", password="a guess")  # noqa: S106
        if guesser.request("guess", "/accounts/login", sent).status == http.client.TOO_MANY_REQUESTS:
            return tries
    return MOST_TRIES


def followed(world: World, one: Host, two: Host) -> list[str]:
    """How long after its commit a new lab is ranked on each host; what is wrong."""
    word = "xylography"
    seconds: dict[str, float] = {}
    for web in (one, two):
        _ranked(web, word)  # the index is there
    record = LabRecord(key="late-lab", name="Late Lab", leader="Leader", works=(WorkRecord("w", f"On {word}"),))
    with world.app.app_context():
        create_lab(db.session(), record, author=None, reason="for a benchmark", now=datetime.now(UTC))
        db.session.commit()
        db.session.remove()
    begun = time.perf_counter()
    while len(seconds) < len((one, two)) and time.perf_counter() - begun < STARTS_WITHIN:
        for web in (one, two):
            if web.name not in seconds and "late-lab" in _ranked(web, word):
                seconds[web.name] = time.perf_counter() - begun
    print("a new lab is ranked after", ", ".join(f"{found:.2f} s on {name}" for name, found in seconds.items()))
    late = len(seconds) < len((one, two)) or max(seconds.values()) > FOLLOWS_WITHIN
    return [f"an edit is not followed within {FOLLOWS_WITHIN} s"] if late else []


def _ranked(web: Host, words: str) -> str:
    connection = http.client.HTTPConnection(web.address, PORT, timeout=STARTS_WITHIN)
    headers = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-Host": HOST, "X-Forwarded-For": "10.5.5.5"}
    body = json.dumps({"statement": words})
    connection.request("POST", "/api/v1/rank", body, headers | {"Content-Type": "application/json"})
    return connection.getresponse().read().decode()


def amid(acts: Sequence[Act], one: Host, two: Host) -> None:
    """Have everybody act; kill a host when a third have their answer, and let the others go on at the other host."""
    in_threads([act.sign_in for act in acts])
    answered = iter(range(len(acts)))

    def do(act: Act) -> None:
        act.do()
        if next(answered) == len(acts) // 3:
            one.kill()

    in_threads([partial(do, act) for act in acts])
    left = [act for act in acts if not act.acknowledged]
    print(f"{one.name} was killed; {len(left)} of {len(acts)} people had no answer and go on at {two.name}")
    for act in left:
        act.browser.host = two.address
        act.do()


if __name__ == "__main__":
    main()
