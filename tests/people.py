"""People for tests: an account with roles and a signed-in client."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any

from flask import g
from flask_security import hash_password, login_user
from flask_wtf.csrf import generate_csrf

from portal.accounts.extension import user_datastore
from portal.db import db
from portal.models import User

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

PASSWORD = "correct horse battery"
_numbers = itertools.count(1)
_TOKEN = re.compile(r'name="csrf_token"[^>]*value="([^"]+)"')
_SEEN = re.compile(r'name="seen"[^>]*value="([^"]*)"')


def csrf_token(client: FlaskClient, url: str) -> str:
    """The token of the first form on the page at `url`."""
    found = _TOKEN.search(client.get(url).text)
    assert found is not None, f"no form with a token on {url}"
    return found.group(1)


def submit(client: FlaskClient, url: str, data: dict[str, Any], *, page: str | None = None) -> TestResponse:
    """Open `page` (or `url`), take its token and what it noted as shown, and send `data` to `url` as its form would."""
    text = client.get(page or url).text
    token, seen = _TOKEN.search(text), _SEEN.search(text)
    assert token is not None, f"no form with a token on {page or url}"
    noted = {"seen": unescape(seen[1])} if seen else {}
    response = client.post(url, data={"csrf_token": token[1], **noted, **data})
    response.request.environ["wsgi.input"].close()  # a large form is in a file, which the client leaves open
    return response


@dataclass
class Person:
    """Somebody with an account."""

    app: Flask
    id: int
    email: str
    password: str = PASSWORD

    def sign_in(self) -> FlaskClient:
        """A new client, signed in with the password; without the form, which takes four times as long."""
        client = self.app.test_client()
        with self.app.test_request_context("/accounts/login", method="POST", environ_base=client.environ_base):
            for name in list(g):  # of a request before, in an application context that the test holds open
                g.pop(name)
            generate_csrf()  # as the page with the form does
            login_user(db.session.get_one(User, self.id), authn_via=["password"])
            response = self.app.process_response(self.app.response_class())
        for header in response.headers.getlist("Set-Cookie"):
            for cookie in SimpleCookie(header).values():
                client.set_cookie(cookie.key, cookie.value, path=cookie["path"])
        return client


def add_person(app: Flask, *roles: str, email: str | None = None, name: str = "") -> Person:
    """Store a confirmed account with `roles`."""
    address = email or f"person{next(_numbers)}@example.edu"
    with app.app_context():
        user = user_datastore.create_user(
            email=address,
            password=hash_password(PASSWORD),
            confirmed_at=datetime.now(UTC),
            name=name,
            roles=[user_datastore.find_or_create_role(role) for role in roles],
        )
        db.session.commit()
        return Person(app, user.id, address)
