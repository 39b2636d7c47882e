"""The demo: its own small files, what it prints, how it ends."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from portal.config import base_url
from portal.demo import _address, _read_or_create
from tests.servers import free_port

if TYPE_CHECKING:
    from pathlib import Path

GREETING_WITHIN = 600  # seconds


def test_a_full_disk_leaves_no_empty_password_behind(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file may grow: every write fails, as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            _read_or_create(tmp_path / "demo-password", "first try")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert _read_or_create(tmp_path / "demo-password", "second try") == "second try"
    assert _read_or_create(tmp_path / "demo-password", "third try") == "second try"
    assert (tmp_path / "demo-password").stat().st_mode & 0o777 == 0o600


def test_the_demo_prints_whom_to_sign_in_as_and_not_its_made_up_mails_and_ends_quietly(tmp_path: Path) -> None:
    settings = {"PORTAL_INSTANCE": str(tmp_path / "demo"), "PORT": str(free_port()), "PORTAL_DEMO_PASSWORD": "demo"}
    printed, complained = tmp_path / "printed", tmp_path / "complained"
    with printed.open("w") as out, complained.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "portal", "demo"],
            env={**os.environ, **settings},
            stdout=out,
            stderr=errors,
            start_new_session=True,
        )
        deadline = time.monotonic() + GREETING_WITHIN
        while "Stop with Ctrl-C" not in printed.read_text() and time.monotonic() < deadline:
            assert process.poll() is None, complained.read_text()
            time.sleep(0.1)
        # What a terminal does: everybody in it gets the signal, also who is still starting.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=GREETING_WITHIN) == 0
    assert "admin@demo.example" in printed.read_text()
    assert "Mail in" not in printed.read_text()
    assert len(list((tmp_path / "demo" / "mail").glob("*.eml"))) > 10
    assert complained.read_text() == ""


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://localhost:8000"),
        ("0.0.0.0", "http://localhost:8000"),  # noqa: S104  (nobody listens there)
        ("::", "http://localhost:8000"),
        ("::1", "http://[::1]:8000"),
        ("192.0.2.7", "http://192.0.2.7:8000"),
        ("demo.example.edu", "http://demo.example.edu:8000"),
    ],
)
def test_the_address_that_is_printed_is_the_one_it_listens_on(host: str, address: str) -> None:
    assert _address(host, 8000) == address
    assert base_url(address) == address
