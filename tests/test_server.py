"""A worker that is told to end before it can handle that ends as soon as it can."""

from __future__ import annotations

import logging
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click import ClickException
from gunicorn.sock import create_sockets

from portal import server
from portal.app import FORM_ALLOWANCE
from portal.config import read_settings
from tests.servers import free_port

if TYPE_CHECKING:
    from flask import Flask

ROOT = Path(__file__).parent.parent
WITHIN = 300  # seconds
SERVING = """
import os, signal
from portal.app import create_app
from portal.server import _Server, post_worker_init

_Server(
    create_app({}),
    {
        "bind": "127.0.0.1:0",
        "worker_class": "gthread",
        "timeout": 0,  # a worker that goes on is never killed
        "loglevel": "critical",
        "control_socket_disable": True,
        "post_fork": lambda _server, _worker: os.kill(os.getpid(), signal.SIGQUIT),
        "post_worker_init": post_worker_init,
        "worker_exit": lambda _server, _worker: print("ended", flush=True),
    },
).run()
"""


def test_a_signal_to_end_that_comes_while_a_worker_starts_is_not_lost(tmp_path: Path) -> None:
    settings = {"PORTAL_MODE": "development", "PORTAL_INSTANCE": str(tmp_path / "instance")}
    with subprocess.Popen(
        [sys.executable, "-c", SERVING],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as serving:
        assert serving.stdout is not None
        try:
            assert select.select([serving.stdout], [], [], WITHIN)[0], "the worker goes on"
            assert serving.stdout.readline() == b"ended\n"
        finally:
            os.killpg(serving.pid, signal.SIGKILL)


LATE = """
import os, signal, sys
from portal.server import worker_int

class Late:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGQUIT):
        kill(pid, number)

signal.signal(signal.SIGQUIT, lambda *_: sys.exit(0))
worker_int(None)
late = Late()  # which goes when Python has put the handlers of signals away
"""
TOGETHER = """
import os, signal, sys, time
from portal.server import worker_int

def end(*_):  # as gunicorn does
    worker_int(None)
    time.sleep(0.1)
    sys.exit(0)

both = {signal.SIGINT, signal.SIGQUIT}
for number in both:
    signal.signal(number, end)
signal.pthread_sigmask(signal.SIG_BLOCK, both)
for number in both:
    os.kill(os.getpid(), number)
signal.pthread_sigmask(signal.SIG_UNBLOCK, both)
"""


def test_a_second_signal_does_not_kill_a_worker_that_ends() -> None:
    assert subprocess.run([sys.executable, "-c", LATE], check=False).returncode == 0
    unprepared = subprocess.run([sys.executable, "-c", LATE.replace("worker_int(None)", "")], check=False)
    assert unprepared.returncode == -signal.SIGQUIT


def test_two_signals_at_once_are_no_reason_to_complain() -> None:
    ended = subprocess.run([sys.executable, "-c", TOGETHER], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_the_documented_commands_serve_with_the_configuration() -> None:
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in ("README.md", "docs/deploy.md")]
    commands = [line for text in texts for line in text.splitlines() if line.startswith("gunicorn ")]
    assert len(commands) == len(texts)
    assert [" --config python:portal.server " in command for command in commands] == [True, True]
    assert (server.control_socket_disable, server.preload_app, server.keepalive) == (True, True, 75)


def test_the_documented_unit_and_proxy_give_the_portal_what_it_needs() -> None:
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    (unit,) = [line for line in text.splitlines() if line.startswith("ExecStart=") and "/gunicorn " in line]
    assert " --config python:portal.server " in unit
    sent = set(re.findall(r"^ +proxy_set_header (\S+) ", text, re.MULTILINE))
    assert sent == {"Host", "X-Forwarded-Host", "X-Forwarded-For", "X-Forwarded-Proto"}
    (megabytes,) = re.findall(r"^ +client_max_body_size (\d+)m;$", text, re.MULTILINE)
    settings = read_settings({"PORTAL_MODE": "testing"})
    assert int(megabytes) * 1024 * 1024 > settings.upload_bytes + FORM_ALLOWANCE


@pytest.mark.parametrize(("host", "address"), [("::1", "[::1]"), ("127.0.0.1", "127.0.0.1")])
def test_it_listens_at_an_address_of_either_kind(
    host: str, address: str, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound: list[tuple[str, int]] = []

    def run(self: server._Server) -> None:
        (listener,) = create_sockets(self.cfg, logging.getLogger(__name__))
        bound.append(listener.sock.getsockname()[:2])
        listener.close()

    monkeypatch.setattr(server._Server, "run", run)
    port = free_port()
    server.serve(app, host=host, port=port, workers=1, greet=lambda: None)
    assert bound == [(host, port)]
    assert server.in_address(host) == address


@pytest.mark.parametrize("host", ["a..b", os.fsdecode(b"\xff"), "no.such.host.invalid"])
def test_what_is_no_address_to_listen_on_is_said_so(host: str) -> None:
    with pytest.raises(ClickException, match="listened on"):
        server._check_port(host, 8123)
