"""Sends mail to a mail server whose certificate is verified, also where the connection turns to TLS by STARTTLS."""

from __future__ import annotations

import smtplib
import ssl
from typing import TYPE_CHECKING, Any, cast

from flask_mailman.backends import smtp

if TYPE_CHECKING:
    from ssl import SSLContext


class VerifiedConnection(smtplib.SMTP):
    """A connection that, unlike the library's, does not hand a password to whoever answers to STARTTLS."""

    def starttls(self, *_options: Any, context: SSLContext | None = None) -> tuple[int, bytes]:  # noqa: ANN401
        """Encrypt the connection.

        Raises:
            SSLCertVerificationError: The certificate is not of this host, or of an authority unknown here.
            SMTPNotSupportedError: The server does not offer STARTTLS.
        """
        return super().starttls(context=context or ssl.create_default_context())


class EmailBackend(smtp.EmailBackend):  # type: ignore[misc]  # the library has no types
    """Flask-Mailman's own, over verified connections."""

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
            return cast("bool | None", super().open())
        except OSError:
            connection: smtplib.SMTP | None = self.connection  # type: ignore[has-type]  # the library has no types
            self.connection = None
            if connection is not None:
                connection.close()
            raise
