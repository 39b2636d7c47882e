"""Sends mail to a mail server: one whose certificate is verified, also where the connection turns to TLS by STARTTLS,
and that is left alone for a while after it hung.
"""

from __future__ import annotations

import smtplib
import ssl
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from flask_mailman.backends import smtp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from ssl import SSLContext

    from flask_mailman import EmailMessage

SLOW = 10.0  # seconds after which a server hangs; some let everybody wait for some before they greet
RETRY_AFTER = 30.0  # seconds


class VerifiedConnection(smtplib.SMTP):
    """A connection that, unlike the library's, does not hand a password to whoever answers to STARTTLS."""

    def starttls(self, *_options: Any, context: SSLContext | None = None) -> tuple[int, bytes]:  # noqa: ANN401
        """Encrypt the connection.

        Raises:
            SSLCertVerificationError: The certificate is not of this host, or of an authority unknown here.
            SMTPNotSupportedError: The server does not offer STARTTLS.
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
        """Ask the mail server within the block.

        Raises:
            SlowServerError: It hung within the last half minute, or keeps somebody else waiting.
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


class EmailBackend(smtp.EmailBackend):  # type: ignore[misc]  # the library has no types
    """Flask-Mailman's own, over verified connections, which does not ask a server again that just hung."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        """What connects: with TLS from the beginning, which is verified anyway, or with STARTTLS."""
        return smtplib.SMTP_SSL if self.use_ssl else VerifiedConnection

    def open(self) -> bool | None:
        """Connect, unless it is connected; returns whether it was not. A connection that fails half-way is closed.

        Raises:
            OSError: The server does not answer, is not who it should be, or refuses the password.
        """
        try:
            with _patience.asking():
                return cast("bool | None", super().open())
        except OSError:
            self._break_off()
            raise

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        """Send the mails; returns how many the server took.

        Raises:
            OSError: The server does not answer, or does not take one.
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
