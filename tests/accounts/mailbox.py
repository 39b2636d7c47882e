"""What the accounts' tests share: mails that were sent, the links in them, forms filled in, one-time codes."""

from __future__ import annotations

import base64
import hmac
import re
import struct
import time
from typing import TYPE_CHECKING

from portal.db import db
from portal.models import User
from tests.people import PASSWORD, submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from flask_mailman import EmailMultiAlternatives
    from werkzeug.test import TestResponse

BASE_URL = "http://localhost:8000"
NEW_PASSWORD = "seven green lamps rising"
_LINK = re.compile(r"https?://\S+")
_TOKEN_FIELD = re.compile(r'name="csrf_token"[^>]*value="[^"]+"')
_KEY = re.compile(r'class="secret-key">([^<]+)<')


def mails(app: Flask, to: str | None = None) -> list[EmailMultiAlternatives]:
    """The mails sent so far, to one address or to all."""
    sent = vars(app.extensions["mailman"]).get("outbox", [])
    return [mail for mail in sent if to is None or mail.to == [to]]


def links(mail: EmailMultiAlternatives, part: str = "") -> list[str]:
    """The paths of the links in a mail that hold `part`, below the portal's own address."""
    found = [link for link in _LINK.findall(mail.body) if part in link and link != BASE_URL]
    assert all(link.startswith(BASE_URL + "/") for link in found), found
    return [link.removeprefix(BASE_URL) for link in found]


def link_to(app: Flask, to: str, part: str) -> str:
    """The path of the one link that holds `part` in the newest mail to an address."""
    (link,) = links(mails(app, to)[-1], part)
    return link


def follow(client: FlaskClient, link: str, page: str | None = None) -> TestResponse:
    """Open a mailed link and press the button on its page, or send what it sends from another one."""
    return submit(client, link, {}, page=page)


def register(client: FlaskClient, email: str, password: str = PASSWORD, **more: str) -> TestResponse:
    data = {"email": email, "password": password, "password_confirm": password, **more}
    return submit(client, "/accounts/register", data)


def sign_in(client: FlaskClient, email: str, password: str = PASSWORD, **more: str) -> TestResponse:
    return submit(client, "/accounts/login", {"email": email, "password": password, **more})


def is_signed_in(client: FlaskClient) -> bool:
    return client.get("/accounts/").status_code == 200


def account(app: Flask, email: str) -> User | None:
    """The account as the database has it now."""
    with app.app_context():
        return db.session.query(User).filter_by(email=email).one_or_none()


def without_tokens(page: str) -> str:
    """A page without what is different each time it is shown."""
    return _TOKEN_FIELD.sub("", page)


def key_on(page: str) -> str:
    """The secret that a page shows for typing into an app."""
    found = _KEY.search(page)
    assert found is not None, page
    return found.group(1)


def code_for(key: str, *, steps: int = 0) -> str:
    """The code an app shows for `key` now, or `steps` of 30 seconds later; written from RFC 6238."""
    letters = key.replace("-", "").replace(" ", "").upper()
    secret = base64.b32decode(letters + "=" * (-len(letters) % 8))
    digest = hmac.digest(secret, struct.pack(">Q", int(time.time()) // 30 + steps), "sha1")
    start = digest[-1] & 0xF
    number = struct.unpack(">I", digest[start : start + 4])[0] & 0x7FFF_FFFF
    return f"{number % 1_000_000:06d}"
