"""Serving the application with gunicorn: settings of its own, and `portal demo`'s way of starting it."""

from __future__ import annotations

import atexit
import signal
import socket
from typing import TYPE_CHECKING, Any

import click
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from portal.db import db
from portal.labs.live_index.live import live_index
from portal.web.work import collect_garbage_less_often

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from gunicorn.workers.base import Worker


# This module is also gunicorn's configuration, for `gunicorn --config python:portal.server …`: the names that gunicorn
# has for its settings are these three and the functions `when_ready`, `post_worker_init` and `worker_int`.
# Two portals of one user would share the socket.
control_socket_disable = True
# Modules are imported once, not by each worker beside the others; the workers share their memory.
preload_app = True
# The seconds that a connection may be idle. With gunicorn's two, a busy worker resets connections on which a request
# has just arrived.
keepalive = 75

ENDING = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


class _Arbiter(Arbiter):  # type: ignore[misc]  # the library has no types
    def spawn_worker(self) -> int:
        """Fork a worker, in which signals to end wait until `post_worker_init`; gunicorn would lose them."""
        previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            pid: int = super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
        return pid


class _Server(BaseApplication):  # type: ignore[misc]  # as above
    def __init__(self, app: Flask, options: dict[str, Any]) -> None:
        self._app = app
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._app

    def run(self) -> None:
        _Arbiter(self).run()


def serve(app: Flask, *, host: str, port: int, workers: int, greet: Callable[[], None]) -> None:
    """Answer requests, by so many processes of four threads, until Ctrl-C or SIGTERM; then finish those under way.
    `greet` is called once the portal listens.

    Raises: click.ClickException: The port is taken, or this machine has no such address.
    """
    _check_port(host, port)
    with app.app_context():
        # Connections must not be shared with the processes that are about to be forked.
        db.engine.dispose()
    collect_garbage_less_often()
    _Server(
        app,
        {
            "bind": f"{in_address(host)}:{port}",
            "workers": workers,
            "worker_class": "gthread",
            "threads": 4,
            "loglevel": "warning",
            "control_socket_disable": True,
            "keepalive": keepalive,
            "when_ready": lambda _arbiter: greet(),
            "post_worker_init": post_worker_init,
            "worker_int": worker_int,
        },
    ).run()


def when_ready(_arbiter: Arbiter) -> None:
    """Have the workers, which are about to be forked, collect garbage less often."""
    collect_garbage_less_often()


def post_worker_init(worker: Worker) -> None:
    """Have a gunicorn worker build the index before its first request. From here on, signals can end it."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    live_index(worker.wsgi).start()


def worker_int(_worker: Worker) -> None:
    """Have a gunicorn worker that was told to end ignore further signals to end: after Ctrl-C it gets two, and gunicorn
    would warn of a worker that the second one killed while Python shuts down.
    """
    # A handler of ours first: Python complains of a signal that is waiting for its handler when it gets ignored.
    for number in ENDING:
        signal.signal(number, lambda _number, _frame: None)
    atexit.register(_ignore_signals_to_end)


def _ignore_signals_to_end() -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def in_address(host: str) -> str:
    """A host as addresses have it: of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def _check_port(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (UnicodeError, TypeError):  # what it says of other bytes than UTF-8
            raise click.ClickException(f"{host!r} is no address that can be listened on.") from None
        except OSError as error:
            reason = f"{host}, port {port}, cannot be listened on ({error.strerror}). Choose another, as in PORT=8001."
            raise click.ClickException(reason) from None
