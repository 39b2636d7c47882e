"""Sends mail through Flask-Mailman, configured from PORTAL_MAIL_URL."""

from __future__ import annotations

import hashlib
import os
import smtplib
import ssl
import sys
import time
from contextlib import contextmanager, suppress
from email.mime.text import MIMEText
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit

from flask import current_app
from flask_mailman import EmailMultiAlternatives, Mail
from flask_mailman.backends import smtp
from flask_mailman.backends.base import BaseEmailBackend

from portal.config import SettingsError
from portal.mail.delivery import RefusedForGoodError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from ssl import SSLContext

    from flask_mailman import EmailMessage

    from portal.config import Settings
    from portal.mail.delivery import OutgoingMail


FIRST_PERMANENT = 500  # from this code on, a retry would get the same answer from the mail server

mail = Mail()


def mailbox_folder(settings: Settings) -> Path:
    """The folder that the file mailbox writes to if no mail server is set."""
    parts = urlsplit(settings.mail_url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else settings.instance / "mail"


def mail_config(settings: Settings) -> dict[str, Any]:
    """Flask-Mailman's settings; creates the mailbox folder if mail goes to files. Raises `SettingsError`: the folder
    cannot be created.
    """
    parts = urlsplit(settings.mail_url)
    config: dict[str, Any] = {"MAIL_DEFAULT_SENDER": settings.mail_sender}
    if parts.scheme in {"", "file"}:
        folder = mailbox_folder(settings)
        _make(folder)
        return config | {
            "MAIL_BACKEND": "portal.mail.transport.FolderEmailBackend",
            "MAIL_FILE_PATH": str(folder),
            "MAIL_ECHO": settings.mode == "demo",
        }
    if parts.scheme == "console":
        return config | {"MAIL_BACKEND": "console"}
    if parts.scheme == "memory":
        return config | {"MAIL_BACKEND": "locmem"}
    tls = parts.scheme == "smtps"
    return config | {
        "MAIL_BACKEND": "portal.mail.transport.ServerEmailBackend",
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


class FolderEmailBackend(BaseEmailBackend):  # type: ignore[misc]  # the library has no types
    """Writes each mail to its own file in MAIL_FILE_PATH; file names begin with the time and sort by it.

    A mail whose Message-ID is already there is not written again. Files are written atomically.

    Side effect: with MAIL_ECHO set, the mail is also printed, so that a demo shows the links to follow.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (the library's own arguments)
        super().__init__(*args, **kwargs)
        self._folder = Path(self.mailman.file_path)

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        """Write the mails; returns how many were accepted."""
        for message in messages:
            path = self._write(message)
            if path is not None and current_app.config["MAIL_ECHO"]:
                _print_mail(message, path)
        return len(messages)

    def _write(self, message: EmailMessage) -> Path | None:
        mime_message = message.message()
        identity = hashlib.sha256(str(mime_message["Message-ID"]).encode()).hexdigest()[:32]
        if any(name.endswith(f"-{identity}.eml") for name in os.listdir(self._folder)):  # noqa: PTH208  (names are all it needs)
            return None
        nanoseconds = time.time_ns()
        seconds, fraction = divmod(nanoseconds, 1_000_000_000)
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{fraction:09d}-{identity}.eml"
        path, draft = self._folder / name, self._folder / f".{name}"
        try:
            draft.write_bytes(mime_message.as_bytes())
            draft.replace(path)
        except OSError:  # the disk is full: the next try has another name
            draft.unlink(missing_ok=True)
            raise
        return path


def _print_mail(message: EmailMessage, path: Path) -> None:
    lines = (f"Mail in {path}", f"To: {', '.join(message.to)}", f"Subject: {message.subject}", "", message.body)
    sys.stdout.write("\n" + "\n".join(f"  | {line}" for text in lines for line in text.splitlines() or [""]) + "\n")
    sys.stdout.flush()


SLOW = 10.0  # seconds after which a server hangs; some let everybody wait for some before they greet
RETRY_AFTER = 30.0  # seconds


class VerifiedConnection(smtplib.SMTP):
    """A connection that, unlike the library's, does not hand a password to whoever answers to STARTTLS."""

    def starttls(self, *_options: Any, context: SSLContext | None = None) -> tuple[int, bytes]:  # noqa: ANN401
        """Encrypt the connection. Raises `SSLCertVerificationError`: the certificate is not of this host, or of an
        authority unknown here; `SMTPNotSupportedError`: the server does not offer STARTTLS.
        """
        return super().starttls(context=context or ssl.create_default_context())


class SlowServerError(OSError):
    """The mail server was not asked, since it keeps or kept a request waiting."""


class _Patience:
    """Whether this process asks the mail server. A mail about an account is sent while its person waits: while the
    server hangs, a few of them would otherwise keep all threads of the portal busy.
    """

    def __init__(self) -> None:
        self.until = 0.0
        self.ongoing: dict[object, float] = {}  # since when, by a token of each block

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Ask the mail server within the block. Raises `SlowServerError`: it hung within the last half minute, or keeps
        somebody else waiting.
        """
        token, begun = object(), time.monotonic()
        if begun < self.until or any(begun - since > SLOW for since in list(self.ongoing.values())):
            raise SlowServerError("the mail server hangs, or did a moment ago, and is not asked")
        self.ongoing[token] = begun
        try:
            yield
        except OSError:
            if time.monotonic() - begun > SLOW:
                self.until = time.monotonic() + RETRY_AFTER
            raise
        finally:
            del self.ongoing[token]


_patience = _Patience()


class ServerEmailBackend(smtp.EmailBackend):  # type: ignore[misc]  # the library has no types
    """Flask-Mailman's own, over verified connections, which does not ask a server again that just hung."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        """What connects: with TLS from the beginning, which is verified anyway, or with STARTTLS."""
        return smtplib.SMTP_SSL if self.use_ssl else VerifiedConnection

    def open(self) -> bool | None:
        """Connect, unless it is connected; returns whether it was not. A connection that fails half-way is closed.
        Raises `OSError`: the server does not answer, is not who it should be, or refuses the password.
        """
        try:
            with _patience.asking():
                return cast("bool | None", super().open())
        except OSError:
            self._break_off()
            raise

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        """Send the mails; returns how many the server took. Raises `OSError`: the server does not answer, or does not
        take one.
        """
        try:
            with _patience.asking():
                return cast("int", super().send_messages(messages))
        except OSError:
            self._break_off()
            raise

    def _break_off(self) -> None:
        connection: smtplib.SMTP | None = self.connection  # type: ignore[has-type]  # the library has no types
        self.connection = None
        if connection is not None:
            connection.close()
