"""What a page is to say next travels in a cookie, of which a browser keeps nothing where it is too long."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from flask import abort

from portal.web.messages import flash_message, flash_with_undo

if TYPE_CHECKING:
    from flask import Flask

BROWSERS_KEEP = 4_096  # bytes of a cookie
random.seed(7)
LONG = " ".join(str(random.random()) for _ in range(600))  # noqa: S311  (nothing secret: it must not be compressible)


@pytest.mark.parametrize(
    "long", [lambda: flash_message(LONG), lambda: flash_with_undo("Taken back.", "/", {"note": LONG})]
)
def test_a_message_that_is_too_long_for_a_cookie_is_shortened_and_the_others_stay(app: Flask, long: object) -> None:
    assert callable(long)

    @app.get("/said")
    def said() -> str:
        flash_message("Something short.")
        long()
        flash_message("And at last.")
        return ""

    client = app.test_client()
    cookie = client.get("/said").headers["Set-Cookie"]
    assert len(cookie) < BROWSERS_KEEP
    page = client.get("/").text
    assert "Something short." in page
    assert "And at last." in page
    assert "Taken back." in page or LONG[:200] in page
    assert LONG not in page


def test_what_a_request_that_failed_said_is_not_said_and_what_was_said_before_is(app: Flask) -> None:
    @app.get("/said")
    def said() -> str:
        flash_message("Said before.")
        return ""

    @app.get("/failed")
    def failed() -> str:
        flash_message("Saved.")
        abort(409)

    client = app.test_client()
    client.get("/said")
    with client.session_transaction() as session:
        assert len(session["_flashes"]) == 1
    failure = client.get("/failed", headers={"Accept": "application/json"})
    assert failure.status_code == 409
    page = client.get("/").text
    assert ("Said before." in page, "Saved." in page) == (True, False)


def test_a_message_of_usual_length_keeps_its_button(app: Flask) -> None:
    @app.get("/said")
    def said() -> str:
        flash_with_undo("Taken back.", "/accounts/news/read", {"note": "A word."})
        return ""

    client = app.test_client()
    client.get("/said")
    assert 'action="/accounts/news/read"' in client.get("/").text
