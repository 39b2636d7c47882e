from __future__ import annotations

import resource
from email import message_from_bytes
from typing import TYPE_CHECKING

import pytest
from flask_mailman import EmailMessage

from portal import create_app
from portal.config import read_settings
from portal.mail.transport import mail_config

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Settings


def send(settings: Settings, **more: str) -> None:
    app = create_app({**settings, **more})
    with app.app_context():
        EmailMessage("Grüße", "Follow http://localhost/x", to=["li@example.edu"]).send()


def test_a_mail_becomes_one_file_in_the_mailbox(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "box"
    send(settings, PORTAL_MAIL_URL=f"file://{folder}")
    (file,) = folder.iterdir()
    message = message_from_bytes(file.read_bytes())
    assert (file.suffix, message["To"], message.get_payload()) == (
        ".eml",
        "li@example.edu",
        "Follow http://localhost/x",
    )


def test_a_full_disk_leaves_no_half_mail_in_the_mailbox(settings: Settings, tmp_path: Path) -> None:
    folder, before = tmp_path / "box", resource.getrlimit(resource.RLIMIT_FSIZE)
    app = create_app({**settings, "PORTAL_MAIL_URL": f"file://{folder}"})
    with app.app_context():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        try:
            with pytest.raises(OSError, match="too large"):
                EmailMessage("Long", "x" * 500, to=["li@example.edu"]).send()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(folder.iterdir()) == []


def test_the_demo_also_prints_its_mails(settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    send(settings, PORTAL_MAIL_URL="", PORTAL_MODE="demo")
    printed = capsys.readouterr().out
    assert "To: li@example.edu" in printed
    assert "Follow http://localhost/x" in printed
    assert str(tmp_path / "instance" / "mail") in printed


@pytest.mark.parametrize(
    ("url", "server", "port", "ssl", "tls"),
    [
        ("smtp://u:p%40ss@mail.example.edu", "mail.example.edu", 587, False, True),
        ("smtps://mail.example.edu:4650", "mail.example.edu", 4650, True, False),
        ("smtp://localhost:25", "localhost", 25, False, False),
    ],
)
def test_a_mail_server_is_read_from_its_address(url: str, server: str, port: int, ssl: bool, tls: bool) -> None:  # noqa: FBT001
    config = mail_config(read_settings({"PORTAL_MODE": "development", "PORTAL_MAIL_URL": url}))
    assert (config["MAIL_SERVER"], config["MAIL_PORT"]) == (server, port)
    assert (config["MAIL_USE_SSL"], config["MAIL_USE_TLS"]) == (ssl, tls)
    assert config["MAIL_PASSWORD"] == ("p@ss" if "@" in url else None)
