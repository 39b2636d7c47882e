"""The password of the mail account goes to the mail server that was named, and to nobody who answers in its place."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import pytest

from portal.mail_server import EmailBackend
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
        backend = EmailBackend(host="localhost", port=port, username="portal", password="secret word", use_tls=True)
        if is_taken:
            backend.open()
            backend.close()
        else:
            with pytest.raises(ssl.SSLCertVerificationError):
                backend.open()
    assert server.heard == (["EHLO", "STAR", "EHLO", "AUTH", "QUIT"] if is_taken else ["EHLO", "STAR"])


def test_a_server_without_encryption_gets_no_password(app: Flask) -> None:
    with smtp_server() as server, app.app_context():
        backend = EmailBackend(
            host="localhost", port=server.server_address[1], username="a", password="secret word", use_tls=True
        )
        with pytest.raises(OSError, match="STARTTLS"):
            backend.open()
    assert server.heard == ["EHLO"]
