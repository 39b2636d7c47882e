"""Serving an application with gunicorn, started from the portal's own commands."""

from __future__ import annotations

import errno
import gc
import socket
from typing import TYPE_CHECKING, Any

import click
from gunicorn.app.base import BaseApplication

from portal.db import db
from portal.labs.live_index.live import live_index

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from gunicorn.workers.base import Worker


class _Server(BaseApplication):  # type: ignore[misc]  # the library has no types
    def __init__(self, app: Flask, options: dict[str, Any]) -> None:
        self._app = app
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._app


def serve(app: Flask, *, host: str, port: int, workers: int, when_ready: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C or a TERM signal; then finish those under way and end.

    Args:
        app: The application.
        host: Address to listen on.
        port: Port to listen on.
        workers: How many processes; each has four threads.
        when_ready: Called once when requests are taken.

    Raises:
        click.ClickException: The port is taken, or this machine has no such address.
    """
    _check_port(host, port)
    with app.app_context():
        # A connection must not be shared by the processes that are about to be forked.
        db.engine.dispose()
    _Server(
        app,
        {
            "bind": f"{host}:{port}",
            "workers": workers,
            "worker_class": "gthread",
            "threads": 4,
            "loglevel": "warning",
            "control_socket_disable": True,
            "when_ready": lambda _server: when_ready(),
            "post_worker_init": post_worker_init,
        },
    ).run()


def post_worker_init(worker: Worker) -> None:
    """Have a worker of gunicorn build the index before its first request, and look for no garbage in what was imported.

    Other servers than `serve` get it by `gunicorn --config python:portal.server …`.
    """
    # What is there now stays as long as the worker; looking through it would hold up a request for a tenth of a second.
    gc.collect()
    gc.freeze()
    live_index(worker.wsgi).start()


def _check_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise click.ClickException(
                    f"Port {port} is taken. Choose another one, as in PORT={port + 1}."
                ) from None
            if error.errno == errno.EACCES:
                raise click.ClickException(f"Port {port} may not be used by you. Choose one above 1023.") from None
            raise click.ClickException(f"{host} cannot be listened on ({error.strerror}).") from None
