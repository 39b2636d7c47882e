"""Whom the cookies of a sign-in are kept from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal.app import create_app
from portal.db import db
from tests.accounts.mailbox import sign_in
from tests.people import PASSWORD, add_person

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person


def test_cookies_are_kept_from_scripts_and_other_sites(app: Flask, applicant: Person) -> None:
    client = app.test_client()
    answer = sign_in(client, applicant.email, remember="y")
    cookies = {cookie.split("=", 1)[0]: cookie for cookie in answer.headers.getlist("Set-Cookie")}
    assert set(cookies) == {"session", "remember_token", "known_device"}
    for cookie in cookies.values():
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Secure" not in cookie
    assert "Max-Age=2592000" in cookies["remember_token"] or "Expires" in cookies["remember_token"]


@pytest.mark.parametrize(("below", "path"), [("", "/"), ("/phd", "/phd")])
def test_cookies_are_for_https_only_where_the_portal_is_and_for_its_own_path(
    settings: dict[str, str], below: str, path: str
) -> None:
    """What else is served at www.example.edu gets no session of the portal at www.example.edu/phd."""
    address = f"https://portal.example.edu{below}"
    app = create_app({**settings, "PORTAL_BASE_URL": address})
    somebody = add_person(app, "applicant")
    client = app.test_client()
    answer = client.get("/accounts/login", base_url=address)
    token = answer.text.split('name="csrf_token"')[1].split('value="')[1].split('"')[0]
    data = {"csrf_token": token, "email": somebody.email, "password": PASSWORD, "remember": "y"}
    headers = {"Referer": f"{address}/accounts/login"}
    answer = client.post("/accounts/login", data=data, base_url=address, headers=headers)
    assert answer.status_code == 302
    cookies = answer.headers.getlist("Set-Cookie")
    assert all("Secure" in cookie for cookie in cookies)
    paths = {cookie.split("=")[0]: re.findall(r"Path=([^;]*)", cookie) for cookie in cookies}
    assert paths == {"session": [path], "remember_token": [path], "known_device": [f"{below}/accounts"]}
    with app.app_context():
        db.engine.dispose()
