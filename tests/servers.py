"""Real servers for tests that need one, started in a folder of their own and stopped again.

PORTAL_TEST_REQUIRE names what must be there (browser, postgres, redis); anything else is skipped with a
line that says how to get it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

HOW_TO_GET = {
    "browser": "Chromium is not installed: apt-get install chromium-headless-shell",
    "postgres": "PostgreSQL is not installed: apt-get install postgresql",
    "redis": "Redis is not installed: apt-get install redis-server",
}


LOOPBACK = "127.0.0.1"
STARTS_WITHIN = 300  # seconds


def missing(what: str) -> None:
    """Skip the test that needs `what`, or fail it where PORTAL_TEST_REQUIRE says that it must run."""
    if what in os.environ.get("PORTAL_TEST_REQUIRE", "").split(","):
        pytest.fail(f"{HOW_TO_GET[what]} (PORTAL_TEST_REQUIRE asks for it)")
    pytest.skip(HOW_TO_GET[what])


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes], address: str = LOOPBACK) -> None:
    for _ in range(STARTS_WITHIN * 20):
        if process.poll() is not None:
            pytest.fail(f"{process.args!r} ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex((address, port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail(f"nothing listens on port {port} after {STARTS_WITHIN} seconds")


def _wait_until_it_answers(address: str) -> None:
    """PostgreSQL listens a moment before it lets anybody in."""
    deadline = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server by the address of its first database."""

    address: str

    def url(self, name: str) -> str:
        """The address of the database of this name."""
        return f"{self.address.rpartition('/')[0]}/{name}"

    def create(self, name: str, template: str = "template1") -> None:
        """Make a database as a copy of another one, which nobody may be connected to."""
        self._do(f"CREATE DATABASE {name} TEMPLATE {template}")

    def drop(self, name: str) -> None:
        """Drop a database, whoever is still connected to it."""
        self._do(f"DROP DATABASE {name} WITH (FORCE)")

    def _do(self, statement: str) -> None:
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def postgres(listen: str = LOOPBACK) -> Iterator[str]:
    """A PostgreSQL server with an empty database, for the network of this address; gives its address."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not versions:
        missing("postgres")
    programs = versions[-1].parent
    # PostgreSQL refuses to run as root; its package brings the user "postgres".
    user = "postgres" if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="portal-postgres-") as folder:
        if user:
            shutil.chown(folder, user)
        data, port = f"{folder}/data", free_port()
        initdb = [f"{programs}/initdb", "-D", data, "-U", "portal", "-A", "trust", "-E", "UTF8", "--locale=C"]
        subprocess.run(initdb, check=True, capture_output=True, cwd=folder, user=user)
        with Path(data, "pg_hba.conf").open("a", encoding="utf-8") as rules:
            rules.write(f"host all all {listen}/24 trust\n")
        server = [
            f"{programs}/postgres",
            "-D",
            data,
            "-p",
            str(port),
            "-k",
            "",
            "-c",
            f"listen_addresses={listen}",
            "-F",
        ]
        process = subprocess.Popen(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, user=user)
        try:
            _wait_for(port, process, listen)
            address = f"postgresql://portal@{listen}:{port}/postgres"
            _wait_until_it_answers(address)
            yield address
        finally:
            process.send_signal(signal.SIGQUIT)  # at once: nothing in it is to be kept
            process.wait(timeout=300)


@contextmanager
def redis(folder: Path, listen: str = LOOPBACK) -> Iterator[str]:
    """A Redis server that keeps nothing on disk; gives its address."""
    program = shutil.which("redis-server")
    if program is None:
        missing("redis")
    port = free_port()
    reached = ("--port", str(port), "--bind", listen, "--protected-mode", "no")
    kept = ("--save", "", "--dir", str(folder))
    process = subprocess.Popen([str(program), *reached, *kept], stdout=subprocess.DEVNULL)
    try:
        _wait_for(port, process, listen)
        yield f"redis://{listen}:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=300)
