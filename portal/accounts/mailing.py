"""Mails about accounts, Flask-Security's and the portal's own, sent after the transaction.

A mail waits in the request until everything is committed. So no mail reports what was rolled back, a slow mail server
holds no database lock, and if it is down nothing is lost: the page says so, and the person asks for the mail again.
"""

from __future__ import annotations

import logging
import secrets
from http import HTTPStatus
from smtplib import SMTPRecipientsRefused
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flask import current_app, flash, g, has_request_context
from flask_mailman import EmailMultiAlternatives
from flask_security import MailUtil, send_mail
from flask_security.mail_util import EmailValidateException

from portal.accounts.rate_limits import MAILS_TO_ADDRESS, account_key
from portal.accounts.service import AddressError, normal_address
from portal.config import settings_of
from portal.mail.rendering import framed
from portal.mail.transport import FIRST_PERMANENT

if TYPE_CHECKING:
    from flask import Flask, Response

logger = logging.getLogger(__name__)

FOLDER = "security/email/"
# Mails that anybody can cause to be sent to any address, by typing it into a form.
ASKED_BY_ANYBODY = frozenset(
    FOLDER + name
    for name in (
        "welcome",
        "welcome_existing",
        "confirmation_instructions",
        "already_confirmed",
        "reset_instructions",
        "suspended",
        "merged",
        "no_account",
        "change_email_instructions",
        "change_email_taken",
    )
)
NOT_SENT = (
    "We could not send the mail: the mail server does not answer. Everything else is saved. Ask again in a few "
    "minutes; if it fails again, tell the administrators."
)
NOT_TAKEN = (
    "We could not send the mail: the mail server does not take mail for this address. Check its spelling; if it is "
    "right, tell the administrators."
)


class PortalMailUtil(MailUtil):
    """How Flask-Security normalises addresses and sends mail."""

    def normalize(self, email: str) -> str:
        """The spelling under which accounts store this address; EmailValidateException if it is none."""
        try:
            return normal_address(email, test_domains=settings_of(current_app).mode != "production")
        except AddressError as error:
            raise EmailValidateException(str(error)) from None

    def validate(self, email: str) -> str:
        """The same as `normalize`: whether the address accepts mail shows when its owner opens the link sent there."""
        return self.normalize(email)

    def send_mail(
        self,
        template: str,
        subject: str,
        recipient: str | tuple[str, str],
        sender: str | tuple[str, str],
        body: str | None,
        html: str | None,  # never: SECURITY_EMAIL_HTML is off
        **_context: Any,  # noqa: ANN401  (what the mail's template was given)
    ) -> None:
        """Queue a mail until after the transaction, or outside a request send it at once."""
        address = str(recipient)
        if template in ASKED_BY_ANYBODY and not MAILS_TO_ADDRESS.use(account_key(address)):
            logger.warning("No more mail of kind %s to this address for now", template)
            return
        settings = settings_of(current_app)
        del html
        words = framed(subject, body or "", {"config": current_app.config, "preferences": ""})
        message = EmailMultiAlternatives(
            subject,
            words.text,
            str(sender),
            [address],
            reply_to=[settings.contact] if settings.contact else None,
            headers={"Auto-Submitted": "auto-generated", "Message-ID": _message_id(settings.base_url)},
        )
        message.attach_alternative(words.html, "text/html")
        if has_request_context():
            _waiting().append(message)
        else:
            message.send()


def send(template: str, subject: str, recipient: str, **context: object) -> None:
    """Send one of the portal's own mails: templates/security/email/`template`.txt with `context`."""
    send_mail(subject, recipient, FOLDER + template, **context)


def link(endpoint: str, **values: str) -> str:
    """The address of a page for a mail, based on PORTAL_BASE_URL rather than on the request's host."""
    path = current_app.url_map.bind("localhost").build(endpoint, values)
    return f"{current_app.config['PORTAL'].base_url}{path}"


def _message_id(base_url: str) -> str:
    """An id under the portal's public name; the library would take that of the machine, such as localhost."""
    return f"<{secrets.token_hex(16)}@{urlsplit(base_url).hostname or 'localhost'}>"


def drop_waiting_mails() -> None:
    """Drop the mails of this request, after a rollback."""
    _waiting().clear()


def _waiting() -> list[EmailMultiAlternatives]:
    if "waiting_mails" not in g:
        g.waiting_mails = []
    mails: list[EmailMultiAlternatives] = g.waiting_mails
    return mails


def _deliver(response: Response) -> Response:
    """Send the queued mails. Runs after the transaction has ended; see `portal.app.init_extensions`."""
    mails = list(_waiting())
    drop_waiting_mails()
    if not mails or response.status_code >= HTTPStatus.BAD_REQUEST:
        return response
    try:
        for mail in mails:
            mail.send()
    except SMTPRecipientsRefused as refusal:
        # What the server says of an address repeats it, which a log should not.
        codes = sorted({code for code, _reply in refusal.recipients.values()})
        logger.error("A mail could not be sent: the mail server refuses its address (%s)", *codes)  # noqa: TRY400  (the traceback would repeat the address, too)
        flash(NOT_TAKEN if min(codes) >= FIRST_PERMANENT else NOT_SENT, "warn")
    except OSError as error:
        logger.error("A mail could not be sent: %s: %s", type(error).__name__, error)  # noqa: TRY400  (the reason is in the message, as at each request while the server is away)
        flash(NOT_SENT, "warn")
    return response


def init_mailing(app: Flask) -> None:
    """Send each request's mails after it has ended successfully."""
    app.after_request(_deliver)
