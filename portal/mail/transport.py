"""Sends mail through Flask-Mailman, configured from PORTAL_MAIL_URL."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from email.mime.text import MIMEText
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from flask_mailman import EmailMultiAlternatives, Mail

from portal.config import SettingsError
from portal.mail.delivery import RefusedForGoodError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask_mailman.backends.base import BaseEmailBackend

    from portal.config import Settings
    from portal.mail.delivery import OutgoingMail

FIRST_PERMANENT = 500  # from this code on, a retry would get the same answer from the mail server

mail = Mail()


def mailbox_folder(settings: Settings) -> Path:
    """The folder that the file mailbox writes to if no mail server is set."""
    parts = urlsplit(settings.mail_url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else settings.instance / "mail"


def mail_config(settings: Settings) -> dict[str, Any]:
    """Flask-Mailman's settings; creates the mailbox folder if mail goes to files.

    Raises:
        SettingsError: The folder cannot be created.
    """
    parts = urlsplit(settings.mail_url)
    config: dict[str, Any] = {"MAIL_DEFAULT_SENDER": settings.mail_sender}
    if parts.scheme in {"", "file"}:
        folder = mailbox_folder(settings)
        _make(folder)
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
        "MAIL_BACKEND": "portal.mail_server",
        "MAIL_SERVER": parts.hostname or "localhost",
        "MAIL_PORT": parts.port or (465 if tls else 587),
        "MAIL_USERNAME": unquote(parts.username) if parts.username else None,
        "MAIL_PASSWORD": unquote(parts.password) if parts.password else None,
        "MAIL_USE_SSL": tls,
        "MAIL_USE_TLS": not tls and parts.hostname not in {"localhost", "127.0.0.1"},
        "MAIL_TIMEOUT": 20,
    }


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        reason = f"the folder {folder} cannot be made ({error.strerror}). Name another one."
        raise SettingsError(f"PORTAL_MAIL_URL: {reason}") from None


@contextmanager
def post_office() -> Iterator[Callable[[OutgoingMail], None]]:
    """A function that sends mails, over one connection for as long as the server keeps it. Needs an application
    context.

    Sending raises OSError if the mail server does not accept a mail, RefusedForGoodError if it never will.
    """
    connection = mail.get_connection()

    def send(outgoing: OutgoingMail) -> None:
        message = _message(outgoing)
        message.connection = connection
        try:
            connection.open()
            message.send()
        except SMTPRecipientsRefused as refusal:
            codes = [code for code, _reply in refusal.recipients.values()]
            _hang_up(connection)
            if codes and min(codes) >= FIRST_PERMANENT:
                raise RefusedForGoodError(f"The mail server refuses this address for good ({min(codes)}).") from refusal
            raise
        except OSError:
            _hang_up(connection)
            raise

    try:
        yield send
    finally:
        _hang_up(connection)


def _hang_up(connection: BaseEmailBackend) -> None:
    """Close the connection. An error here is ignored: the server has accepted the mails already."""
    with suppress(OSError):
        connection.close()


def _message(outgoing: OutgoingMail) -> EmailMultiAlternatives:
    headers = {"Message-ID": outgoing.message_id, **outgoing.headers}
    words = outgoing.words
    message = EmailMultiAlternatives(words.subject, words.text, to=[outgoing.address], headers=headers)
    message.attach_alternative(words.html, "text/html")
    for item in outgoing.attachments:
        kind, *parameters = (part.strip() for part in item["media_type"].split(";"))
        part = MIMEText(item["text"], kind.partition("/")[2], "utf-8")
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            part.set_param(name, value)
        part.add_header("Content-Disposition", "attachment", filename=item["filename"])
        message.attach(part)
    return message
