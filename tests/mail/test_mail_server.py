"""The password of the mail account goes to the mail server that was named, and to nobody who answers in its place. One
that hangs is left alone for a while.
"""

from __future__ import annotations

import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from flask_mailman import EmailMessage

from portal.mail import transport
from portal.mail.transport import ServerEmailBackend, SlowServerError
from tests.mail.certificate import self_signed
from tests.mail.smtp_server import smtp_server

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask


@pytest.mark.parametrize(
    ("host", "is_known", "is_taken"), [("localhost", True, True), ("localhost", False, False), ("other", True, False)]
)
def test_a_server_with_another_certificate_gets_no_password(
    app: Flask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    is_known: bool,  # noqa: FBT001
    is_taken: bool,  # noqa: FBT001
) -> None:
    file = self_signed(host, tmp_path / "certificate.pem")
    if is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with smtp_server() as server, app.app_context():
        server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.tls.load_cert_chain(file)
        port = server.server_address[1]
        backend = ServerEmailBackend(
            host="localhost", port=port, username="portal", password="secret word", use_tls=True
        )
        if is_taken:
            backend.open()
            backend.close()
        else:
            with pytest.raises(ssl.SSLCertVerificationError):
                backend.open()
    assert server.heard == (["EHLO", "STAR", "EHLO", "AUTH", "QUIT"] if is_taken else ["EHLO", "STAR"])


def test_a_server_without_encryption_gets_no_password(app: Flask) -> None:
    with smtp_server() as server, app.app_context():
        backend = ServerEmailBackend(
            host="localhost", port=server.server_address[1], username="a", password="secret word", use_tls=True
        )
        with pytest.raises(OSError, match="STARTTLS"):
            backend.open()
    assert server.heard == ["EHLO"]


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_patience", transport._Patience())
    monkeypatch.setattr(transport, "SLOW", 0.05)


@pytest.mark.usefixtures("_patient")
def test_a_server_that_hangs_keeps_one_request_waiting_and_not_those_after_it(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, app.app_context():
        backend = ServerEmailBackend(host="127.0.0.1", port=silent.getsockname()[1], timeout=0.1, use_tls=False)
        with pytest.raises(OSError, match="timed out"):
            backend.open()
        mail = EmailMessage("A", "B", to=["li@example.edu"])
        for ask in (backend.open, lambda: backend.send_messages([mail])):
            with pytest.raises(SlowServerError):
                ask()
    later = time.monotonic() + transport.RETRY_AFTER
    monkeypatch.setattr(time, "monotonic", lambda: later)
    with smtp_server() as server, app.app_context():
        backend = ServerEmailBackend(host="127.0.0.1", port=server.server_address[1], use_tls=False)
        assert backend.send_messages([mail]) == 1
        assert len(server.mails) == 1


@pytest.mark.usefixtures("_patient")
def test_whoever_comes_while_a_server_hangs_does_not_wait_with_those_who_came_before(app: Flask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, app.app_context():
        backends = [ServerEmailBackend(host="127.0.0.1", port=silent.getsockname()[1], timeout=600) for _ in range(2)]
        with ThreadPoolExecutor() as threads:
            first = threads.submit(backends[0].open)
            connected, _ = silent.accept()
            time.sleep(2 * transport.SLOW)
            with pytest.raises(SlowServerError):
                backends[1].open()
            assert not first.done()
            connected.close()
            with pytest.raises(OSError, match="closed"):
                first.result()


def test_a_server_that_refuses_at_once_is_asked_again_at_once(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "SLOW", 600.0)
    with smtp_server() as server, app.app_context():
        backend = ServerEmailBackend(host="127.0.0.1", port=server.server_address[1], use_tls=False)
        with pytest.raises(OSError, match="no such user"):
            backend.send_messages([EmailMessage("A", "B", to=["nobody@x.example"])])
        assert backend.send_messages([EmailMessage("A", "B", to=["li@x.example"])]) == 1
