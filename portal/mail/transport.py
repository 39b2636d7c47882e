"""How mail leaves the portal: one Flask-Mailman extension, set up from PORTAL_MAIL_URL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from flask_mailman import Mail

if TYPE_CHECKING:
    from portal.config import Settings

mail = Mail()


def mailbox_folder(settings: Settings) -> Path:
    """The folder that the file mailbox writes to when no mail server is set."""
    parts = urlsplit(settings.mail_url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else settings.instance / "mail"


def mail_config(settings: Settings) -> dict[str, Any]:
    """Flask-Mailman's settings; makes the mailbox folder where mail goes to files."""
    parts = urlsplit(settings.mail_url)
    config: dict[str, Any] = {"MAIL_DEFAULT_SENDER": settings.mail_sender}
    if parts.scheme in {"", "file"}:
        folder = mailbox_folder(settings)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return config | {
            "MAIL_BACKEND": "portal.mailbox",
            "MAIL_FILE_PATH": str(folder),
            "MAIL_ECHO": settings.mode == "demo",
        }
    if parts.scheme == "console":
        return config | {"MAIL_BACKEND": "console"}
    if parts.scheme == "memory":
        return config | {"MAIL_BACKEND": "locmem"}
    tls = parts.scheme == "smtps"
    return config | {
        "MAIL_BACKEND": "smtp",
        "MAIL_SERVER": parts.hostname or "localhost",
        "MAIL_PORT": parts.port or (465 if tls else 587),
        "MAIL_USERNAME": unquote(parts.username) if parts.username else None,
        "MAIL_PASSWORD": unquote(parts.password) if parts.password else None,
        "MAIL_USE_SSL": tls,
        "MAIL_USE_TLS": not tls and parts.hostname not in {"localhost", "127.0.0.1"},
        "MAIL_TIMEOUT": 20,
    }
