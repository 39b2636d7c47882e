"""Real servers for tests that need one, started in a folder of their own and stopped again.

PORTAL_TEST_REQUIRE names what must be there (browser, postgres, redis); anything else is skipped with a
line that says how to get it.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

HOW_TO_GET = {
    "browser": "Chromium is not installed: apt-get install chromium",
    "postgres": "PostgreSQL is not installed: apt-get install postgresql",
    "redis": "Redis is not installed: apt-get install redis-server",
}


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


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if process.poll() is not None:
            pytest.fail(f"{process.args!r} ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail(f"nothing listens on port {port} after 15 seconds")


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server with an empty database; gives its address."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not versions:
        missing("postgres")
    programs = versions[-1].parent
    # PostgreSQL refuses to run as root; its package brings the user "postgres".
    as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="portal-postgres-") as folder:
        if as_user:
            shutil.chown(folder, "postgres")
        data, port = f"{folder}/data", free_port()
        initdb = [f"{programs}/initdb", "-D", data, "-U", "portal", "-A", "trust", "-E", "UTF8", "--locale=C"]
        subprocess.run([*as_user, *initdb], check=True, capture_output=True, cwd=folder)
        server = [
            f"{programs}/postgres",
            "-D",
            data,
            "-p",
            str(port),
            "-k",
            "",
            "-c",
            "listen_addresses=127.0.0.1",
            "-F",
        ]
        process = subprocess.Popen(
            [*as_user, *server], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
        )
        try:
            _wait_for(port, process)
            yield f"postgresql://portal@127.0.0.1:{port}/postgres"
        finally:
            process.terminate()
            process.wait(timeout=30)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis server that keeps nothing on disk; gives its address."""
    program = shutil.which("redis-server")
    if program is None:
        missing("redis")
    port = free_port()
    process = subprocess.Popen(
        [str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=30)
