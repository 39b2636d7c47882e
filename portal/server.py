"""Serving the application with gunicorn, started by the portal's own commands."""

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
    """Answer requests until Ctrl-C or SIGTERM; then finish those under way and return.

    Args:
        app: The application.
        host: Address to listen on.
        port: Port to listen on.
        workers: Number of processes; each has four threads.
        when_ready: Called once, when requests are accepted.

    Raises: click.ClickException: The port is taken, or this machine has no such address.
    """
    _check_port(host, port)
    with app.app_context():
        # Connections must not be shared with the processes that are about to be forked.
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
    """Have a gunicorn worker build the index before its first request, and exclude what was imported from garbage
    collection.

    Servers not started by `serve` get this with `gunicorn --config python:portal.server …`.
    """
    # Whatever exists now lives as long as the worker; scanning it would delay a request by a tenth of a second.
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
